"""A benchmark's figures as a Markdown report with a chart."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

Figures = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Set -> system -> measure -> value."""

_COLOURS = ("#9aa5b1", "#5b8def", "#0b6e4f", "#d97706", "#7c3aed", "#be123c", "#0891b2", "#4d7c0f")
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 960, 360, 50, 30, 50


def write_report(path: Path, figures: Figures, *, title: str, measure: str = "ndcg@10") -> None:
    """Write the report to `path` and its chart beside it, as .svg."""
    chart = path.with_suffix(".svg")
    chart.write_text(_chart(figures, measure), encoding="utf-8")
    parts = [f"# {title}", f"![{measure} by set and system]({chart.name})"]
    for name, systems in figures.items():
        measures = list(
            dict.fromkeys(key for values in systems.values() for key in values if not key.endswith(("_low", "_high")))
        )
        head = f"| {name} | " + " | ".join(measures) + " |\n|---|" + "---|" * len(measures)
        rows = [
            f"| {system} | " + " | ".join(_cell(values, key) for key in measures) + " |" for system, values in systems.items()
        ]
        parts.append("\n".join([head, *rows]))
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _cell(values: Mapping[str, float], key: str) -> str:
    if key not in values:
        return ""
    interval = f" ({values[f'{key}_low']:.3f}–{values[f'{key}_high']:.3f})" if f"{key}_low" in values else ""
    return f"{values[key]:g}{interval}"


def _chart(figures: Figures, measure: str) -> str:
    """Grouped bars from 0 to 1, a group a set, a colour a system."""
    systems = list(dict.fromkeys(system for group in figures.values() for system in group))
    inner, height = _WIDTH - _LEFT - 10, _HEIGHT - _TOP - _BOTTOM
    group = inner / max(1, len(figures))
    bar = group * 0.85 / max(1, len(systems))
    marks = [
        f'<line x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{_TOP + height * (1 - at):.1f}" y2="{_TOP + height * (1 - at):.1f}" '
        f'stroke="#ddd"/><text x="{_LEFT - 6}" y="{_TOP + height * (1 - at) + 4:.1f}" text-anchor="end">{at:g}</text>'
        for at in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    for g, (name, values) in enumerate(figures.items()):
        left = _LEFT + g * group
        marks.append(f'<text x="{left + group * 0.43:.1f}" y="{_TOP + height + 18}" text-anchor="middle">{escape(name)}</text>')
        for s, system in enumerate(systems):
            tall = height * values.get(system, {}).get(measure, 0.0)
            marks.append(
                f'<rect x="{left + s * bar:.1f}" y="{_TOP + height - tall:.1f}" width="{bar * 0.9:.1f}" height="{tall:.1f}" '
                f'fill="{_COLOURS[s % len(_COLOURS)]}"/>'
            )
    legend = "".join(
        f'<rect x="{_LEFT + s * 110}" y="8" width="10" height="10" fill="{_COLOURS[s % len(_COLOURS)]}"/>'
        f'<text x="{_LEFT + 14 + s * 110}" y="17">{escape(system)}</text>'
        for s, system in enumerate(systems[:8])
    )
    body = "\n".join([legend, *marks])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )

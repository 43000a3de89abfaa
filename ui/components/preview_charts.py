"""The figures of a preview as charts: the distances between segments with the threshold, and how large the chunks are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from ingest.preview import Gap, Preview
from ui.strings import plain

_HEIGHT = 170
_LINE, _CUT, _LIMIT = "#7a8899", "#c77b1f", "#b3452f"


def curve(preview: Preview) -> Any:
    """The distance at each gap between segments, with where a chunk begins and the threshold; None where there is no gap."""
    if not preview.gaps:
        return None
    x = alt.X("place:Q", title=plain("preview.place"), scale=alt.Scale(nice=False))
    y = alt.Y("compared:Q", title=plain("preview.distance"), scale=alt.Scale(zero=False))
    tips = [
        alt.Tooltip("place:Q", title=plain("preview.place")),
        alt.Tooltip("distance:Q", format=".3f", title=plain("preview.distance")),
    ]
    data = _chart([_point(gap) for gap in preview.gaps])
    line = data.mark_line(color=_LINE, strokeWidth=1).encode(x=x, y=y)
    cuts = data.transform_filter("datum.is_cut").mark_point(color=_CUT, filled=True, size=45).encode(x=x, y=y, tooltip=tips)
    layers = [line, cuts]
    if preview.threshold is not None:
        limit = _chart([{"threshold": preview.threshold}])
        layers.append(limit.mark_rule(color=_LIMIT, strokeDash=[5, 4]).encode(y="threshold:Q"))
    return alt.layer(*layers).properties(height=_HEIGHT)


def widths(preview: Preview) -> Any:
    """How many chunks are how large."""
    rows = [{"width": round(chunk.width)} for chunk in preview.chunks]
    return (
        _chart(rows)
        .mark_bar(color=_LINE)
        .encode(
            x=alt.X("width:Q", bin=alt.Bin(maxbins=20), title=plain("preview.width")),
            y=alt.Y("count():Q", title=plain("report.chunks"), axis=alt.Axis(tickMinStep=1, format="d")),
        )
        .properties(height=_HEIGHT)
    )


def _chart(rows: Sequence[Mapping[str, float | bool]]) -> Any:
    return alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call]


def _point(gap: Gap) -> dict[str, float | bool]:
    return {"place": gap.place, "distance": gap.distance, "compared": gap.compared, "is_cut": gap.is_cut}

"""A retrieved passage as a card: where it is from, its text with the winning segments marked, and its scores as bars.

Cards are HTML for `st.html`. Everything that comes from a document goes through `escape_html`, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ui.excerpts import heading_marks, marked, window
from ui.safe import escape_html, shown_name, whole_name
from ui.strings import has, plain

LEGS = ("bm25", "vector", "fused")
"""Of these it is said as well when they did not find a passage."""
_ORDER = ("bm25", "pairs", "vector", "fused")
_LEAST_SPAN = 0.1
"""Of the best score: bars that span less would make scores that are nearly alike look far apart."""
_EXCERPT_AROUND = 90
_EXCERPT_GAP = 180
_EXCERPT_SEGMENTS = 2
_EXCERPT_LENGTH = 420

_BLANK_LINES = re.compile(r"\n\s*\n")

Context = Mapping[str, Any]
Ranges = Mapping[str, tuple[float, float]]


def ranges(candidates: Iterable[Context]) -> dict[str, tuple[float, float]]:
    """Lowest and highest score of every leg and stage among all candidates, shown or dropped: the ends of its bars."""
    found: dict[str, list[float]] = {}
    for context in candidates:
        for leg, place in context.get("scores", {}).items():
            found.setdefault(leg, []).append(float(place["score"]))
    return {leg: (min(scores), max(scores)) for leg, scores in found.items()}


def card(
    context: Context,
    position: int,
    *,
    spans: Ranges,
    cited_as: Sequence[int] = (),
    marker: str = "",
    show_base: bool = False,
) -> str:
    """The card of the context at `position` (from 1), of which the answer cites the numbers `cited_as`.

    `marker` is ready HTML (see `rank_change`); `show_base` names the knowledge base, where several were asked.
    """
    cited = " gb-cited" if cited_as else ""
    return (
        f'<article class="gb-card{cited}">{_head(context, position, cited_as, marker, show_base)}'
        f'<div class="gb-body"><div class="gb-reading">{_excerpt(context)}{_terms(context)}{_whole(context)}</div>'
        f'<div class="gb-scores">{_bars(context, spans)}</div></div></article>'
    )


def rank_change(before: int | None, after: int) -> str:
    """How far a passage moved: up, down, stayed or new, from the ranks (from 1) before and after."""
    if before is None:
        return f'<span class="gb-move gb-new">{_words("passages.new")}</span>'
    if before == after:
        return f'<span class="gb-move" title="{_words("passages.same")}">=</span>'
    kind, arrow = ("gb-up", "↑") if after < before else ("gb-down", "↓")
    return f'<span class="gb-move {kind}" title="{_words("passages.was", rank=before)}">{arrow}{abs(before - after)}</span>'


def winners(context: Context, *, most: int | None = None) -> list[tuple[int, int]]:
    """The spans of the winning segments, or of the `most` best of them, as offsets into the context's text, in its order."""
    segments = sorted(
        (each for each in context.get("segments", ()) if each.get("winner")), key=lambda each: -float(each["score"])
    )
    return sorted((segment["start"] - context["start"], segment["end"] - context["start"]) for segment in segments[:most])


def where(context: Context) -> str:
    """Page, rows of a sheet, and heading, as plain text; "" when none is known."""
    first = context.get("page")
    last = max((page for page, _ in context.get("later_pages") or ()), default=first)
    page = plain("passages.page", page=first if first == last else f"{first}–{last}") if first else ""
    heading = context.get("heading")
    table = table_place(context)
    return " · ".join(filter(None, (page, table, "" if table and heading == context.get("sheet") else heading)))


def table_place(context: Context) -> str:
    """The sheet and the rows of a passage or a citation, as plain text; "" for one that is of no table."""
    first, last = context.get("rows") or (None, None)
    rows = "" if first is None else plain("passages.row", row=first)
    if first != last:
        rows = plain("passages.rows", first=first, last=last)
    sheet = shown_name(str(context.get("sheet") or ""))
    return plain("passages.in_sheet", sheet=sheet, rows=rows) if sheet and rows else sheet or rows


def leg_name(leg: str) -> str:
    """A leg's or stage's name in words."""
    return plain(f"leg.{leg}") if has(f"leg.{leg}") else leg


def _head(context: Context, position: int, cited_as: Sequence[int], marker: str, show_base: bool) -> str:
    base = shown_name(str(context.get("base") or "")) if show_base else ""
    place = " · ".join(filter(None, [where(context), *_written(context), base]))
    source = str(context["source"])
    cites = "".join(f'<span class="gb-cite" title="{_words("passages.cited")}">[{number}]</span>' for number in cited_as)
    relevance = context.get("relevance")
    share = "" if relevance is None else _words("passages.relevance", percent=round(100 * relevance))
    return (
        f'<header class="gb-head"><span class="gb-n">{position}</span>{marker}'
        f'<span class="gb-source" title="{escape_html(whole_name(source))}">{escape_html(shown_name(source))}</span>'
        f'<span class="gb-where">{escape_html(place)}</span>{_edited(context)}{cites}'
        f'<span class="gb-relevance">{share}</span></header>'
    )


def _written(context: Context) -> list[str]:
    """Who wrote the document, and when, as far as it says so."""
    return [shown_name(str(context[name])) for name in ("author", "created") if context.get(name)]


def _edited(context: Context) -> str:
    """The mark of a passage whose text was corrected by a person, or written by a model about a picture."""
    if context.get("by_model") and not context.get("edited"):
        about = escape_html(plain("passages.by_model_help", model=whole_name(str(context["by_model"]))))
        return f'<span class="gb-move gb-edited" title="{about}">{_words("passages.by_model")}</span>'
    if not context.get("edited"):
        return ""
    return f'<span class="gb-move gb-edited" title="{_words("passages.edited_help")}">{_words("passages.edited")}</span>'


def _excerpt(context: Context) -> str:
    """The best winning segments with some text around them, or the beginning; far apart ones are paragraphs of their own."""
    text, spans = context["text"], winners(context, most=_EXCERPT_SEGMENTS)
    hidden = heading_marks(text, str(context["source"]))
    parts: list[str] = []
    for group in _neighbours(spans):
        start, stop, around = (group[0][0], group[-1][1], _EXCERPT_AROUND) if group else (0, 0, _EXCERPT_LENGTH)
        low, high = window(text, start, stop, around=around)
        inside = marked(text, group, hidden=hidden, window=(low, high))
        parts.append(("…" if low else "") + inside + ("…" if high < len(text) else ""))
    return "".join(f'<p class="gb-text">{_BLANK_LINES.sub(chr(10), part)}</p>' for part in parts)


def _neighbours(spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    groups = [list(spans[:1])]
    for span in spans[1:]:
        if span[0] - groups[-1][-1][1] <= _EXCERPT_GAP:
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def _whole(context: Context) -> str:
    shown = marked(context["text"], winners(context))
    summary = _words("passages.whole", characters=len(context["text"]))
    whole = f'<details><summary>{summary}</summary><p class="gb-text">{shown}</p></details>'
    if not context.get("edited"):
        return whole
    original = escape_html(str(context.get("original") or ""))
    return f'{whole}<details><summary>{_words("passages.original")}</summary><p class="gb-text">{original}</p></details>'


def _terms(context: Context) -> str:
    terms = context.get("matched_terms") or ()
    if not terms:
        return ""
    chips = "".join(f'<span class="gb-term">{escape_html(str(term))}</span>' for term in terms)
    return f'<p class="gb-terms">{_words("passages.terms")} {chips}</p>'


def _bars(context: Context, spans: Ranges) -> str:
    scores = context.get("scores", {})
    return "".join(_bar(leg, scores.get(leg), spans.get(leg, (0.0, 0.0))) for leg in in_order([*LEGS, *scores]))


def in_order(stages: Iterable[str]) -> list[str]:
    """The legs and stages once each: the legs first and their fusion, then the others as they come."""
    known = dict.fromkeys(stages)
    return [*(leg for leg in _ORDER if leg in known), *(stage for stage in known if stage not in _ORDER)]


def _bar(leg: str, place: Mapping[str, Any] | None, span: tuple[float, float]) -> str:
    name = escape_html(leg_name(leg))
    if place is None:
        return f'<div class="gb-leg gb-absent"><span class="gb-name">{name}</span><span>{_words("passages.absent")}</span></div>'
    score, (low, high) = float(place["score"]), span
    span_shown = max(high - low, _LEAST_SPAN * abs(high)) or 1.0
    width = round(100 - 94 * min(1.0, max(0.0, high - score) / span_shown))
    return (
        f'<div class="gb-leg gb-{escape_html(leg)}"><span class="gb-name">{name}</span>'
        f'<span class="gb-bar"><i style="width:{width}%"></i></span>'
        f'<span class="gb-rank">#{int(place["rank"])}</span><span class="gb-score">{_number(score)}</span></div>'
    )


def _number(score: float) -> str:
    return f"{score:.3f}" if abs(score) < 10 else f"{score:.1f}"


def _words(key: str, **params: object) -> str:
    return escape_html(plain(key, **params))

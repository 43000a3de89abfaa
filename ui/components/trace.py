"""The trace of a retrieval: the queries, the stages, and every candidate with its place in each leg and stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from ui.components import ledger
from ui.components.cards import in_order, leg_name, where
from ui.safe import whole_name
from ui.strings import plain, t

_ROWS_SHOWN = 12
_ROW_PIXELS = 36

Retrieval = Mapping[str, Any]


def show_trace(retrieval: Retrieval, *, key: str) -> None:
    """Everything that is known of how the contexts were found."""
    st.html(ledger.steps(retrieval))
    columns = candidates(retrieval)
    if columns:
        count = len(next(iter(columns.values())))
        st.markdown(f"**{t('trace.candidates', count=count)}**  \n:small[:gray[{t('trace.candidates_note')}]]")
        height = _ROW_PIXELS * (min(count, _ROWS_SHOWN) + 1)
        st.dataframe(columns, key=key, hide_index=True, height=height, placeholder="", column_config=_formats(columns))
    st.html(ledger.losses(retrieval))


def candidates(retrieval: Retrieval) -> dict[str, list[Any]]:
    """A table by columns: the contexts in their order, then what was dropped, the best first; empty when there was none."""
    contexts: Sequence[Mapping[str, Any]] = retrieval.get("contexts", ())
    dropped = sorted(retrieval.get("dropped", ()), key=_best_rank)
    rows: list[dict[str, Any]] = [_context(context, place) for place, context in enumerate(contexts, start=1)]
    rows += [_dropped(drop) for drop in dropped]
    stages = _stages([*contexts, *dropped])
    rows = [row | _marks(each, stages) | _named(each) for row, each in zip(rows, [*contexts, *dropped], strict=True)]
    if len({context.get("base") for context in contexts}) < 2:
        rows = [{name: value for name, value in row.items() if name != plain("ledger.base")} for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def _context(context: Mapping[str, Any], place: int) -> dict[str, Any]:
    return {
        plain("trace.place"): place,
        plain("trace.source"): whole_name(str(context["source"])),
        plain("trace.where"): whole_name(where(context)),
        plain("ledger.base"): whole_name(str(context.get("base") or "")),
        plain("trace.fate"): plain("trace.shown"),
    }


def _dropped(drop: Mapping[str, Any]) -> dict[str, Any]:
    stage = leg_name(str(drop.get("stage", "")))
    return {
        plain("trace.place"): None,
        plain("trace.source"): whole_name(str(drop.get("source") or "")),
        plain("trace.fate"): plain("trace.lost", stage=stage, reason=ledger.reason_of(drop)),
    }


def _stages(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The legs and stages that marked a candidate, the known ones first."""
    return in_order(stage for row in rows for stage in row.get("scores") or {})


def _marks(candidate: Mapping[str, Any], stages: Sequence[str]) -> dict[str, Any]:
    """Rank and score in each of the stages."""
    marks: dict[str, Any] = {}
    for stage, (rank, score) in zip(stages, map(_headings, stages), strict=True):
        found = (candidate.get("scores") or {}).get(stage)
        marks |= {rank: int(found["rank"]) if found else None, score: float(found["score"]) if found else None}
    return marks


def _named(candidate: Mapping[str, Any]) -> dict[str, Any]:
    """Its matched terms and its id, by which "Why was a passage not found?" knows it."""
    terms = ", ".join(map(str, candidate.get("matched_terms") or ()))
    return {plain("trace.terms"): terms, plain("trace.chunk"): str(candidate["chunk_id"])}


def _headings(stage: str) -> tuple[str, str]:
    return plain("trace.rank", stage=leg_name(stage)), plain("trace.score", stage=leg_name(stage))


def _best_rank(drop: Mapping[str, Any]) -> float:
    """Its rank when it was last compared; those that nothing is known of stand last."""
    ranks = [float(mark["rank"]) for mark in (drop.get("scores") or {}).values()]
    return ranks[-1] if ranks else float("inf")


def _formats(columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Ranks without decimals, scores with three; text as it is."""
    return dict(_format(name, next((value for value in values if value is not None), "")) for name, values in columns.items())


def _format(name: str, value: Any) -> tuple[str, Any]:
    if isinstance(value, int):
        return name, st.column_config.NumberColumn(format="%d", width="small")
    return name, st.column_config.NumberColumn(format="%.3f") if isinstance(value, float) else st.column_config.TextColumn()

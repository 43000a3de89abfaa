"""How files are to be cut, chosen for once: the strategy and the sizes that it knows, starting with those set up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from settings.ingest import AUTO
from ui import state, tuning
from ui.strings import current, plain, t
from ui.wording import value_of

if TYPE_CHECKING:
    from settings import Settings
    from ui.services import Services

CHUNKER = "ingest.chunker"
_SIZES = ("ingest.chunk_size", "ingest.min_chunk_size", tuning.OVERLAP)
_BREAKS = ("ingest.breakpoint_type", "ingest.breakpoint_amount")
_OWN: dict[str, Sequence[str]] = {
    "auto": (*_SIZES, *_BREAKS),
    "semantic": (*_SIZES, *_BREAKS),
    "token": ("ingest.chunk_tokens", tuning.OVERLAP),
    "sentence": ("ingest.chunk_sentences", *_SIZES),
    "hierarchical": (*_SIZES, "ingest.parent_size"),
    "sentence_window": ("ingest.window_sentences", "ingest.chunk_size"),
    "rows": ("ingest.chunk_size", "ingest.min_chunk_size"),
}
_WIDTH = 168


def show_cutting(services: Services, *, key: str, chunker: str | None = None) -> dict[str, Any]:
    """The controls; gives the chosen settings by their dotted names. `key` tells several on one page apart."""
    values = state.settings(services).flat()
    if chunker:
        values[CHUNKER] = chunker
    chosen = {CHUNKER: _choice(CHUNKER, values[CHUNKER], key)}
    st.caption(t(f"chunker_about.{chosen[CHUNKER]}"))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        for name in _OWN.get(chosen[CHUNKER], _SIZES):
            chosen[name] = _choice(name, values[name], key) if name == _BREAKS[0] else _number(name, values[name], key)
    return chosen


def with_cutting(services: Services, chosen: dict[str, Any]) -> Settings:
    """The settings of the page with these laid over. Raises SettingsError."""
    return state.settings(services).override(chosen)


def _choice(name: str, value: Any, key: str) -> Any:
    options = list(tuning.knob(name).options)
    return st.selectbox(
        t(f"knob.{name.partition('.')[2]}"),
        options,
        index=options.index(value),
        key=f"{key}:{name}:{current()}",
        format_func=lambda option: value_of(name, option),
        help=t(f"knob.{name.partition('.')[2]}_help"),
        width="stretch" if name == CHUNKER else _WIDTH,
    )


def _number(name: str, value: Any, key: str) -> Any:
    knob, is_open = tuning.knob(name), name == tuning.OVERLAP
    entered = st.number_input(
        t(f"knob.{knob.short}"),
        knob.low,
        knob.high,
        value=None if value == AUTO else value,
        step=knob.step,
        key=f"{key}:{name}",
        placeholder=plain("adding.automatic") if is_open else "",
        help=t(f"knob.{knob.short}_help"),
        width=_WIDTH,
    )
    return (AUTO if is_open else value) if entered is None else entered

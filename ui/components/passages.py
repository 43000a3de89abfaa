"""The passages below an answer; for the last question they follow the sliders, with marks for how each one moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui import state
from ui.asking import routed, routed_queries
from ui.components import cards, ledger
from ui.components.failure import explained
from ui.components.limits import chips, show_asked_limits
from ui.components.sources import show_openers
from ui.components.trace import show_trace
from ui.components.used import BASES, LIMITS, TUNING, is_as_now, made_with
from ui.limits import filter_of
from ui.strings import current, t

if TYPE_CHECKING:
    from ui.services import Services


def show_passages(
    services: Services,
    payload: Mapping[str, Any],
    *,
    key: str,
    again: Mapping[str, Any] | None = None,
    expanded: bool = False,
) -> None:
    """The cards of an answer's contexts or, with `again`, those of a newer retrieval compared with them."""
    shown = again or payload
    contexts: Sequence[cards.Context] = shown.get("contexts", ())
    label = t("passages.updated", count=len(contexts)) if again else t("passages.title", count=len(contexts))
    needed = (again or payload).get(TUNING, {}).get("retrieval.evidence_threshold")
    with st.expander(label, key=key, expanded=expanded, icon=":material/manage_search:"):
        if again:
            st.caption(f":material/tune: {t('passages.compared')}")
            if again.get(LIMITS):
                st.html(chips(again[LIMITS]))
        show_asked_limits(services, shown, key=key)
        for note in ledger.notes(shown):
            st.caption(f":material/info: {note}")
        labels = [t("passages.tab"), t("ledger.tab")]
        found, how = st.tabs(labels, key=f"{key}:{current()}", on_change="rerun")
        with found:
            st.html(ledger.summary(shown, needed=needed))
            if not contexts:
                st.caption(t("passages.none"))
            several = len(shown.get(BASES) or ()) > 1
            drawn = _cards(shown, payload, compare=again is not None, show_base=several)
            st.html(f'<div class="gb-cards">{drawn}</div>')
            show_openers(services, contexts, key=key)
        if how.open:  # a table of hundreds of rows an answer is drawn when somebody looks at it
            with how:
                show_trace(shown, key=f"trace:{key}")


def retrieved_again(services: Services, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """The passages as they would be found now, or None when the answer was found with the same settings, bases and limits."""
    question, present = question_of(payload), made_with(services)
    if not question or payload.get(TUNING) is None or is_as_now(payload, present):
        return None
    versions = [(d.doc_id, d.version, d.edited) for name in present[BASES] for d in state.documents(services, name)]
    found_with = (question, present, versions, payload.get("routing"))
    if st.session_state.get("retrieved_state") != found_with:
        with explained():
            limits = filter_of(state.limits())
            settings = routed(state.settings(services), payload, state.changes())
            again = services.retrieve(question, settings, present[BASES], limits, routed_queries(payload))
            st.session_state["retrieved"], st.session_state["retrieved_state"] = again | present, found_with
    found: dict[str, Any] | None = (
        st.session_state.get("retrieved") if st.session_state.get("retrieved_state") == found_with else None
    )
    return found


def question_of(payload: Mapping[str, Any]) -> str:
    """What was searched for: the question, or what it stands for in its conversation; "" where nothing was."""
    if payload.get("route") == "none":
        return ""
    return str(payload.get("standalone_question") or payload.get("question") or "")


def _cards(shown: Mapping[str, Any], payload: Mapping[str, Any], *, compare: bool, show_base: bool) -> str:
    contexts = shown.get("contexts", ())
    ranks = {context["chunk_id"]: rank for rank, context in enumerate(payload.get("contexts", ()), start=1)}
    cited: dict[str, list[int]] = {}
    for citation in payload.get("citations", ()):
        cited.setdefault(citation["chunk_id"], []).append(citation["n"])
    cited = {chunk: sorted(set(numbers)) for chunk, numbers in cited.items()}
    spans = cards.ranges([*contexts, *shown.get("dropped", ())])
    drawn = [
        cards.card(
            context,
            rank,
            spans=spans,
            show_base=show_base,
            cited_as=cited.get(context["chunk_id"], []),
            marker=cards.rank_change(ranks.get(context["chunk_id"]), rank) if compare else "",
        )
        for rank, context in enumerate(contexts, start=1)
    ]
    return "".join(drawn)

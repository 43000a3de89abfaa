"""Why was it not found? A passage that a person expected, what became of it, and the settings that would keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui import state
from ui.asking import routed
from ui.components.cards import leg_name, where
from ui.components.failure import explained
from ui.components.ledger import note_words, reason_of
from ui.components.passages import question_of
from ui.components.used import BASES, is_as_now, made_with
from ui.limits import filter_of
from ui.safe import escape_html, shown_name, whole_name
from ui.strings import plain, t
from ui.wording import change_words

if TYPE_CHECKING:
    from ui.services import Services

_LONGEST = 4000
_MOST_FATES = 6
_MOST_WORDS = 30
_EXCERPT, _BEFORE = 160, 40
"""Characters of a passage that are shown, and how many of them before the expected text."""
_BY_A_PERSON = {"switched_off": "why.switch_on", "corrected": "why.as_corrected"}
"""What to do about that which a person did, by the reason."""

Fate = Mapping[str, Any]


def show_why(services: Services, answer: Mapping[str, Any], contexts: Sequence[Mapping[str, Any]], *, key: str) -> None:
    """The box for the passage that was expected of an answer, and what was found out; `contexts` are those that are shown now."""
    with st.expander(t("why.title"), key=f"why:{key}", icon=":material/help:"):
        with st.form(f"why_form:{key}", border=False):
            expected = st.text_area(t("why.expected"), key=f"why_text:{key}", max_chars=_LONGEST, height=80, help=t("why.help"))
            asked = st.form_submit_button(t("why.ask"), icon=":material/troubleshoot:")
        if asked and expected.strip():
            _look(services, answer, expected.strip(), key)
        kept = st.session_state.get(f"why_found:{key}")
        if kept:
            _explanation(services, kept, contexts, key)


def fate_html(fate: Fate, *, several_bases: bool = False) -> str:
    """What became of one chunk, as HTML: where it is, its place in each leg, the words it shares with the question."""
    chunk = fate["chunk"]
    source, text = str(chunk["source"]), str(chunk["text"])
    name = f'<span class="gb-source" title="{escape_html(whole_name(source))}">{escape_html(shown_name(source))}</span>'
    places = [where(chunk), str(fate["base"]) if several_bases else "", "" if fate["exact"] else plain("why.similar")]
    return (
        f'<div class="gb-ledger gb-fate"><header class="gb-head">{name}'
        f'<span class="gb-where">{escape_html(" · ".join(filter(None, places)))}</span>'
        f'</header><p class="gb-text">{escape_html(_excerpt(text, int(fate.get("at") or 0)))}</p>'
        f"<table>{''.join(_leg(leg, place) for leg, place in fate['legs'].items())}</table>{_shared(fate)}{_tokens(fate)}</div>"
    )


def question_html(found: Mapping[str, Any]) -> str:
    """The words that full text looks for, as its index has them, as HTML."""
    tokens = found.get("query_tokens") or ()
    words = _chips(tokens) if tokens else escape_html(plain("why.no_query_words"))
    return f'<div class="gb-ledger"><p class="gb-terms">{escape_html(plain("why.query_words"))} {words}</p></div>'


def verdict(fate: Fate) -> str:
    """What became of the chunk in one sentence, as Markdown."""
    if fate.get("rank"):
        return t("why.found", rank=fate["rank"])
    reason = reason_of(fate)
    if fate.get("reason") == "corrected":
        return t("why.corrected")
    if fate["place"] == "not_recalled":
        return t("why.not_recalled", reason=reason)
    return t("why.lost", stage=leg_name(str(fate["place"])), reason=reason)


def place_among(contexts: Sequence[Mapping[str, Any]], chunk: Mapping[str, Any]) -> int | None:
    """The place, from 1, of the context that is the chunk or holds it; None when there is none."""
    for place, context in enumerate(contexts, start=1):
        holds = context["doc_id"] == chunk["doc_id"] and context["start"] <= chunk["start"] and chunk["end"] <= context["end"]
        if context["chunk_id"] == chunk["id"] or holds:
            return place
    return None


def _look(services: Services, answer: Mapping[str, Any], expected: str, key: str) -> None:
    with explained(), st.spinner(t("why.looking")):
        settings = routed(state.settings(services), answer, state.changes())
        found = services.explain(question_of(answer), expected, settings, state.bases(services), filter_of(state.limits()))
        st.session_state[f"why_found:{key}"] = {"found": found, "with": made_with(services)}


def _explanation(services: Services, kept: Mapping[str, Any], contexts: Sequence[Mapping[str, Any]], key: str) -> None:
    fates, notes = kept["found"].get("fates", ()), kept["found"].get("notes", ())
    for note in notes:
        st.caption(f":material/info: {note_words(note)}")
    if not fates:
        shut = {(note.get("params") or {}).get("base") for note in notes if note.get("code") == "base_failed"}
        looked_through = [name for name in kept["with"][BASES] if name not in shut]
        st.warning(t("why.not_in_index", base=", ".join(looked_through)), icon=":material/search_off:")
        return
    st.html(question_html(kept["found"]))
    is_old = not is_as_now(kept["with"], made_with(services))
    if is_old:
        st.caption(f":material/history: {t('why.old')}")
    for number, fate in enumerate(fates[:_MOST_FATES]):
        with st.container(border=True):
            now = place_among(contexts, fate["chunk"])
            if is_old and now and not fate.get("rank"):
                st.success(t("why.found_now", rank=now), icon=":material/check_circle:")
            else:
                st.markdown(f"**{verdict(fate)}**")
            st.html(fate_html(fate, several_bases=len(kept["with"][BASES]) > 1))
            if not fate.get("rank"):
                _remedies(services, fate, key=f"{key}:{number}")
    if len(fates) > _MOST_FATES:
        st.caption(t("why.more", count=len(fates) - _MOST_FATES))


def _remedies(services: Services, fate: Fate, *, key: str) -> None:
    """A button for each set of settings with which the chunk is shown; those were tried. Else what a person can do."""
    remedies, reason = fate.get("remedies") or (), fate.get("reason")
    if reason == "filtered_out" and state.limits() and not remedies:
        icon = ":material/filter_list_off:"
        st.button(t("limits.clear"), key=f"unlimit:{key}", icon=icon, on_click=state.set_limits, args=({},))
        return
    if reason in _BY_A_PERSON:
        st.caption(t(_BY_A_PERSON[reason]))
        return
    st.caption(t("why.remedies") if remedies else t("why.no_remedy"))
    with st.container(horizontal=True, key=f"remedies:{key}", gap="small"):
        for number, changes in enumerate(remedies):
            both = reduce(lambda first, second: plain("why.and", first=first, second=second), change_words(changes))
            words = t("why.use", changes=both)
            st.button(
                words,
                key=f"remedy:{key}:{number}",
                icon=":material/build:",
                on_click=state.change,
                args=(services, dict(changes)),
            )


def _excerpt(text: str, at: int) -> str:
    """The part of a passage where the expected text begins."""
    start = max(0, at - _BEFORE) if at + _BEFORE > _EXCERPT else 0
    return f"{'…' if start else ''}{text[start : start + _EXCERPT]}{'…' if start + _EXCERPT < len(text) else ''}"


def _leg(leg: str, place: Mapping[str, Any] | None) -> str:
    if place is None:
        found = f'<td class="gb-why" colspan="2">{escape_html(plain("passages.absent"))}</td>'
    else:
        rank = plain("why.rank", rank=place["rank"], count=place["of"])
        if place.get("recall_rank"):
            rank = plain("why.rank_by_mean", rank=rank, by_mean=place["recall_rank"])
        found = f"<td>{escape_html(rank)}</td><td>{float(place['score']):.3f}</td>"
    return f"<tr><td>{escape_html(leg_name(leg))}</td>{found}</tr>"


def _shared(fate: Fate) -> str:
    words = fate.get("shared_words") or ()
    if not words:
        return f'<p class="gb-terms">{escape_html(plain("why.no_words"))}</p>'
    return f'<p class="gb-terms">{escape_html(plain("why.words"))} {_chips(words[:_MOST_WORDS])}</p>'


def _tokens(fate: Fate) -> str:
    """All words of the passage as the index has them, those that the question has too marked; closed at first."""
    tokens, shared = fate.get("tokens") or (), set(fate.get("shared_words") or ())
    words = " · ".join(f"<mark>{escape_html(str(word))}</mark>" if word in shared else escape_html(str(word)) for word in tokens)
    summary = escape_html(plain("why.tokens", count=len(tokens)))
    return f'<details><summary>{summary}</summary><p class="gb-terms">{words}</p></details>'


def _chips(words: Sequence[object]) -> str:
    return "".join(f'<span class="gb-term">{escape_html(str(word))}</span>' for word in words)

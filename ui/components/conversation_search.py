"""The search over conversations: its box, the choice of rated answers, and what was found with the words marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

import streamlit as st

from store.chat_search import Found, Hit, Kind, Rated, Span, search
from ui import branches, state
from ui.components import found as found_message
from ui.excerpts import window
from ui.safe import escape_markdown
from ui.strings import plain, t
from ui.turns import question_of

if TYPE_CHECKING:
    from ui.services import Services

_LONGEST_QUERY = 200
_MOST_CONVERSATIONS, _MOST_HITS = 30, 3
_AROUND = 40
_ICONS: dict[Kind, str] = {"title": "title", "question": "person", "answer": "visibility", "comment": "comment"}
_RATED_ICONS: dict[Rated, str] = {"up": "thumb_up", "down": "thumb_down", "comment": "comment"}


def show_search(services: Services) -> bool:
    """The box, the choice below it, and what is found; False where nothing is looked for, and all may be listed."""
    query = st.text_input(
        t("conversations.search"),
        key="conversation_search",
        max_chars=_LONGEST_QUERY,
        placeholder=plain("conversations.search"),
        label_visibility="collapsed",
        icon=":material/search:",
    )
    rated: Rated | None = st.pills(
        t("conversations.rated"),
        get_args(Rated),
        key="conversation_rated",
        format_func=lambda each: f":material/{_RATED_ICONS[each]}:",
    )
    if not query.strip() and not rated:
        return False
    found = search(services.chats, query, rated=rated)
    if not found:
        st.caption(t("conversations.none_found"))
    with st.container(key="conversation_found", gap=None, height=420 if len(found) > 4 else "content"):
        for each in found[:_MOST_CONVERSATIONS]:
            _show(services, each, most=_MOST_HITS if query.strip() else len(each.hits))
        if len(found) > _MOST_CONVERSATIONS:
            st.caption(t("conversations.more_found", count=len(found) - _MOST_CONVERSATIONS))
    return True


def excerpt(text: str, spans: Sequence[Span], *, around: int = _AROUND) -> str:
    """The text around its first span, or its beginning, on one line as Markdown, with all spans in it marked."""
    start, stop = spans[0] if spans else (0, 0)
    low, high = window(text, start, stop, around=around if spans else 2 * around)
    pieces, end = ["…" if low else ""], low
    for first, last in spans:
        if end <= first and last <= high:
            pieces += [_escaped(text[end:first]), f":orange-background[{_escaped(text[first:last])}]"]
            end = last
    return "".join([*pieces, _escaped(text[end:high]), "…" if high < len(text) else ""])


def _show(services: Services, found: Found, *, most: int) -> None:
    conversation = found.conversation
    titled = next((hit for hit in found.hits if hit.kind == "title"), None)
    title = excerpt(conversation.title, titled.spans if titled else (), around=100)
    hits = [hit for hit in found.hits if hit.kind != "title"]
    _button(services, found, None, f"**{title or t('conversations.untitled')}**")
    for hit in hits[:most]:
        _button(services, found, hit, f":material/{_icon(hit)}: {excerpt(hit.text, hit.spans)}")
    if len(hits) > most:
        st.caption(t("conversations.more_hits", count=len(hits) - most))


def _button(services: Services, found: Found, hit: Hit | None, label: str) -> None:
    """Opens the conversation; with a hit, in the branch where that was said, and at that place."""
    place = f"{hit.kind}:{hit.message_id}" if hit else "title"
    if st.button(label, key=f"found:{found.conversation.id}:{place}", type="tertiary"):
        found_message.leave()
        if hit and hit.message_id is not None:
            question = question_of(services.chats.messages(found.conversation.id), hit.message_id)
            branches.stay(found.conversation.id, question)
            found_message.go_to(hit.message_id, question=question)
        state.open_conversation(services, found.conversation)
        st.rerun()


def _icon(hit: Hit) -> str:
    return _RATED_ICONS[hit.thumb] if hit.thumb and hit.kind == "answer" else _ICONS[hit.kind]


def _escaped(piece: str) -> str:
    """A piece of a line; escape_markdown takes the blanks at its ends away."""
    line = re.sub(r"\s+", " ", piece)
    return f"{' ' if line[:1] == ' ' else ''}{escape_markdown(line)}{' ' if line.strip() and line[-1] == ' ' else ''}"

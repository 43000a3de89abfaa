"""The message that a search over conversations has led to: it is marked, and scrolled to once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from ui.turns import ChatTurn

Part = Literal["question", "answer"]

_FOUND = "found_message"


@dataclass(frozen=True)
class _Found:
    """A message, and the question that it is or answers, 0 for none; `number` counts those that were gone to."""

    message_id: int
    question_id: int
    number: int
    is_new: bool = True
    """It was not scrolled to yet."""


def go_to(message_id: int, *, question: int) -> None:
    """Mark a message, which is this question or answers it, and scroll to it when it is drawn next."""
    before: _Found | None = st.session_state.get(_FOUND)
    number = before.number + 1 if before else 1
    st.session_state[_FOUND] = _Found(message_id, question, number)


def leave() -> None:
    """Mark none any more."""
    if _FOUND in st.session_state:
        st.session_state[_FOUND] = replace(st.session_state[_FOUND], message_id=0, question_id=0)


@contextmanager
def marked(turn: ChatTurn, part: Part) -> Iterator[None]:
    """What is drawn within is this part of the turn: it has the mark if it was found, and is scrolled to the first time."""
    found: _Found | None = st.session_state.get(_FOUND)
    if not found or part != _part(found, turn):
        yield
        return
    with st.container(key=f"found_message_{found.number}"):  # another key each time, so that the script runs again
        if found.is_new:
            _scroll()
            st.session_state[_FOUND] = replace(found, is_new=False)
        yield


def _part(found: _Found, turn: ChatTurn) -> Part | None:
    """Which part was found; of an answer that another one has replaced since, the question."""
    if turn.answer and turn.answer.id == found.message_id:
        return "answer"
    return "question" if turn.question.id == found.question_id else None


def _scroll() -> None:
    """Again and again for a moment, unless a person scrolls: what is drawn later above would push the message away, and Streamlit
    itself keeps to the end of a conversation that grows.
    """
    st.html(
        """<script>
(() => {
  const held = ["wheel", "touchstart", "keydown", "pointerdown"];
  const until = Date.now() + 2500;
  let free = false;
  const let_go = () => { free = true; };
  held.forEach((kind) => window.addEventListener(kind, let_go, { once: true, passive: true }));
  const go = () => {
    const place = document.querySelector('[class*="st-key-found_message"]');
    if (place) place.scrollIntoView({ block: "start" });
    if (!free && Date.now() < until) setTimeout(go, 150);
    else held.forEach((kind) => window.removeEventListener(kind, let_go));
  };
  go();
})();
</script>""",
        unsafe_allow_javascript=True,
    )

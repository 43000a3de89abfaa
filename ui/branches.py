"""Which branch of a conversation a browser session looks at, and which question it edits; two tabs may look at two branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from store.chats import Conversation

if TYPE_CHECKING:
    from ui.services import Services

_SHOWN, _EDITED = "shown_branches", "edited_question"


def through(conversation: Conversation) -> int | None:
    """A question of the branch to show: this session's, else the one last asked or looked at in any."""
    shown: dict[str, int] = st.session_state.get(_SHOWN, {})
    return shown.get(conversation.id, conversation.branch)


def stay(conversation_id: str, question_id: int) -> None:
    """Keep this session on the branch of a question, wherever others go."""
    st.session_state[_SHOWN] = {**st.session_state.get(_SHOWN, {}), conversation_id: question_id}


def switch(services: Services, conversation_id: str, question_id: int) -> None:
    """Show the branch of another question, in later sessions too. Raises UnknownConversation."""
    services.chats.choose_branch(conversation_id, question_id)
    stay(conversation_id, question_id)


def edited() -> int | None:
    """The question whose words are being changed."""
    question: int | None = st.session_state.get(_EDITED)
    return question


def edit(question_id: int | None) -> None:
    """Change the words of a question, or with None of none."""
    st.session_state[_EDITED] = question_id

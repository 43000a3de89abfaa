"""What was searched for instead of a follow-up: shown above the answer, to be corrected, or left out for this question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from ui.asking import Asking, ask_again
from ui.safe import escape_markdown
from ui.strings import has, t

LONGEST = 2000
"""Characters of a question that are searched for (retrievers/build.py)."""


def show_standalone(answer: Mapping[str, Any], *, question: int, follows: bool, key: str) -> None:
    """The question that was searched for, where it is not the one that was asked, or where it `follows` others.

    `question` is the id of the message with the question.
    """
    asked, searched = str(answer.get("question") or ""), str(answer.get("standalone_question") or "")
    differs = bool(searched) and searched != asked
    if not searched or answer.get("route") == "none" or not (differs or follows):
        return
    how = f"standalone.{answer.get('standalone_by')}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"standalone:{key}"):
        by = f" :gray[({t(how)})]" if differs and has(how) else ""
        st.caption(f":material/search: {t('answer.searched')} *{escape_markdown(searched)}*{by}")
        with st.popover(t("standalone.edit"), type="tertiary", icon=":material/edit:", key=f"standalone_edit:{key}"):
            field = f"standalone_text:{key}"
            st.text_area(t("standalone.label"), searched, key=field, max_chars=LONGEST, help=t("standalone.help"))
            st.button(
                t("standalone.again"), key=f"standalone_again:{key}", type="primary", on_click=_with_text, args=(question, field)
            )
            if differs:
                st.button(
                    t("standalone.without"),
                    key=f"standalone_without:{key}",
                    help=t("standalone.without_help"),
                    on_click=ask_again,
                    args=(question, Asking(standalone=asked)),
                )


def _with_text(question: int, field: str) -> None:
    """Ask again with what was written; nothing happens when that is nothing."""
    written = str(st.session_state[field]).strip()
    if written:
        ask_again(question, Asking(standalone=written))

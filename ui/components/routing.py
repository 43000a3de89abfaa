"""The route of an answer, with its reason and what it changed; and answering the question again by another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from chains.routing import ROUTES
from ui import state
from ui.asking import Asking, ask_again
from ui.components.knobs import show_knob
from ui.safe import escape_markdown
from ui.strings import plain, say, t
from ui.tuning import CONVERSATION
from ui.wording import change_words, layer_name

if TYPE_CHECKING:
    from ui.services import Services


def show_route(answer: Mapping[str, Any], *, question: int, key: str) -> None:
    """One line of small print, and a button for each other route. Answers of older versions have none."""
    routing, name = answer.get("routing"), answer.get("route")
    if not isinstance(routing, Mapping) or name not in ROUTES:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"route:{key}"):
        st.caption(f":material/alt_route: {words(str(name), routing)}")
        with st.popover(t("route.change"), type="tertiary", icon=":material/alt_route:", key=f"route_change:{key}"):
            st.caption(t("route.about"))
            for other in ROUTES:
                if other != name:
                    st.button(
                        t(f"route.{other}"),
                        key=f"route_{other}:{key}",
                        help=t(f"route.{other}_about"),
                        on_click=ask_again,
                        args=(question, Asking(route=other, standalone=_written_out(answer))),
                    )


def words(name: str, routing: Mapping[str, Any]) -> str:
    """The route in words, as Markdown: its name, the reason, what it changed, and what only a model could have done."""
    reason = say("route_why", {"code": routing.get("why"), "params": routing.get("params")})
    changed = " · ".join(change_words(routing.get("changes") or {}))
    said = [f"{t('route.title')} **{t(f'route.{name}')}**", reason, escape_markdown(changed)]
    lacking = ", ".join(layer_name(str(layer)) for layer in routing.get("lacking") or ())
    if lacking:
        said.append(t("route.lacking", layers=lacking))
    return " · ".join(part for part in said if part)


def show_conversation(services: Services) -> None:
    """The knobs of the conversation: whether follow-ups are written out, and which route questions take."""
    changed = any(name in state.changes() for name in CONVERSATION)
    title = plain("tuning.conversation")
    with st.expander(f"{title} :orange[●]" if changed else title, key="tuning_conversation", icon=":material/forum:"):
        st.caption(t("tuning.conversation_note"))
        for name in CONVERSATION:
            show_knob(services, name)
        if state.value("conversation.route_by") == "model" and services.settings().llm.of("rewrite").provider == "none":
            st.caption(f":material/smart_toy: {t('note.route_without_llm')}")
        st.button(
            t("tuning.reset"),
            key="reset:conversation",
            icon=":material/restart_alt:",
            on_click=state.reset_knobs,
            args=(services, list(CONVERSATION)),
        )


def _written_out(answer: Mapping[str, Any]) -> str:
    """The question as a person wrote it out for this answer, which another route is to search for as well."""
    return str(answer.get("standalone_question") or "") if answer.get("standalone_by") == "by_person" else ""

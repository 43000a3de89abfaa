"""How one question is to be answered this time: by a route of its own, or searched for as a person wrote it out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from chains.routing import ROUTES
from retrievers.queries import Query
from retrievers.queries.query import WEIGHTS
from settings import Settings
from ui import state

ROUTE = "conversation.route"
_ASKING = "asking"


@dataclass(frozen=True)
class Asking:
    """`route` "" is the one that is set; `standalone` "" leaves it to the rules or the model."""

    route: str = ""
    standalone: str = ""

    def settings(self, settings: Settings) -> Settings:
        """The settings with the route."""
        return settings.override({ROUTE: self.route}) if self.route else settings


def ask_again(question_id: int, asking: Asking) -> None:
    """Have the question answered anew, in this way, by this session."""
    st.session_state.setdefault(_ASKING, {})[question_id] = asking
    state.ask(question_id)


def of(question_id: int, answer: Mapping[str, Any] | None) -> Asking:
    """How the question is to be answered. What a person wrote out for the answer before (`answer`, its JSON) stays."""
    chosen: Asking | None = st.session_state.get(_ASKING, {}).get(question_id)
    if chosen is not None:
        return chosen
    before = answer or {}
    return Asking(standalone=str(before.get("standalone_question") or "") if before.get("standalone_by") == "by_person" else "")


def answered(question_id: int) -> None:
    """The next answer to it is as any other."""
    st.session_state.get(_ASKING, {}).pop(question_id, None)


def routed(settings: Settings, answer: Mapping[str, Any], own: Collection[str]) -> Settings:
    """The settings with what the answer's route changed of them, but for those that a person has set since (`own`)."""
    changes = (answer.get("routing") or {}).get("changes") or {}
    return settings.override({name: value for name, value in changes.items() if name not in own})


def routed_queries(answer: Mapping[str, Any]) -> list[Query]:
    """The queries that the answer's route added, other than those that its layers made."""
    added = (answer.get("routing") or {}).get("queries") or ()
    return [Query(each["text"], each["kind"], tuple(each["legs"]), WEIGHTS[each["kind"]]) for each in added]


def is_searched(answer: Mapping[str, Any]) -> bool:
    """Whether the answer's route has a search; answers of older versions all had one."""
    return answer.get("route") != ROUTES[0]

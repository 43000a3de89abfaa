"""The route as a chat model writes it: in one call the kind of question, the question that stands alone, and its queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models import BaseChatModel

from chains.followup.standalone import History, conversation
from chains.routing.route import RouteName
from language import detect
from models.choice import marked
from models.listing import LONGEST_ITEM, listed
from models.prompts import prompt
from models.structured import objects
from models.thoughts import without_thoughts
from retrievers.lexical import LEG as LEXICAL
from retrievers.queries import Query
from retrievers.queries.query import distinct, make
from retrievers.vector import LEG as VECTOR
from settings import Settings

LONGEST_REASON = 200
"""Characters that are shown of the model's reason."""
LONGEST_PASSAGE = 1000
PARAPHRASES = 2
KEYWORDS = 10

_NAMES: dict[str, RouteName] = {
    **dict.fromkeys(("none", "no", "small talk", "smalltalk", "chitchat", "greeting", "无", "闲聊", "寒暄", "不检索"), "none"),
    **dict.fromkeys(("simple", "easy", "single", "low", "简单"), "simple"),
    **dict.fromkeys(("medium", "moderate", "middle", "normal", "中等", "一般", "适中"), "medium"),
    **dict.fromkeys(("complex", "hard", "multiple", "multi", "high", "complicated", "复杂"), "complex"),
}
_ALONE = re.compile(r"(?:route|路由|类别)?\W{0,4}(\w[\w ]{0,14})\W*", re.IGNORECASE)
_OTHER_LANGUAGE = {"en": "zh", "zh": "en"}


@dataclass(frozen=True)
class Written:
    """What a model wrote of a question. `question` is None where it is none, or in another language."""

    name: RouteName
    reason: str = ""
    question: str | None = None
    queries: tuple[Query, ...] = ()


def written_route(model: BaseChatModel, question: str, history: History, settings: Settings) -> Written | None:
    """What the model says in one call; None when no route can be read in it. Raises ModelError."""
    most = settings.retrieval.decomposition.count
    told = prompt("route", detect(question)).replace("{count}", str(most))
    told = told.replace("{conversation}", marked(conversation(history)))
    return read(str(model.invoke([("system", told), ("human", question)]).text), question, settings)


def read(text: str, question: str, settings: Settings) -> Written | None:
    """The route, reason and queries in a model's text: the last JSON object that names a route, or the name alone."""
    for found in reversed(objects(text)):
        values = {str(key).strip().casefold(): value for key, value in found.items()}
        name = _name(values.get("route", values.get("路由", values.get("type"))))
        if name:
            reason = " ".join(str(values.get("reason") or values.get("原因") or "").split())[:LONGEST_REASON]
            return Written(name, reason, _question(values, question), _queries(name, values, question, settings))
    alone = _ALONE.fullmatch(without_thoughts(text).strip()[:100])
    name = _name(alone[1]) if alone else None
    return Written(name) if name else None


def _name(value: Any) -> RouteName | None:
    return _NAMES.get(str(value).strip(" .。'\"`").casefold()) if isinstance(value, str) else None


def _question(values: dict[str, Any], question: str) -> str | None:
    found = _texts(values.get("question", values.get("问题")))
    return found[0] if len(found) == 1 and detect(found[0]) == detect(question) else None


def _queries(name: RouteName, values: dict[str, Any], question: str, settings: Settings) -> tuple[Query, ...]:
    """The queries of the kinds that the route may have, in the question's language but for the translation, each once."""
    if name in ("none", "simple"):
        return ()
    chosen, language = settings.retrieval, detect(question)
    found: list[Query] = []
    if name == "complex":
        parts = _in(language, values.get("parts"))[: chosen.decomposition.count]
        found += make("part", parts if len(parts) > 1 else [])
    found += make("paraphrase", _in(language, values.get("paraphrases"))[:PARAPHRASES])
    other = _OTHER_LANGUAGE.get(language)
    if chosen.multi_query.translate and other:
        found += make("translation", _in(other, values.get("translation"))[:1])
    if chosen.vector_weight > 0:
        passage = " ".join(str(values.get("passage") or "").split())[:LONGEST_PASSAGE]
        found += make("hyde", [passage] if detect(passage) == language else [], legs=(VECTOR,))
    if chosen.vector_weight < 1:
        found += make("keywords", [" ".join(_texts(values.get("keywords"))[:KEYWORDS])], legs=(LEXICAL,))
    return tuple(distinct(question, found))


def _in(language: str, value: Any) -> list[str]:
    return [text for text in _texts(value) if detect(text) == language]


def _texts(value: Any) -> list[str]:
    """The texts of a list, or of a text with a line each, without numbers, quotes and what is no text."""
    if isinstance(value, str):
        return listed(value)
    if not isinstance(value, Sequence):
        return []
    whole = [" ".join(str(one).split()) for one in value if isinstance(one, str | int | float) and not isinstance(one, bool)]
    return listed("\n".join(f"- {one}" for one in whole if one and len(one) <= LONGEST_ITEM))

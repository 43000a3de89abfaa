"""Self-query: limits that a question itself names ("in handbook.pdf", "page 3", 上周上传的文档) become a filter of its search.

LangChain's SelfQueryRetriever has a model write a query in a language of filters and takes the limit out of the question. Here
limits are values of fields from a fixed list, held against what the base has, and never text in a query; and the question is
searched for as it was asked. A name in it does no harm within its own document, the words around it would be left hanging
("What does say about leave?"), and should the limit be given up, the question is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from langchain_core.language_models import BaseChatModel

from language import detect
from models import ModelError
from retrievers import ledger
from retrievers.asked_limits import asked_limits
from retrievers.filter import EVERY_DOCUMENT, Filter
from retrievers.named import missing_documents, named_limits
from store.library import Base, Library, StoredDocument

STAGE = "self_query"
_SHOWN = 80
"""Characters of each thing that a note quotes."""


@dataclass(frozen=True)
class SelfQuery:
    """Reads limits from questions: with a chat model as it says, without one by rules for English and Chinese."""

    library: Library
    model: BaseChatModel | None = None
    """Of a model that fails or is not understood, the rules are not the second guess: a note says that nothing was limited."""

    def limits(
        self, question: str, bases: Sequence[Base], explicit: Filter = EVERY_DOCUMENT, *, today: date | None = None
    ) -> Filter:
        """The explicit limits with those that the question names; a field that is explicit stays as it is.

        Notes say what was added. Limits that leave no document, and an answer of the model that cannot be had or understood, add
        nothing, with a note as well. `today` is in UTC, as the days of documents are.
        """
        book = ledger.current()
        with book.stage(STAGE):
            documents = [d for base in bases for d in self.library.documents(base, statuses=["ready", "pending"])]
            if not documents or not question.strip():
                return explicit
            named = self._named(question, documents, today or datetime.now(UTC).date())
            added = {name: value for name, value in vars(named).items() if value and not getattr(explicit, name)}
            if not added:
                return explicit
            narrowed = replace(explicit, **added)
            said = {"limits": in_words(Filter(**added), detect(question)), "filter": Filter(**added).as_json()}
            if not self._leaves_any(narrowed, bases):
                book.note("self_query_no_document", **said)
                return explicit
            book.note("self_query", **said)
            return narrowed

    def _named(self, question: str, documents: Sequence[StoredDocument], today: date) -> Filter:
        book = ledger.current()
        if self.model is None:
            if missing := missing_documents(question, documents):
                book.note("self_query_missing", names=", ".join(text[:_SHOWN] for text in missing))
            return named_limits(question, documents, today=today)
        try:
            asked = asked_limits(self.model, question, documents, today=today)
        except ModelError as error:
            book.note("self_query_failed", error=str(error))
            return EVERY_DOCUMENT
        if asked is None:
            book.note("self_query_unclear")
            return EVERY_DOCUMENT
        limits, ignored = asked
        if ignored:
            book.note("self_query_ignored", parts=", ".join(text[:_SHOWN] for text in dict.fromkeys(ignored)))
        return limits

    def _leaves_any(self, limits: Filter, bases: Sequence[Base]) -> bool:
        """Whether a document fits, and has the pages if some are asked for."""
        for base in bases:
            ids = limits.conditions(self.library, base).doc_ids
            for document in self.library.documents(base, statuses=["ready", "pending"]):
                fits = ids is None or document.doc_id in ids
                if fits and (limits.pages is None or (document.report.get("pages") or 0) >= limits.pages[0]):
                    return True
        return False


_FIELDS = {
    "en": {
        "sources": "document {}",
        "types": "type {}",
        "tags": "tag {}",
        "after": "from {}",
        "before": "until {}",
        "pages": "page {}",
    },
    "zh": {
        "sources": "文档 {}",
        "types": "类型 {}",
        "tags": "标签 {}",
        "after": "自 {} 起",
        "before": "到 {} 为止",
        "pages": "第 {} 页",
    },
}


def in_words(limits: Filter, language: str) -> str:
    """The limits as a person says them, in Chinese for "zh", else in English."""
    spoken = _FIELDS["zh" if language == "zh" else "en"]
    return "；".join(_said(spoken, limits)) if language == "zh" else "; ".join(_said(spoken, limits))


def _said(spoken: dict[str, str], limits: Filter) -> list[str]:
    return [spoken[name].format(_value(value)) for name, value in vars(limits).items() if value]


def _value(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if all(isinstance(one, int) for one in value):
        return "–".join(str(number) for number in dict.fromkeys(value))
    return ", ".join(value)

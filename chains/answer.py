"""The answer to a question, with the passages it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from chains.grounding import Grounding
from chains.routing.route import Route
from retrievers import Context, Retrieval


@dataclass(frozen=True)
class Citation:
    """What [n] in an answer points to: context n, and in it the slice start:end of the document, which is the quote.

    Of an `edited` context the slice is its chunk, and the quote stands in the corrected text only. `rows` are the first and the
    last of the context, in its `sheet`.
    """

    n: int
    chunk_id: str
    doc_id: str
    source: str
    page: int | None
    start: int
    end: int
    quote: str
    sheet: str | None = None
    rows: tuple[int, int] | None = None
    edited: bool = False


@dataclass(frozen=True)
class Reason:
    """Why a question was refused or a model failed: a code with values, said in words by the page."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The reason as JSON values."""
        return {"code": self.code, "params": dict(self.params)}


@dataclass(frozen=True)
class Asked:
    """A question as it was asked, and how it was made to stand alone (chains/followup), and its route (chains/routing)."""

    question: str
    how: str = "as_asked"
    route: Route = field(default_factory=Route)


@dataclass(frozen=True)
class Answer:
    """An answer, or a refusal with its reason. `error` says why the chat model could not be used, if it was to be.

    `stopped`: a person ended it before it was whole. `withheld` is what a model wrote, where that was refused; `grounding` is its
    sentences', by their places in that or in the text.
    `usage` is what all calls of models for the question took (models/usage.py); `cached` when the
    model wrote this, if not now (ISO 8601, UTC).
    """

    text: str
    mode: Literal["extractive", "llm"]
    citations: tuple[Citation, ...] = ()
    refused: bool = False
    reason: Reason | None = None
    error: Reason | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    stopped: bool = False
    grounding: Grounding | None = None
    withheld: str = ""
    cached: str | None = None

    def as_json(self, retrieval: Retrieval, asked: Asked) -> dict[str, Any]:
        """The answer, the question and the retrieval behind it as JSON values."""
        return retrieval.as_json() | {
            "question": asked.question,
            "standalone_question": retrieval.query,
            "standalone_by": asked.how,
            "route": asked.route.name,
            "routing": asked.route.as_json(),
            "mode": self.mode,
            "answer": self.text,
            "refused": self.refused,
            "reason": self.reason.as_json() if self.reason else None,
            "citations": [vars(citation) for citation in self.citations],
            "usage": dict(self.usage),
            "cached": self.cached,
            "error": self.error.as_json() if self.error else None,
            "stopped": self.stopped,
            "grounding": self._grounding(),
            "withheld": self.withheld,
        }

    def _grounding(self) -> dict[str, Any] | None:
        """What is quoted is grounded by construction."""
        if self.grounding is None and self.mode == "extractive" and self.citations:
            return {"score": 1.0, "judged": False, "sentences": []}
        return self.grounding.as_json() if self.grounding else None


def cite(context: Context, *, n: int, start: int, end: int) -> Citation:
    """The citation of a slice of a context."""
    quote = context.text[start - context.start : end - context.start]
    if context.edited:
        start, end = context.start, context.end
    return Citation(
        n,
        context.chunk_id,
        context.doc_id,
        context.source,
        context.page_at(start),
        start,
        end,
        quote,
        sheet=context.sheet,
        rows=context.rows,
        edited=context.edited,
    )

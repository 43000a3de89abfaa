"""A conversation out of a file of `chat_file`: read strictly, since a file may come from anywhere."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

from chains.chat_file import VERSION
from store.chat_restore import KeptAnswer, KeptConversation, KeptQuestion
from store.ratings import LONGEST_COMMENT, Rating, Thumb

LARGEST_MB = 64
_MOST_QUESTIONS = 5000
_ADDRESS = "base_url"

Scalar = bool | int | float | str | None
Name = Annotated[str, Field(max_length=1000)]


class ChatFileError(ValueError):
    """A file that is no conversation: a code with values, said in words by the page (ui/strings, chat_file)."""

    def __init__(self, code: str, **params: str) -> None:
        super().__init__(f"{code} {params}")
        self.code, self.params = code, params


class _Part(BaseModel):
    """A part of the file of which the page draws what is named here; what a later version adds is kept as it is."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)


class _Code(_Part):
    code: Name
    params: dict[str, Any] = {}


class _Mark(_Part):
    rank: int
    score: float


class _Segment(_Part):
    start: int
    end: int
    score: float


class _Place(_Part):
    chunk_id: Name
    source: Name
    page: int | None = None
    sheet: Name | None = None
    rows: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None


class _Citation(_Place):
    n: Annotated[int, Field(ge=1, le=999)]
    doc_id: Name
    start: int
    end: int
    quote: str


class _Context(_Place):
    doc_id: Name
    start: int
    end: int
    text: str
    relevance: float | None = None
    segments: list[_Segment] = []
    scores: dict[str, _Mark] = {}
    matched_terms: list[str] = []
    later_pages: list[tuple[int, int]] = []
    queries: list[tuple[int, int]] = []


class _Drop(_Part):
    chunk_id: Name
    stage: Name
    reason: Name
    scores: dict[str, _Mark] = {}


class _Stage(_Part):
    name: Name
    ms: float = 0


class _Query(_Part):
    text: str
    kind: Name


class _Link(_Part):
    n: int
    start: int
    end: int


class _Sentence(_Part):
    start: int
    end: int
    status: Name
    misses: list[dict[str, Any]] = []
    links: list[_Link] = []


class _Grounding(_Part):
    sentences: list[_Sentence] = []


class _Limits(_Part):
    sources: list[Name] = []
    types: list[Name] = []
    tags: list[Name] = []
    after: Name | None = None
    before: Name | None = None
    pages: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None


class _Payload(_Part):
    """What was kept of an answer. None of it is needed: an answer that failed early has next to nothing."""

    question: str = ""
    standalone_question: str = ""
    answer: str = ""
    refused: bool = False
    citations: list[_Citation] = []
    contexts: list[_Context] = []
    dropped: list[_Drop] = []
    stages: list[_Stage] = []
    queries: list[_Query] = []
    notes: list[_Code] = []
    reason: _Code | None = None
    error: _Code | None = None
    evidence: float = 0
    weights: dict[str, float] = {}
    base_weights: dict[str, dict[str, float]] = {}
    tuning: dict[str, Scalar] | None = None
    answering: dict[str, Scalar] | None = None
    preset: Name = ""
    bases: list[Name] = []
    limits: _Limits = _Limits()
    unread: Annotated[int, Field(ge=0)] = 0
    grounding: _Grounding | None = None
    withheld: str | None = None


class _Rating(_Part):
    thumb: Thumb | None
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)]
    rated_at: AwareDatetime


class _Answer(_Part):
    answered_at: AwareDatetime
    text: str
    rating: _Rating | None
    answer: _Payload


class _Question(_Part):
    id: int
    after: int | None
    asked_at: AwareDatetime
    text: Annotated[str, Field(min_length=1)]
    files: list[Name]
    answers: list[_Answer]


class _File(_Part):
    format: Literal["glassbox.conversation"]
    version: int
    title: Annotated[str, Field(max_length=1000)]
    base: Name
    created_at: AwareDatetime
    shown: list[int]
    questions: Annotated[list[_Question], Field(min_length=1, max_length=_MOST_QUESTIONS)]

    @model_validator(mode="after")
    def _a_tree(self) -> Self:
        """Ids ascend, and a question follows one before it."""
        known: set[int] = set()
        for question in self.questions:
            if question.id <= max(known, default=question.id - 1) or question.after not in {None, *known}:
                raise ValueError(f"question {question.id} does not follow one before it")
            known.add(question.id)
        return self


def parse(data: bytes) -> KeptConversation:
    """The conversation of a file. Raises ChatFileError, which names the first place that is wrong."""
    if len(data) > LARGEST_MB * 2**20:
        raise ChatFileError("too_large", mb=str(LARGEST_MB))
    try:
        read = _File.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            raise ChatFileError("no_json", detail=first["msg"][:300]) from error
        place = ".".join(map(str, first["loc"]))
        raise ChatFileError("no_conversation", place=place[:200], detail=first["msg"][:300]) from error
    if read.version > VERSION:
        raise ChatFileError("newer", version=str(read.version), known=str(VERSION))
    shown = next((each for each in reversed(read.shown) if any(each == question.id for question in read.questions)), None)
    return KeptConversation(read.title, read.base, read.created_at, tuple(map(_question, read.questions)), shown)


def _question(question: _Question) -> KeptQuestion:
    answers = tuple(_answer(answer) for answer in question.answers)
    return KeptQuestion(question.id, question.after, question.text, {"files": question.files}, question.asked_at, answers)


def _answer(answer: _Answer) -> KeptAnswer:
    """The answer without addresses: they would be offered as settings, and questions and keys sent there."""
    payload = answer.answer.model_dump(mode="json", exclude_unset=True)
    if payload.get("tuning"):
        payload["tuning"] = {name: value for name, value in payload["tuning"].items() if not name.endswith(_ADDRESS)}
    given = answer.rating
    rating = Rating(given.thumb, given.comment, given.rated_at) if given else None
    return KeptAnswer(answer.text, payload, answer.answered_at, rating)

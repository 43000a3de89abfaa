"""What a chat model says that a question limits its search to: its JSON, held against what the base has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from language import detect, term_set
from models.choice import harmless
from models.prompts import prompt
from models.structured import objects
from retrievers.filter import Filter
from retrievers.named import Names, period
from store.library import StoredDocument
from store.names import types_of

SHOWN_NAMES, SHOWN_TAGS = 60, 60
"""Names and tags that the model is shown, those that share words with the question first."""
_SPOKEN_OF = {
    "pages": re.compile(r"\d|[一二三四五六七八九十]|page|页", re.IGNORECASE),
    "after": re.compile(r"\d|day|week|month|year|recent|lately|since|new|[天日周月年近新]|星期", re.IGNORECASE),
}
"""What a question must hold for such a limit to be named in it: small models fill in fields that nobody asked for."""
_NOTHING = ("", "none", "null", "any", "all", "n/a", "unknown", "无", "没有")


def _texts(value: Any) -> list[str]:
    """A list of texts, however it was written."""
    values = value if isinstance(value, list) else [value]
    if any(isinstance(one, dict | list) for one in values):
        raise ValueError("neither a text nor a list of texts")
    return [text for text in (str(one or "").strip() for one in values) if text.casefold() not in _NOTHING]


def _date(value: Any) -> tuple[date, date] | None:
    """The first and the last day of a date, or of a month or a year."""
    text = str(value or "").strip().casefold()
    if text in _NOTHING:
        return None
    found = period(re.sub(r"[t ]\d\d:.*", "", text))  # 2025-03-01T00:00:00
    if found is None:
        raise ValueError("no date")
    return found


def _page_range(value: Any) -> tuple[int, int] | None:
    """The pages of 3, [3, 5], "3-5" and {"first": 3, "last": 5}."""
    if isinstance(value, dict):
        value = list(value.values())
    if str(value or "").strip().casefold() in _NOTHING:
        return None
    numbers = [int(number) for number in re.findall(r"(?<![\d.])\d{1,4}(?![\d.])", str(value))]
    if not numbers or min(numbers) < 1:
        raise ValueError("no pages")
    return min(numbers), max(numbers)


class AskedLimits(BaseModel):
    """The fields that a model may limit a search by; what else it writes is left out, and `unknown` names it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    documents: Annotated[list[str], BeforeValidator(_texts)] = Field(
        [], validation_alias=AliasChoices("documents", "document", "sources", "source", "files", "file")
    )
    types: Annotated[list[str], BeforeValidator(_texts)] = Field([], validation_alias=AliasChoices("types", "type"))
    tags: Annotated[list[str], BeforeValidator(_texts)] = Field([], validation_alias=AliasChoices("tags", "tag"))
    after: Annotated[tuple[date, date] | None, BeforeValidator(_date)] = None
    before: Annotated[tuple[date, date] | None, BeforeValidator(_date)] = None
    pages: Annotated[tuple[int, int] | None, BeforeValidator(_page_range)] = Field(
        None, validation_alias=AliasChoices("pages", "page")
    )

    @classmethod
    def read(cls, written: dict[str, Any]) -> tuple[AskedLimits, list[str]]:
        """What a model's object says, and the names of its fields that are unknown or cannot be read."""
        known = {str(alias) for field in cls.model_fields.values() for alias in _aliases(field.validation_alias)} | {
            "after",
            "before",
        }
        values = {key.strip().casefold(): value for key, value in written.items()}
        ignored = [key for key in values if key not in known]
        try:
            return cls.model_validate(values), ignored
        except ValidationError as error:
            wrong = {str(one["loc"][0]) for one in error.errors()}
            kept = {key: value for key, value in values.items() if key not in wrong}
            return cls.model_validate(kept), [*ignored, *sorted(wrong)]


def asked_limits(
    model: BaseChatModel, question: str, documents: Sequence[StoredDocument], *, today: date
) -> tuple[Filter, list[str]] | None:
    """The limits that the model reads in a question, and what of its answer was left out; None when it cannot be understood.

    Names, types and tags that no document has are left out. Raises ModelError.
    """
    told = model.invoke([("system", _told(question, documents, today)), ("human", question)]).text
    written = objects(told)
    if not written:
        return None
    found, ignored = AskedLimits.read(_spoken_of(written[-1], question))
    names, types, tags = Names(documents), _types(documents), {tag.casefold(): tag for d in documents for tag in d.tags}
    sources = [source for name in found.documents for source in names.of(name)]
    suffixes = [text.lstrip(".").casefold() for text in found.types]
    ignored += [name for name in found.documents if not names.of(name)]
    ignored += [text for text in suffixes if text not in types] + [tag for tag in found.tags if tag.casefold() not in tags]
    limits = Filter(
        sources=tuple(dict.fromkeys(sources)),
        types=tuple(dict.fromkeys(text for text in suffixes if text in types)),
        tags=tuple(dict.fromkeys(tags[tag.casefold()] for tag in found.tags if tag.casefold() in tags)),
        after=found.after[0] if found.after else None,
        before=found.before[1] if found.before else None,
        pages=found.pages,
    )
    return limits, ignored


def _told(question: str, documents: Sequence[StoredDocument], today: date) -> str:
    """The prompt, with what the base has; in one pass, so that no name is taken for a place to fill in."""
    values = {
        "today": today.isoformat(),
        "types": ", ".join(_types(documents)),
        "tags": _listed(question, {tag for d in documents for tag in d.tags}, SHOWN_TAGS),
        "documents": _listed(question, {document.source for document in documents}, SHOWN_NAMES),
    }
    text = prompt("self_query", detect(question))
    return re.sub(r"\{(today|types|tags|documents)\}", lambda match: values[match[1]], text)


def _spoken_of(written: dict[str, Any], question: str) -> dict[str, Any]:
    """The object without the pages and dates of which the question does not speak."""
    cues = _SPOKEN_OF | {"page": _SPOKEN_OF["pages"], "before": _SPOKEN_OF["after"]}
    return {key: value for key, value in written.items() if key not in cues or cues[key].search(question)}


def _listed(question: str, names: set[str], count: int) -> str:
    asked = term_set(question)
    first = sorted(names, key=lambda name: (-len(asked & term_set(name)), name))[:count]
    return "<<<\n" + "\n".join(harmless(" ".join(name.split())) for name in first) + "\n>>>"


def _types(documents: Sequence[StoredDocument]) -> list[str]:
    return sorted({name for document in documents for name in types_of(document)})


def _aliases(alias: Any) -> Sequence[Any]:
    return alias.choices if isinstance(alias, AliasChoices) else ()

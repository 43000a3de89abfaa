"""A filter as a person names it: documents, types, dates, pages. It becomes conditions on ids and pages, never text."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from language import term_set
from store.filters import EVERYTHING, Conditions
from store.library import Base, Library, StoredDocument
from store.names import types_of


class InvalidFilter(ValueError):
    """A filter that cannot be understood; the message says which part and what is allowed."""


@dataclass(frozen=True)
class Filter:
    """What a search is limited to; all parts together, any of the values of a part.

    `sources` are names of documents (also their further names), in which * stands for anything; `types` are suffixes such as
    "pdf", those of names and what a file or web page was read as; `tags` are those of documents, whatever their case; `after`
    and `before` are the first and the last day on which a document was added or changed; `pages` the first and the last page,
    counted from 1 (a document without pages is one page).
    """

    sources: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    after: date | None = None
    before: date | None = None
    pages: tuple[int, int] | None = None

    @classmethod
    def parse(cls, texts: Sequence[str]) -> Filter:
        """From FIELD=VALUE texts: source=, type=, tag=, after=2026-01-31, before=, page=3 or page=3-5. Raises InvalidFilter."""
        values: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals or name not in _FIELDS or not value.strip():
                raise InvalidFilter(
                    f"{text!r} is no filter. Write one of {', '.join(_FIELDS)}, such as source=*.pdf or page=3-5."
                )
            field, read = _FIELDS[name]
            try:
                read_value = read(value.strip())
            except ValueError as error:
                raise InvalidFilter(f"{text!r}: {value!r} is no {name}: {error}") from error
            values[field] = (*values.get(field, ()), read_value) if field in ("sources", "types", "tags") else read_value
        return cls(**values)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Filter:
        """From what `as_json` gave."""
        days: dict[str, Any] = {name: date.fromisoformat(values[name]) for name in ("after", "before") if name in values}
        lists: dict[str, Any] = {name: tuple(value) for name, value in values.items() if name not in days}
        return cls(**lists | days)

    def conditions(self, library: Library, base: Base) -> Conditions:
        """The conditions for the chunks of a base."""
        if self == EVERY_DOCUMENT:
            return EVERYTHING
        fitting = [d for d in library.documents(base, statuses=["ready", "pending"]) if self._fits(d)]
        is_every = not (self.sources or self.types or self.tags or self.after or self.before)
        ids = None if is_every else tuple(d.doc_id for d in fitting)
        whole = tuple(d.doc_id for d in fitting if not d.report.get("pages")) if self.pages and self.pages[0] == 1 else ()
        return Conditions(ids, self.pages, whole)

    @property
    def terms(self) -> frozenset[str]:
        """The terms in which a question would name these limits."""
        names = [*self.sources, *(PurePosixPath(name).stem for name in self.sources), *self.types, *self.tags]
        if self.pages:
            names += [*map(str, self.pages), "page", "页"]
        return frozenset(term for name in names for term in term_set(name))

    def as_json(self) -> dict[str, Any]:
        """The parts that are set, as JSON values."""
        values = {name: value for name, value in vars(self).items() if value}
        return {name: value.isoformat() if isinstance(value, date) else list(value) for name, value in values.items()}

    def _fits(self, document: StoredDocument) -> bool:
        names = (document.source, *document.aliases)
        changed = document.updated_at.astimezone(UTC).date()
        return (
            (not self.sources or any(_is_named(name, pattern) for name in names for pattern in self.sources))
            and (not self.types or not types_of(document).isdisjoint(self.types))
            and (not self.tags or bool(_casefolded(self.tags) & _casefolded(document.tags)))
            and (self.after is None or changed >= self.after)
            and (self.before is None or changed <= self.before)
        )


def _is_named(name: str, pattern: str) -> bool:
    """Names hold any character, so only * is special in a pattern; a name without its folder will do.

    An accent may be a character of its own, as in names from macOS, whatever the pattern has.
    """
    literal = _plain(pattern).replace("[", "[[]").replace("?", "[?]")
    return any(fnmatchcase(_plain(form), literal) for form in (name, PurePosixPath(name).name))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())


def _casefolded(texts: Sequence[str]) -> set[str]:
    return {text.casefold() for text in texts}


def _pages(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    pages = int(first), int(last or first)
    if not 1 <= pages[0] <= pages[1]:
        raise ValueError("pages are counted from 1, and the last is not before the first")
    return pages


def _day(text: str) -> date:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()


_FIELDS: dict[str, tuple[str, Any]] = {
    "source": ("sources", str),
    "type": ("types", lambda text: text.lstrip(".").casefold()),
    "tag": ("tags", str),
    "after": ("after", _day),
    "before": ("before", _day),
    "page": ("pages", _pages),
}
EVERY_DOCUMENT = Filter()

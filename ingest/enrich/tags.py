"""Tags of a document: its file's own keywords, and those that a chat model gives it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ingest.enrich.kinds import Ask, Kind, Line, Unreadable
from ingest.enrich.units import Unit
from language import width
from models.choice import numbered_blocks
from models.listing import listed
from store.library import LONGEST_TAG, MOST_TAGS, StoredDocument, checked_tags

MOST = 10
BEGINNING = 6000
"""How much of a document the model sees, from its beginning."""
TOKENS_EACH = 8
_BETWEEN = re.compile(r"\s*[,，、;；|]\s*")
_HASH = re.compile(r"#(?=[^\s#])")
"""#refunds is a tag, "# Refunds" is a heading."""


class Tags(Kind):
    """Up to `count` tags for a document. They are searched by no question; a search can be limited to them."""

    name = "tags"

    def __init__(self, count: int) -> None:
        self._count = count

    def asks(self, units: Sequence[Unit]) -> Iterator[Ask]:
        """One call a document, which shows its beginning."""
        shown, size = list[Unit](), 0.0
        for unit in units:
            if shown and size + width(unit.shown) > BEGINNING:
                break
            shown.append(unit)
            size += width(unit.shown)
        if shown:
            blocks = numbered_blocks([unit.shown for unit in shown])
            yield self._ask(blocks, shown, expected=TOKENS_EACH * self._count, between=False, count=self._count)

    def read(self, written: str, *, cut: bool) -> list[str]:
        """The tags, of lines, of a list in one line, or of JSON; of an answer that was cut, the last is none."""
        found = [part.strip(" .。") for item in listed(_HASH.sub("", written)) for part in _BETWEEN.split(item)]
        tags = tags_of(found[:-1] if cut else found, most=self._count)
        if not tags:
            raise Unreadable
        return list(tags)

    def lines(self, ask: Ask, value: Any) -> Iterator[Line]:
        """None: tags stand with the document."""
        return iter(())


def tags_of(keywords: Iterable[str], *, most: int = MOST) -> tuple[str, ...]:
    """The first keywords that can be tags, at most so many; one that is too long or has invisible signs is none."""
    tidy = (" ".join(given.split()) for given in keywords)
    return checked_tags([word for word in tidy if word.isprintable() and 0 < len(word) <= LONGEST_TAG][:most])


def new_tags(document: StoredDocument, keywords: Iterable[str]) -> tuple[str, ...]:
    """The tags that these words would add to those that a document has, as many as it may have."""
    has = {tag.casefold() for tag in document.tags}
    more = [tag for tag in tags_of(keywords) if tag.casefold() not in has]
    return tuple(more[: max(0, MOST_TAGS - len(has))])

"""A file's own keywords as tags of its document."""

from __future__ import annotations

from collections.abc import Iterable

from store.library import LONGEST_TAG, checked_tags

MOST = 10


def tags_of(keywords: Iterable[str]) -> tuple[str, ...]:
    """The first keywords that can be tags, at most ten; one that is too long or has invisible signs is none."""
    usable = [
        word for word in (" ".join(given.split()) for given in keywords) if word.isprintable() and 0 < len(word) <= LONGEST_TAG
    ]
    return checked_tags(usable[:MOST])

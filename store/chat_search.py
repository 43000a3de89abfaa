"""The search over conversations: titles, questions, answers and comments that hold the words, with the places of these."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from language import folded, terms, without_stop_words
from language.script import CJK_RUN
from store.chat_rows import MessageRow, RatingRow
from store.chats import Chats, Conversation
from store.ratings import Thumb

Rated = Literal["up", "down", "comment"]
Kind = Literal["title", "question", "answer", "comment"]
Span = tuple[int, int]

_FOLDED = {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0x2019: 0x27}
"""Full-width letters and marks are found as the usual ones; each stays one character, so places are those of the text."""
_FULL_WIDTH = re.compile("[\uff02-\uff07\uff0a\uff0b\uff0d-\uff19\uff1c-\uff1e\uff20-\uff5e\u3000\u2019]")
"""All of these but the marks that Chinese text is full of."""
_AROUND_WORDS = "\"'“”‘’「」『』《》()[]{}<>.,;:!?、。…"
_SHORTEST_STEM = 3
_VERB = re.compile("^[是在有](?=..)")
"""What a question leaves in front of its subject: 什么是期限 without 什么 is 是期限."""


@dataclass(frozen=True)
class Hit:
    """A text of a conversation with the places of the words in it; none, where only rated answers were asked for.

    `message_id` is None for the title; a comment has the answer's, and both have its `thumb`.
    """

    kind: Kind
    message_id: int | None
    text: str
    spans: tuple[Span, ...] = ()
    thumb: Thumb | None = None
    words: int = 0
    """How many of the words it holds."""


@dataclass(frozen=True)
class Found:
    """A conversation with its hits, those with the most words first."""

    conversation: Conversation
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class _Word:
    """A word to look for; a text in small letters that has none of its `forms` in it does not match, which is quickly told."""

    forms: tuple[str, ...]
    pattern: re.Pattern[str]

    def places(self, text: str) -> list[Span]:
        """Where it stands."""
        return [match.span() for match in self.pattern.finditer(text)]


class _Text(NamedTuple):
    """What one side said, with the rating of an answer; `thumb` and `comment` are None where it has none."""

    conversation_id: str
    message_id: int
    role: str
    text: str
    thumb: str | None
    comment: str | None


def search(chats: Chats, query: str, *, rated: Rated | None = None) -> list[Found]:
    """The conversations that hold every word of the query somewhere, in the order of `Chats.conversations`.

    A word is found in upper and lower case, inside of others, and in other forms (refunds, refunded); stop words do not count
    beside others. Chinese needs no blanks between words, and each of its scripts finds the other. With `rated`, only answers with
    that thumb, or with a comment, count and what was said of them, all for an empty query; without, an empty query finds nothing.
    """
    words = _words(query)
    if not words and rated is None:
        return []
    said: dict[str, list[_Text]] = defaultdict(list)
    for text in _texts(chats):
        said[text.conversation_id].append(text)
    found = []
    for conversation in chats.conversations():
        texts = list(_searched(conversation, said[conversation.id], rated))
        if hits := _hits(texts, words):
            found.append(Found(conversation, hits))
    return found


def _texts(chats: Chats) -> list[_Text]:
    """What was said in all conversations, oldest first, without the payloads."""
    said = (MessageRow.conversation_id, MessageRow.id, MessageRow.role, MessageRow.text)
    all_of_it = select(*said, RatingRow.thumb, RatingRow.comment)
    with_ratings = all_of_it.outerjoin(RatingRow, RatingRow.message_id == MessageRow.id).order_by(MessageRow.id)
    with Session(chats.engine) as session:
        return [_Text(*row) for row in session.execute(with_ratings)]


def _searched(conversation: Conversation, said: Iterable[_Text], rated: Rated | None) -> Iterator[Hit]:
    """All texts of a conversation that are looked at."""
    if rated is None:
        yield Hit("title", None, conversation.title)
    for text in said:
        thumb: Thumb | None = "up" if text.thumb == "up" else "down" if text.thumb == "down" else None
        if rated is not None and not (text.comment if rated == "comment" else thumb == rated):
            continue
        yield Hit("question" if text.role == "user" else "answer", text.message_id, text.text, thumb=thumb)
        if text.comment:
            yield Hit("comment", text.message_id, text.comment, thumb=thumb)


def _hits(texts: Sequence[Hit], words: Sequence[_Word]) -> tuple[Hit, ...]:
    """Those of the texts that hold words, if together they hold all."""
    if not words:
        return tuple(texts)
    missing, hits = set(words), []
    for text in texts:
        same = folded(text.text.translate(_FOLDED) if _FULL_WIDTH.search(text.text) else text.text)
        lowered = same.lower()
        places = {word: word.places(same) for word in words if any(form in lowered for form in word.forms)}
        held = {word for word, spans in places.items() if spans}
        missing -= held
        if held:
            spans = tuple(sorted({span for each in places.values() for span in each}))
            hits.append(Hit(text.kind, text.message_id, text.text, spans, text.thumb, words=len(held)))
    return () if missing else tuple(sorted(hits, key=lambda hit: -hit.words))


def _words(query: str) -> list[_Word]:
    """What to look for: each word once; where there is none, such as in "?!", the query as it is."""
    same = folded(query.translate(_FOLDED)).strip()
    parts = [part for word in without_stop_words(same).split() for part in _parts(word)]
    return [_word(part) for part in dict.fromkeys(parts or ([query.strip()] if same else []))]


def _parts(word: str) -> list[str]:
    """The Chinese of a word, and what is beside it: ERP审批 is two."""
    pieces = (piece.strip(_AROUND_WORDS) for piece in re.split(f"({CJK_RUN.pattern})", word))
    return [_VERB.sub("", piece) for piece in pieces if re.search(r"\w", piece)]


def _word(word: str) -> _Word:
    """The word wherever it stands, and its other forms from where a word begins, to their end."""
    literal = re.escape(word)
    stem = terms(word)[0].rstrip("i") if word.isascii() and word.isalpha() else ""  # of "deliveries" it is "deliveri"
    if len(stem) < _SHORTEST_STEM:
        return _Word((word.lower(),), re.compile(literal, re.IGNORECASE))
    other = rf"(?<![A-Za-z0-9]){stem}[A-Za-z]*"
    return _Word((word.lower(), stem), re.compile(f"{other}|{literal}", re.IGNORECASE))

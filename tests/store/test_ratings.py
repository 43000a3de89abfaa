"""Ratings: a thumb and a comment an answer, each kept without the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.chats import Chats
from store.database import connect
from store.ratings import LONGEST_COMMENT, Rating, UnknownMessage


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[Chats]:
    engine = connect(tmp_path)
    yield Chats(engine)
    engine.dispose()


def answered(chats: Chats) -> tuple[str, int]:
    conversation = chats.create("a")
    question = chats.add(conversation.id, "user", "q")
    return conversation.id, chats.add(conversation.id, "assistant", "a", payload={"reply_to": question.id}).id


def kept(chats: Chats, conversation: str) -> Rating | None:
    return chats.messages(conversation)[1].rating


def test_thumb_and_comment_are_kept_apart_and_changed_apart(chats: Chats) -> None:
    conversation, answer = answered(chats)
    assert kept(chats, conversation) is None
    chats.ratings.rate(answer, "up")
    chats.ratings.comment(answer, "  答得很好 ")
    chats.ratings.rate(answer, "down")
    rating = kept(chats, conversation)
    assert rating is not None
    assert (rating.thumb, rating.comment) == ("down", "答得很好")
    chats.ratings.rate(answer, None)
    rating = kept(chats, conversation)
    assert rating is not None
    assert (rating.thumb, rating.comment) == (None, "答得很好")


def test_a_rating_with_neither_is_none(chats: Chats) -> None:
    conversation, answer = answered(chats)
    chats.ratings.comment(answer, "hm")
    chats.ratings.comment(answer, " ")
    assert kept(chats, conversation) is None
    chats.ratings.rate(answer, None)
    assert kept(chats, conversation) is None


def test_a_comment_is_cut_and_cleaned(chats: Chats) -> None:
    conversation, answer = answered(chats)
    chats.ratings.comment(answer, "\ud800" + "长" * 3000)
    rating = kept(chats, conversation)
    assert rating is not None
    assert rating.comment == "\ufffd" + "长" * (LONGEST_COMMENT - 1)


def test_rating_an_answer_that_is_gone_says_so(chats: Chats) -> None:
    conversation, answer = answered(chats)
    chats.delete(conversation)
    with pytest.raises(UnknownMessage, match="not there any more"):
        chats.ratings.rate(answer, "up")

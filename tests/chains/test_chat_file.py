"""A conversation as JSON: complete, with all branches, and the same after a round through the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chains.chat_file import exported
from store.chats import Chats, Conversation
from store.database import connect, now

PAYLOAD: dict[str, Any] = {
    "question": "多久？",
    "standalone_question": "退款期限多久？",
    "mode": "extractive",
    "refused": False,
    "citations": [
        {"n": 1, "chunk_id": "x", "doc_id": "d", "source": "条款.pdf", "page": 3, "start": 0, "end": 4, "quote": "三十天。"}
    ],
    "contexts": [
        {
            "chunk_id": "x",
            "doc_id": "d",
            "source": "条款.pdf",
            "page": 3,
            "start": 0,
            "end": 4,
            "text": "三十天。",
            "relevance": 0.8,
            "segments": [{"start": 0, "end": 4, "score": 0.93, "winner": True}],
            "scores": {"bm25": {"rank": 1, "score": 3.25}, "fused": {"rank": 1, "score": 1.5}},
            "matched_terms": ["退款"],
        }
    ],
    "tuning": {"retrieval.top_k": 3},
    "bases": ["条款"],
    "limits": {"sources": ["条款.pdf"]},
}


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[Chats]:
    engine = connect(tmp_path)
    yield Chats(engine)
    engine.dispose()


def talk(chats: Chats) -> Conversation:
    """One with a branch, two answers to a question, and a rating."""
    made = chats.create("条款")
    first = chats.add(made.id, "user", "多久？", payload={"files": ["条款.pdf"], "jobs": ["17"]})
    chats.add(made.id, "assistant", "Failed", payload={"reply_to": first.id, "error": {"code": "timeout", "params": {}}})
    answer = chats.add(made.id, "assistant", "三十天。 [1]", payload={"reply_to": first.id, **PAYLOAD})
    second = chats.add(made.id, "user", "And in weeks?")
    chats.edit(made.id, second.id, "And in hours?")
    chats.ratings.rate(answer.id, "up")
    chats.ratings.comment(answer.id, "正是这一页")
    return next(each for each in chats.conversations() if each.id == made.id)


def file_of(chats: Chats, conversation: Conversation) -> dict[str, Any]:
    shown = [conversation.branch] if conversation.branch else []
    content = exported(conversation, chats.messages(conversation.id), shown=shown, moment=now())
    read: dict[str, Any] = json.loads(json.dumps(content))
    return read


def test_the_file_has_every_branch_answer_citation_score_setting_and_rating(chats: Chats) -> None:
    content = file_of(chats, talk(chats))
    assert (content["format"], content["version"]) == ("glassbox.conversation", 1)
    assert (content["title"], content["base"], content["pinned"]) == ("多久？", "条款", False)
    first, weeks, hours = content["questions"]
    assert (first["text"], first["after"], first["files"]) == ("多久？", None, ["条款.pdf"])
    assert weeks["after"] == hours["after"] == first["id"]
    assert content["shown"] == [hours["id"]]
    failed, answered = first["answers"]
    assert failed["answer"] == {"error": {"code": "timeout", "params": {}}}
    assert failed["rating"] is None
    assert answered["text"] == "三十天。 [1]"
    assert answered["answer"] == PAYLOAD
    assert (answered["rating"]["thumb"], answered["rating"]["comment"]) == ("up", "正是这一页")
    assert content["exported_at"].endswith("+00:00")

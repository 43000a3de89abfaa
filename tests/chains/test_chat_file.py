"""A conversation as JSON: complete, with all branches, and the same after a round through the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chains.chat_file import exported
from chains.chat_import import ChatFileError, parse
from store.chat_restore import restore
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


def test_a_conversation_comes_back_from_its_file_as_it_was(chats: Chats) -> None:
    before = file_of(chats, talk(chats))
    restored = restore(chats, parse(json.dumps(before, ensure_ascii=False).encode()))
    after = file_of(chats, restored)
    assert chats.conversations()[0].id == restored.id
    numbers = {each["id"]: place for place, each in enumerate(before["questions"])}
    again = {each["id"]: place for place, each in enumerate(after["questions"])}
    assert not set(numbers) & set(again)
    assert [numbers.get(each["after"]) for each in before["questions"]] == [
        again.get(each["after"]) for each in after["questions"]
    ]
    assert numbers[before["shown"][0]] == again[after["shown"][0]]
    for content in (before, after):
        for question in content["questions"]:
            question.pop("id")
            question.pop("after")
            for answer in question["answers"]:
                answer.pop("id")
    left_out = {"exported_at", "updated_at", "shown"}
    assert {k: v for k, v in before.items() if k not in left_out} == {k: v for k, v in after.items() if k not in left_out}
    first = chats.messages(restored.id)[0]
    assert (chats.messages(restored.id)[1].payload or {})["reply_to"] == first.id


def changed(content: dict[str, Any], path: str, value: Any) -> bytes:
    place: Any = content
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in way:
        place = place[part]
    place[last] = value
    return json.dumps(content).encode()


ANSWER = "questions.0.answers.1"


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("format", "other", "no_conversation"),
        ("version", 2, "newer"),
        ("version", "1", "no_conversation"),
        ("questions", [], "no_conversation"),
        ("questions.0.after", 999, "no_conversation"),
        ("questions.1.id", 1, "no_conversation"),
        ("questions.0.text", "", "no_conversation"),
        ("questions.0.asked_at", "yesterday", "no_conversation"),
        ("questions.0.files", [{"a": 1}], "no_conversation"),
        (f"{ANSWER}.rating.thumb", "sideways", "no_conversation"),
        (f"{ANSWER}.answer.citations.0.n", "<img>", "no_conversation"),
        (f"{ANSWER}.answer.citations.0.page", "<b>", "no_conversation"),
        (f"{ANSWER}.answer.contexts.0.scores", {"bm25": {"rank": "x", "score": 1}}, "no_conversation"),
        (f"{ANSWER}.answer.contexts.0.text", None, "no_conversation"),
        (f"{ANSWER}.answer.grounding", {"sentences": [{"start": 0, "end": 1}]}, "no_conversation"),
        (f"{ANSWER}.answer.limits", {"sources": 5}, "no_conversation"),
        (f"{ANSWER}.answer.tuning", {"retrieval.top_k": [1]}, "no_conversation"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_the_place(chats: Chats, path: str, value: Any, code: str) -> None:
    content = file_of(chats, talk(chats))
    with pytest.raises(ChatFileError) as refused:
        parse(changed(content, path, value))
    assert refused.value.code == code
    if path.startswith("questions.0.answers"):
        assert refused.value.params["place"].startswith(path)
    assert len(chats.conversations()) == 1


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"NaN"])
def test_what_is_no_json_is_refused(data: bytes) -> None:
    with pytest.raises(ChatFileError) as refused:
        parse(data)
    assert refused.value.code in ("no_json", "no_conversation")


def test_a_file_cannot_name_a_server_to_send_questions_to(chats: Chats) -> None:
    content = file_of(chats, talk(chats))
    data = changed(content, f"{ANSWER}.answer.tuning", {"retrieval.rerank.base_url": "http://evil.test", "retrieval.top_k": 3})
    restored = restore(chats, parse(data))
    payload = chats.messages(restored.id)[2].payload or {}
    assert payload["tuning"] == {"retrieval.top_k": 3}


def test_what_a_later_version_adds_to_an_answer_is_kept(chats: Chats) -> None:
    data = changed(file_of(chats, talk(chats)), f"{ANSWER}.answer.added_later", {"score": 0.5})
    restored = restore(chats, parse(data))
    assert (chats.messages(restored.id)[2].payload or {})["added_later"] == {"score": 0.5}

"""Conversations and preferences: what they keep, across restarts, threads and hostile text."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from store.chats import Chats, Preferences, UnknownConversation
from store.database import clean_text, connect


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = connect(tmp_path / "deep" / "store")
    yield opened
    opened.dispose()


@pytest.fixture
def chats(engine: Engine) -> Chats:
    return Chats(engine)


def test_the_first_question_becomes_the_title(chats: Chats) -> None:
    conversation = chats.create("default")
    assert conversation.title == ""
    chats.add(conversation.id, "user", "What does\n  it cost?")
    chats.add(conversation.id, "user", "And in euros?")
    assert [c.title for c in chats.conversations()] == ["What does it cost?"]


def test_a_long_question_is_cut_to_a_title_of_80(chats: Chats) -> None:
    conversation = chats.create("default")
    chats.add(conversation.id, "user", "问" * 300)
    assert chats.conversations()[0].title == "问" * 79 + "…"
    assert chats.messages(conversation.id)[0].text == "问" * 300


def test_the_conversation_last_written_to_comes_first(chats: Chats) -> None:
    first, second = chats.create("a"), chats.create("b")
    assert [c.id for c in chats.conversations()] == [second.id, first.id]
    chats.add(first.id, "user", "hello")
    assert [c.id for c in chats.conversations()] == [first.id, second.id]


def test_a_message_comes_back_as_it_was_added(chats: Chats) -> None:
    conversation = chats.create("知识库")
    payload = {
        "answer": "答案 [1]",
        "contexts": [{"scores": {"bm25": {"rank": 1, "score": 3.25}}}],
        "error": None,
        "refused": False,
    }
    added = chats.add(conversation.id, "assistant", "答案 [1]", payload=payload)
    assert chats.messages(conversation.id) == [added]
    assert added.payload == payload
    assert added.created_at.tzinfo is UTC
    assert chats.conversations()[0].base == "知识库"


def test_rename_and_delete(chats: Chats, engine: Engine) -> None:
    kept, gone = chats.create("a"), chats.create("a")
    chats.add(gone.id, "user", "secret")
    chats.rename(kept.id, "Mine")
    chats.delete(gone.id)
    chats.delete(gone.id)
    assert [c.title for c in chats.conversations()] == ["Mine"]
    with engine.connect() as connection:
        assert connection.scalar(text("select count(*) from messages")) == 0


def test_a_deleted_conversation_is_named_when_it_is_written_to(chats: Chats) -> None:
    conversation = chats.create("a")
    chats.delete(conversation.id)
    with pytest.raises(UnknownConversation, match=conversation.id):
        chats.add(conversation.id, "user", "hello")
    with pytest.raises(UnknownConversation):
        chats.rename(conversation.id, "x")
    assert chats.messages(conversation.id) == []


def test_everything_survives_a_restart(tmp_path: Path) -> None:
    before = connect(tmp_path)
    conversation = Chats(before).create("a")
    Chats(before).add(conversation.id, "user", "还在吗？")
    Preferences(before).set("tuning", {"retrieval.top_k": 3})
    before.dispose()
    after = connect(tmp_path)
    assert [m.text for m in Chats(after).messages(conversation.id)] == ["还在吗？"]
    assert Preferences(after).get("tuning") == {"retrieval.top_k": 3}
    after.dispose()


def test_two_engines_and_eight_threads_lose_nothing(tmp_path: Path) -> None:
    engines = [connect(tmp_path), connect(tmp_path)]
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda n: Chats(engines[n % 2]), range(8)))
        conversation = stores[0].create("a")
        list(pool.map(lambda n: stores[n % 8].add(conversation.id, "user", f"question {n}"), range(80)))
        list(pool.map(lambda n: Preferences(engines[n % 2]).set("language", n), range(40)))
    assert sorted(m.text for m in stores[1].messages(conversation.id)) == sorted(f"question {n}" for n in range(80))
    assert Preferences(engines[0]).get("language") in range(40)
    for opened in engines:
        opened.dispose()


@pytest.mark.parametrize(
    "hostile", ["x'; DROP TABLE messages; --", "<img onerror=alert(1)>", "a\x00b", "\u202egpj.exe", "🙂" * 9, ""]
)
def test_hostile_text_is_kept_as_it_is(chats: Chats, hostile: str) -> None:
    conversation = chats.create(hostile)
    chats.add(conversation.id, "user", hostile, payload={hostile: hostile})
    (message,) = chats.messages(conversation.id)
    assert (message.text, message.payload, chats.conversations()[0].base) == (hostile, {hostile: hostile}, hostile)


def test_a_lone_surrogate_is_replaced_in_text_payload_title_and_preference(chats: Chats, engine: Engine) -> None:
    conversation = chats.create("b\ud800")
    added = chats.add(conversation.id, "user", "x\udc00y", payload={"quote": "z\udfff"})
    assert chats.messages(conversation.id) == [added]
    assert (added.text, added.payload) == ("x\ufffdy", {"quote": "z\ufffd"})
    assert (chats.conversations()[0].title, chats.conversations()[0].base) == ("x\ufffdy", "b\ufffd")
    preferences = Preferences(engine)
    preferences.set("base", "n\ud83d")
    assert preferences.get("base") == "n\ufffd"


@given(st.text(st.characters(exclude_categories=())))
def test_clean_text_can_always_be_encoded_and_leaves_good_text_alone(value: str) -> None:
    cleaned = clean_text(value)
    assert clean_text(cleaned) == cleaned == cleaned.encode().decode()
    if not any(0xD800 <= ord(ch) <= 0xDFFF for ch in value):
        assert cleaned == value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_a_preference_is_any_json_value(engine: Engine, value: object) -> None:
    preferences = Preferences(engine)
    preferences.set("it's", value)
    assert preferences.get("it's") == value
    preferences.delete("it's")
    assert preferences.get("it's") is None


def test_a_preference_never_set_is_none_and_what_json_cannot_hold_is_refused(engine: Engine) -> None:
    preferences = Preferences(engine)
    assert preferences.get("language") is None
    with pytest.raises(Exception, match="not JSON serializable"):
        preferences.set("language", object())


def test_the_file_waits_for_other_writers_and_guards_its_references(engine: Engine) -> None:
    with engine.connect() as connection:
        assert connection.scalar(text("pragma journal_mode")) == "wal"
        assert connection.scalar(text("pragma busy_timeout")) == 30_000
        assert connection.scalar(text("pragma foreign_keys")) == 1


def test_conversations_follow_a_base_to_its_new_name(chats: Chats) -> None:
    for base in ("old", "other"):
        chats.create(base)
    chats.rename_base("old", "new")
    assert sorted(c.base for c in chats.conversations()) == ["new", "other"]


def test_an_edited_question_begins_a_branch_and_follow_ups_stay_in_theirs(chats: Chats) -> None:
    conversation = chats.create("a")
    first, second = (chats.add(conversation.id, "user", each) for each in ("订单多少钱？", "And in euros?"))
    edited = chats.edit(conversation.id, second.id, "And in dollars?", payload={"files": ["a.txt"]})
    later = chats.add(conversation.id, "user", "With taxes?", branch=edited.id)
    back = chats.add(conversation.id, "user", "Since when?", branch=second.id)
    start = chats.edit(conversation.id, first.id, "发票呢？")
    kept = {message.text: message.after for message in chats.messages(conversation.id)}
    assert kept == {
        "订单多少钱？": None,
        "And in euros?": first.id,
        "And in dollars?": first.id,
        "With taxes?": edited.id,
        "Since when?": second.id,
        "发票呢？": None,
    }
    assert [edited.after, later.after, back.after, start.after] == [first.id, edited.id, second.id, None]
    assert edited.payload == {"files": ["a.txt"]}
    assert chats.conversations()[0].title == "订单多少钱？"


def test_the_branch_last_asked_or_chosen_is_remembered(chats: Chats) -> None:
    conversation = chats.create("a")
    assert chats.conversations()[0].branch is None
    question = chats.add(conversation.id, "user", "one")
    other = chats.edit(conversation.id, question.id, "two")
    assert chats.conversations()[0].branch == other.id
    chats.choose_branch(conversation.id, question.id)
    assert chats.conversations()[0].branch == question.id
    assert chats.add(conversation.id, "user", "three").after == other.id, "without a branch, the one last asked in goes on"


def test_a_question_of_another_conversation_cannot_be_edited_here(chats: Chats) -> None:
    conversation, other = chats.create("a"), chats.create("b")
    foreign = chats.add(other.id, "user", "hello")
    for wrong in (foreign.id, 999):
        with pytest.raises(UnknownConversation):
            chats.edit(conversation.id, wrong, "changed")
    assert chats.messages(conversation.id) == []
    chats.delete(other.id)
    with pytest.raises(UnknownConversation):
        chats.edit(other.id, foreign.id, "changed")


def test_two_tabs_that_ask_at_once_make_no_branch(tmp_path: Path) -> None:
    engines = [connect(tmp_path), connect(tmp_path)]
    tabs = [Chats(engine) for engine in engines]
    conversation = tabs[0].create("a")
    first = tabs[0].add(conversation.id, "user", "first")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: tabs[n % 2].add(conversation.id, "user", str(n), branch=first.id), range(16)))
    asked = tabs[0].messages(conversation.id)
    assert [message.after for message in asked] == [None, *(message.id for message in asked[:-1])]
    for engine in engines:
        engine.dispose()


def test_pinned_conversations_come_first_and_deleting_takes_all_that_belongs_to_one(chats: Chats, engine: Engine) -> None:
    first, second, third = (chats.create(base) for base in "abc")
    chats.pin(first.id, True)
    assert [(c.id, c.pinned) for c in chats.conversations()] == [(first.id, True), (third.id, False), (second.id, False)]
    question = chats.add(first.id, "user", "q")
    chats.edit(first.id, question.id, "r")
    answer = chats.add(first.id, "assistant", "a", payload={"reply_to": question.id})
    chats.ratings.rate(answer.id, "up")
    chats.pin(first.id, False)
    chats.delete(first.id)
    with pytest.raises(UnknownConversation):
        chats.pin(first.id, True)
    with engine.connect() as connection:
        for table in ("messages", "branches", "conversation_states", "ratings"):
            assert connection.scalar(text(f"select count(*) from {table}")) == 0, table


OLD_SCHEMA = """
create table conversations (id varchar not null primary key, title text not null, base text not null,
    created_at datetime not null, updated_at datetime not null);
create table messages (id integer not null primary key, conversation_id varchar not null references conversations (id)
    on delete cascade, role text not null, text text not null, payload text, created_at datetime not null);
insert into conversations values ('old', 'What does it cost?', 'default', '2026-01-01 00:00:00', '2026-01-01 00:00:00');
insert into messages values (3, 'old', 'user', 'What does it cost?', null, '2026-01-01 00:00:00');
insert into messages values (5, 'old', 'assistant', 'Ten [1]', '{"reply_to": 3}', '2026-01-01 00:00:00');
insert into messages values (8, 'old', 'user', '那它的价格呢？', null, '2026-01-01 00:00:00');
"""
"""How a store was made before there were branches, pins and ratings."""


def test_a_store_of_the_old_schema_opens_and_can_all_that_a_new_one_can(engine: Engine) -> None:
    with engine.begin() as connection:
        for statement in OLD_SCHEMA.strip().split(";\n"):
            connection.exec_driver_sql(statement)
    chats = Chats(engine)
    assert [(c.id, c.pinned, c.branch) for c in chats.conversations()] == [("old", False, None)]
    assert [(m.id, m.after, m.rating) for m in chats.messages("old")] == [(3, None, None), (5, None, None), (8, 3, None)]
    edited = chats.edit("old", 8, "And delivery?")
    chats.ratings.rate(5, "down")
    chats.pin("old", True)
    assert edited.after == 3
    assert chats.add("old", "user", "Why?", branch=8).after == 8
    ratings = {m.id: m.rating.thumb for m in chats.messages("old") if m.rating}
    assert (ratings, chats.conversations()[0].pinned) == ({5: "down"}, True)
    with engine.begin() as connection:  # an older version may go on writing to the store
        connection.exec_driver_sql("insert into messages values (99, 'old', 'user', 'x', null, '2026-01-02 00:00:00')")
    *_, before, last = chats.messages("old")
    assert last.after == before.id

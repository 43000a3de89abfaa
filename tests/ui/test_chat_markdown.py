"""A conversation as Markdown: readable, complete, and nothing in it that documents, models or people wrote is live."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import streamlit as st
from hypothesis import given, strategies
from markdown_it import MarkdownIt
from markdown_it.token import Token

from store.chats import Conversation, Message
from store.ratings import Rating
from tests.ui.test_safe import NASTY
from ui import strings
from ui.chat_markdown import as_markdown
from ui.turns import ChatTurn

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@pytest.fixture
def chinese() -> Iterator[None]:
    strings.speak("zh")
    yield
    st.session_state.clear()


def turn(question: str, text: str = "", *, rating: Rating | None = None, versions: int = 1, **payload: Any) -> ChatTurn:
    answer = Message(2, "assistant", text, {"question": question, **payload}, MOMENT, rating=rating)
    return ChatTurn(Message(1, "user", question, None, MOMENT), answer, tuple(range(1, versions + 1)))


def written(*turns: ChatTurn, title: str = "Refunds", base: str = "default") -> str:
    return as_markdown(Conversation("c", title, base, MOMENT, MOMENT), turns)


def cited(source: str = "terms.pdf", quote: str = "Thirty days.", **more: Any) -> dict[str, Any]:
    citation = {"n": 2, "chunk_id": "x", "source": source, "page": 3, "quote": quote, **more}
    return {"citations": [citation], "contexts": [{"chunk_id": "x", "relevance": 0.8}]}


def tokens(markdown: str) -> list[Token]:
    return [inner for token in PARSER.parse(markdown) for inner in [token, *(token.children or [])]]


def text_of(markdown: str) -> str:
    return "".join(token.content for token in tokens(markdown) if token.type == "text")


def test_a_turn_is_a_question_an_answer_and_numbered_sources_with_their_quotes() -> None:
    refund = turn(
        "How long?",
        "It is **thirty** days [2].",
        mode="llm",
        standalone_question="How long is the refund period?",
        rating=Rating("down", "wrong page", MOMENT),
        **cited(sheet="Prices", rows=[2, 5]),
    )
    assert written(refund) == (
        "# Refunds\n\nKnowledge base: default\n\n"
        "## Question 1\n\n> How long?\n\n"
        "### Answer\n\nIt is **thirty** days \\[2\\].\n\n"
        "### Sources\n\n"
        "- \\[2\\] **terms.pdf** · p. 3 · Prices, rows 2 to 5 · relevance 80 %\n\n  > Thirty days.\n\n"
        "- Searched for: How long is the refund period?\n- Rating: thumbs down\n- Comment: wrong page\n"
    )


def test_in_chinese_its_own_words_are_chinese(chinese: None) -> None:
    said = written(turn("多久？", "三十天。[2]", mode="extractive", **cited("条款.pdf", "三十天。")), title="退款")
    assert "## 问题 1\n\n> 多久？\n\n### 回答\n\n> 三十天。\\[2\\]" in said
    assert "- \\[2\\] **条款.pdf** · 第 3 页 · 相关度 80%\n\n  > 三十天。" in said


def test_refusals_failures_and_open_questions_say_so() -> None:
    reason = {"code": "weak_evidence", "params": {"evidence": 0.8996, "threshold": 0.9}}
    refused = written(turn("Weather?", "Not in the documents.", refused=True, reason=reason))
    assert "> Not in the documents." in refused
    assert "evidence of 0.89; 0.90 is needed" in refused
    failed = turn("Why?", "", error={"code": "unexpected", "params": {"detail": "The <b>host</b> is down."}})
    assert "could not be finished: The <b>host</b> is down." in text_of(written(failed))
    cut = turn("Why?", "Because", mode="llm", answer="Because", error={"code": "cut_short", "params": {"message": "x"}})
    assert "Because" in written(cut)
    assert "not complete" in written(cut)
    open_question = ChatTurn(Message(1, "user", "Still?", None, MOMENT))
    assert "*Not answered yet.*" in written(open_question)


def test_a_branch_says_that_there_are_others_and_limits_and_bases_are_named() -> None:
    said = written(turn("q", "a", mode="llm", versions=2, bases=["one", "two"], limits={"sources": ["a.pdf"]}))
    assert "asked in other words too" in said
    assert "Knowledge base: one, two" in said
    assert "Searched only in: a.pdf" in said
    assert "asked in other words too" not in written(turn("q", "a", mode="llm"))


def test_what_no_passage_supports_is_marked_and_the_share_and_a_stop_are_told() -> None:
    sentences = [{"start": 0, "end": 10, "status": "supported"}, {"start": 11, "end": 19, "status": "unsupported"}]
    said = written(turn("q", "It is ten. Or nine.", mode="llm", stopped=True, grounding={"sentences": sentences}))
    assert "It is ten. Or nine. *(not in the passages)*" in said
    assert "- The passages support 1 of 2 statements" in said
    assert "- Stopped." in said


def test_code_stays_code_whatever_fences_stand_in_it() -> None:
    said = written(turn("q", "So:\n````python\nprint('```')\n````\nDone", mode="llm"))
    fences = [token for token in PARSER.parse(said) if token.type == "fence"]
    assert [(token.info, token.content) for token in fences] == [("python", "print('```')\n")]
    assert "Done" in text_of(said)


@given(NASTY | strategies.text(max_size=60), strategies.sampled_from(["extractive", "llm"]))
def test_nothing_that_others_wrote_is_live(nasty: str, mode: str) -> None:
    plain = [token.type for token in tokens(written(turn("q", "a", mode=mode, rating=Rating("up", "c", MOMENT), **cited())))]
    rated = Rating("up", nasty or "c", MOMENT)
    answer = "a" if mode == "llm" else nasty
    said = written(turn(nasty, answer, mode=mode, rating=rated, **cited(nasty, nasty, sheet=nasty)), title=nasty, base=nasty)
    found = tokens(said)
    assert not {"link_open", "image", "html_inline", "html_block", "code_inline", "s_open"} & {token.type for token in found}
    headings = [each.tag for each in found if each.type == "heading_open"]
    assert headings == ["h1", "h2", "h3", "h3"]
    assert sum(each.type == "list_item_open" for each in found) == plain.count("list_item_open")
    assert not [each for each in found if each.type in ("fence", "code_block", "hr", "table_open")]


@given(NASTY)
def test_a_models_words_have_no_link_image_or_tag_and_no_heading_of_the_document(nasty: str) -> None:
    found = tokens(written(turn("q", nasty, mode="llm", **cited())))
    assert not {"link_open", "image", "html_inline", "html_block"} & {token.type for token in found}


def test_a_models_headings_are_below_the_documents() -> None:
    found = tokens(written(turn("q", "# Sources\n\nFake\n===\n\nFake\n---\n\n## More", mode="llm")))
    assert [each.tag for each in found if each.type == "heading_open"] == ["h1", "h2", "h3", "h6", "h6"]

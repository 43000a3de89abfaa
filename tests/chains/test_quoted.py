"""Answers without a model, through the whole pipeline: from the right document, with a citation that holds, or refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.chains.conftest import DOCUMENTS, Indexed
from tests.files import make_pdf

ANSWERED = {
    "Who created it and when?": ("python.md", "Guido van Rossum"),
    "What problems does RAG solve?": ("rag.md", "make up facts"),
    "Which vector databases are common?": ("vectors.md", "Milvus, Qdrant"),
    "Python 是谁在什么时候创建的？": ("python 历史.md", "吉多·范罗苏姆"),
    "RAG 解决了哪些问题？": ("检索增强生成.md", "编造"),
    "常见的向量数据库有哪些？": ("向量数据库.md", "Milvus、Qdrant"),
}
FOREIGN = ["今天天气怎么样？", "What is a prime number?", "什么是素数？", "How do I bake bread?"]


@pytest.mark.parametrize("question", ANSWERED)
def test_a_question_is_answered_from_the_right_document(indexed: Indexed, question: str) -> None:
    source, words = ANSWERED[question]
    answer = indexed.ask(question)
    assert (answer["mode"], answer["refused"], answer["reason"], answer["error"]) == ("extractive", False, None, None)
    assert answer["citations"][0]["source"] == source
    assert words in answer["citations"][0]["quote"]
    assert answer["answer"].startswith(answer["citations"][0]["quote"] + " [")


@pytest.mark.parametrize("question", FOREIGN)
def test_a_foreign_question_is_refused_in_its_language(indexed: Indexed, question: str) -> None:
    answer = indexed.ask(question)
    assert answer["refused"]
    assert answer["citations"] == []
    assert answer["answer"] == (
        "The documents give no answer to this question." if question.isascii() else "文档中没有这个问题的答案。"
    )
    assert answer["reason"]["code"] == "weak_evidence"
    assert answer["reason"]["params"]["evidence"] < answer["reason"]["params"]["threshold"] == 0.9
    assert answer["contexts"], "the nearest passages are still shown"


@pytest.mark.parametrize("question", ["", "???", "' OR 1=1 --", '"', "<script>alert(1)</script>"])
def test_what_is_no_question_is_refused(indexed: Indexed, question: str) -> None:
    assert indexed.ask(question)["refused"]


def test_a_question_that_utf8_cannot_encode_is_answered(indexed: Indexed) -> None:
    answer = indexed.ask("Who created Python?\ud800\0")
    assert answer["question"] == "Who created Python?\ufffd "
    assert answer["citations"][0]["source"] == "python.md"


def test_the_events_come_in_order(indexed: Indexed) -> None:
    events = list(indexed.turn().stream("Who created Python?"))
    assert [event["event"] for event in events] == ["retrieved", "token", "answer"]
    answer = events[-1]["answer"]
    assert events[1]["text"] == answer["answer"]
    assert events[0]["retrieval"].items() <= answer.items()


def test_the_evidence_threshold_decides(indexed: Indexed) -> None:
    assert not indexed.ask("What is a prime number?", retrieval__evidence_threshold=0.3)["refused"]
    assert indexed.ask("Who created Python?", retrieval__evidence_threshold=1.2)["refused"]


def test_a_refusal_says_when_the_score_threshold_dropped_everything(indexed: Indexed) -> None:
    answer = indexed.ask("How do I bake bread?", retrieval__score_threshold=1.0)
    assert answer["refused"]
    assert answer["reason"] == {"code": "all_below_threshold", "params": {"count": len(DOCUMENTS)}}


def test_an_empty_base_is_a_refusal(indexing: Callable[[], Indexed]) -> None:
    empty = indexing()
    empty.library.ensure_base("default")
    assert empty.ask("Who created Python?")["reason"] == {"code": "no_documents", "params": {}}


def test_the_most_quotes(indexed: Indexed) -> None:
    asked = [indexed.ask("Who created Python?", answer__max_quotes=n, answer__quote_margin=1)["citations"] for n in (1, 2, 3)]
    assert [len(citations) for citations in asked] == [1, 2, 3]
    assert len(indexed.ask("Who created Python?", answer__max_quotes=3, answer__quote_margin=0)["citations"]) == 1


def test_the_same_passage_of_two_files_is_quoted_once(indexing: Callable[[], Indexed]) -> None:
    shared = "The warranty of the coffee machine lasts thirty-six months from the day of purchase."
    made = indexing()
    made.add("default", {"a.txt": f"Manual A.\n\n{shared}", "b.txt": f"Manual B.\n\n{shared}", "c.txt": f"{shared}\n"})
    made.add("default", {"d.txt": f"  {shared.replace(' lasts ', '  lasts ')}"})
    answer = made.ask("How long is the warranty of the coffee machine?", answer__max_quotes=10, answer__quote_margin=1)
    said = [" ".join(citation["quote"].split()) for citation in answer["citations"]]
    assert len(answer["contexts"]) == 4
    assert len(set(said)) == len(said)
    assert said.count(shared) == 1


def test_a_citation_names_the_page_of_its_quote_not_of_its_passage(indexing: Callable[[], Indexed]) -> None:
    made = indexing()
    pages = ["The shop opens at nine in the morning.", "Refunds reach the customer within thirty days."]
    made.add("default", {"shop.pdf": make_pdf(pages)})
    answer = made.ask("Within how many days do refunds reach the customer?")
    assert [context["page"] for context in answer["contexts"]] == [1]
    assert [(citation["quote"], citation["page"]) for citation in answer["citations"]] == [(pages[1], 2)]

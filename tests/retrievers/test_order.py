"""Reading order and token budget, alone and together."""

import pytest
from langchain_community.document_transformers import LongContextReorder
from langchain_core.documents import Document

from retrievers.budget import TokenBudget, estimated_tokens
from retrievers.ledger import recording
from retrievers.order import LongContextOrder
from tests.retrievers.passages import names, passage


def row(count: int, text: str = "") -> list[Document]:
    return [passage(str(i + 1), text=text) for i in range(count)]


@pytest.mark.parametrize(
    ("count", "order"), [(0, ""), (1, "1"), (2, "12"), (3, "132"), (4, "1342"), (5, "13542"), (6, "135642"), (7, "1357642")]
)
def test_the_best_stand_first_and_last(count: int, order: str) -> None:
    ordered = LongContextOrder().compress_documents(row(count), "q")
    assert "".join(names(ordered)) == order
    assert [str(document.metadata["relevance_rank"]) for document in ordered] == list(order)


@pytest.mark.parametrize("count", [1, 3, 5, 9])
def test_of_an_odd_number_the_order_is_langchains(count: int) -> None:
    assert names(LongContextOrder().compress_documents(row(count), "q")) == names(
        LongContextReorder().transform_documents(row(count))
    )


@pytest.mark.parametrize(("text", "tokens"), [("x" * 300, 75), ("退" * 120, 75), ("", 0), ("a", 1), ("退款期限 30 days", 5)])
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_the_budget_keeps_from_the_best_down_what_fits() -> None:
    documents = [*row(3, "x" * 40), passage("short", text="x")]
    with recording() as book:
        kept = TokenBudget(tokens=29).compress_documents(documents, "q")
    assert names(kept) == ["1", "2"]
    assert [(drop.chunk_id, drop.reason) for drop in book.drops] == [("3", "over_budget"), ("short", "over_budget")]
    assert [(s.name, s.taken_in, s.dropped, s.out) for s in book.stages] == [("token_budget", 4, 2, 2)]
    assert book.notes == []
    assert len(TokenBudget(tokens=31).compress_documents(documents, "q")) == 4


def test_the_first_one_stays_whole_with_a_note() -> None:
    with recording() as book:
        kept = TokenBudget(tokens=5).compress_documents(row(2, "x" * 40), "q")
    assert [d.page_content for d in kept] == ["x" * 40]
    assert [(note.code, note.params) for note in book.notes] == [("over_budget", {"tokens": 10, "budget": 5})]
    assert TokenBudget(tokens=5).compress_documents([], "q") == []


def test_in_reading_order_the_least_relevant_goes_not_the_last() -> None:
    ordered = LongContextOrder().compress_documents(row(5, "x" * 40), "q")
    assert names(TokenBudget(tokens=30).compress_documents(ordered, "q")) == ["1", "3", "2"]

"""Which segments are quoted, and in which order."""

from __future__ import annotations

from chains.extractive import quote_answer
from tests.chains.passages import context, retrieval


def quotes(*contexts: object, most: int = 10, margin: float = 1) -> list[tuple[int, str]]:
    answer = quote_answer(retrieval("q", *contexts), max_quotes=most, margin=margin)  # type: ignore[arg-type]
    assert answer.text == "\n\n".join(f"{c.quote} [{c.n}]" for c in answer.citations)
    return [(c.n, c.quote) for c in answer.citations]


def test_the_highest_evidence_first_whatever_the_rank_of_its_context() -> None:
    first, second = context("a", ("A1", 0.90), ("A2", 0.95)), context("b", ("B1", 0.99), ("B2", 0.91))
    assert quotes(first, second) == [(2, "B1"), (1, "A2"), (2, "B2"), (1, "A1")]
    assert quotes(first, second, most=2) == [(2, "B1"), (1, "A2")]


def test_a_further_segment_is_quoted_only_when_it_is_near_the_first() -> None:
    found = context("a", ("A1", 0.90), ("A2", 0.95), ("A3", 0.99))
    assert quotes(found, margin=0.05) == [(1, "A3"), (1, "A2")]
    assert quotes(found, margin=0) == [(1, "A3")]


def test_of_equal_segments_that_of_the_better_context_is_quoted() -> None:
    assert quotes(context("a", ("one", 0.9)), context("b", ("two", 0.9))) == [(1, "one"), (2, "two")]


def test_a_text_is_quoted_once_even_with_other_blanks() -> None:
    assert quotes(context("a", ("same  text", 0.9)), context("b", ("same\ntext", 0.95), ("more", 0.8))) == [
        (2, "same\ntext"),
        (2, "more"),
    ]


def test_a_citation_has_its_place_in_the_document() -> None:
    found = quote_answer(
        retrieval("q", context("a", ("A1", 0.9), ("A2 is it", 0.95), start=40, page=3)), max_quotes=1, margin=1
    ).citations[0]
    assert (found.start, found.end, found.page, found.source, found.chunk_id) == (43, 51, 3, "a.txt", "chunk-a")


def test_nothing_to_quote_is_an_empty_answer() -> None:
    assert quotes() == []

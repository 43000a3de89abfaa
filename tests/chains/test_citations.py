"""Citations in a model's answer, in all the forms in which models write them."""

from __future__ import annotations

import pytest

from chains.citations import resolve
from chains.packing import numbered
from tests.chains.passages import context

CONTEXTS = numbered([context("a", ("A1", 0.9), ("A2", 0.95)), context("b", ("B1", 0.9), page=7), context("c", ("C1", 0.9))])


@pytest.mark.parametrize(
    ("written", "shown", "cited"),
    [
        ("Yes [1].", "Yes [1].", [1]),
        ("Yes [2][1].", "Yes [2][1].", [2, 1]),
        ("Yes [1, 2].", "Yes [1][2].", [1, 2]),
        ("是的【1】。", "是的[1]。", [1]),
        ("是的［1，3］。", "是的[1][3]。", [1, 3]),
        ("是的【1、2】。", "是的[1][2]。", [1, 2]),
        ("Yes [1; 3].", "Yes [1][3].", [1, 3]),
        ("Yes [1-3].", "Yes [1][2][3].", [1, 2, 3]),
        ("Yes [^2].", "Yes [2].", [2]),
        ("Yes 【2†a.txt】.", "Yes [2].", [2]),
        ("Yes [1] and [1].", "Yes [1] and [1].", [1]),
        ("Yes [1, 1].", "Yes [1].", [1]),
        ("No [4].", "No .", []),
        ("No [0].", "No .", []),
        ("Half [3, 4].", "Half [3].", [3]),
        ("Half [2-99999999999].", "Half [2][3].", [2, 3]),
        ("No [3-1].", "No .", []),
        (f"No [{'9' * 5000}].", "No .", []),
        ("Yes [Source 1].", "Yes [1].", [1]),
        ("Yes [Sources 1, 2].", "Yes [1][2].", [1, 2]),
        ("Yes [source 1 and source 3].", "Yes [1][3].", [1, 3]),
        ("Yes [see passages 1 to 3].", "Yes [1][2][3].", [1, 2, 3]),
        ("Yes [Passage #2] (Source 3).", "Yes [2] [3].", [2, 3]),
        ("Yes [doc1][citation:2][ID:3].", "Yes [1][2][3].", [1, 2, 3]),
        ("Yes [Source 1: a.txt, p. 3].", "Yes [1].", [1]),
        ("Yes [2, p. 7][1, pages 3-4].", "Yes [2][1].", [2, 1]),
        ("Yes [[1]][^2^].", "Yes [1][2].", [1, 2]),
        ("Yes `[1]`.", "Yes [1].", [1]),
        ("是的[来源1]。", "是的[1]。", [1]),
        ("是的[来源 1、2]。", "是的[1][2]。", [1, 2]),
        ("是的【来源：1；来源：3】。", "是的[1][3]。", [1, 3]),
        ("是的（见段落2）。", "是的[2]。", [2]),
        ("是的〔1〕〔资料2〕。", "是的[1][2]。", [1, 2]),
        ("是的【1，第7页】【段落1至2】。", "是的[1][1][2]。", [1, 2]),
        ("No [Source 9].", "No .", []),
        ("不是【来源9】。", "不是。", []),
        ("Kept: [a], [], (1), 1], [x 1].", "Kept: [a], [], (1), 1], [x 1].", []),
        ("Kept: (1)? 1) first, Source 1, ¹, [Table 1], [1.5].", "Kept: (1)? 1) first, Source 1, ¹, [Table 1], [1.5].", []),
        ("Kept: (Source 9), (Sources 1, 9), [0-9], [0, 1].", "Kept: (Source 9), (Sources 1, 9), [0-9], [0, 1].", []),
        ("Kept: `a[0]`, ``x = b[1]``.", "Kept: `a[0]`, ``x = b[1]``.", []),
        ("Kept:\n```python\na[1] = [2]\n```\n~~~\n[3]", "Kept:\n```python\na[1] = [2]\n```\n~~~\n[3]", []),
        ("留着：〔2020〕、（1）、来源1、[表1]、国发[2020]5号。", "留着：〔2020〕、（1）、来源1、[表1]、国发[2020]5号。", []),
    ],
)
def test_a_citation(written: str, shown: str, cited: list[int]) -> None:
    text, citations, _ = resolve(written, CONTEXTS)
    assert text == shown
    assert [citation.n for citation in citations] == cited


def test_a_citation_points_to_the_best_segment_of_its_context() -> None:
    _, (first, second), _ = resolve("[1] [2]", CONTEXTS)
    assert (first.quote, first.start, first.end, first.source) == ("A2", 103, 105, "a.txt")
    assert (second.quote, second.page) == ("B1", 7)


def test_without_contexts_every_citation_goes() -> None:
    assert resolve("Yes [1].", {}) == ("Yes .", (), 1)


def test_a_number_keeps_its_context_where_those_before_it_were_not_given() -> None:
    given = {n: CONTEXTS[n] for n in (1, 3)}
    text, citations, _ = resolve("[3] [2] [1-3]", given)
    assert text == "[3]  [1][3]"
    assert [(citation.n, citation.source) for citation in citations] == [(3, "c.txt"), (1, "a.txt")]


@pytest.mark.parametrize(
    ("written", "removed"),
    [
        ("Yes [1].", 0),
        ("No [99].", 1),
        ("不【９９】。", 1),
        ("Half [1, 98, 0].", 1 + 1),
        ("No [3-1] [4] [4].", 3),
        ("Half [2-99].", 1),
    ],
)
def test_what_names_no_passage_is_counted(written: str, removed: int) -> None:
    assert resolve(written, CONTEXTS).removed == removed

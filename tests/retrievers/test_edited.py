"""What a person switched off or corrected, and rows of tables, on the way from the index to an answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chains.extractive import quote_answer
from ingest.edits import chunks, correct, switch
from retrievers import Retrieval, Retriever
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

OFF, OLD, BESIDE = (
    "# Returns\n\nZeppelins may be returned within sixty days, provided that their hull is whole and dry.",
    "Kettles may be returned within thirty days, provided that their lid is still with them.",
    "Saucers may be returned within twenty days, provided that none of them has been used.",
)
NEW = "Kettles may be returned within ninety weeks, with or without a lid."
SIZES = {"chunker": "recursive", "chunk_size": 110, "chunk_overlap": 0, "min_chunk_size": 1}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk.on(tmp_path / "store", WordEmbeddings())
    desk.add("a.md", f"{OFF}\n\n{OLD}\n\n{BESIDE}", **SIZES)
    yield desk
    desk.library.engine.dispose()


def ask(desk: Desk, question: str, **retrieval: object) -> Retrieval:
    changes = {f"retrieval.{name.replace('__', '.')}": value for name, value in retrieval.items()}
    settings = desk.settings.override({"retrieval.evidence_threshold": 0.0, **changes})
    return Retriever(desk.stores).retrieve(question, [desk.base], settings)


def fix(desk: Desk) -> None:
    chunk = chunks(desk.stores, desk.base, "a.md").chunks[1]
    assert chunk.text == OLD
    correct(desk.stores, desk.base, chunk.id, NEW, desk.settings)


def test_a_corrected_passage_is_quoted_as_corrected_and_says_so(desk: Desk) -> None:
    fix(desk)
    found = ask(desk, "kettles returned lid")
    context = found.contexts[0]
    assert (context.text, context.edited, context.original) == (NEW, True, OLD)
    assert desk.library.text(context.doc_id)[context.start : context.end] == OLD
    assert found.as_json()["contexts"][0]["edited"] is True
    answer = quote_answer(found, max_quotes=1, margin=0.0)
    [citation] = answer.citations
    assert (citation.quote, citation.edited) == (NEW, True)
    assert (citation.start, citation.end) == (context.start, context.end)
    others = found.contexts[1:]
    assert others
    assert not any(other.edited or other.original for other in others)


@pytest.mark.parametrize("layer", ["parent", "window"])
def test_no_passage_grows_over_what_is_off_or_corrected(desk: Desk, layer: str) -> None:
    grown = ask(desk, "saucers", **{f"{layer}__enabled": True}).contexts[0]
    assert OLD in grown.text
    fix(desk)
    assert ask(desk, "saucers", **{f"{layer}__enabled": True}).contexts[0].text == BESIDE
    switch(desk.stores, desk.base, "a.md", on=False, chunk_ids=[chunks(desk.stores, desk.base, "a.md").chunks[0].id])
    for context in ask(desk, "kettles returned zeppelins", **{f"{layer}__enabled": True}).contexts:
        assert "Zeppelins" not in context.text
        assert "thirty" not in context.text


def test_a_passage_of_a_table_tells_sheet_and_rows_however_it_grew(desk: Desk) -> None:
    rows = "\n".join(f"kettle{n},{n} days,some further words" for n in range(1, 30))
    desk.add("t.csv", f"item,window,note\n{rows}", chunk_size=200, min_chunk_size=1, chunk_overlap=0)
    context = next(context for context in ask(desk, "kettle17").contexts if "kettle17" in context.text)
    assert context.rows is not None
    first, last = context.rows
    assert first <= 18 <= last
    assert f"kettle{first - 1}" in context.text
    assert f"kettle{last - 1}" in context.text
    grown = next(c for c in ask(desk, "kettle17", parent__enabled=True).contexts if "kettle17" in c.text)
    assert grown.rows is not None
    assert grown.rows[0] <= first
    assert grown.rows[1] >= last
    assert grown.rows[1] - grown.rows[0] > last - first
    assert all(f"kettle{row - 1}" in grown.text for row in (grown.rows[0] + 1, grown.rows[1] - 1))
    citation = quote_answer(ask(desk, "kettle17"), max_quotes=1, margin=0.0).citations[0]
    assert citation.rows == context.rows

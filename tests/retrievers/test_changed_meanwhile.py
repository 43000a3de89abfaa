"""A base that is indexed anew or deleted while a question runs: what comes is whole, or says what happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ingest.reindex import Reindex
from retrievers import Context, Explainer
from retrievers.ledger import Note
from store.errors import UnknownBase
from store.stores import table_of
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import SMALL, codes, word_shelf
from tests.standin import WordEmbeddings, shared_sandbox

QUESTION = "harbour of Lisbon"
TEXT = "Ships ar-\nrive from Porto at noon.\n\nThe harbour of Lisbon is number {n}. {more}\n\n里斯本的港口有 {n} 号码头。"


class Interrupted(WordEmbeddings):
    """Does something else the next time that a question is embedded, which is in the middle of a search."""

    meanwhile: Callable[[], None] | None = None

    def embed_query(self, text: str) -> list[float]:
        act, self.meanwhile = self.meanwhile, None
        if act:
            act()
        return super().embed_query(text)


@pytest.fixture
def embedder() -> Interrupted:
    return Interrupted(64)


@pytest.fixture
def shelf(tmp_path: Path, embedder: Interrupted) -> Shelf:
    shelf = word_shelf(tmp_path, embeddings=embedder, settings=SMALL | {"ingest.enrich.cleaning.enabled": False})
    for n in range(6):
        shelf.add(f"{n}.txt", TEXT.format(n=n, more="The quay is long. " * 3))
    return shelf


def index_again(shelf: Shelf, *, drop: bool) -> Callable[[], None]:
    """Index the base with other sizes and cleaned text; `drop` removes the old table, as the next process does."""

    def act() -> None:
        library = shelf.stores.library
        settings = shelf.settings.override({"ingest.chunk_size": 400, "ingest.enrich.cleaning.enabled": True})
        reports = list(Reindex(shelf.stores, library.by_id(shelf.base.id), settings, sandbox=shared_sandbox()).run())
        assert {report.status for report in reports} == {"indexed"}
        if drop:
            shelf.stores.tidy(library.by_id(shelf.base.id))

    return act


def delete(shelf: Shelf) -> None:
    shelf.stores.library.delete_base("test")
    shelf.stores.forget(shelf.base)


def are_whole(shelf: Shelf, contexts: Sequence[Context]) -> bool:
    """Whether each is a slice of the text that its document has now, and a chunk, or a part, of the present index."""
    store = shelf.stores.open(shelf.stores.library.by_id(shelf.base.id))
    text = shelf.stores.library.text
    return all(c.text == text(c.doc_id)[c.start : c.end] and store.chunk_with_id(c.chunk_id) for c in contexts)


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("layer", ["parent", "window"])
def test_an_answer_is_of_the_new_index_and_of_nothing_else(shelf: Shelf, embedder: Interrupted, drop: bool, layer: str) -> None:
    embedder.meanwhile = index_again(shelf, drop=drop)
    found = shelf.find(QUESTION, **{f"{layer}.enabled": True})
    assert found.contexts
    assert are_whole(shelf, found.contexts)
    assert [stage.name for stage in found.ledger.stages].count("bm25") == 1, "only what was found at last is accounted for"
    assert codes(found) == []


def test_a_question_with_the_base_as_it_was_before_finds_the_present_index(shelf: Shelf) -> None:
    index_again(shelf, drop=True)()
    assert are_whole(shelf, shelf.find(QUESTION).contexts)
    tables = {path.stem for path in shelf.stores.library.chunk_folder(shelf.base).glob("*.lance")}
    assert tables == {table_of(shelf.stores.library.by_id(shelf.base.id))}, "the old table was made again"


@pytest.mark.parametrize("drop", [False, True])
def test_why_not_found_is_explained_of_the_new_index(shelf: Shelf, embedder: Interrupted, drop: bool) -> None:
    embedder.meanwhile = index_again(shelf, drop=drop)
    settings = shelf.settings.override({"retrieval.top_k": 1})
    (found,) = Explainer(shelf.retriever, shelf.stores.library, [shelf.base], settings).explain(QUESTION, "is number 5").fates
    assert (found.place, found.reason) == ("top_k", "below_top_k")
    store = shelf.stores.open(shelf.stores.library.by_id(shelf.base.id))
    assert store.chunk_with_id(found.chunk.id)
    retrieved = shelf.retriever.retrieve(QUESTION, shelf.base, settings.override(dict(found.remedies[0])))
    assert found.chunk.id in [context.chunk_id for context in retrieved.contexts]


def test_a_base_that_is_deleted_meanwhile_is_said_to_be_gone(shelf: Shelf, embedder: Interrupted) -> None:
    embedder.meanwhile = lambda: delete(shelf)
    with pytest.raises(UnknownBase, match="deleted meanwhile"):
        shelf.find(QUESTION)
    explainer = Explainer(shelf.retriever, shelf.stores.library, [shelf.base], shelf.settings)
    with pytest.raises(UnknownBase, match="deleted meanwhile"):
        explainer.explain(QUESTION, "is number 5")
    assert not shelf.stores.library.chunk_folder(shelf.base).exists(), "it was made again"


def test_of_several_bases_the_others_answer(tmp_path: Path, shelf: Shelf, embedder: Interrupted) -> None:
    library = shelf.stores.library
    other = library.ensure_base("中文")
    shelf.pipeline.run(other, "港.txt", "里斯本的港口 harbour of Lisbon".encode(), shelf.settings)
    embedder.meanwhile = lambda: delete(shelf)
    found = shelf.retriever.retrieve(QUESTION, [shelf.base, other], shelf.settings)
    assert [context.base for context in found.contexts] == ["中文"]
    assert Note("base_failed", found.ledger.notes[0].params) in found.ledger.notes
    (note,) = found.ledger.notes
    assert (note.params["base"], note.params["told"]["code"]) == ("test", "unknown_base")
    explained = Explainer(shelf.retriever, library, [shelf.base, other], shelf.settings).explain(QUESTION, "is number 5")
    assert explained.fates == ()
    assert [each.code for each in explained.notes] == ["base_failed"], "it was not looked through"

"""Opening a base with the right embedder, and only with that."""

import pytest

from settings import load_settings
from store.database import now
from store.errors import EmbedderMismatch
from store.library import Library, StoredDocument
from store.stores import Stores
from tests.standin import WordEmbeddings
from tests.store.making import make_chunk

SETTINGS = load_settings(env={})


def stores_with(library: Library, embeddings: WordEmbeddings) -> Stores:
    return Stores(library, embeddings, SETTINGS)


def test_the_passport_says_what_built_the_base(library, words):
    stores = stores_with(library, words)
    base = library.ensure_base("a")
    stores.sign(base, {"chunk_size": 700})
    assert library.base("a").passport == {
        "schema": 2,
        "embedder": {"provider": "standin", "model": "words", "dimension": 16},
        "ingest": {"chunk_size": 700},
        "table": "chunks",
    }


def test_a_base_is_opened_once_and_forgotten_when_deleted(library, words):
    stores = stores_with(library, words)
    base = library.ensure_base("a")
    assert stores.open(base) is stores.open(library.base("a")) is stores.open_any(base)
    opened = stores.open(base)
    stores.forget(base)
    assert stores.open(base) is not opened


@pytest.mark.parametrize("other", [WordEmbeddings(8), WordEmbeddings(16, model="newer words")])
def test_another_embedder_may_count_and_delete_but_not_search_or_add(library, words, other):
    stores = stores_with(library, words)
    base = library.ensure_base("a")
    stores.sign(base, {})
    stores.open(base).upsert([make_chunk("c", "text", doc_id="d")])
    library.put(base, StoredDocument("d", base.id, "d.txt", "v", "ready", 1, {}, now()))
    theirs, base = stores_with(library, other), library.base("a")
    with pytest.raises(EmbedderMismatch, match=r"built with words \(16 dimensions\).*reindex --kb 'a'"):
        theirs.open(base)
    assert theirs.open_any(base).count() == 1
    theirs.open_any(base).delete_documents(["d"])
    assert stores.open(base).count() == 0


def test_the_passport_names_the_table_and_tidying_removes_others(library, words):
    stores = stores_with(library, words)
    base = library.ensure_base("a")
    stores.open(base).upsert([make_chunk("old", "old text")])
    stores.beside(base, "chunks-2").upsert([make_chunk("new", "new text")])
    library.set_passport(base, stores.passport(base, {}, table="chunks-2"))
    base = library.base("a")
    assert [d.id for d in stores.open(base).similarity_search("text")] == ["new"]
    stores.sign(base, {"chunk_size": 300})
    assert library.base("a").passport["table"] == "chunks-2"
    stores.tidy(library.base("a"))
    assert [path.name for path in library.chunk_folder(base).glob("*.lance")] == ["chunks-2.lance"]
    assert stores.open(library.base("a")).count() == 1


def test_a_base_that_holds_nothing_takes_any_embedder(library, words):
    base = library.ensure_base("a")
    stores = stores_with(library, words)
    assert stores.open(base).similarity_search("asked before anything was added") == []
    stores.sign(base, {})
    theirs = stores_with(library, WordEmbeddings(8))
    theirs.open(library.base("a")).upsert([make_chunk("c", "text", dimension=8)])
    assert [d.id for d in theirs.open(library.base("a")).similarity_search("text")] == ["c"]

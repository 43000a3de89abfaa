"""What a model wrote: kept by document, found for the same text elsewhere, gone with its document; its rows beside the chunks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from store.chunks import ChunkStore
from store.library import Base, Library, StoredDocument, document_id
from store.table import Heir
from store.written import Text, Written
from tests.store.making import make_chunk


@pytest.fixture
def base(library: Library) -> Base:
    return library.ensure_base("test")


def put(library: Library, base: Base, name: str) -> StoredDocument:
    document = StoredDocument(document_id(base, name), base.id, name, f"v of {name}", "ready", 1, {}, datetime.now(UTC))
    library.put(base, document, text="text")
    return document


def texts(written: Written, doc_id: str) -> list[tuple[str, str, object]]:
    return sorted((text.kind, text.key, text.value) for text in written.of(doc_id).values())


def test_what_was_written_is_kept_replaced_and_forgotten(library: Library, base: Base) -> None:
    written, document = Written(library), put(library, base, "a.txt")
    written.keep(document.doc_id, [Text("summary", "k1", "m", "old\ud800"), Text("questions", "k1", "m", ["问?"])])
    written.keep(document.doc_id, [Text("summary", "k1", "other model", "new")])
    assert texts(Written(library), document.doc_id) == [("questions", "k1", ["问?"]), ("summary", "k1", "new")]
    written.forget(document.doc_id, but=[("summary", "k1")])
    assert texts(written, document.doc_id) == [("summary", "k1", "new")]
    written.tell(document.doc_id, {"summary": 1})
    assert library.document(document.doc_id).report == {"written": {"summary": 1}}


def test_the_same_text_elsewhere_is_found_with_what_was_asked(library: Library, base: Base) -> None:
    written, document = Written(library), put(library, base, "a.txt")
    written.keep(document.doc_id, [Text("summary", f"k{n}", "m", n) for n in range(1200)])
    found = written.elsewhere({f"k{n}" for n in range(1100)} | {"unknown"})
    assert len(found) == 1100
    assert found["summary", "k7", "m"].value == 7
    assert written.elsewhere(set()) == {}


def test_it_goes_with_the_document_and_is_not_kept_for_one_that_is_gone(library: Library, base: Base) -> None:
    written, document = Written(library), put(library, base, "a.txt")
    written.keep(document.doc_id, [Text("summary", "k", "m", "said")])
    library.delete_document(document.doc_id)
    assert written.elsewhere({"k"}) == {}
    written.keep(document.doc_id, [Text("summary", "k", "m", "said")])
    written.tell(document.doc_id, {"summary": 1})
    assert written.elsewhere({"k"}) == {}


def test_an_heir_takes_it_over(library: Library, base: Base) -> None:
    written, document = Written(library), put(library, base, "a.txt")
    library.add_alias(base, document.doc_id, "b.txt")
    written.keep(document.doc_id, [Text("summary", "k", "m", "said")])
    library.hand_over(library.document(document.doc_id), "b.txt")
    assert texts(written, document_id(base, "b.txt")) == [("summary", "k", "said")]


def test_written_rows_are_replaced_beside_the_chunks_and_follow_them_to_an_heir(store: ChunkStore) -> None:
    place: dict[str, Any] = {"doc_id": "d", "version": "v", "start": 0, "end": 3}
    store.upsert([make_chunk("c", "one", chunk_index=0, **place), make_chunk("o", "two", doc_id="other")])
    rows = [make_chunk(f"q{n}", f"What {n}?", kind="question", parent_id="c", chunk_index=n, **place) for n in range(3)]
    store.replace_written("d", rows)
    assert [row["text"] for row in store.rows_of("d", ["text"], written=True)] == ["What 0?", "What 1?", "What 2?"]
    store.replace_written("d", rows[:1])
    assert [row["id"] for row in store.rows_of("d", ["id"], written=True)] == ["q0"]
    assert [row["id"] for row in store.rows_of("d", ["id"])] == ["c"]
    store.replace_document("d", [], heir=Heir("heir", "b.txt", "v"))
    [chunk], [question] = store.rows_of("heir", ["id"]), store.rows_of("heir", ["parent_id", "source"], written=True)
    assert question["parent_id"] == chunk["id"] != "c"
    assert store.rows_of("d", ["id"]) == store.rows_of("d", ["id"], written=True) == []
    assert store.count() == 2

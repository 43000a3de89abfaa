"""Tables of the schema before this one go on working, whole, and a copy of them is kept."""

import json
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from store import migration, packed
from store.arrow import arrow_schema
from store.chunks import ChunkStore
from store.errors import StoreError
from tests.standin import WordEmbeddings
from tests.store.making import make_chunk
from tests.store.test_stores import stores_with

CHUNKS = [make_chunk(f"c{n}", f"passage {n} 第{n}段", doc_id="d", start=n, end=n + 9, page=n or None) for n in range(5)]


@pytest.fixture
def outdated(tmp_path: Path) -> Path:
    """A folder with a table as schema 1 had it."""
    store = ChunkStore(WordEmbeddings(16), folder=tmp_path)
    store.upsert(CHUNKS)
    rows = store._table.search().limit(99).to_arrow().drop_columns([packed.COLUMN])
    store.drop()
    old = pa.schema([field for field in arrow_schema(16) if field.name != packed.COLUMN])
    lancedb.connect(str(tmp_path)).create_table("chunks", data=rows.select(old.names), schema=old)
    return tmp_path


def opened(folder: Path) -> ChunkStore:
    return ChunkStore(WordEmbeddings(16), folder=folder)


def test_an_old_table_is_searched_as_before_and_kept(outdated):
    store = opened(outdated)
    found = store.candidates([chunk.id for chunk in CHUNKS])
    assert {c.id: (c.page_content, c.metadata["start"], c.metadata.get("page")) for c in found} == {
        chunk.id: (chunk.text, chunk.start, chunk.page) for chunk in CHUNKS
    }
    assert {c.segment_vectors.shape for c in found if c.segment_vectors is not None} == {(1, 16)}
    assert [c.id for c, _ in store.search_text("第3段", depth=1)] == ["c3"]
    kept = lancedb.connect(str(outdated / migration.KEPT)).open_table("chunks")
    assert kept.count_rows() == len(CHUNKS)
    store.upsert([make_chunk("new", "a later passage")])
    assert opened(outdated).count() == len(CHUNKS) + 1


def test_a_migration_killed_before_its_end_begins_anew(outdated, monkeypatch):
    def die(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(migration, "finish", lambda *_: None)
        patch.setattr(migration, "_packed", die)
        with pytest.raises(KeyboardInterrupt):
            opened(outdated).count()
    assert opened(outdated).count() == len(CHUNKS)


def test_a_migration_killed_between_the_two_moves_is_finished(outdated, monkeypatch):
    finish = migration.finish
    with monkeypatch.context() as patch:
        patch.setattr(migration, "finish", lambda *_: None)
        with pytest.raises(ValueError, match="chunks"):  # the table is away for the moment
            opened(outdated).count()
    assert not (outdated / "chunks.lance").exists()
    assert migration.finish is finish
    assert opened(outdated).count() == len(CHUNKS)


@pytest.mark.parametrize("made", ["", "_versions", "data", "_transactions"])
def test_a_table_whose_maker_was_killed_before_its_first_commit_is_made_anew(tmp_path: Path, made: str) -> None:
    """LanceDB lists the folder and cannot open it: no document could be added to such a base any more."""
    (tmp_path / "chunks.lance" / made).mkdir(parents=True)
    store = ChunkStore(WordEmbeddings(16), folder=tmp_path)
    store.upsert(CHUNKS)
    assert opened(tmp_path).count() == len(CHUNKS)


def test_a_base_of_a_newer_version_is_not_touched(library, words):
    stores = stores_with(library, words)
    base = library.ensure_base("a")
    library.set_passport(base, {"schema": 99})
    with pytest.raises(StoreError, match="newer version"):
        stores.open(library.base("a"))


def test_a_packed_row_is_what_its_columns_say(outdated):
    rows = opened(outdated)._table.search().where("id = 'c3'").limit(1).to_arrow()
    row = rows.to_pylist()[0]
    [(key, text, metadata, vectors)] = packed.unpack(rows["packed"])
    assert (key, text, metadata["segments"]) == (row["id"], row["text"], [(s["start"], s["end"]) for s in row["segments"]])
    assert metadata["created_at"] == row["created_at"]
    assert packed.widened([vectors]).tolist() == [[float(value) for value in vector] for vector in row["segment_vectors"]]
    assert json.loads(row["metadata"]).items() <= metadata.items()

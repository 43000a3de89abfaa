"""The LanceDB table of a knowledge base: one row a chunk, with vectors and full text side by side.

Vectors are compared by cosine; full text is LanceDB's own index with the tokenizer `icu/split`, which parts Chinese into words.
One process writes at a time (a lock file); readers see each commit at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lancedb
import pyarrow as pa
from filelock import FileLock
from lancedb.background_loop import LOOP
from lancedb.expr import col, lit
from lancedb.index import FTS
from langchain_core.embeddings import Embeddings

from store import migration
from store.arrow import arrow_schema, followed, relabelled, to_arrow
from store.census import CHUNK
from store.document_rows import dimension_of
from store.errors import naming_failures
from store.filters import one_of
from store.schema import Chunk
from store.search import TableSearch
from store.vector_index import ensure_vector_index

if TYPE_CHECKING:
    from lancedb.table import AsyncTable, Table

FULL_TEXT = FTS(base_tokenizer="icu/split", stem=True, ascii_folding=True, remove_stop_words=False)
KEEP_VERSIONS = timedelta(minutes=2)
"""How long an old version of the table stays readable: longer than a reader's view may be old (store.refresh_seconds).

Not longer than needed, since finding the newest version takes a microsecond for each old one.
"""
OPTIMIZE_EVERY = 200
"""Commits between two optimizations: each adds a file, and a commit takes longer the more there are."""
INDEX_CACHE, METADATA_CACHE = 256 * 2**20, 64 * 2**20
"""Bytes that LanceDB may keep of a table in memory; its own defaults are gigabytes."""


@dataclass(frozen=True)
class Heir:
    """The document under whose name the chunks of `version` live on when their own document gives them up."""

    doc_id: str
    source: str
    version: str


class ChunkTable(TableSearch):
    """The chunks of one base. Scores of vector searches are cosines, of text searches BM25; both higher is better."""

    def __init__(
        self,
        embedding: Embeddings,
        *,
        folder: Path,
        name: str = "chunks",
        dimension: int | None = None,
        refresh_seconds: float = 0,
        index_from: int = 50_000,
    ) -> None:
        self._embedding = embedding
        self._folder, self._name = folder, name
        self._asked_dimension = dimension
        self._index_from = index_from
        self._refresh = timedelta(seconds=refresh_seconds)
        self._commits = 0

    # --- writing ---------------------------------------------------------------------------------------------------------------

    def upsert(self, chunks: Sequence[Chunk]) -> None:
        """Store chunks in one commit; those with a known id are replaced. Raises InvalidVector, NotWritable."""
        with self._writing() as table:
            rows = to_arrow(chunks, self._dimension)
            table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def replace_document(self, doc_id: str, chunks: Sequence[Chunk], *, fresh: bool = False, heir: Heir | None = None) -> int:
        """Make these the chunks of the document, in one commit: a reader sees all the old ones or all the new ones.

        `fresh` says that it has none yet, which spares the search for them. The old chunks go, or to the heir in the same commit.
        Returns how many of `chunks` are stored. Raises InvalidVector, NotWritable.
        """
        rows = to_arrow(chunks, self._dimension)
        with self._writing() as table:
            if fresh:
                before = int(table.count_rows())
                if chunks:
                    table.add(rows)
                return int(table.count_rows()) - before
            moved = self._moved(doc_id, heir)
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            old = (col("doc_id") == lit(doc_id)).to_sql()
            done: Any = merge.when_not_matched_by_source_delete(old).execute(followed(rows, moved))
            return int(done.num_inserted_rows + done.num_updated_rows - len(moved))

    def replace_written(self, doc_id: str, rows: Sequence[Chunk]) -> None:
        """Make these what was written for the chunks of the document, in one commit; its chunks stay as they are.

        Raises InvalidVector, NotWritable.
        """
        old = ((col("doc_id") == lit(doc_id)) & (col("kind") != lit(CHUNK))).to_sql()
        with self._writing() as table:
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.when_not_matched_by_source_delete(old).execute(to_arrow(rows, self._dimension))

    def switch(self, doc_id: str, ids: Sequence[str] | None, *, on: bool) -> None:
        """Let these rows of a document be found or not; None is all of them. One commit. Raises NotWritable."""
        where = col("doc_id") == lit(doc_id)
        if ids is not None:
            where = where & one_of("id", ids)
        with self._writing() as table:
            table.update(where=where.to_sql(), values={"enabled": on})

    def delete_documents(self, doc_ids: Sequence[str]) -> None:
        """Remove all chunks of these documents. Raises NotWritable."""
        with self._writing() as table:
            table.delete(one_of("doc_id", list(doc_ids)))

    def optimize(self) -> None:
        """Fold new rows into the index, merge small files and drop old versions; call it after a job. Raises NotWritable."""
        with self._writing() as table:
            table.optimize(cleanup_older_than=KEEP_VERSIONS)
            ensure_vector_index(table, from_rows=self._index_from)
            self._commits = 0

    def optimize_when_due(self) -> None:
        """Optimize when many commits have been made since the last time. Raises NotWritable."""
        if self._commits >= OPTIMIZE_EVERY:
            self.optimize()

    def drop(self) -> None:
        """Remove the table and all its chunks."""
        with self._locked():
            lancedb.connect(str(self._folder)).drop_table(self._name, ignore_missing=True)

    # --- looking it through ----------------------------------------------------------------------------------------------------

    def scan(self, columns: Sequence[str], *, at_once: int = 2000) -> Iterator[pa.Table]:
        """These columns of all rows, as they are now, `at_once` rows at a time."""
        self._table  # noqa: B018 - makes it when it is missing
        table = lancedb.connect(str(self._folder)).open_table(self._name)  # its own view, which no commit changes
        total = table.count_rows()
        for start in range(0, total, at_once):
            yield table.take_offsets(list(range(start, min(total, start + at_once)))).select(list(columns)).to_arrow()

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        return dimension_of(self._table)

    def indexed_columns(self) -> set[str]:
        """The columns that have an index."""
        return {column for index in self._table.list_indices() for column in index.columns}

    # --- the table -------------------------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self) -> Iterator[Table]:
        table = self._writer
        with self._locked():
            table.checkout_latest()
            self._commits += 1
            try:
                yield table
            finally:
                self._ended += 1
                self._seen = None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with naming_failures(self._folder), FileLock(self._folder / f"{self._name}.lock", poll_interval=0.01):
            yield

    @cached_property
    def _table(self) -> Table:
        with naming_failures(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
        with self._locked():
            migration.finish(self._folder, self._name)
            database = lancedb.connect(str(self._folder), read_consistency_interval=self._refresh, session=self._session)
            migration.clear_torso(self._folder, self._name)
            table = database.open_table(self._name) if self._name in database.list_tables().tables else None
            if table is not None and migration.is_outdated(table):
                migration.migrate(self._folder, self._name)
                table = database.open_table(self._name)
            if table is not None and self._asked_dimension not in (None, dimension_of(table)) and not table.count_rows():
                database.drop_table(self._name)  # made for an embedder that never stored anything
                table = None
            if table is None:
                dimension = self._asked_dimension or len(self._embedding.embed_query("dimension"))
                table = database.create_table(self._name, schema=arrow_schema(dimension))
            if not table.list_indices():  # new, or its maker was killed before it came to this
                table.create_index("embed_text", config=FULL_TEXT)
            return table

    @cached_property
    def _writer(self) -> Table:
        """The same table, which looks for commits of others only when told to."""
        self._table  # noqa: B018 - makes it when it is missing
        return lancedb.connect(str(self._folder), session=self._session).open_table(self._name)

    @cached_property
    def _reader(self) -> AsyncTable:
        self._table  # noqa: B018 - makes it when it is missing
        return LOOP.run(self._opened_to_read())

    async def _opened_to_read(self) -> AsyncTable:
        connected = await lancedb.connect_async(str(self._folder), read_consistency_interval=self._refresh, session=self._session)
        return await connected.open_table(self._name)

    @cached_property
    def _session(self) -> lancedb.Session:
        return lancedb.Session(index_cache_size_bytes=INDEX_CACHE, metadata_cache_size_bytes=METADATA_CACHE)

    def _moved(self, doc_id: str, heir: Heir | None) -> pa.Table:
        schema = arrow_schema(self._dimension)
        if heir is None:
            return schema.empty_table()
        old = (col("doc_id") == lit(doc_id)) & (col("version") == lit(heir.version))
        return relabelled(self._rows(old, schema.names), doc_id=heir.doc_id, source=heir.source).cast(schema)

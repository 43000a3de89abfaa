"""The chunks of one knowledge base: a LangChain VectorStore over a LanceDB table, with full text and vectors side by side.

Vectors are compared by cosine; full text is LanceDB's own index with the tokenizer `icu/split`, which parts Chinese into words.
One process writes at a time (a lock file); readers see each commit at once.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import lancedb
import numpy as np
import pyarrow as pa
from filelock import FileLock
from lancedb.expr import col, lit
from lancedb.index import FTS
from lancedb.query import MatchQuery
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from store.filters import build_filter, one_of
from store.schema import PROMOTED, Candidate, Chunk, FloatArray, SegmentSpan, arrow_schema, to_arrow, to_candidates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lancedb.expr import Expr
    from lancedb.table import Table

FULL_TEXT = FTS(base_tokenizer="icu/split", stem=True, ascii_folding=True, remove_stop_words=False)
READ = ["id", "text", "metadata", *PROMOTED]
SEARCH = [*READ, "segments", "segment_vectors"]
KEEP_VERSIONS = timedelta(minutes=10)
"""How long an old version of the table stays readable: a reader that began before a commit finishes in it."""


class ChunkStore(VectorStore):
    """The chunks of one base. Scores of vector searches are cosines, of text searches BM25; both higher is better."""

    def __init__(
        self,
        embedding: Embeddings,
        *,
        folder: Path,
        name: str = "chunks",
        dimension: int | None = None,
        refresh_seconds: float = 0,
    ) -> None:
        self._embedding = embedding
        self._folder, self._name = folder, name
        self._asked_dimension = dimension
        self._refresh = timedelta(seconds=refresh_seconds)

    # --- LangChain's interface -------------------------------------------------------------------------------------------------

    @property
    def embeddings(self) -> Embeddings:
        """The embedder of texts that come without vectors."""
        return self._embedding

    def add_texts(
        self, texts: Iterable[str], metadatas: list[dict[str, Any]] | None = None, *, ids: list[str] | None = None, **kwargs: Any
    ) -> list[str]:
        """Store texts, each as one segment; a known id is replaced. Returns the ids."""
        listed = list(texts)
        names = [given or str(uuid.uuid4()) for given in ids or [""] * len(listed)]
        if not listed:
            return []
        vectors = _unit(np.asarray(self._embedding.embed_documents(listed), dtype=np.float32))
        rows = zip(names, listed, vectors, metadatas or [{}] * len(listed), strict=True)
        self.upsert([_plain_chunk(*row) for row in rows])
        return names

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """A store in the folder `folder` (keyword) with these texts added."""
        store = cls(embedding, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Remove the chunks with these ids; without ids, all."""
        with self._writing() as table:
            table.delete(lit(True) if ids is None else one_of("id", ids))
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The chunks that exist of these, in this order."""
        rows = (
            self._table.search().where(one_of("id", list(ids))).select(READ).limit(max(1, len(ids))).to_arrow() if ids else None
        )
        known = {candidate.id: candidate for candidate in to_candidates(rows)} if rows is not None else {}
        return [_plain(known[key]) for key in ids if key in known]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The k nearest chunks. `filter` (keyword): see store/filters.py."""
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        """The k nearest chunks with their cosine."""
        return self._nearest(self._embedding.embed_query(query), k, kwargs.get("filter"))

    def similarity_search_by_vector(self, embedding: list[float], k: int = 4, **kwargs: Any) -> list[Document]:
        """The k chunks nearest to a vector."""
        return [document for document, _ in self._nearest(embedding, k, kwargs.get("filter"))]

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """Choose of the `fetch_k` nearest chunks k that are far from each other (Carbonell and Goldstein, 1998)."""
        return self.max_marginal_relevance_search_by_vector(self._embedding.embed_query(query), k, fetch_k, lambda_mult, **kwargs)

    def max_marginal_relevance_search_by_vector(
        self, embedding: list[float], k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """As max_marginal_relevance_search, for a vector."""
        rows = self._vector_query(embedding, fetch_k, build_filter(kwargs.get("filter")), [*READ, "vector"])
        found = to_candidates(rows)
        vectors = [row.as_py() for row in rows["vector"]]
        chosen = (
            maximal_marginal_relevance(np.asarray(embedding, dtype=np.float32), vectors, lambda_mult=lambda_mult, k=k)
            if found
            else []
        )
        return [_plain(found[i]) for i in chosen]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda cosine: (cosine + 1) / 2

    def _nearest(self, vector: Sequence[float], k: int, conditions: Mapping[str, Any] | None) -> list[tuple[Document, float]]:
        found = self.search_vector(vector, depth=k, where=build_filter(conditions), columns=READ)
        return [(_plain(candidate), score) for candidate, score in found]

    # --- for the retrievers ----------------------------------------------------------------------------------------------------

    def search_vector(
        self, vector: Sequence[float] | FloatArray, *, depth: int, where: Expr | None = None, columns: Sequence[str] = SEARCH
    ) -> list[tuple[Candidate, float]]:
        """The `depth` chunks whose vectors are nearest, with their cosine, best first."""
        rows = self._vector_query(vector, depth, where, columns)
        return [(c, 1.0 - d) for c, d in zip(to_candidates(rows), rows["_distance"].to_pylist(), strict=True)]

    def search_text(
        self, query: str, *, depth: int, where: Expr | None = None, columns: Sequence[str] = SEARCH
    ) -> list[tuple[Candidate, float]]:
        """The `depth` best chunks by BM25 over `embed_text`, with that score; each holds one of the query's words at least."""
        if not query.strip():
            return []
        search = self._table.search(MatchQuery(query, "embed_text")).limit(depth).select([*columns, "_score"])
        rows = (search.where(where) if where is not None else search).to_arrow()
        return list(zip(to_candidates(rows), rows["_score"].to_pylist(), strict=True))

    def sample_texts(self, count: int) -> list[str]:
        """The indexed text of `count` chunks spread over the base (of all, when it has no more)."""
        table = self._table
        total = table.count_rows()
        if total <= count:
            return table.search().select(["embed_text"]).limit(max(1, total)).to_arrow()["embed_text"].to_pylist()  # type: ignore[no-any-return]
        places = np.linspace(0, total - 1, count).astype(int).tolist()
        return table.take_offsets(places).select(["embed_text"]).to_arrow()["embed_text"].to_pylist()  # type: ignore[no-any-return]

    @property
    def revision(self) -> int:
        """A number that changes with each commit."""
        return int(self._table.version)

    def count(self, conditions: Mapping[str, Any] | None = None) -> int:
        """How many chunks fit the conditions, those switched off included."""
        where = build_filter(conditions, enabled_only=False)
        return int(self._table.count_rows(where.to_sql() if where is not None else None))

    def chunk_ids(self, doc_id: str) -> list[str]:
        """The ids of a document's chunks in the order of the text."""
        found = (
            self._table.search()
            .where(col("doc_id") == lit(doc_id))
            .select(["id", "start"])
            .limit(self.count({"doc_id": doc_id}) or 1)
        )
        return [row["id"] for row in sorted(found.to_list(), key=lambda row: row["start"] or 0)]

    # --- writing ---------------------------------------------------------------------------------------------------------------

    def upsert(self, chunks: Sequence[Chunk]) -> None:
        """Store chunks in one commit; those with a known id are replaced."""
        with self._writing() as table:
            rows = to_arrow(chunks, self._dimension)
            table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def replace_document(self, doc_id: str, chunks: Sequence[Chunk]) -> None:
        """Make these the chunks of the document, in one commit: a reader sees all the old ones or all the new ones."""
        with self._writing() as table:
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            old = (col("doc_id") == lit(doc_id)).to_sql()
            merge.when_not_matched_by_source_delete(old).execute(to_arrow(chunks, self._dimension))

    def delete_documents(self, doc_ids: Sequence[str]) -> None:
        """Remove all chunks of these documents."""
        with self._writing() as table:
            table.delete(one_of("doc_id", list(doc_ids)))

    def optimize(self) -> None:
        """Fold new rows into the index, merge small files and drop old versions; call it after a job."""
        with self._writing() as table:
            table.optimize(cleanup_older_than=KEEP_VERSIONS)

    @contextmanager
    def _writing(self) -> Iterator[Table]:
        table = self._table
        with FileLock(self._folder / f"{self._name}.lock"):
            table.checkout_latest()
            yield table

    @cached_property
    def _table(self) -> Table:
        self._folder.mkdir(parents=True, exist_ok=True)
        database = lancedb.connect(str(self._folder), read_consistency_interval=self._refresh)
        with FileLock(self._folder / f"{self._name}.lock"):
            if self._name in database.list_tables().tables:
                return database.open_table(self._name)
            dimension = self._asked_dimension or len(self._embedding.embed_query("dimension"))
            table = database.create_table(self._name, schema=arrow_schema(dimension))
            table.create_index("embed_text", config=FULL_TEXT)
            return table

    @cached_property
    def _dimension(self) -> int:
        return int(self._table.schema.field("vector").type.list_size)

    def _vector_query(
        self, vector: Sequence[float] | FloatArray, depth: int, where: Expr | None, columns: Sequence[str]
    ) -> pa.Table:
        if len(vector) != self._dimension:
            raise ValueError(f"a query vector of {len(vector)} numbers for a base of {self._dimension}")
        search = self._table.search(np.asarray(vector, dtype=np.float32), vector_column_name="vector").distance_type("cosine")
        search = search.limit(depth).select([*columns, "_distance"])
        return (search.where(where, prefilter=True) if where is not None else search).to_arrow()


def _plain(candidate: Candidate) -> Document:
    """A LangChain document with just what was stored of it."""
    return Document(id=candidate.id, page_content=candidate.page_content, metadata=candidate.metadata)


def _plain_chunk(key: str, text: str, vector: FloatArray, metadata: Mapping[str, Any]) -> Chunk:
    promoted = {n: metadata[n] for n, kind in _PROMOTED_KINDS.items() if type(metadata.get(n)) is kind}
    rest = {name: value for name, value in metadata.items() if name not in promoted}
    segments = (SegmentSpan(0, len(text)),)
    return Chunk(
        id=key,
        text=text,
        embed_text=text,
        vector=vector,
        segments=segments,
        segment_vectors=vector[None],
        metadata=rest,
        **promoted,
    )


_PROMOTED_KINDS: dict[str, type] = {name: int if name in ("chunk_index", "start", "end", "page") else str for name in PROMOTED}


def _unit(vectors: FloatArray) -> FloatArray:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)
    return unit

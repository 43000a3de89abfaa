"""The chunks of one knowledge base as LangChain knows them: its VectorStore interface over the table (store/table.py)."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from lancedb.background_loop import LOOP
from lancedb.expr import lit
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from store.arrow import to_candidates
from store.filters import build_filter, one_of
from store.schema import PROMOTED, Candidate, Chunk, FloatArray, SegmentSpan
from store.search import READ
from store.table import ChunkTable

if TYPE_CHECKING:
    from collections.abc import Callable


class ChunkStore(ChunkTable, VectorStore):
    """A table of chunks that is a LangChain VectorStore too; what the retrievers and the pipeline use of it is ChunkTable's."""

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
        rows = LOOP.run(self._vector_query(embedding, fetch_k, build_filter(kwargs.get("filter")), [*READ, "vector"]))
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

"""The layers that the settings ask for, in the order in which a question goes through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.documents import BaseDocumentCompressor
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever

from models import Reranker
from retrievers.budget import TokenBudget
from retrievers.compression import EmbeddingsFilter, RelevanceThreshold, TopK
from retrievers.ensemble import ScoredEnsembleRetriever
from retrievers.evidence import EvidenceScorer
from retrievers.expansion import TableRows
from retrievers.hits import Hits
from retrievers.lexical import LEG as LEXICAL
from retrievers.lexical import LexicalRetriever
from retrievers.llm_extract import LlmExtract
from retrievers.llm_filter import LlmFilter
from retrievers.mmr import Mmr
from retrievers.multi_query import MultiQuery
from retrievers.order import LongContextOrder
from retrievers.parent import ChunkSpan, Parent
from retrievers.queries import Expansions, Glossary, Query, build_expansion
from retrievers.query_vectors import QueryVectors
from retrievers.recency import Recency
from retrievers.redundancy import Redundancy
from retrievers.rerank import RerankCompressor
from retrievers.vector import LEG as VECTOR
from retrievers.vector import VectorRetriever
from retrievers.window import Window
from settings import Settings
from store.chunks import ChunkStore
from store.filters import Conditions
from store.terms import TermStatistics


@dataclass(frozen=True)
class Searched:
    """What is kept of a base between questions."""

    store: ChunkStore
    statistics: TermStatistics
    hits: Hits
    vectors: QueryVectors
    glossary: Glossary

    @classmethod
    def of(cls, store: ChunkStore, vectors: QueryVectors) -> Searched:
        """The parts for a base's chunks."""
        return cls(store, TermStatistics(store), Hits(store, vectors), vectors, Glossary(store))


@dataclass(frozen=True)
class Texts:
    """Where the layers that show more than a chunk get it from, by a document's id."""

    text_of: Callable[[str], str | None]
    pages_of: Callable[[str], Sequence[tuple[int, int]]]
    chunks_of: Callable[[str], Sequence[ChunkSpan]]
    shut_of: Callable[[str], Sequence[tuple[int, int]]]
    rows_of: Callable[[str], Sequence[TableRows]]


@dataclass(frozen=True)
class Helpers:
    """The models that layers may ask, a chat model and a reranker, None where there is none, and what the first wrote before;
    queries that are `given` beside the question.
    """

    model: BaseChatModel | None = None
    reranker: Reranker | None = None
    expansions: Expansions = field(default_factory=Expansions)
    given: tuple[Query, ...] = ()


def build_ensemble(searched: Searched, settings: Settings, conditions: Conditions) -> ScoredEnsembleRetriever:
    """Both legs over one base, and their fusion."""
    chosen = settings.retrieval
    written = [kind for kind, on in (("question", chosen.questions.enabled), ("summary", chosen.summaries.enabled)) if on]
    lexical = LexicalRetriever(
        hits=searched.hits,
        statistics=searched.statistics,
        k=chosen.depth,
        strip_stop_words=chosen.lexical.strip_stop_words,
        bigrams_below=chosen.lexical.bigrams_below,
        conditions=conditions,
    )
    vector = VectorRetriever(
        hits=searched.hits,
        k=chosen.depth,
        search=chosen.vector.search,
        metric=chosen.vector.metric,
        written=tuple(written),
        conditions=conditions,
    )
    return ScoredEnsembleRetriever(
        retrievers=[lexical, vector],
        names=[LEXICAL, VECTOR],
        weights=[1 - chosen.vector_weight, chosen.vector_weight],
        fusion=chosen.fusion,
        c=chosen.rrf_c,
        statistics=searched.statistics,
        coverage=chosen.coverage.enabled,
        pairs=chosen.lexical.pairs,
    )


def build_recall(
    searched: Searched,
    settings: Settings,
    helpers: Helpers,
    conditions: Conditions,
    *,
    embedder: str,
    granted: frozenset[str] = frozenset(),
) -> BaseRetriever:
    """Everything that finds in one base, with the evidence that its passages hold. `embedder` is the embedding model's name.

    `granted` are terms that need no evidence, as the conditions are about them.
    """
    found: BaseRetriever = build_ensemble(searched, settings, conditions)
    expansion = build_expansion(
        settings,
        model=helpers.model,
        statistics=searched.statistics,
        glossary=searched.glossary,
        expansions=helpers.expansions,
        given=helpers.given,
    )
    if expansion is not None:
        found = MultiQuery(retriever=found, llm_chain=expansion, c=settings.retrieval.rrf_c)
    evidence = EvidenceScorer(vectors=searched.vectors, statistics=searched.statistics, model=embedder, granted=granted)
    return ContextualCompressionRetriever(base_compressor=evidence, base_retriever=found)


def build_choice(recall: BaseRetriever, settings: Settings, helpers: Helpers, texts: Texts, first: Searched) -> BaseRetriever:
    """The layers that choose and prepare what was found, around `recall`; `first` is the (first) base, whose terms they count."""
    layers = [*_choosing(settings, helpers), *_preparing(settings, helpers, texts, first)]
    return ContextualCompressionRetriever(base_compressor=DocumentCompressorPipeline(transformers=layers), base_retriever=recall)


def _choosing(settings: Settings, helpers: Helpers) -> list[BaseDocumentCompressor]:
    chosen = settings.retrieval
    layers: list[tuple[bool, Callable[[], BaseDocumentCompressor]]] = [
        (chosen.embeddings_filter.enabled, lambda: EmbeddingsFilter(threshold=chosen.embeddings_filter.threshold)),
        (chosen.redundancy.enabled, lambda: Redundancy(threshold=chosen.redundancy.threshold)),
        (chosen.rerank.enabled, lambda: RerankCompressor(reranker=helpers.reranker, depth=chosen.rerank.depth)),
        (chosen.llm_filter.enabled, lambda: LlmFilter(model=helpers.model, depth=chosen.llm_filter.depth)),
        (
            chosen.recency.enabled,
            lambda: Recency(half_life_days=chosen.recency.half_life_days, weight=chosen.recency.weight),
        ),
        (chosen.mmr.enabled, lambda: Mmr(relevance_weight=chosen.mmr.relevance_weight, depth=chosen.mmr.depth)),
        (True, lambda: RelevanceThreshold(threshold=chosen.score_threshold)),
    ]
    return [make() for on, make in layers if on]


def _preparing(settings: Settings, helpers: Helpers, texts: Texts, first: Searched) -> list[BaseDocumentCompressor]:
    chosen = settings.retrieval
    layers: list[tuple[bool, Callable[[], BaseDocumentCompressor]]] = [
        (
            chosen.parent.enabled,
            lambda: Parent(
                text_of=texts.text_of,
                pages_of=texts.pages_of,
                shut_of=texts.shut_of,
                rows_of=texts.rows_of,
                chunks_of=texts.chunks_of,
                max_size=chosen.parent.max_size,
                k=None if chosen.window.enabled else chosen.top_k,  # else the windows of the first would depend on top_k
            ),
        ),
        (
            chosen.window.enabled,
            lambda: Window(
                text_of=texts.text_of,
                pages_of=texts.pages_of,
                shut_of=texts.shut_of,
                rows_of=texts.rows_of,
                statistics=first.statistics,
                sentences=chosen.window.sentences,
                k=chosen.top_k,
            ),
        ),
        (True, lambda: TopK(k=chosen.top_k)),
        (chosen.llm_extract.enabled, lambda: LlmExtract(model=helpers.model)),
        (chosen.long_context_order.enabled, LongContextOrder),
        (chosen.token_budget.enabled, lambda: TokenBudget(tokens=chosen.token_budget.tokens)),
    ]
    return [make() for on, make in layers if on]

"""The settings of retrieval: one subsection a layer, each with `enabled`; the stage of the same name in the ledger is its work.

Defaults are one configuration for all languages and kinds of documents (benchmarks/quality.py); what is off by default costs a
model call, serves a purpose that a question does not tell, or did not win on all sets.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from settings.section import Seconds, Section, Share


class Fusion(StrEnum):
    """How the ensemble adds the legs up; see retrievers/fusion.py for the formulas."""

    STANDARD = "standard"
    MIN_MAX = "min_max"
    RRF = "rrf"


class LexicalSettings(Section):
    """The lexical leg. With `pairs`, the pairs of Chinese characters that passages share with the question count beside words;
    under `bigrams_below` hits, they are searched for as well, 0 never.
    """

    strip_stop_words: bool = True
    pairs: bool = True
    bigrams_below: Annotated[int, Field(ge=0, le=100)] = 5


class VectorSettings(Section):
    """The vector leg: what is compared to find candidates, and how."""

    search: Literal["mean", "segments", "both"] = "mean"
    metric: Literal["cosine", "l2"] = "cosine"


class Switch(Section):
    """A layer that is on or off."""

    enabled: bool = False


class OnSwitch(Section):
    """A layer that is on unless switched off."""

    enabled: bool = True


class MultiQuerySettings(Switch):
    """Further queries beside the question: `count` paraphrases and a translation, or without a model keywords and feedback."""

    count: Annotated[int, Field(ge=1, le=8)] = 3
    translate: bool = True


class DecompositionSettings(Switch):
    """One query for each thing that the question compares or asks for, at most `count`."""

    count: Annotated[int, Field(ge=2, le=6)] = 4


class EmbeddingsFilterSettings(Switch):
    """Drops passages whose relevance is below the threshold, before any reranker sees them."""

    threshold: Share = 0.2


class RedundancySettings(Switch):
    """Drops a passage whose vector's cosine with a better one reaches the threshold."""

    threshold: Share = 0.97


class MmrSettings(Switch):
    """Maximal marginal relevance over the first `depth` passages: 1 is relevance only, 0 is difference only."""

    relevance_weight: Share = 0.7
    depth: Annotated[int, Field(ge=2, le=200)] = 30


class RerankSettings(Switch):
    """A model that reads question and passage together puts the first `depth` passages in order."""

    provider: Literal["maxsim", "cohere", "endpoint", "cross_encoder"] = "maxsim"
    base_url: str = ""
    model: str = ""
    depth: Annotated[int, Field(ge=1, le=200)] = 40
    timeout_seconds: Seconds = 20.0

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.enabled and self.provider in ("cohere", "cross_encoder") and not self.model:
            raise ValueError(f"with provider {self.provider!r}, model must be set as well")
        if self.enabled and self.provider == "endpoint" and not self.base_url:
            raise ValueError("with provider 'endpoint', base_url must be set as well")
        return self


class LlmFilterSettings(Switch):
    """The chat model is asked of each of the first `depth` passages whether it helps."""

    depth: Annotated[int, Field(ge=1, le=30)] = 10


class RecencySettings(Switch):
    """Newer documents first: the score loses up to `weight` of its span as a document ages; half of that after the half-life."""

    half_life_days: Annotated[float, Field(ge=0.1, le=36500)] = 90.0
    weight: Share = 0.3


class ParentSettings(Switch):
    """A passage grows to the section it stands in, up to `max_size` characters."""

    max_size: Annotated[int, Field(ge=200, le=20_000)] = 3000


class WindowSettings(Switch):
    """A passage becomes its best segments with so many sentences around them."""

    sentences: Annotated[int, Field(ge=0, le=20)] = 3


class TokenBudgetSettings(Switch):
    """Passages that do not fit into so many tokens are dropped from the end."""

    tokens: Annotated[int, Field(ge=50, le=200_000)] = 4000


class RetrievalSettings(Section):
    """How passages are found. `vector_weight` 0 is full text only, 1 is vectors only."""

    top_k: Annotated[int, Field(ge=1, le=50)] = 8
    depth: Annotated[int, Field(ge=5, le=1000)] = 200
    vector_weight: Share = 0.5
    fusion: Fusion = Fusion.STANDARD
    rrf_c: Annotated[int, Field(ge=1, le=200)] = 60
    score_threshold: Share = 0.0
    evidence_threshold: Annotated[float, Field(ge=0, le=1.2)] = 0.9
    lexical: LexicalSettings = LexicalSettings()
    vector: VectorSettings = VectorSettings()
    coverage: OnSwitch = OnSwitch()
    multi_query: MultiQuerySettings = MultiQuerySettings()
    hyde: Switch = Switch()
    decomposition: DecompositionSettings = DecompositionSettings()
    step_back: Switch = Switch()
    keywords: Switch = Switch()
    abbreviations: Switch = Switch()
    self_query: Switch = Switch()
    questions: OnSwitch = OnSwitch()
    summaries: OnSwitch = OnSwitch()
    embeddings_filter: EmbeddingsFilterSettings = EmbeddingsFilterSettings()
    redundancy: RedundancySettings = RedundancySettings()
    rerank: RerankSettings = RerankSettings()
    llm_filter: LlmFilterSettings = LlmFilterSettings()
    mmr: MmrSettings = MmrSettings()
    recency: RecencySettings = RecencySettings()
    parent: ParentSettings = ParentSettings()
    window: WindowSettings = WindowSettings()
    llm_extract: Switch = Switch()
    long_context_order: Switch = Switch()
    token_budget: TokenBudgetSettings = TokenBudgetSettings()

"""From settings to the transformations of a question."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.language_models import BaseChatModel

from models.identity import identity_of
from retrievers.lexical import LEG as LEXICAL
from retrievers.queries.abbreviations import Abbreviations
from retrievers.queries.decomposition import Decomposition
from retrievers.queries.expansion import QueryExpansion, Transformation
from retrievers.queries.feedback import RelevanceFeedback
from retrievers.queries.glossary import Glossary
from retrievers.queries.hyde import HypotheticalDocument
from retrievers.queries.keywords import Keywords
from retrievers.queries.paraphrases import Paraphrases
from retrievers.queries.query import Query
from retrievers.queries.step_back import StepBack
from retrievers.queries.writer import Expansions, QueryWriter
from retrievers.vector import LEG as VECTOR
from settings import Settings
from store.terms import TermStatistics


def build_expansion(
    settings: Settings,
    *,
    model: BaseChatModel | None,
    statistics: TermStatistics,
    glossary: Glossary,
    expansions: Expansions,
    given: Sequence[Query] = (),
) -> QueryExpansion | None:
    """What the settings ask for beside the question; None when they ask for nothing.

    A layer whose only leg has no weight is left out, so that no model is called for nothing. `given` are queries that were made
    before; the layers that make such queries are not asked for more.
    """
    chosen = settings.retrieval
    multi, words, meaning = chosen.multi_query, chosen.vector_weight < 1, chosen.vector_weight > 0
    writer = _writer(model, expansions)
    layers: list[Transformation] = []
    made = {query.kind for query in given}
    if multi.enabled and writer and not made & {"paraphrase", "translation"}:
        layers.append(Paraphrases(writer, count=multi.count, translate=multi.translate))
    if chosen.hyde.enabled and meaning and writer and "hyde" not in made:
        layers.append(HypotheticalDocument(writer))
    if chosen.decomposition.enabled and "part" not in made:
        layers.append(Decomposition(writer, count=chosen.decomposition.count))
    if chosen.step_back.enabled and writer:
        layers.append(StepBack(writer))
    if words and "keywords" not in made and (chosen.keywords.enabled or (multi.enabled and not writer)):
        layers.append(Keywords(statistics, writer if chosen.keywords.enabled else None))
    if words and chosen.abbreviations.enabled:
        layers.append(Abbreviations(glossary, statistics, writer))
    lacking = [name for name in ("hyde", "step_back") if getattr(chosen, name).enabled and not writer]
    simpler = ["multi_query"] if multi.enabled and not writer else []
    if not (layers or lacking or simpler or given):
        return None
    return QueryExpansion(
        layers,
        feedback=RelevanceFeedback(statistics) if simpler and words else None,
        without_model=lacking,
        simpler=simpler,
        given=given,
        legs=[leg for leg, on in ((LEXICAL, words), (VECTOR, meaning)) if on],
    )


def _writer(model: BaseChatModel | None, expansions: Expansions) -> QueryWriter | None:
    if model is None:
        return None
    return QueryWriter(model, name=identity_of(model), expansions=expansions)

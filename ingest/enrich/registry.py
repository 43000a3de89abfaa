"""Which kinds of enrichment there are, and which of them the settings ask for."""

from __future__ import annotations

from ingest.enrich.faq import Faq
from ingest.enrich.figures import Figures
from ingest.enrich.kinds import Kind
from ingest.enrich.questions import Questions
from ingest.enrich.rewrite import Rewrite
from ingest.enrich.summary import Summary
from ingest.enrich.tags import Tags
from settings.enrich import EnrichSettings
from settings.models import ChatRole


def every_kind(chosen: EnrichSettings) -> list[Kind]:
    """All kinds, switched on or not: what was written once comes back whatever is switched on later."""
    faq = Faq(count=chosen.faq.count, part_size=chosen.faq.part_size)
    return [
        Questions(chosen.questions.count),
        Summary(chosen.summary.min_size),
        Rewrite(),
        faq,
        Tags(chosen.tags.count),
        Figures(),
    ]


def chosen_kinds(chosen: EnrichSettings) -> list[Kind]:
    """The kinds that are switched on."""
    return [kind for kind in every_kind(chosen) if getattr(chosen, kind.name).enabled]


def role_of(kind: str) -> ChatRole:
    """Whose model writes it: the one that sees for pictures, the one that rewrites for texts."""
    return "vision" if kind == Figures.name else "rewrite"

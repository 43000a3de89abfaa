"""The settings of enrichment: what is done to a text before it is cut, and what a chat model writes for its chunks.

What a model writes is begun by a person only, on the page or by `python -m ingest enrich`, so that no upload costs money unasked.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from settings.section import Section


class CleaningSettings(Section):
    """Signs as people type them; `hyphens` joins words parted at line ends, `boilerplate` drops lines that come on every page."""

    enabled: bool = True
    hyphens: bool = True
    boilerplate: bool = False


class MetadataSettings(Section):
    """Author, date, keywords and language from the file itself; with `tags`, its keywords become the document's tags."""

    enabled: bool = True
    tags: bool = False


class HeadingPathSettings(Section):
    """The title and the headings above a text, in front of what is indexed and embedded of it."""

    enabled: bool = True


class QuestionsSettings(Section):
    """Questions that a chunk answers; a search for one of them finds the chunk."""

    enabled: bool = False
    count: Annotated[int, Field(ge=1, le=10)] = 3


class SummarySettings(Section):
    """A short summary of each chunk that is at least `min_size` long; a search for what it says finds the chunk."""

    enabled: bool = False
    min_size: Annotated[int, Field(ge=1, le=8000)] = 300


class RewriteSettings(Section):
    """Each chunk in words that can be understood without the text around it, beside the chunk, searched as summaries are."""

    enabled: bool = False


class FaqSettings(Section):
    """Questions with answers about a document, up to `count` for each part of it that is `part_size` long."""

    enabled: bool = False
    count: Annotated[int, Field(ge=1, le=20)] = 5
    part_size: Annotated[int, Field(ge=500, le=50_000)] = 6000


class TagsSettings(Section):
    """Up to `count` tags for a document, beside those that it has; a search can be limited to them."""

    enabled: bool = False
    count: Annotated[int, Field(ge=1, le=10)] = 5


class FiguresSettings(Section):
    """Pictures and diagrams of a document in words, up to `max_pictures`, each with sides of `min_side` pixels or more."""

    enabled: bool = False
    max_pictures: Annotated[int, Field(ge=1, le=200)] = 30
    min_side: Annotated[int, Field(ge=16, le=2000)] = 100


class EnrichSettings(Section):
    """What is done to texts and chunks beside cutting them; `max_calls` and `max_tokens` bound what one run asks of a model."""

    cleaning: CleaningSettings = CleaningSettings()
    metadata: MetadataSettings = MetadataSettings()
    heading_path: HeadingPathSettings = HeadingPathSettings()
    questions: QuestionsSettings = QuestionsSettings()
    summary: SummarySettings = SummarySettings()
    rewrite: RewriteSettings = RewriteSettings()
    faq: FaqSettings = FaqSettings()
    tags: TagsSettings = TagsSettings()
    figures: FiguresSettings = FiguresSettings()
    max_calls: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    max_tokens: Annotated[int, Field(ge=1000, le=100_000_000)] = 1_000_000
    at_once: Annotated[int, Field(ge=1, le=32)] = 2

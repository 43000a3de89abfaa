"""Which chunker cuts a document: the one that the settings name, or the one that suits the file."""

from __future__ import annotations

from langchain_core.embeddings import Embeddings

from ingest.chunkers.base import Chunker, Sizes
from ingest.chunkers.code import LANGUAGES
from ingest.chunkers.fixed import FixedChunker
from ingest.chunkers.hierarchical import HierarchicalChunker
from ingest.chunkers.recursive import MarkdownRecursiveChunker, RecursiveChunker
from ingest.chunkers.rows import RowsChunker
from ingest.chunkers.semantic import SemanticChunker
from ingest.chunkers.sentence import SentenceChunker, SentenceWindowChunker
from ingest.chunkers.structure import JSON_SUFFIXES, YAML_SUFFIXES, StructureChunker
from ingest.chunkers.tokens import TokenChunker, counter_of
from ingest.document import LoadedDocument
from ingest.names import is_web, suffix_of
from settings import Settings
from settings.ingest import AUTO, OVERLAP_SHARE, ChunkerName, IngestSettings

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".xls", ".ods")
_PROSE = (".rst", ".tex")
"""Suffixes that LangChain counts as languages, but of documents to read."""


def get_chunker(settings: Settings, embeddings: Embeddings, *, document: LoadedDocument | None = None) -> Chunker:
    """The chunker that the settings ask for, for this document; its `name` says which one it is.

    Of "auto" it is the one of `suitable`, without a document the one for prose.
    """
    chosen = settings.ingest
    name = chosen.chunker if chosen.chunker != AUTO else suitable(document) if document else "semantic"
    chosen = chosen.model_copy(update={"chunker": name})
    if name == "semantic":
        return _semantic(chosen, embeddings)
    return _of_spans(name, chosen, embeddings, document.source if document else "")


def suitable(document: LoadedDocument) -> ChunkerName:
    """Structure for code, JSON and YAML, rows for tables, semantic for all that is read as prose, Markdown included.

    What has pages is prose, whatever its name ends in.
    """
    suffix = suffix_of(document.source)
    if document.pages:
        return "semantic"
    if is_web(document.source) and document.markdown:  # what an address ends in says nothing of a page
        return "rows" if document.rows else "semantic"
    if document.rows or suffix in TABLE_SUFFIXES:
        return "rows"
    if suffix in JSON_SUFFIXES or suffix in YAML_SUFFIXES or (suffix in LANGUAGES and suffix not in _PROSE):
        return "structure"
    return "semantic"


def _semantic(chosen: IngestSettings, embeddings: Embeddings) -> SemanticChunker:
    return SemanticChunker(
        embeddings,
        chunk_size=chosen.chunk_size,
        min_chunk_size=chosen.min_chunk_size,
        chunk_overlap=chosen.overlap,
        segment_size=chosen.segment_size,
        breakpoint_type=chosen.breakpoint_type,
        breakpoint_amount=chosen.breakpoint_amount,
    )


def _of_spans(name: str, chosen: IngestSettings, embeddings: Embeddings, source: str) -> Chunker:
    sizes = Sizes(
        chunk_size=chosen.chunk_size,
        min_chunk_size=chosen.min_chunk_size,
        chunk_overlap=chosen.overlap,
        segment_size=chosen.segment_size,
    )
    if name == "sentence":
        return SentenceChunker(sizes, count=chosen.chunk_sentences, repeated=_fifth(chosen, chosen.chunk_sentences))
    if name == "token":
        repeated = _fifth(chosen, chosen.chunk_tokens)
        return TokenChunker(sizes, tokens=chosen.chunk_tokens, repeated=repeated, counter=counter_of(embeddings))
    if name == "sentence_window":
        return SentenceWindowChunker(sizes, around=chosen.window_sentences)
    if name == "hierarchical":
        return HierarchicalChunker(sizes, parent_size=chosen.parent_size)
    if name == "structure":
        return StructureChunker(sizes, source=source)
    plain = {each.name: each for each in (FixedChunker, RecursiveChunker, MarkdownRecursiveChunker, RowsChunker)}
    return plain[name](sizes)


def _fifth(chosen: IngestSettings, count: int) -> int | None:
    """What is repeated of a chunk of so many sentences or tokens, where the overlap is not given as a width; 0 of one."""
    return max(round(OVERLAP_SHARE * count), min(1, count - 1)) if chosen.chunk_overlap is None else None

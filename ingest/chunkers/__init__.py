"""Documents into chunks with exact source spans; the atom is the segment, which is embedded once."""

from ingest.chunkers.base import Chunker, Piece
from ingest.chunkers.registry import get_chunker, suitable
from ingest.chunkers.segments import Segment, split_segments
from ingest.chunkers.semantic import SemanticChunker

__all__ = ["Chunker", "Piece", "Segment", "SemanticChunker", "get_chunker", "split_segments", "suitable"]

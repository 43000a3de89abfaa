"""Documents into chunks with exact source spans; the atom is the segment, which is embedded once."""

from ingest.chunkers.segments import Segment, split_segments
from ingest.chunkers.semantic import SemanticChunker, get_chunker

__all__ = ["Segment", "SemanticChunker", "get_chunker", "split_segments"]

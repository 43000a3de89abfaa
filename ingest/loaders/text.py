"""Plain text and Markdown: kept as they are, once the encoding is known."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.loaders.markdown import first_heading


class TextLoader(FileLoader):
    """Plain text of any encoding, as one Document."""

    def lazy_load(self) -> Iterator[Document]:
        """The whole text with its encoding. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        yield self.document(decoded.text, "text", encoding=decoded.encoding, encoding_confidence=decoded.confidence)


class MarkdownLoader(FileLoader):
    """Markdown, verbatim; the first heading of level one is its title."""

    def lazy_load(self) -> Iterator[Document]:
        """The whole text with its encoding. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        yield self.document(
            decoded.text,
            "markdown",
            title=first_heading(decoded.text),
            encoding=decoded.encoding,
            encoding_confidence=decoded.confidence,
        )

"""What all loaders have in common: a name and bytes in, LangChain Documents out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

Format = Literal["text", "markdown"]
MAX_TITLE = 300


class FileLoader(BaseLoader):
    """A loader of one file that is already in memory; nothing is read from disk or from the network."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data

    def lazy_load(self) -> Iterator[Document]:
        """The file's Documents in reading order. Raises LoadError."""
        raise NotImplementedError

    def document(self, text: str, format: Format, *, title: str | None = None, **metadata: Any) -> Document:
        """A Document with the metadata that every loader gives."""
        known = {"title": tidy_title(title), **metadata}
        return Document(
            text, metadata={"source": self.name, "format": format} | {k: v for k, v in known.items() if v is not None}
        )


def tidy_title(title: str | None) -> str | None:
    """The title on one line, at most 300 characters, or None when nothing is left."""
    return " ".join((title or "").split())[:MAX_TITLE] or None

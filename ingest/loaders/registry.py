"""Which loader reads a file: by the suffix of its name, checked against its first bytes."""

from __future__ import annotations

from pathlib import PurePath

from ingest.errors import TooLarge, UnsupportedFile
from ingest.loaders.base import FileLoader
from ingest.loaders.pdf import PdfLoader
from ingest.loaders.text import MarkdownLoader, TextLoader

LOADERS: dict[str, type[FileLoader]] = {
    ".txt": TextLoader,
    ".text": TextLoader,
    ".log": TextLoader,
    ".rst": TextLoader,
    ".md": MarkdownLoader,
    ".markdown": MarkdownLoader,
    ".pdf": PdfLoader,
}


def get_loader(name: str, data: bytes, *, max_mb: int) -> FileLoader:
    """The loader for a file. Raises TooLarge over `max_mb` MiB, UnsupportedFile for a kind that is not read."""
    if len(data) > max_mb * 2**20:
        raise TooLarge(name, f"the file has more than {max_mb} MB", remedy="Split it, or raise ingest.max_file_mb.")
    loader = LOADERS.get(PurePath(name).suffix.lower())
    if loader is None:
        raise UnsupportedFile(name, "this kind of file is not read", remedy=f"Supported are {', '.join(LOADERS)}.")
    return loader(name, data)

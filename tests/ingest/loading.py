"""What the loader tests share: from a name and bytes to Documents."""

from __future__ import annotations

from langchain_core.documents import Document

from ingest.loaders import get_loader
from settings.ingest import IngestSettings


def load(name: str, data: bytes) -> list[Document]:
    return list(get_loader(name, data, IngestSettings()).lazy_load())


def load_one(name: str, data: bytes) -> Document:
    [document] = load(name, data)
    return document

"""What all loaders have in common: a name and bytes in, LangChain Documents out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from pydantic import SecretStr

from ingest.loaders.budget import Budget
from ingest.loaders.clean import clean
from settings.ingest import IngestSettings

Format = Literal["text", "markdown"]
MAX_TITLE = 300
_NO_TITLE = re.compile(
    r"^\W*(anonymous|unspecified|untitled|unknown|document|microsoft word\b.*|无标题|无题|未命名|文档)?\W*\d*$"
    r"|\.(docx?|pdf|pptx?|xlsx?|indd|tex|dvi|qxd|wpd|odt|rtf|txt|html?)$",
    re.IGNORECASE,
)


class FileLoader(BaseLoader):
    """A loader of one file that is already in memory; nothing is read from disk or from the network."""

    def __init__(self, name: str, data: bytes, settings: IngestSettings | None = None, password: SecretStr | None = None) -> None:
        self.name = name
        self.data = data
        self.settings = settings or IngestSettings()
        self.password = password
        self.told: dict[str, Any] = {}
        """What is known before the file is read, such as `read_as`: the metadata of every Document."""
        self.budget: Budget | None = None
        """Shared by all that lies in one archive or mail; None for a file that lies in none."""

    def lazy_load(self) -> Iterator[Document]:
        """The file's Documents in reading order. Raises LoadError."""
        raise NotImplementedError

    def document(self, text: str, format: Format, *, title: str | None = None, **metadata: Any) -> Document:
        """A Document with the metadata that every loader gives."""
        known = {"title": sensible_title(title), **self.told, **metadata}
        given = {key: value for key, value in known.items() if value is not None}
        return Document(text, metadata={"source": self.name, "format": format, **given})


def sensible_title(title: str | None) -> str | None:
    """The title on one line, at most 300 characters; None for one that a program left there, "untitled" or a file name."""
    tidy = " ".join(clean(title or "").split())[:MAX_TITLE]
    return None if not tidy or _NO_TITLE.search(tidy) else tidy

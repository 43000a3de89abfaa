"""Rich Text Format, as one Document in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader, sensible_title
from ingest.loaders.markdown import first_heading
from ingest.loaders.rich.reader import Reader


class RtfLoader(FileLoader):
    """A document of any code page. Pictures and embedded objects are passed over, deleted and hidden text too."""

    def lazy_load(self) -> Iterator[Document]:
        """The text; the format is so forgiving that every file that begins as one has some, be it none."""
        reader = Reader()
        text = reader.read(self.data)
        yield self.document(text, "markdown", title=sensible_title(reader.title) or first_heading(text))

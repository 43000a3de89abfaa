"""Files that are enclosed in a document, as a PDF has attachments and a Word document has workbooks: read below their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from langchain_core.documents import Document

from ingest.errors import LoadError, Reason
from ingest.loaders.base import FileLoader
from ingest.loaders.budget import Budget
from ingest.loaders.members import Member, Unread, budget_of, read_members, too_deep

_LEVEL = 2


def enclosed(loader: FileLoader, files: Iterable[Member | Unread]) -> Iterator[Document]:
    """The Documents of the files, and those that gave nothing as `skipped`; their pages are not pages of the document."""
    contents = read_members(loader, _counted(loader, files), level=_LEVEL)
    for document in contents.documents:
        yield Document(document.page_content, metadata={key: value for key, value in document.metadata.items() if key != "page"})
    if contents.skipped:
        yield loader.document("", "markdown", skipped=contents.skipped)


def _counted(loader: FileLoader, files: Iterable[Member | Unread]) -> Iterator[Member | Unread]:
    """As far as what one uploaded file may hold allows."""
    budget: Budget = budget_of(loader)
    for file in files:
        if isinstance(file, Member) and too_deep(loader):
            yield Unread(file.path, Reason("it lies too deep in other files", "part_too_deep"))
            continue
        try:
            budget.take(file.path, len(file.data) if isinstance(file, Member) else 0)
        except LoadError as error:
            yield Unread(file.path, Reason(f"{error.reason}. {error.remedy}", error.code, **error.params))
            continue
        yield file

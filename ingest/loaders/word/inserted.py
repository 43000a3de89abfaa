"""What other programs put into a Word document as a whole file, for Word to convert when it opens it (altChunk)."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from ingest.errors import Reason
from ingest.loaders.base import FileLoader
from ingest.loaders.members import Member, read_members, too_deep
from ingest.loaders.ooxml import related
from ingest.loaders.package import Package


@dataclass(frozen=True)
class Inserted:
    """The texts in Markdown by the ids of their relations, and [path, reason] of those that gave none."""

    texts: dict[str, str]
    skipped: list[list[str]]


def read_inserted(loader: FileLoader, package: Package, main: str) -> Inserted:
    """The files that stand in the text of the document, each read by what it is."""
    found = Inserted({}, [])
    for number, (kind, part) in related(package, main).items():
        if kind == "aFChunk" and part in package.names and too_deep(loader):
            found.skipped.append([posixpath.basename(part), Reason("it lies too deep in other files", "part_too_deep")])
        elif kind == "aFChunk" and part in package.names:
            member = Member(posixpath.basename(part), package.read(part))
            contents = read_members(loader, [member], level=0, named=False)
            found.texts[number] = "\n\n".join(document.page_content for document in contents.documents)
            found.skipped.extend(contents.skipped)
    return found

"""Tar archives, and files that are compressed alone, as with gzip: unpacked in memory within the budget."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath

from langchain_core.documents import Document

from ingest.errors import Reason
from ingest.loaders.archive import ArchiveLoader
from ingest.loaders.base import FileLoader
from ingest.loaders.budget import is_bomb, too_much
from ingest.loaders.content import Kind, kind_of
from ingest.loaders.members import Member, Unread, budget_of, too_deep
from ingest.loaders.names import decode_names, shown_path
from ingest.names import is_junk

_BROKEN = (tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, OverflowError)
_STEP = 2**20
_Reader = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile
_OPENERS: tuple[tuple[bytes, Callable[[io.BytesIO], _Reader]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ", lzma.LZMAFile),
)


class TarLoader(ArchiveLoader):
    """A tar archive that is not compressed."""

    def members(self) -> Iterator[Member | Unread]:
        """The files in the order in which they were packed."""
        try:
            with tarfile.open(fileobj=io.BytesIO(self.data), mode="r:", errorlevel=1) as archive:
                yield from self._members(archive)
        except _BROKEN as error:
            raise self.damaged() from error

    def _members(self, archive: tarfile.TarFile) -> Iterator[Member | Unread]:
        entries = [entry for entry, _ in zip(archive, range(self.settings.parse.max_entries + 1), strict=False)]
        paths = decode_names([entry.name.encode("utf-8", "surrogateescape") for entry in entries])
        for entry, path in zip(entries, map(shown_path, paths), strict=True):
            if budget_of(self).entries < 1:
                yield self.no_more(entries.index(entry))
                return
            if entry.isdir() or is_junk(path):
                continue
            if not entry.isreg():
                yield Unread(path, Reason("it is a link or a device, not a file", "part_link"))
                continue
            packed = len(self.data) if entry.size <= len(self.data) else 0  # a sparse file says that it has more
            refused = self.refusal(path, entry.size, packed)
            part = None if refused else archive.extractfile(entry)
            yield refused or Member(path, part.read(entry.size) if part else b"")


class CompressedLoader(ArchiveLoader):
    """A file compressed with gzip, bzip2 or xz: a tar archive, or a single file, whose Documents it gives."""

    def lazy_load(self) -> Iterator[Document]:
        """What the file holds. Raises TooLarge before it is unpacked too far, UnreadableFile when it is damaged."""
        with self.opened() as inner:
            for document in inner.lazy_load():
                yield Document(document.page_content, metadata=document.metadata | {"source": self.name})

    @contextmanager
    def opened(self) -> Iterator[FileLoader]:
        """The loader of the file in it. Raises TooLarge, UnreadableFile."""
        from ingest.loaders.registry import get_loader

        if too_deep(self):
            raise self.nested()
        data = self._unpacked()
        if kind_of(data) is Kind.TAR:
            inner: FileLoader = TarLoader(self.name, data, self.settings, self.password)
            deeper = 0  # a tar archive that is compressed is one archive, not two
        else:
            inner, deeper = get_loader(_inner_name(self.name), data, self.settings, self.password), 1
        inner.budget = budget_of(self)
        inner.budget.depth += deeper
        yield inner
        inner.budget.depth -= deeper

    def _unpacked(self) -> bytes:
        """Raises TooLarge, UnreadableFile."""
        budget = budget_of(self)
        opener = next(opener for magic, opener in _OPENERS if self.data.startswith(magic))
        out = io.BytesIO()
        try:
            with opener(io.BytesIO(self.data)) as file:
                while part := file.read(_STEP):
                    out.write(part)
                    if out.tell() > budget.bytes or is_bomb(out.tell(), len(self.data)):
                        raise too_much(self.name, out.tell())
        except _BROKEN as error:
            raise self.damaged() from error
        budget.take(self.name, out.tell())
        return out.getvalue()


def _inner_name(name: str) -> str:
    """The name without the suffix of the compression; of .tgz, with that of the archive."""
    path = PurePath(name)
    return path.stem if path.suffix.lower() in (".gz", ".bz2", ".xz") else f"{path.stem}.tar" if path.suffix else name

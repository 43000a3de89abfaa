"""Archives: each file in them read by the registry, below its path as a heading. Nothing is ever written to disk."""

from __future__ import annotations

from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.errors import EncryptedFile, Reason, TooLarge, UnreadableFile, wrong_password
from ingest.loaders.base import FileLoader
from ingest.loaders.budget import is_bomb
from ingest.loaders.members import Contents, Member, Unread, budget_of, read_members, too_deep

_DAMAGED = "Download or pack it again, or upload its files themselves."


class ArchiveLoader(FileLoader):
    """The files of an archive, each in Markdown; the first Document's `skipped` names those that gave no text."""

    def lazy_load(self) -> Iterator[Document]:
        """The files in order. Raises UnreadableFile when none can be read, EncryptedFile when all are encrypted, TooLarge."""
        if too_deep(self):
            raise self.nested()
        contents = read_members(self, self.members())
        if not contents.documents:
            raise self._nothing(contents)
        if contents.skipped:
            contents.documents[0].metadata["skipped"] = contents.skipped
        yield from contents.documents

    def members(self) -> Iterator[Member | Unread]:
        """The files, unpacked one after the other. Raises UnreadableFile for a damaged archive."""
        raise NotImplementedError

    def refusal(self, path: str, size: int, packed: int) -> Unread | None:
        """Why a file of `size` bytes is not unpacked; None when it may be, which counts it."""
        if is_bomb(size, packed):
            words = (
                f"{packed} bytes would grow to {size}, which no document does. If it is one, unpack it and upload the file itself"
            )
            return Unread(path, Reason(words, "part_grows", packed=packed, size=size))
        if size > self.settings.max_file_mb * 2**20:
            most = self.settings.max_file_mb
            return Unread(path, Reason(f"it has more than {most} MB", "too_large", mb=most))
        try:
            budget_of(self).take(path, size)
        except TooLarge as error:
            return Unread(path, Reason(f"{error.reason}. {error.remedy}", error.code, **error.params))
        return None

    def no_more(self, read: int) -> Unread:
        """What stands for all files after the first `read`, when there are too many."""
        limit = self.settings.parse.max_entries
        words = f"only the first {read} files are read. Raise ingest.parse.max_entries, which is {limit}"
        return Unread("…", Reason(words, "part_limit", read=read, limit=limit))

    def nested(self) -> UnreadableFile:
        """The error for an archive that lies too deep in others."""
        remedy = "Unpack the outer one and upload what is in it."
        return UnreadableFile(self.name, "it is an archive within archives", remedy=remedy, code="nested_archive")

    def damaged(self) -> UnreadableFile:
        """The error for an archive that cannot be opened."""
        return UnreadableFile(self.name, "the archive is damaged", remedy=_DAMAGED, code="damaged_archive")

    def _nothing(self, contents: Contents) -> UnreadableFile | EncryptedFile:
        if not contents.skipped:
            remedy = "Pack it again, or upload the files themselves."
            return UnreadableFile(self.name, "there are no files in the archive", remedy=remedy, code="empty_archive")
        path, reason = contents.skipped[0]
        if contents.all_encrypted:
            if self.password:
                return wrong_password(self.name)
            remedy = "Give the password, or save a copy without it."
            return EncryptedFile(self.name, f"its files are encrypted, such as {path}", remedy=remedy, code="password")
        count = len(contents.skipped)
        return UnreadableFile(
            self.name,
            f"none of its {count} files can be read",
            remedy=f"The first: {path} ({reason.rstrip('.')}).",
            code="no_member_read",
            count=count,
            first=f"{path} ({reason.rstrip('.')})",
        )

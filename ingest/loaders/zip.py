"""Zip archives: names in any encoding, members unpacked one after the other within the budget."""

from __future__ import annotations

import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence

from ingest.errors import Reason
from ingest.loaders.archive import ArchiveLoader
from ingest.loaders.members import Member, Unread, budget_of
from ingest.loaders.names import decode_names, shown_path
from ingest.names import is_junk

_UTF_8 = 0x800
_ENCRYPTED = 0x1
_UNICODE_PATH = 0x7075  # Info-ZIP's extra field, APPNOTE.TXT 4.6.9
_BROKEN = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError, ValueError)


class ZipLoader(ArchiveLoader):
    """A zip archive."""

    def members(self) -> Iterator[Member | Unread]:
        """The files in the order of the archive's own list. zipfile never expands one beyond its declared size."""
        try:
            archive = zipfile.ZipFile(io.BytesIO(self.data))
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        except (*_BROKEN, NotImplementedError) as error:
            raise self.damaged() from error
        with archive:
            for number, (entry, path) in enumerate(zip(entries, _paths(entries), strict=True)):
                if budget_of(self).entries < 1:
                    yield self.no_more(number)
                    return
                if not is_junk(path):
                    yield self._member(archive, entry, path)

    def _member(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: str) -> Member | Unread:
        if stat.S_ISLNK(entry.external_attr >> 16):
            return Unread(path, Reason("it is a link to another file", "part_link"))
        if entry.flag_bits & _ENCRYPTED and self.password is None:
            return Unread(path, Reason("it is encrypted. Pack it without a password", "part_encrypted"), encrypted=True)
        refused = self.refusal(path, entry.file_size, entry.compress_size)
        if refused:
            return refused
        password = self.password.get_secret_value().encode() if self.password else None
        try:
            return Member(path, archive.read(entry, password))
        except (RuntimeError, NotImplementedError) as error:  # a wrong password; a method that zipfile does not know
            encrypted = bool(entry.flag_bits & _ENCRYPTED)
            wrong = Reason("it is encrypted otherwise than with this password", "part_other_password")
            unknown = Reason(str(error), "part_packed_otherwise", message=str(error))
            return Unread(path, wrong if encrypted else unknown, encrypted)
        except _BROKEN:
            return Unread(path, Reason("it is damaged in the archive", "part_damaged"))


def _paths(entries: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The names as paths to show. zipfile reads names that are not marked as UTF-8 as code page 437."""
    unmarked = [entry for entry in entries if not entry.flag_bits & _UTF_8 and not entry.orig_filename.isascii()]
    decoded = dict(zip(map(id, unmarked), decode_names([entry.orig_filename.encode("cp437") for entry in unmarked]), strict=True))
    return [shown_path(_unicode_path(entry) or decoded.get(id(entry), entry.orig_filename)) for entry in entries]


def _unicode_path(entry: zipfile.ZipInfo) -> str | None:
    """The name that some programs put beside one in the code page of their machine."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _UNICODE_PATH and size > 5:
            return extra[9 : 4 + size].decode("utf-8", "replace")
        extra = extra[4 + size :]
    return None

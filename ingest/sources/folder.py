"""The files of a folder of this machine: found by looking, read only when they are not as they were.

Links that lead out of the folder are not followed, and of what is no ordinary file nothing is read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ingest.errors import LoadError
from ingest.sources.errors import RefusedSource
from ingest.sources.file import Found, item_of, mark_of, place_of, unreadable
from ingest.sources.item import Item, Left, LeftOut
from ingest.sources.kept import Kept
from ingest.sources.selection import Selection, is_program_junk
from store.database import clean_text


class Folder:
    """A folder of this machine as a source. `apart` is a folder that is never read: the one where documents are kept.

    Raises FileNotFoundError, NotADirectoryError.
    """

    def __init__(self, path: Path, selection: Selection | None = None, *, apart: Path | None = None) -> None:
        self.path = path.resolve(strict=True)
        if not self.path.is_dir():
            raise NotADirectoryError(20, "Not a directory", str(path))
        self.selection = selection or Selection()
        self._apart = apart.resolve() if apart else None
        self.left_out: list[LeftOut] = []
        """What the last look came upon and did not take, apart from what the selection does not want."""
        self.unwanted = 0
        """How many files the selection did not want at the last look."""
        self._names: set[str] = set()

    @property
    def place(self) -> str:
        """The folder's name as the origin of its documents."""
        return place_of(self.path)

    def look(self) -> list[Found]:
        """The files that are there now and wanted, by name; also what is wanted but cannot be read. Nothing is opened."""
        self.left_out, self.unwanted, self._names = [], 0, set()
        return sorted(self._walk(self.path, ""), key=lambda found: found.name)

    def items(self, kept: Kept, *, max_bytes: int, chosen: Iterable[Found] | None = None) -> Iterator[Item]:
        """The files (those of `look`, or `chosen` ones of it), each read when its turn comes, unless it is as it was."""
        for found in self.look() if chosen is None else chosen:
            yield item_of(found, place=self.place, kept=kept, max_bytes=max_bytes)

    def gone(self, kept: Kept) -> list[str]:
        """The names of documents that came from this folder and whose files are not there any more; after a `look`.

        What cannot be looked at, as in a folder that may not be entered, is not gone.
        """
        if not self.path.is_dir():  # such as a drive that is not there for the moment
            return []
        return [name for name in kept.names_from(self.place) if name not in self._names and self._is_gone(name)]

    def concerns(self, path: str) -> bool:
        """Whether a change at an absolute path in the folder may matter: not in what is left out by its name, or is the store."""
        place = Path(path)
        if self._apart and place.is_relative_to(self._apart):
            return False
        parts = place.relative_to(self.path).parts if place.is_relative_to(self.path) else ()
        return not any(is_program_junk(part) or (part.startswith(".") and not self.selection.hidden) for part in parts)

    def _is_gone(self, name: str) -> bool:
        """Whether no file has that name any more: a folder that took it is none."""
        try:
            return stat.S_ISDIR((self.path / name).lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):
            return False

    def _walk(self, folder: Path, above: str) -> Iterator[Found]:
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            yield Found(clean_text(above.rstrip("/") or "."), folder, {}, unreadable(clean_text(above.rstrip("/") or "."), error))
            return
        for entry in entries:
            yield from self._entry(entry, f"{above}{entry.name}")

    def _entry(self, entry: os.DirEntry[str], path: str) -> Iterator[Found]:
        name = clean_text(path)
        try:
            why = self._why_not(entry)
            if why:
                self.left_out.append(LeftOut(name, why))
            elif entry.is_dir(follow_symlinks=False):
                if not self.selection.leaves(name):
                    yield from self._walk(Path(entry.path), f"{path}/")
            elif self.selection.wants(name):
                yield self._found(entry, name)
            else:
                self._names.add(name)
                self.unwanted += 1
        except FileNotFoundError:  # deleted since the folder was listed
            return
        except OSError as error:
            yield Found(name, Path(entry.path), {}, unreadable(name, error))

    def _found(self, entry: os.DirEntry[str], name: str) -> Found:
        path = Path(entry.path).resolve() if entry.is_symlink() else Path(entry.path)
        twice = _twice(name) if name in self._names else None
        self._names.add(name)
        return Found(name, path, mark_of(path.stat()), twice)

    def _why_not(self, entry: os.DirEntry[str]) -> Left | None:
        if is_program_junk(entry.name):
            return "junk"
        if entry.name.startswith(".") and not self.selection.hidden:
            return "hidden"
        if self._apart and Path(entry.path) == self._apart:
            return "store"
        if entry.is_symlink():
            target = Path(entry.path).resolve()
            if not target.is_relative_to(self.path) or (self._apart and target.is_relative_to(self._apart)):
                return "link_outside"
            if target.is_dir():
                return "link_inside"
        return None if entry.is_dir() or entry.is_file() else "special"


def _twice(name: str) -> LoadError:
    remedy = "Rename one of them."
    return RefusedSource(
        name, "another file of the folder has the same name, as far as it is text", remedy=remedy, code="same_name"
    )

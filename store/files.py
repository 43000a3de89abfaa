"""The original bytes of files, each kept once under its sha256; a name from outside is never a path."""

from __future__ import annotations

import errno
import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock
from sqlalchemy import Engine, select, union
from sqlalchemy.orm import Session

from store.errors import UnknownDocument, naming_failures
from store.rows import ChangeRow, DocumentRow, JobRow

NEEDED_BY_JOBS = ("queued", "running", "cancelling", "failed", "cancelled")
"""Statuses of a job that may still read its bytes: a failed or cancelled one when it is tried again."""
RESERVE = 64 * 2**20
"""Bytes that stay free: a commit needs room for its own files, and tidying up needs some before it gains any."""


class Files:
    """The folder `files` of a store. Bytes that no document, change or job refers to are removed.

    Whoever writes such a reference does so inside `keeping`: between its beginning and its end nothing is removed.
    """

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine, self._folder = engine, folder / "files"
        self._lock_path = folder / "locks" / "files.lock"

    @contextmanager
    def keeping(self, data: bytes) -> Iterator[str]:
        """Keep the bytes; gives their sha256, to be referred to in the body."""
        with self._locked():
            yield self._write(data)

    def room_for(self, size: int) -> None:
        """Refuse to write `size` bytes where they do not fit, before anything is written. Raises NotWritable."""
        folder = self._folder.parent
        with naming_failures(folder):
            if shutil.disk_usage(folder).free < size + RESERVE:
                raise OSError(errno.ENOSPC, "No space left on device")

    def read(self, version: str) -> bytes:
        """The bytes kept under that sha256. Raises UnknownDocument."""
        path = self._folder / version
        if not path.is_file():
            raise UnknownDocument("The original file is not there any more. Add it again.")
        return path.read_bytes()

    def has(self, version: str) -> bool:
        """Whether there is a file for that sha256."""
        return (self._folder / version).is_file()

    def size(self, version: str) -> int | None:
        """How many bytes are kept under that sha256; None when there are none."""
        try:
            return (self._folder / version).stat().st_size
        except FileNotFoundError:
            return None

    def is_whole(self, version: str) -> bool:
        """Whether the bytes of that sha256 are there, and are what they were."""
        path = self._folder / version
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == version

    def restore(self, version: str, data: bytes) -> None:
        """Put the bytes of a document back, should its file be gone or of another length."""
        path = self._folder / version
        if not path.is_file() or path.stat().st_size != len(data):
            with self._locked():
                path.unlink(missing_ok=True)
                self._write(data)

    def drop_broken(self, version: str) -> None:
        """Remove a file that is not what it was, so that adding it again brings it back."""
        with self._locked():
            if not self.is_whole(version):
                (self._folder / version).unlink(missing_ok=True)

    def forget(self, versions: Iterable[str]) -> None:
        """Remove these bytes unless something refers to them."""
        with self._locked():
            for version in set(versions) - self._referred(set(versions)):
                (self._folder / version).unlink(missing_ok=True)

    def sweep(self) -> int:
        """Remove all bytes that nothing refers to, and what a killed process wrote half; returns how many files."""
        with self._locked():
            found = {path.name for path in self._folder.iterdir()} if self._folder.is_dir() else set()
            orphans = found - self._referred(found)
            for name in orphans:
                (self._folder / name).unlink(missing_ok=True)
        return len(orphans)

    def _write(self, data: bytes) -> str:
        version = hashlib.sha256(data).hexdigest()
        path = self._folder / version
        if not path.exists():
            self.room_for(len(data))
            self._folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".part")
            partial.write_bytes(data)
            partial.replace(path)
        return version

    def _referred(self, versions: set[str]) -> set[str]:
        if len(versions) == 1:
            [only] = versions
            wanted = (
                select(DocumentRow.version).where(DocumentRow.version == only),
                select(ChangeRow.version).where(ChangeRow.version == only),
                select(JobRow.version).where(JobRow.version == only, JobRow.status.in_(NEEDED_BY_JOBS)),
            )
        else:
            wanted = (
                select(DocumentRow.version),
                select(ChangeRow.version).where(ChangeRow.version.is_not(None)),
                select(JobRow.version).where(JobRow.status.in_(NEEDED_BY_JOBS)),
            )
        with Session(self._engine) as session:
            return {version for version in session.scalars(union(*wanted)) if version}

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with naming_failures(self._folder.parent):
            self._lock_path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self._lock_path, poll_interval=0.01):
                yield

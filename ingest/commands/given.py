"""What was given on the command line to read from: files and folders, under the names that their documents get."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.sources import Folder, Item, Kept, LeftOut, Selection
from ingest.sources.file import Found, found_at, item_of, place_of
from settings import Settings, cli


@dataclass(frozen=True)
class Given:
    """The files of one argument, looked for but not read; `folder` is None for a single file."""

    files: list[Found]
    place: str
    folder: Folder | None = None
    left_out: list[LeftOut] = field(default_factory=list)

    def items(self, kept: Kept, max_bytes: int) -> Iterator[Item]:
        """Each file, read when its turn comes."""
        return (item_of(found, place=self.place, kept=kept, max_bytes=max_bytes) for found in self.files)


def given(paths: Sequence[str], selection: Selection, settings: Settings) -> list[Given]:
    """What is at the paths. Raises FileNotFoundError, OSError, and WrongUse where two files would replace each other."""
    found = [_at(Path(path), selection, settings) for path in paths]
    _refuse_equal_names([(file.name, file.path) for one in found for file in one.files])
    return found


def selection_of(call: argparse.Namespace) -> Selection:
    """What --include, --exclude and --hidden say."""
    return Selection(tuple(call.include), tuple(call.exclude), call.hidden)


def add_selection(command: argparse.ArgumentParser) -> None:
    """The options that choose files of a folder."""
    for option, what in (("--include", "only these files of folders"), ("--exclude", "not these files or folders")):
        pattern = "such as '*.md', 'docs/**/*.txt' or 'drafts'; may be repeated"
        command.add_argument(option, action="append", default=[], metavar="PATTERN", help=f"{what}, {pattern}")
    command.add_argument("--hidden", action="store_true", help="files and folders whose names begin with a dot, too")


def _at(path: Path, selection: Selection, settings: Settings) -> Given:
    if path.is_dir():
        folder = Folder(path, selection, apart=settings.store.dir)
        return Given(folder.look(), folder.place, folder, folder.left_out)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    return Given([found_at(path, path.name)], place_of(path.parent))


def _refuse_equal_names(files: Sequence[tuple[str, Path]]) -> None:
    seen: dict[str, Path] = {}
    for name, path in files:
        first = seen.setdefault(name, path)
        if first != path and path.exists():
            raise cli.WrongUse(f"{first} and {path} would both be {name}. Give the folder above both, or add them to two bases.")

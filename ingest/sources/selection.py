"""Which files of a folder, or pages of a list, are wanted: patterns for what to take and what to leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from ingest.names import is_junk

_MORE_JUNK = frozenset({"node_modules", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".idea", ".hg"})


@dataclass(frozen=True)
class Selection:
    """Wanted is what one of `include` names (without any: everything) and none of `exclude` does.

    A pattern without a slash is held against every part of a path: `draft*` names draft.txt in any folder and all that is in a
    folder drafts. With one it is held against the path from the top, of which a part at the front is enough: `docs/old` names all
    that is in there. `*` and `?` stand for characters between slashes, `**` for any number of folders. Case does not count.
    With `hidden`, files and folders whose names begin with a dot are taken as well; junk (.git, caches) never is.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False

    def wants(self, path: str) -> bool:
        """Whether the patterns choose a relative path with slashes."""
        parts = path.casefold().split("/")
        included = not self._include or any(_names(pattern, parts) for pattern in self._include)
        return included and not self.leaves(path)

    def leaves(self, path: str) -> bool:
        """Whether a file, or all that is in a folder, is excluded by a pattern."""
        parts = path.casefold().split("/")
        return any(_names(pattern, parts) for pattern in self._exclude)

    @cached_property
    def _include(self) -> list[list[str]]:
        return [_split(pattern) for pattern in self.include]

    @cached_property
    def _exclude(self) -> list[list[str]]:
        return [_split(pattern) for pattern in self.exclude]


def is_program_junk(name: str) -> bool:
    """Whether programs leave files or folders of this name, which no person wants to read."""
    return name in _MORE_JUNK or is_junk(name)


def _split(pattern: str) -> list[str]:
    """The parts of a pattern; one without a slash may begin anywhere."""
    tidy = pattern.replace("\\", "/").casefold().removeprefix("./")
    parts = [part for part in tidy.split("/") if part]
    return ["**", *parts] if "/" not in tidy.rstrip("/") else parts


def _names(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether a pattern names these parts, or those at the front; in steps of the one times the other."""
    reached = {0}
    for part in pattern:
        if part == "**":
            reached = set(range(min(reached), len(parts) + 1)) if reached else set()
        else:
            reached = {place + 1 for place in reached if place < len(parts) and fnmatchcase(parts[place], part)}
    return bool(reached) and bool(pattern)

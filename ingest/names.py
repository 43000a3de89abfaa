"""What the names of documents tell, whether they are those of files or the addresses of web pages."""

from __future__ import annotations

from pathlib import PurePosixPath

from store.names import is_web, suffix_of

__all__ = ["is_junk", "is_web", "suffix_of"]

_JUNK_FOLDERS = frozenset({"__MACOSX", ".git", ".svn", "__pycache__", ".Trashes", ".Spotlight-V100", "$RECYCLE.BIN"})
_JUNK = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".localized", ".gitkeep"})


def is_junk(path: str) -> bool:
    """Whether a program left it there and no person wants to read it."""
    parts = PurePosixPath(path).parts
    last = parts[-1].lower() if parts else ""
    return bool(_JUNK_FOLDERS.intersection(parts)) or last in _JUNK or last.startswith(("._", "~$"))

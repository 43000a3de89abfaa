"""What the names of documents tell, whether they are those of files or the addresses of web pages."""

from __future__ import annotations

from pathlib import PurePath, PurePosixPath

_JUNK_FOLDERS = frozenset({"__MACOSX", ".git", ".svn", "__pycache__", ".Trashes", ".Spotlight-V100", "$RECYCLE.BIN"})
_JUNK = frozenset({".ds_store", "thumbs.db", "desktop.ini", ".localized", ".gitkeep"})


def is_web(name: str) -> bool:
    """Whether a document's name is the address of a page."""
    return name.startswith(("http://", "https://"))


def suffix_of(name: str) -> str:
    """The suffix of a file's name, in small letters and with its dot, "" where there is none; of an address, that of its path."""
    if is_web(name):
        name = name.partition("://")[2].partition("?")[0].partition("/")[2]
    return PurePath(name).suffix.lower()


def is_junk(path: str) -> bool:
    """Whether a program left it there and no person wants to read it."""
    parts = PurePosixPath(path).parts
    last = parts[-1].lower() if parts else ""
    return bool(_JUNK_FOLDERS.intersection(parts)) or last in _JUNK or last.startswith(("._", "~$"))

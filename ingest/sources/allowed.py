"""The folders of this machine that may be read from the page: those that the settings name, and what is in them."""

from __future__ import annotations

from pathlib import Path

from ingest.errors import LoadError
from ingest.sources.errors import RefusedSource, UnreachableSource
from settings import Settings


def allowed_folder(place: str, settings: Settings) -> Path:
    """The folder at a whole path, or at a path below the first allowed folder that has it, with all links followed.

    Raises RefusedSource for one that is in none of `sources.folders`, whether it is there or not, and for the folder where the
    documents are kept; UnreachableSource for one that is not there.
    """
    try:
        roots = [root.resolve() for root in settings.sources.folders]
        candidates = [(root / place.strip()).resolve() for root in roots]
        store = settings.store.dir.resolve()
    except (OSError, ValueError, RuntimeError):  # such as a name that no system has, or links that lead round in a circle
        raise _refused(place) from None
    inside = [path for path in candidates if any(path.is_relative_to(root) for root in roots)]
    inside = [path for path in inside if not path.is_relative_to(store)]
    if not inside:
        raise _refused(place)
    found = next(filter(_is_folder, inside), None)
    if found is None:
        remedy = "Check its name, and whether its drive is connected."
        raise UnreachableSource(place, "there is no such folder", remedy=remedy, code="no_such_folder")
    return found


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # such as a name that is too long
        return False


def _refused(place: str) -> LoadError:
    remedy = "Name it, or one above it, in sources.folders if everybody who can open the page may read it."
    return RefusedSource(place, "this folder may not be read from the page", remedy=remedy, code="folder_not_allowed")

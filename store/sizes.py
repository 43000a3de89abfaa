"""How much bases and documents hold: documents, passages, characters, and bytes on disk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from store.bases import Base
from store.library import Library
from store.rows import DocumentRow


@dataclass(frozen=True)
class BaseSize:
    """What a base holds. `files_bytes` are the kept originals (each content once), `index_bytes` vectors and full text."""

    documents: int = 0
    chunks: int = 0
    chars: int = 0
    files_bytes: int = 0
    index_bytes: int = 0


def sizes(library: Library) -> dict[str, BaseSize]:
    """The size of each base, by its id."""
    chars = func.coalesce(func.sum(func.json_extract(DocumentRow.report, "$.chars")), 0)
    counts = select(DocumentRow.base_id, func.count(), func.sum(DocumentRow.chunks), chars).group_by(DocumentRow.base_id)
    contents = select(DocumentRow.base_id, DocumentRow.version).distinct()
    with Session(library.engine) as session:
        counted = {base_id: (documents, chunks, length) for base_id, documents, chunks, length in session.execute(counts)}
        kept: dict[str, list[str]] = {}
        for base_id, version in session.execute(contents):
            kept.setdefault(base_id, []).append(version)
    return {base.id: _size(library, base, counted.get(base.id, (0, 0, 0)), kept.get(base.id, ())) for base in library.bases()}


def _size(library: Library, base: Base, counted: tuple[int, int, int], versions: Iterable[str]) -> BaseSize:
    files = sum(library.files.size(version) or 0 for version in versions)
    return BaseSize(*counted, files_bytes=files, index_bytes=_folder_bytes(library.chunk_folder(base)))


def _folder_bytes(folder: Path) -> int:
    """Bytes of the files in a folder and below; a file that goes meanwhile counts nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return total

"""What a base holds is counted as it is, and its bytes are those on disk."""

from __future__ import annotations

from pathlib import Path

from store.sizes import BaseSize, sizes
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings


def test_a_base_is_as_large_as_what_is_in_it(tmp_path: Path) -> None:
    desk = Desk.on(tmp_path, WordEmbeddings())
    assert sizes(desk.library)[desk.base.id] == BaseSize()
    first, second = "The refund period is thirty days.", "退款期限为三十天。"
    for name, text in {"a.txt": first, "b.txt": second, "copy.txt": first}.items():
        desk.add(name, text)
    other = desk.library.ensure_base("other")
    size = sizes(desk.library)
    assert size[other.id] == BaseSize()
    mine = size[desk.base.id]
    assert (mine.documents, mine.chunks, mine.chars) == (2, 2, len(first) + len(second))
    assert mine.files_bytes == len(first.encode()) + len(second.encode())
    on_disk = sum(path.stat().st_size for path in desk.library.chunk_folder(desk.base).rglob("*") if path.is_file())
    assert mine.index_bytes == on_disk > 1000

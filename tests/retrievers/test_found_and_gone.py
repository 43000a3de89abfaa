"""What was added is found by each leg, what was deleted or replaced by none: at once, and after a restart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.files import make_pdf
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import ids, word_shelf

NAMES = ("it's.txt", 'a"b;--.md', "知识库.txt", "x' OR 1=1 --.txt")
LEGS = [{"vector_weight": weight, "vector.search": search} for weight in (0.0, 1.0) for search in ("mean", "segments")]


def same(shelf: Shelf) -> Shelf:
    return shelf


def restarted(shelf: Shelf) -> Shelf:
    """The same folder, opened anew."""
    return word_shelf(shelf.settings.store.dir)


@pytest.mark.parametrize("then", [same, restarted])
def test_what_is_deleted_is_gone_from_each_leg(tmp_path: Path, then: Callable[[Shelf], Shelf]) -> None:
    shelf = word_shelf(tmp_path)
    shelf.add("other.txt", "Nothing to see.")
    for number, name in enumerate(NAMES):
        shelf.add(name, f"The heliotrope number {number} of 新手机壳.")
    for name in NAMES:
        for leg in LEGS:
            for query in ("heliotrope", "手机壳"):
                assert name in shelf.sources(query, **leg)
        assert shelf.pipeline.delete(shelf.base, name)
        shelf = then(shelf)
        for leg in LEGS:
            for query in ("heliotrope", "手机壳"):
                assert name not in shelf.sources(query, **leg)
    assert shelf.sources("heliotrope", vector_weight=0.0) == []
    assert shelf.sources("see", vector_weight=0.0) == ["other.txt"]


@pytest.mark.parametrize("then", [same, restarted])
def test_nothing_is_left_of_the_old_version(tmp_path: Path, then: Callable[[Shelf], Shelf]) -> None:
    shelf = word_shelf(tmp_path)
    shelf.add("a.txt", "The heliotrope is old.")
    old = ids(shelf.find("heliotrope"))
    assert old
    shelf.add("a.txt", "The lighthouse is new, and it stands longer than the other.")
    shelf = then(shelf)
    for leg in LEGS:
        assert all("heliotrope" not in context.text for context in shelf.find("heliotrope", **leg).contexts)
        assert [context.source for context in shelf.find("lighthouse", **leg).contexts] == ["a.txt"]
    shelf.add("b.txt", "A second document on the lighthouse.")
    for leg in LEGS:
        assert set(shelf.sources("lighthouse", **leg)) == {"a.txt", "b.txt"}


def test_the_same_paragraph_in_two_pdfs_is_citable_from_both_with_its_page(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path, settings={"ingest.chunk_size": 100, "ingest.min_chunk_size": 1})
    same = "The lighthouse keeper writes down the wind each hour."
    for name, page in (("A.pdf", 3), ("B.pdf", 9)):
        pages = [f"Page {n} of {name} is about something else, such as fishing nets and boats." for n in range(1, page)]
        report = shelf.pipeline.run(shelf.base, name, make_pdf([*pages, same]), shelf.settings)
        assert report.status == "indexed"
    shelf.add("plain.txt", "A text without pages in the same base.")
    for leg in LEGS:
        found = [c for c in shelf.find("lighthouse keeper wind", top_k=2, **leg).contexts if same in c.text]
        assert {(c.source, c.page_at(c.start + c.text.index(same))) for c in found} == {("A.pdf", 3), ("B.pdf", 9)}
    assert "plain.txt" in shelf.sources("text without pages", vector_weight=0.0)


def test_the_reports_of_peers_offline(tmp_path: Path) -> None:
    """Full text alone, k = 2, on the chunks that others gave the last two of."""
    shelf = word_shelf(tmp_path)
    texts = ["麻婆豆腐的做法：豆腐切块", "退款期限为三十天", "公司地址在上海", "鸡蛋羹操作步骤", "鸡蛋羹附加内容"]
    for number, text in enumerate([*texts, "Refund window is thirty days.", "采购订单自动审批流程", "ERP审批", "新手机发布"]):
        shelf.add(f"{number}.txt", text)
    expected = {
        "麻婆豆腐": ["0.txt"],
        "refund days": ["5.txt"],
        "审批流程": ["6.txt", "7.txt"],
        "ERP": ["7.txt"],
        "手机": ["8.txt"],
    }
    for query, sources in expected.items():
        assert shelf.sources(query, vector_weight=0.0, top_k=2) == sources

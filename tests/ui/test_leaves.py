"""Where a document is opened, and what of it is shown at once."""

from __future__ import annotations

import pytest

from ui.leaves import Leaf, Place, download_name, leaf_at, leaves_of, located


def test_a_document_that_is_drawn_has_its_pages_and_any_other_parts_of_its_text() -> None:
    text = "word " * 9000
    pages = [(1, 0, 100), (2, 102, 200)]
    assert leaves_of(text, pages, drawn=True) == [Leaf(0, 100, 1), Leaf(102, 200, 2)]
    assert leaves_of(text, [], drawn=True) == [Leaf(0, 45_000)]
    split = leaves_of(text, pages, drawn=False)
    assert len(split) == 3
    assert (split[0].start, split[-1].end) == (0, 45_000)
    assert leaves_of("", [], drawn=False) == [Leaf(0, 0)]


def test_it_is_opened_where_the_passage_begins_which_is_marked_on_each_page() -> None:
    leaves = [Leaf(0, 100, 1), Leaf(102, 200, 2), Leaf(202, 300, 3)]
    place = Place("d", ((190, 220), (150, 160)))
    assert leaf_at(leaves, place.start) == 2
    assert [leaf.spans_of(place) for leaf in leaves] == [(), ((190, 200), (150, 160)), ((202, 220),)]
    assert [leaf.goes_on(place) for leaf in leaves] == [False, True, False]
    assert leaf_at(leaves, Place("d", at=299).start) == 3
    assert leaf_at(leaves, 0) == 1


@pytest.mark.parametrize(
    ("start", "quote", "found"),
    [
        (4, "退款", (4, 6)),
        (0, "退款", (4, 6)),
        (9, "退款", (10, 12)),
        (99, "退款", (10, 12)),
        (4, "赔款", None),
        (4, "", None),
    ],
)
def test_a_quote_is_where_it_was_else_at_the_nearest_place(start: int, quote: str, found: tuple[int, int] | None) -> None:
    assert located("abc。退款xyz。退款", start, quote) == found


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("terms.pdf", "terms.pdf"),
        ("a/b/合同.docx", "合同.docx"),
        (r"..\..\evil.exe", "evil.exe"),
        ("../../etc/passwd", "passwd"),
        ("a\u202efdp.exe", "a\ufffdfdp.exe"),
        ("..", "document"),
        ("https://example.org/help/refunds", "refunds.html"),
        ("https://example.org/", "page.html"),
        ("https://example.org/%E5%90%88%E5%90%8C.pdf?x=/y", "合同.pdf"),
    ],
)
def test_a_file_is_saved_under_its_own_name_alone(source: str, name: str) -> None:
    assert download_name(source) == name

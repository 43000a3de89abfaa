"""A PDF that lost its end: what is there is read, and it is said that something may be missing."""

from __future__ import annotations

import zlib
from contextlib import suppress

import pytest

from ingest.errors import LoadError, UnreadableFile
from tests.files import make_pdf
from tests.ingest.loading import load
from tests.ingest.test_remarks import told

PAGES = ["The first page.", "第二页有中文。", "The third page."]
WHOLE = make_pdf(PAGES, title="Three pages")


def packed(objects: dict[int, str]) -> bytes:
    """A PDF whose objects lie in an object stream, but for the streams; it ends before its table of objects."""
    bodies = [body.encode() for body in objects.values()]
    starts = [sum(len(body) + 1 for body in bodies[:place]) for place in range(len(bodies))]
    head = " ".join(f"{number} {start}" for number, start in zip(objects, starts, strict=True)).encode()
    stream = zlib.compress(head + b"\n" + b"\n".join(bodies))
    content = b"BT /F 12 Tf 20 700 Td (Packed away and found.) Tj ET"
    return (
        b"%%PDF-1.5\n20 0 obj\n<< /Length %d >>\nstream\n%b\nendstream\nendobj\n" % (len(content), content)
        + b"21 0 obj\n<< /Type /ObjStm /N %d /First %d /Filter /FlateDecode /Length %d >>\nstream\n%b\nendstream\nendobj\n"
        % (len(bodies), len(head) + 1, len(stream), stream)
        + b"22 0 obj\n<< /Type /XRef /Size 23 /Root 1 0"
    )


OBJECTS = {
    1: "<< /Type /Catalog /Pages 2 0 R >>",
    2: "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
    3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 20 0 R /Resources << /Font << /F 4 0 R >> >> >>",
    4: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
}


@pytest.mark.parametrize("lost", [7, 30, 100, len(WHOLE) - WHOLE.index(b"xref")])
def test_all_pages_are_read_without_the_end(lost: int) -> None:
    pages = load("a.pdf", WHOLE[:-lost])
    assert [page.page_content for page in pages] == PAGES
    assert [page.metadata["damaged"] for page in pages] == [True] * 3
    assert pages[0].metadata["title"] == "Three pages"
    assert all("damaged" not in page.metadata for page in load("a.pdf", WHOLE))


def test_the_page_that_was_cut_is_read_as_far_as_it_goes() -> None:
    pages = load("a.pdf", WHOLE[: WHOLE.index(b"third page") + len("third")])
    assert [page.page_content for page in pages] == [*PAGES[:2], ""]
    assert load("a.pdf", WHOLE[: WHOLE.index(b"(The third")])[1].page_content == PAGES[1]


def test_pages_without_their_tree_are_found() -> None:
    last_first = WHOLE.replace(b"2 0 obj", b"99 0 obj", 1).replace(b"1 0 obj", b"98 0 obj", 1)
    assert [page.page_content for page in load("a.pdf", last_first[: last_first.index(b"xref")])] == PAGES


@pytest.mark.parametrize("left", [(1, 2, 3, 4), (3, 4)])
def test_packed_objects_are_found(left: tuple[int, ...]) -> None:
    [page] = load("a.pdf", packed({number: OBJECTS[number] for number in left}))
    assert page.page_content == "Packed away and found."
    assert page.metadata["damaged"]


def test_a_page_that_is_gone_is_one_without_text_and_makes_the_file_damaged() -> None:
    first, second, *_ = load("a.pdf", WHOLE.replace(b"12 0 obj", b"92 0 obj"))
    assert (first.page_content, second.page_content) == (PAGES[0], "")
    assert second.metadata["damaged"]


@pytest.mark.parametrize("broken", [b"%PDF-1.5\n1 0 obj\n<<", b"%PDF-1.5\n5 0 obj\n<< /Type /ObjStm /First 9 >>\nstream\nendobj"])
def test_what_has_no_page_is_refused(broken: bytes) -> None:
    with pytest.raises(UnreadableFile) as caught:
        load("a.pdf", broken)
    assert caught.value.code == "damaged_pdf"


def test_an_encrypted_one_is_refused_as_its_end_says_how() -> None:
    whole = make_pdf(PAGES, owner_password="owner")
    with pytest.raises(UnreadableFile):
        load("a.pdf", whole[: whole.index(b"trailer")])


def test_every_cut_gives_pages_or_an_error() -> None:
    for file in (WHOLE, packed(OBJECTS)):
        for length in range(8, len(file), 61):
            with suppress(LoadError):
                assert {page.page_content for page in load("a.pdf", file[:length])} <= {*PAGES, "", "Packed away and found."}


def test_the_report_says_so(desk) -> None:
    assert told(desk, "a.pdf", WHOLE[:-30]) == [("damaged", {})]

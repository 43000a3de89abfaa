"""Pages are drawn with the passage marked where its ink is: turned and cropped ones, columns, tables, scans."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PIL import Image
from pydantic import SecretStr

from ingest.errors import EncryptedFile, LoadError, UnreadableFile, UnsupportedFile
from ingest.loaders import LOADERS
from ingest.loaders.image import ImageLoader
from ingest.loaders.pdf import PdfLoader
from ingest.view.looks import looks
from ingest.view.picture import MOST_PIXELS, MOST_TEXT, PageAsked, around
from tests.files import make_pdf
from tests.ingest.pdf_pages import HIGH, WIDE, Picture, Text, draw, grid, lines
from tests.ingest.pictures import LINES, TEXT, packed, written
from tests.ingest.view_pages import covers, drawn, ink, marked, outline, page_text

LEFT = lines(
    70, 200, ["The warehouse opens at eight in the", "morning and closes at five, and a", "lorry needs a booking for the yard."]
)
RIGHT = lines(
    330, 200, ["Refunds are paid within fourteen", "days to the account that the order", "was paid from, without any fee."]
)
PASSAGE = "Refunds are paid within fourteen days to the account"


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (50, 380, 560, 700)])
def test_the_mark_is_where_the_ink_is(rotate: int, crop: tuple[float, float, float, float] | None) -> None:
    word = Text(330, 300, "sesquipedalian", size=14)
    page = [Text(70, 300, "One word of this line is", size=14), word, Text(70, 330, "and nothing else is marked.", size=14)]
    only = draw([[word]], rotate=rotate, crop=crop)
    found = marked(draw([page], rotate=rotate, crop=crop), "sesquipedalian")
    assert found.matched == "all"
    assert len(found.boxes) == 1
    assert covers(found.boxes[0], ink(only)), (found.boxes, ink(only))


def test_a_passage_in_a_column_is_marked_line_by_line_in_that_column() -> None:
    interleaved = [piece for pair in zip(LEFT, RIGHT, strict=True) for piece in pair]
    found = marked(draw([interleaved]), PASSAGE)
    assert (found.matched, len(found.boxes)) == ("all", 2)
    assert min(box[0] for box in found.boxes) > 320 / WIDE
    assert covers(outline(found.boxes), ink(draw([[RIGHT[0], Text(330, 212, "days to the account")]])))


def test_a_word_that_a_line_cuts_is_marked_on_both_lines() -> None:
    page = lines(70, 200, ["The booking of the yard is a mat-", "ter of days, and a matter of luck."])
    found = marked(draw([page]), "a matter of days")
    assert (found.matched, len(found.boxes)) == ("all", 2)
    assert found.boxes[0][2] > 0.3 > found.boxes[1][0]


def test_of_the_same_sentence_twice_the_cited_one_is_marked() -> None:
    page = lines(70, 200, ["Books are sent back in thirty days.", "", "Films: Books are sent back in thirty days."], step=20)
    first = marked(draw([page]), "sent back in thirty days")
    second = marked(draw([page]), "sent back in thirty days", last=True)
    assert first.boxes[0][3] < second.boxes[0][1]


def test_chinese_is_marked_character_by_character() -> None:
    page = [Text(100, 200, "德语课程共有六个级别，退款期限为三十天。", size=12), Text(100, 230, "报名需要携带身份证。", size=12)]
    found = marked(draw([page]), "退款期限为三十天")
    [box] = found.boxes
    assert found.matched == "all"
    wanted = ((100 + 11 * 12) / WIDE, (100 + 19 * 12) / WIDE)
    assert (box[0], box[2]) == pytest.approx(wanted, abs=0.01)
    assert 180 / HIGH < box[1] < 200 / HIGH < box[3] < 210 / HIGH


def test_a_row_of_a_table_is_marked_without_the_others() -> None:
    cells = [["Item", "Price"], ["Rope", "12.50"], ["Bell", "99.00"]]
    texts = [Text(80 + 150 * x, 215 + 30 * y, cell) for y, row in enumerate(cells) for x, cell in enumerate(row)]
    found = marked(draw([[*texts, *grid([70, 220, 370], [200, 230, 260, 290])]]), "| Rope | 12.50 |")
    assert found.matched == "all"
    assert 230 / HIGH < outline(found.boxes)[1] < outline(found.boxes)[3] < 262 / HIGH


def test_a_full_width_and_ligature_page_is_found_by_what_people_type() -> None:
    page = [Text(100, 200, "The ﬁrst oﬃce, ＡＢＣ and ⻄安", size=12)]
    text = page_text(draw([page]))
    assert "first office" in text
    assert marked(draw([page]), text).matched == "all"


def test_a_page_without_the_passage_is_drawn_without_marks() -> None:
    data = draw([LEFT])
    found = drawn(data, PageAsked(1, 400, "Something else entirely: zebra quota 77", ((0, 30),)))
    assert (found.matched, found.boxes, found.width) == ("none", (), 400)
    assert not found.scanned


def test_a_scan_is_marked_where_its_text_is_read_when_that_is_asked_for() -> None:
    size = (WIDE / 2, HIGH / 2)
    scan = draw([[Picture(written(size=(700, 900)), wide=size[0], high=size[1])]], size=size)
    only = draw([[Picture(written(["", LINES[1]], size=(700, 900)), wide=size[0], high=size[1])]], size=size)
    span = TEXT.index(LINES[1]), TEXT.index(LINES[1]) + len(LINES[1])
    asked = PageAsked(1, 600, TEXT, (span,))
    shown = drawn(scan, asked)
    assert (shown.scanned, shown.matched) == (True, "none")
    found = drawn(scan, replace(asked, read=True))
    assert found.matched == "all"
    assert covers(outline(found.boxes), ink(only), slack=0.02, most=0.03)


def test_a_picture_is_marked_also_one_that_lies_on_its_side() -> None:
    data, only = (packed(written(each).rotate(90, expand=True)) for each in (LINES, ["", LINES[1]]))
    start = TEXT.index(LINES[1])
    found = drawn(data, PageAsked(1, 800, TEXT, ((start, start + len(LINES[1])),), read=True), "a.png")
    assert (found.matched, found.scanned) == ("all", True)
    assert covers(outline(found.boxes), ink(only, name="a.png"), slack=0.03, most=0.06)


def test_a_large_picture_is_drawn_smaller_and_a_transparent_one_on_white() -> None:
    large = Image.new("RGBA", (3000, 200), (0, 0, 0, 0))
    found = drawn(packed(large), PageAsked(1, 600), "a.png")
    assert (found.width, found.height, found.pixels[:3]) == (600, 40, b"\xff\xff\xff")


def test_a_poster_is_drawn_in_as_many_pixels_as_there_may_be() -> None:
    found = drawn(draw([[Text(70, 90, "Poster")]], size=(14_000, 14_000)), PageAsked(1, 8000))
    assert 0.9 * MOST_PIXELS < found.width * found.height < 1.01 * MOST_PIXELS
    assert len(found.pixels) == 3 * found.width * found.height


@pytest.mark.parametrize("page", [0, 2, 10**9])
def test_a_page_that_there_is_not_is_told(page: int) -> None:
    with pytest.raises(UnreadableFile) as caught:
        drawn(draw([LEFT]), PageAsked(page, 400))
    assert (caught.value.code, caught.value.params) == ("page_not_drawn", {"page": page})


def test_a_locked_pdf_is_drawn_with_its_password_only() -> None:
    locked = make_pdf(["The refund period is thirty days."], user_password="s3cret")
    with pytest.raises(EncryptedFile) as caught:
        drawn(locked, PageAsked(1, 400))
    assert caught.value.code == "password"
    with pytest.raises(EncryptedFile):
        drawn(locked, PageAsked(1, 400), password=SecretStr("wrong"))
    assert drawn(locked, PageAsked(1, 400), password=SecretStr("s3cret")).width == 400


@pytest.mark.parametrize(
    ("name", "data"), [("a.txt", b"text"), ("a.pdf", b"%PDF-1.7 broken"), ("a.png", b"\x89PNG\r\n\x1a\n\0\0")]
)
def test_what_has_no_look_is_an_error(name: str, data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        drawn(data, PageAsked(1, 400), name)
    assert isinstance(caught.value, UnsupportedFile if name == "a.txt" else UnreadableFile)


def test_which_documents_have_a_look_is_known_without_their_loaders() -> None:
    for suffix, loader in LOADERS.items():
        wanted = {PdfLoader: "pages", ImageLoader: "picture"}.get(loader)
        assert looks(f"a{suffix}") == wanted
    assert looks("a.txt", "pdf") == "pages"
    assert looks("a.pdf", "html") is None


def test_of_a_long_text_the_part_around_the_passage_is_looked_for() -> None:
    text = "x" * MOST_TEXT + "passage" + "y" * MOST_TEXT
    part, spans = around(text, ((MOST_TEXT, MOST_TEXT + 7),))
    assert len(part) == MOST_TEXT
    assert [part[start:end] for start, end in spans] == ["passage"]
    assert around("short", ((1, 2),)) == ("short", ((1, 2),))

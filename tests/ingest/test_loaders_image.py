"""Pictures and scanned pages give the text in them, or say what is missing."""

from __future__ import annotations

import struct
import sys
import zlib

import pytest
from langchain_core.documents import Document
from PIL import Image

from ingest.errors import LoadError, TooLarge, UnreadableFile, UnsupportedFile
from ingest.loaders import get_loader, ocr
from settings.ingest import IngestSettings, OcrSettings
from tests.ingest.loading import load, load_one
from tests.ingest.pdf_pages import Picture, Piece, Text, draw
from tests.ingest.pictures import LINES, TEXT, brushed, packed, written

WITHOUT_OCR = IngestSettings(ocr=OcrSettings(enabled=False))
SMALL = WIDE, HIGH = 306, 396
SCAN = Picture(written(size=(700, 900)), wide=WIDE, high=HIGH)


def fail(*_) -> None:
    raise RuntimeError("out of memory")


def load_without_ocr(name: str, data: bytes) -> list[Document]:
    return list(get_loader(name, data, WITHOUT_OCR).lazy_load())


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.png", "PNG"),
        ("a.jpg", "JPEG"),
        ("a.JPEG", "JPEG"),
        ("a.webp", "WEBP"),
        ("a.bmp", "BMP"),
        ("a.tif", "TIFF"),
        ("a.gif", "GIF"),
    ],
)
def test_every_kind_of_picture_is_read(name: str, format: str) -> None:
    document = load_one(name, packed(written(), format))
    assert document.page_content == TEXT
    assert document.metadata["format"] == "text"
    assert document.metadata["ocr_confidence"] > 0.9
    assert "page" not in document.metadata


def test_the_suffix_of_another_kind_of_picture_does_no_harm() -> None:
    assert load_one("a.png", packed(written(), "JPEG")).page_content == TEXT


def test_a_tiff_of_several_pages_has_pages_also_one_without_text() -> None:
    pages = [written(LINES[1:2]), Image.new("RGB", (400, 300), "white"), brushed(["王山中三"])]
    documents = load("fax.tiff", packed(pages[0], "TIFF", save_all=True, append_images=pages[1:]))
    assert [(document.page_content, document.metadata["page"]) for document in documents] == [
        (LINES[1], 1),
        ("", 2),
        ("王山中三", 3),
    ]


def test_of_an_animation_the_first_picture_is_read() -> None:
    data = packed(written(LINES[:1]), "GIF", save_all=True, append_images=[written(LINES[1:2])])
    assert load_one("a.gif", data).page_content == LINES[0]


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_a_photo_is_upright_as_its_camera_says(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    turned = written().rotate({3: 180, 6: 90, 8: 270}[orientation], expand=True)
    assert load_one("a.jpg", packed(turned, "JPEG", exif=exif)).page_content == TEXT


def test_a_picture_without_text_is_an_empty_document() -> None:
    document = load_one("a.png", packed(Image.new("RGB", (300, 300), "white")))
    assert (document.page_content, document.metadata.get("ocr_confidence")) == ("", None)


def png_of(wide: int, high: int) -> bytes:
    """The beginning of a PNG that says how large it is."""
    head = b"IHDR" + struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    body = b"IDAT" + zlib.compress(b"\0" * 100)
    chunks = b"".join(struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in (head, body))
    return b"\x89PNG\r\n\x1a\n" + chunks


@pytest.mark.parametrize("side", [10_000, 60_000])
def test_a_decompression_bomb_is_refused(side: int) -> None:
    with pytest.raises(TooLarge, match=r"^a\.png: the picture has more than 89 million pixels") as caught:
        load("a.png", png_of(side, side))
    assert (caught.value.code, caught.value.params) == ("picture_too_large", {"megapixels": 89})


def test_a_tiff_of_too_many_pages_is_refused() -> None:
    pages = [Image.new("1", (4, 4))] * 3
    data = packed(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    few = IngestSettings.model_validate({"parse": {"max_entries": 2}})
    with pytest.raises(TooLarge):
        list(get_loader("a.tif", data, few).lazy_load())


@pytest.mark.parametrize("keep", [40, 200, 2000])
@pytest.mark.parametrize("format", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP"])
def test_a_damaged_picture_is_refused_with_the_remedy(format: str, keep: int) -> None:
    with pytest.raises(LoadError) as caught:
        load(f"a.{format.lower()}", packed(written(), format)[:keep])
    assert isinstance(caught.value, UnreadableFile | UnsupportedFile)
    assert caught.value.remedy


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(UnsupportedFile, match="the content is a web page"):
        load("a.png", b"<html>Please log in</html>")


def test_with_ocr_off_a_picture_says_how_to_switch_it_on() -> None:
    with pytest.raises(UnreadableFile, match=r"OCR is off\. Set ingest\.ocr\.enabled to true") as caught:
        load_without_ocr("a.png", packed(written()))
    assert caught.value.code == "ocr_off"


@pytest.fixture
def no_rapidocr(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    ocr._load.cache_clear()
    yield
    ocr._load.cache_clear()


@pytest.mark.usefixtures("no_rapidocr")
def test_without_the_package_a_picture_says_what_to_install_and_a_pdf_keeps_its_other_pages() -> None:
    with pytest.raises(UnreadableFile, match="pip install rapidocr") as caught:
        load("a.png", packed(written()))
    assert caught.value.code == "ocr_missing"
    pages = load("a.pdf", draw([[SCAN], [Text(60, 100, "A page of text.")]], size=SMALL))
    assert [page.page_content for page in pages] == ["", "A page of text."]
    assert [page.metadata.get("ocr_needed") for page in pages] == ["missing", None]


def test_an_engine_that_fails_is_an_error_and_no_empty_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr._engine(), "run_ocr_steps", fail)
    with pytest.raises(UnreadableFile) as caught:
        load("a.png", packed(written()))
    assert caught.value.code == "ocr_failed"
    assert load_one("a.pdf", draw([[SCAN]], size=SMALL)).metadata["ocr_needed"] == "failed"


def test_scanned_pages_of_a_pdf_are_read_and_the_others_are_not() -> None:
    scan, page, blank = load("a.pdf", draw([[SCAN], [Text(60, 100, "A page of text.")], []], size=SMALL))
    assert scan.page_content == TEXT
    assert scan.metadata["ocr_confidence"] > 0.9
    assert (page.page_content, blank.page_content) == ("A page of text.", "")
    assert all("ocr_confidence" not in other.metadata and "ocr_needed" not in other.metadata for other in (page, blank))


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_scan_that_lies_on_its_side_is_read(turn: int) -> None:
    image = SCAN.image.rotate(turn, expand=True)
    data = draw([[Picture(image, wide=HIGH if turn % 180 else WIDE, high=WIDE if turn % 180 else HIGH)]], size=(HIGH, HIGH))
    assert load_one("a.pdf", data).page_content == TEXT


def test_a_stamp_on_a_scan_does_not_pass_for_its_text() -> None:
    assert TEXT in load_one("a.pdf", draw([[SCAN, Text(240, 385, "Scan 0815")]], size=SMALL)).page_content


def test_a_picture_beside_real_text_is_not_read() -> None:
    sheet: list[Piece] = [
        Picture(written(), x=60, y=300, wide=400, high=150),
        Text(60, 100, "A page of text with a picture below."),
    ]
    assert load_one("a.pdf", draw([sheet])).page_content == "A page of text with a picture below."


def test_with_ocr_off_a_scan_is_a_page_without_text_that_says_so() -> None:
    scan, page = load_without_ocr("a.pdf", draw([[SCAN], [Text(60, 100, "A page of text.")]], size=SMALL))
    assert (scan.page_content, scan.metadata["ocr_needed"]) == ("", "off")
    assert "ocr_needed" not in page.metadata

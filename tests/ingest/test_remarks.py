"""What is not as its owner may think is told in the report, through the real pipeline."""

from typing import Any

from ingest.sandbox import failures
from tests.files import make_pdf
from tests.ingest.pdf_pages import draw
from tests.ingest.test_loaders_archive import zipped
from tests.ingest.test_loaders_image import SCAN, SMALL


def told(desk: Any, name: str, data: bytes, **ingest: Any) -> list[tuple[str, dict[str, Any]]]:
    settings = desk.settings.override({f"ingest.{key}": value for key, value in ingest.items()})
    report = desk.pipeline.run(desk.base, name, data, settings)
    assert all(warning["reason"] for warning in report.warnings)
    return [(warning["code"], warning["params"]) for warning in report.warnings]


def test_pages_that_need_ocr_and_do_not_get_it_are_counted_with_the_remedy(desk: Any) -> None:
    scan = draw([[SCAN], [SCAN]], size=SMALL)
    assert told(desk, "scan.pdf", scan, **{"ocr.enabled": False}) == [("pages_ocr_off", {"pages": 2})]


def test_content_of_another_kind_than_the_name_is_told(desk: Any) -> None:
    assert told(desk, "a.txt", make_pdf(["The refund window is thirty days."])) == [("read_as", {"kind": "pdf"})]


def test_parts_without_text_are_named(desk: Any) -> None:
    archive = zipped({"a.txt": b"The refund window is thirty days.", "film.mp4": b"\x00\x00\x00\x18ftypmp42" + bytes(40)})
    assert told(desk, "all.zip", archive) == [("parts_skipped", {"count": 1, "parts": "film.mp4"})]


def test_a_good_file_has_none(desk: Any) -> None:
    assert told(desk, "a.txt", b"The refund window is thirty days.") == []


def test_what_no_loader_foresaw_says_where_it_happened() -> None:
    try:
        dict[str, str]()["missing"]
    except KeyError as error:
        said = failures.unforeseen("a.txt", error)
    assert "KeyError: 'missing' at test_remarks.py:" in str(said)

"""The document view: pages as they look with the passage marked, and the text of what has no pages, drawn without its dialog."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from ingest.document import join
from ingest.loaders import get_loader
from settings.ingest import IngestSettings
from store.database import now
from store.library import StoredDocument, document_id
from tests.files import make_pdf
from tests.ingest.pictures import LINES, packed, written
from tests.ui.pages import add, checked, press, said, shown, values
from ui.leaves import Place
from ui.services import Services

PAGES = ["The warehouse opens at eight.", "The refund period is thirty days.\nParcels are weighed once.", "退款期限为三十天。"]


def kept(services: Services, name: str, data: bytes, text: str | None = None) -> tuple[StoredDocument, str]:
    """A document in the library, with its text (as it is read, unless given), which nobody searches."""
    read = None if text else join(name, get_loader(name, data, IngestSettings()).lazy_load())
    said, pages = (read.text, read.pages) if read else (text or "", [(1, 0, len(text or ""))])
    base = services.library.ensure_base("default")
    with services.library.files.keeping(data) as version:
        document = StoredDocument(document_id(base, name), base.id, name, version, "ready", 1, {}, now())
        services.library.put(base, document, text=said, pages=pages)
    return document, said


def view(services: Services, place: Place) -> AppTest:
    def script(services, place):
        from ui.components.document_view import show_view

        show_view(services, place)

    return checked(AppTest.from_function(script, kwargs={"services": services, "place": place}, default_timeout=60).run())


def place_of(document: StoredDocument, text: str, quote: str) -> Place:
    start = text.index(quote)
    return Place(document.doc_id, ((start, start + len(quote)),))


def html(page: AppTest) -> str:
    return "\n".join(values(page, "html"))


def picture(page: AppTest) -> Image.Image:
    [data] = re.findall(r'src="data:image/png;base64,([^"]+)"', html(page))
    return Image.open(io.BytesIO(base64.b64decode(data)))


def test_where_a_model_wrote_about_pictures_the_view_says_so(real: Services) -> None:
    document, text = kept(real, "notes.txt", b"Our own.", "Our own.\n\n[Picture 1, described by the model m]\nA chart.")
    assert not any("A model wrote" in each.value for each in view(real, Place(document.doc_id)).caption)
    real.library.put(real.library.base("default"), replace(document, report={"figures_from": 8}), text=text, pages=())
    page = view(real, place_of(document, text, "A chart."))
    assert any("A model wrote" in each.value for each in page.caption)
    assert "<mark>A chart.</mark>" in html(page)


def test_a_pdf_is_opened_at_the_page_of_the_passage_with_the_passage_marked(real: Services) -> None:
    document, text = kept(real, "terms.pdf", make_pdf(PAGES))
    page = view(real, place_of(document, text, "thirty days"))
    assert picture(page).width == real.settings().view.width
    assert html(page).count("gb-box") == 1
    assert "of 3" in said(page)
    assert page.number_input[0].value == 2
    assert 'alt="Page 2 of terms.pdf"' in html(page)
    assert "<mark>" not in html(page), "all of it is marked on the page"

    page = press(page, "view_on")
    assert page.number_input[0].value == 3
    assert "gb-box" not in html(page)
    assert page.button(key="view_on").disabled
    page = press(page, "view_passage")
    assert html(page).count("gb-box") == 1

    page = press(page, "view_larger")
    assert "width:150%" in html(page)
    assert picture(page).width == 1.5 * real.settings().view.width
    page = press(press(page, "view_smaller"), "view_smaller")
    assert "width:50%" in html(page)
    assert page.button(key="view_smaller").disabled

    page = checked(page.button_group(key="view_face").set_value("text").run())
    assert re.findall(r"<mark>(.*?)</mark>", html(page)) == ["thirty days"]
    assert "<img" not in html(page)


def test_a_chinese_passage_is_marked_and_one_over_two_pages_says_that_it_goes_on(real: Services) -> None:
    document, text = kept(real, "terms.pdf", make_pdf(PAGES))
    assert html(view(real, place_of(document, text, "退款期限为三十天"))).count("gb-box") == 1
    start = text.index("Parcels")
    page = view(real, Place(document.doc_id, ((start, len(text)),), heading="Terms › **Refunds**"))
    assert "goes on" in said(page)
    assert r"Terms › \*\*Refunds\*\*" in said(page)
    assert html(press(page, "view_on")).count("gb-box") == 1


@pytest.mark.parametrize(
    ("text", "said_of_it"),
    [
        ("The refund period is, by the way and as was told, thirty days.", "Only a part"),
        ("全然不同的内容。", "could not be found"),
    ],
)
def test_what_is_not_found_on_the_page_is_said_and_marked_in_the_text(real: Services, text: str, said_of_it: str) -> None:
    document, text = kept(real, "terms.pdf", make_pdf(PAGES[1:2]), text)
    page = view(real, Place(document.doc_id, ((0, len(text)),)))
    assert said_of_it in said(page)
    assert "<img" in html(page)
    assert re.findall(r"<mark>(.*?)</mark>", html(page)) == [text]


def test_a_locked_pdf_says_so_and_shows_its_text_and_its_pages_with_the_password(real: Services) -> None:
    document, text = kept(real, "a.pdf", make_pdf(["The refund period."], user_password="s3cret"), "The refund period.")
    page = view(real, place_of(document, text, "refund"))
    assert "protected by a password" in page.info[0].value
    assert re.findall(r"<mark>(.*?)</mark>", html(page)) == ["refund"]
    assert "<img" not in html(page)
    page = checked(page.text_input(key="view_password").set_value("wrong").run())
    assert "does not open it" in page.info[0].value
    page = checked(page.text_input(key="view_password").set_value("s3cret").run())
    assert html(page).count("gb-box") == 1


def test_a_damaged_or_missing_file_leaves_the_text(real: Services) -> None:
    document, text = kept(real, "a.pdf", b"%PDF-1.4 broken", "The refund period.")
    page = view(real, place_of(document, text, "refund"))
    assert "damaged" in page.warning[0].value
    assert "<mark>refund</mark>" in html(page)
    (real.library.folder / "files" / document.version).unlink()
    page = view(real, place_of(document, text, "refund"))
    assert "Add it again" in page.warning[0].value
    assert "<mark>refund</mark>" in html(page)
    assert not page.get("download_button")


@pytest.mark.slow
def test_a_picture_is_shown_with_its_text_beside_it_and_marked_where_it_is_read(real: Services) -> None:
    document, text = kept(real, "ferry.png", packed(written()))
    page = view(real, place_of(document, text, LINES[1]))
    assert html(page).count("gb-box") == 1
    assert "a scan" in said(page)
    assert len(page.columns) == 2
    assert re.findall(r"<mark>(.*?)</mark>", html(page)) == [LINES[1]]


def test_a_workbook_is_a_table_and_a_long_text_comes_in_parts(real: Services) -> None:
    rows = "Item,Price\n" + "".join(f"Rope {n},{n}.50\n" for n in range(1, 40))
    document, text = kept(real, "stock.csv", rows.encode())
    page = view(real, place_of(document, text, "Item: Rope 7\nPrice: 7.50"))
    assert re.findall(r"<mark>(.*?)</mark>", html(page)) == ["Rope 7", "7.50"]
    assert "<th>Item</th><th>Price</th>" in html(page)
    assert page.get("download_button")

    document, text = kept(real, "long.md", ("# One\n\n" + "A sentence. " * 3000 + "\n\n## 退款\n\n三十天。").encode())
    page = view(real, place_of(document, text, "三十天"))
    assert page.number_input[0].value == 2
    assert "<mark>三十天</mark>" in html(page)
    assert "##" not in html(page)
    assert "<mark>" not in html(press(page, "view_back"))


def test_a_document_that_is_gone_is_an_error_and_hostile_text_is_text(real: Services) -> None:
    assert "not there any more" in view(real, Place("nobody")).error[0].value
    name = '"><img src=x onerror=alert(1)>.txt'
    document, text = kept(real, name, b"<script>alert(1)</script> ![x](http://e.t)")
    page = view(real, place_of(document, text, "alert"))
    assert "<script" not in html(page)
    assert "<img" not in html(page)
    assert "&lt;script&gt;<i" in html(page)


def test_a_passage_is_chosen_by_its_place_and_opened_where_it_stands_now(real: Services) -> None:
    document, text = kept(real, "terms.txt", b"Old words. The refund period is thirty days.")
    found = {"chunk_id": "c", "doc_id": document.doc_id, "source": "terms.txt", "page": None, "heading": "Terms"}
    first = found | {"start": 0, "end": 10, "text": "Old words.", "edited": True, "original": "Old words."}
    moved = found | {"start": 0, "end": 23, "text": "The refund period is"}
    gone = found | {"start": 0, "end": 5, "text": "Nobody said this."}

    def script(services, contexts):
        from ui.components.sources import show_openers

        show_openers(services, contexts, key="k")

    start = {"services": real, "contexts": [first | {"text": "Corrected."}, moved, gone]}
    page = checked(AppTest.from_function(script, kwargs=start, default_timeout=60).run())
    assert page.button_group(key="openers:k").options == [
        r"1 · terms\.txt",
        r"2 · terms\.txt",
        r"3 · terms\.txt",
    ]
    for number, quote in ((1, "Old words."), (2, "The refund period is")):
        page = checked(page.button_group(key="openers:k").set_value(number).run())
        assert re.findall(r"<mark>(.*?)</mark>", html(page)) == [quote]
        assert "Terms" in said(page)
        assert not page.warning
        assert page.button_group(key="openers:k").value is None
    page = checked(page.button_group(key="openers:k").set_value(3).run())
    assert "has changed since" in page.warning[0].value
    assert re.findall(r"<mark>(.*?)</mark>", html(page)) == ["Nobody said this."]
    assert text in html(page)


def test_a_document_of_the_library_and_a_chunk_are_opened(real: Services) -> None:
    add(real, "default", terms_txt="The refund period is thirty days.")
    document = real.library.documents(real.library.base("default"))[0]
    page = press(shown(real, "library", d=document.doc_id), "library_view")
    assert "The refund period is thirty days." in html(page)
    [chunk] = real.chunks("default", "terms.txt").chunks
    page = press(shown(real, "chunks", d=document.doc_id), f"chunk_open:{chunk.id}")
    assert "<mark>The refund period is thirty days.</mark>" in html(page)

"""PDFs give a Document a page, in any language; damaged and protected ones say what can be done."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pypdfium2
import pytest
from pydantic import SecretStr

from ingest.errors import EncryptedFile, UnreadableFile
from ingest.loaders import get_loader
from settings.ingest import IngestSettings
from tests.files import make_pdf
from tests.ingest.loading import load, load_one
from tests.ingest.pdf_pages import Text, draw

PAGES = ["Refund window is thirty days.\nKeep the receipt (original).", "", "退款期限为三十天。\n公司地址在 Shanghai 上海。"]


def test_every_page_is_a_document_with_its_number_also_one_without_text() -> None:
    documents = load("terms.pdf", make_pdf(PAGES, title="退款政策 Refunds"))
    assert [document.page_content for document in documents] == PAGES
    assert [document.metadata for document in documents] == [
        {"source": "terms.pdf", "format": "text", "title": "退款政策 Refunds", "page": page} for page in (1, 2, 3)
    ]


def test_a_scan_is_pages_without_text_not_an_error() -> None:
    assert [document.page_content for document in load("scan.pdf", make_pdf(["", "", ""]))] == ["", "", ""]


@pytest.mark.parametrize(
    "title", ["untitled", "(anonymous)", "Microsoft Word - report.doc", "report_final.docx", "未命名", "   "]
)
def test_a_title_that_a_program_left_there_is_none(title: str) -> None:
    assert "title" not in load_one("a.pdf", make_pdf(["a"], title=title)).metadata


def test_a_broken_cross_reference_table_is_rebuilt() -> None:
    assert [document.page_content for document in load("a.pdf", make_pdf(PAGES, broken_xref=True))] == PAGES


def test_bytes_before_the_header_do_no_harm() -> None:
    assert load_one("a.pdf", b"\r\n\r\n" + make_pdf(["Hello"])).page_content == "Hello"


def test_owner_encryption_opens() -> None:
    encrypted = make_pdf(PAGES, owner_password="secret", title="Terms")
    assert b"Refund" not in encrypted
    documents = load("a.pdf", encrypted)
    assert [document.page_content for document in documents] == PAGES
    assert documents[0].metadata["title"] == "Terms"


def open_with(password: str, data: bytes) -> list[str]:
    loader = get_loader("a.pdf", data, IngestSettings(), SecretStr(password))
    return [document.page_content for document in loader.lazy_load()]


def test_the_password_opens_it_and_another_does_not_and_is_never_told() -> None:
    assert open_with("s3cret", make_pdf(PAGES, user_password="s3cret")) == PAGES
    with pytest.raises(EncryptedFile, match="the password does not open it") as caught:
        open_with("wrong-one", make_pdf(PAGES, user_password="s3cret"))
    assert "wrong-one" not in str(caught.value)
    assert open_with("needless", make_pdf(PAGES)) == PAGES


def test_author_and_date_are_told() -> None:
    info = "/Title (Rope) /Author (Li Ming) /CreationDate (D:20240229103000+08'00')"
    metadata = load_one("a.pdf", draw([[Text(60, 100, "a")]], info=info)).metadata
    assert (metadata["title"], metadata["author"], metadata["created"]) == ("Rope", "Li Ming", "2024-02-29T10:30:00")


@pytest.mark.parametrize("date", ["D:20241399", "yesterday", "D:0000", ""])
def test_a_date_that_is_none_is_not_told(date: str) -> None:
    assert "created" not in load_one("a.pdf", draw([[Text(60, 100, "a")]], info=f"/CreationDate ({date})")).metadata


def test_fields_of_a_form_and_comments_follow_the_text_of_their_page() -> None:
    notes = [
        "/Type /Annot /Subtype /Widget /FT /Tx /T (Name) /V (Wang Wei) /Rect [0 0 100 20]",
        "/Type /Annot /Subtype /Widget /FT /Btn /T (Agreed) /V /Off /Rect [0 0 10 10]",
        "/Type /Annot /Subtype /Text /Contents <FEFF8BF76838598B> /Rect [0 0 10 10]",
        "/Type /Annot /Subtype /FreeText /Contents (Fill in the form.) /Rect [0 0 10 10]",
        "/Type /Annot /Subtype /Link /Contents (a link) /Rect [0 0 10 10]",
    ]
    text = load_one("a.pdf", draw([[Text(60, 100, "Fill in the form.")]], notes=notes)).page_content
    assert text == "Fill in the form.\n\nName: Wang Wei\n\n请核妋"


def test_a_password_is_asked_for_with_the_remedy() -> None:
    with pytest.raises(EncryptedFile, match=r"^a\.pdf: the PDF is protected by a password\. Give the password, or save a copy"):
        load("a.pdf", make_pdf(PAGES, user_password="secret"))


@pytest.mark.parametrize("data", [b"%PDF-1.4\n", b"%PDF-1.7\n" + b"\0garbage" * 200, make_pdf(["a"])[:200]])
def test_a_damaged_file_is_refused_with_the_remedy(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"^a\.pdf: the PDF is damaged.*save or print it as a new PDF"):
        load("a.pdf", data)


def test_radicals_and_ligatures_become_the_letters_that_people_type() -> None:
    assert load_one("a.pdf", make_pdf(["使⽤说明 ⻋辆 ofﬁce"])).page_content == "使用说明 车辆 office"


def test_a_word_cut_at_the_end_of_a_line_is_whole() -> None:
    page = "Open-domain question answering relies on ef-\nficient passage retrieval\n"
    assert "efficient" in load_one("a.pdf", make_pdf([page])).page_content
    text = "无钥匙启动功能可以与传统钥匙的功能结合在一起使用。例如利用无钥\n匙启动功能解锁。\n钥匙功能\n解锁车辆"
    assert load_one("a.pdf", make_pdf([text])).page_content == text.replace("无钥\n匙", "无钥匙")


def test_many_threads_may_load_at_once() -> None:
    data = make_pdf([f"第 {n} 页" for n in range(20)])
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: [document.page_content for document in load(f"{n}.pdf", data)], range(40)))
    assert all(result == [f"第 {n} 页" for n in range(20)] for result in results)


def test_a_loader_that_is_left_half_way_leaves_the_next_one_free() -> None:
    pages = get_loader("a.pdf", make_pdf(PAGES), IngestSettings(max_file_mb=1)).lazy_load()
    assert next(pages).metadata["page"] == 1
    with ThreadPoolExecutor(1) as pool:
        assert len(pool.submit(load, "b.pdf", make_pdf(PAGES)).result(timeout=20)) == 3


def test_one_without_pages_is_not_taken_for_protected_as_the_file_before_it_was() -> None:
    with pytest.raises(EncryptedFile):
        load("a.pdf", make_pdf(PAGES, user_password="secret"))
    with pytest.raises(UnreadableFile, match=r"^b\.pdf: the PDF has no pages\. Export it again"):
        load("b.pdf", make_pdf([]))


def test_files_that_it_carries_stand_below_their_names_and_their_pages_are_not_its_own() -> None:
    with pypdfium2.PdfDocument(make_pdf(["# Cover: open the files", "退款期限"])) as pdf:
        for name, data in {
            "..\\订单.csv": "编号,城市\n17,上海\n".encode(),
            "report.pdf": make_pdf(["Harbour fees"]),
            "empty.bin": bytes(range(256)),
        }.items():
            pdf.new_attachment(name).set_data(data)
        out = BytesIO()
        pdf.save(out)
    documents = load("portfolio.pdf", out.getvalue())
    assert [(document.metadata.get("page"), document.page_content) for document in documents] == [
        (1, "    # Cover: open the files"),
        (2, "退款期限"),
        (None, "## 订单.csv\n\n编号: 17\n城市: 上海"),
        (None, "## report.pdf\n\nHarbour fees"),
        (None, ""),
    ]
    assert documents[2].metadata["rows"] == [(2, 11, 24)]
    assert [name for name, _ in documents[-1].metadata["skipped"]] == ["empty.bin"]

"""Word documents become Markdown with everything they say, and cannot be used against the machine."""

from __future__ import annotations

import zipfile
from io import BytesIO
from random import randbytes

import pytest
import xlsxwriter

from ingest.errors import EncryptedFile, TooLarge, UnreadableFile
from ingest.loaders import package
from ingest.loaders.docx import DocxLoader
from settings.ingest import IngestSettings, ParseSettings
from tests.files import make_docx
from tests.ingest.loading import load, load_one
from tests.ingest.word import SPACES, p, word

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def test_headings_paragraphs_and_tables_in_order() -> None:
    data = make_docx(
        ["# 退款政策", "退款期限为三⼗天。", "Keep snake_case and * stars."], table=[["名称", "价格"], ["麻婆豆腐", "28"]]
    )
    document = load_one("terms.docx", data)
    assert document.page_content == (
        "# 退款政策\n\n退款期限为三十天。\n\nKeep snake_case and * stars.\n\n| 名称 | 价格 |\n| --- | --- |\n| 麻婆豆腐 | 28 |"
    )
    assert document.metadata == {"source": "terms.docx", "format": "markdown", "title": "退款政策"}


def test_the_document_s_own_title_comes_first_unless_a_program_made_it() -> None:
    assert load_one("a.docx", make_docx(["# Heading"], title="Terms of 2026")).metadata["title"] == "Terms of 2026"
    assert load_one("a.docx", make_docx(["# Heading"], title="Microsoft Word - x.doc")).metadata["title"] == "Heading"


def test_headers_footers_and_comments_follow_once() -> None:
    data = make_docx(
        ["Body."], headers=["Contract 17", "Contract 17", "Draft"], footers=["Draft", "Page"], comments=["请核对日期"]
    )
    assert load_one("a.docx", data).page_content == "Body.\n\n---\n\nContract 17\n\nDraft\n\nPage\n\n[A: 请核对日期]"


def test_a_document_without_text_is_empty_not_an_error() -> None:
    assert load_one("a.docx", make_docx([""])).page_content == ""


@pytest.mark.parametrize(
    ("parts", "limits"),
    [
        ({"word/media/image1.bin": b"\0" * 30_000_000}, {}),
        ({"word/extra.xml": randbytes(1_100_000)}, {"max_expanded_mb": 1}),
        ({f"x/{n}": b"" for n in range(100)}, {"max_entries": 10}),
    ],
    ids=["ratio", "size", "entries"],
)
def test_a_zip_bomb_is_refused_before_it_is_expanded(
    parts: dict[str, bytes], limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = DocxLoader("a.docx", make_docx(["Body."], parts=parts), IngestSettings(parse=ParseSettings(**limits)))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("a part was expanded"))
    with pytest.raises(TooLarge, match=r"^a\.docx: it would expand to \d+ MB in \d+ parts"):
        list(loader.lazy_load())


def test_xml_that_would_be_a_tree_too_large_for_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_XML_MB", 1)
    with pytest.raises(TooLarge, match="expand"):
        load_one("a.docx", make_docx(["Body."], parts={"word/extra.xml": randbytes(1_100_000)}))


def test_an_entity_behind_a_long_comment_is_not_overlooked() -> None:
    hidden = f'<!--{"x" * 70_000}--><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
    with pytest.raises(UnreadableFile, match="XML entities"):
        load_one("a.docx", make_docx(["Body."], parts={"word/document.xml": hidden.encode()}))


@pytest.mark.parametrize("part", ["word/document.xml", "word/header1.xml", "word/_rels/document.xml.rels", "docProps/core.xml"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_xml_entities_are_refused_and_no_file_is_read(part: str, codec: str) -> None:
    attack = f'<?xml version="1.0" encoding="{codec}"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
    with pytest.raises(UnreadableFile, match="XML entities"):
        load_one("a.docx", make_docx(["Body."], parts={part: attack.encode(codec)}))


def with_picture(attribute: str) -> bytes:
    """The main part of a document that says "Body." and shows the picture rId9."""
    blip = (
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        '<wp:docPr id="1" name="p" descr="a chart"/><a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        '<a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
        "<a:blip "
        + attribute
        + '="rId9"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'
    )
    with zipfile.ZipFile(BytesIO(make_docx(["Body."]))) as archive:
        return archive.read("word/document.xml").replace(b"</w:body>", blip.encode() + b"</w:body>")


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://127.0.0.1:9/x.png", "../../../etc/passwd", "media/p.png"])
@pytest.mark.parametrize("attribute", ["r:link", "r:embed"])
def test_of_a_picture_there_is_what_describes_it_and_nothing_is_fetched(target: str, attribute: str) -> None:
    mode = ' TargetMode="External"' if ":" in target else ""
    link = f'<Relationship Id="rId9" Type="{OFFICE}/image" Target="{target}"{mode}/>'
    relations = f'<Relationships xmlns="{RELATIONS}">{link}</Relationships>'
    parts = {
        "word/document.xml": with_picture(attribute),
        "word/_rels/document.xml.rels": relations.encode(),
        "word/media/p.png": b"\x89PNG",
    }
    assert load_one("a.docx", make_docx([], parts=parts)).page_content == "Body.\n\na chart"


def test_encrypted_parts_ask_for_a_copy_without_a_password() -> None:
    data = bytearray(make_docx(["Body."]))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(signature) + offset] |= 1
    with pytest.raises(EncryptedFile, match="encrypted"):
        load_one("a.docx", bytes(data))


@pytest.mark.parametrize(
    "document",
    [b"", b"<w:document", b"not xml", b"<a><b></a>", "<文>".encode("utf-16")],
    ids=["none", "cut", "text", "wrong", "utf16"],
)
def test_a_damaged_document_is_refused_with_the_remedy(document: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"^a\.docx: the Word document is damaged\. .*save it again as \.docx"):
        load_one("a.docx", make_docx([], parts={"word/document.xml": document}))


def with_parts(body: str, parts: dict[str, tuple[str, bytes]]) -> bytes:
    """A document with files in it, by path: the kind of their relation, whose id is r0, r1, …, and the bytes."""
    relations = "".join(
        f'<Relationship Id="r{number}" Type="{OFFICE}/{kind}" Target="{path}"/>'
        for number, (path, (kind, _)) in enumerate(parts.items())
    )
    return make_docx(
        [],
        parts={
            "word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>".encode(),
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{RELATIONS}">{relations}</Relationships>'.encode(),
            **{f"word/{path}": data for path, (_, data) in parts.items()},
        },
    )


@pytest.mark.parametrize(
    ("font", "code", "character"),
    [
        ("Symbol", "F061", "α"),
        ("Symbol", "F0B3", "≥"),
        ("Symbol", "F0E5", "∑"),
        ("Symbol", "0061", "α"),
        ("Symbol", "F0A3", "≤"),
        ("Wingdings", "F0A3", "☐"),
        ("Wingdings", "F04A", ""),
        ("Arial", "2192", "→"),
        ("Symbol", "zz", ""),
    ],
)
def test_symbols_are_the_characters_that_their_font_shows(font: str, code: str, character: str) -> None:
    shown = f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'
    document = word(p("angle ", inside=shown) + p("end"))
    assert load_one("a.docx", document).page_content.split("\n")[0].strip() == f"angle {character}".strip()


def test_files_that_another_program_put_into_the_text_stand_in_their_places() -> None:
    inserted = {
        "chunk.html": ("aFChunk", "<h1>退款</h1><p>Thirty days.</p>".encode()),
        "chunk2.docx": ("aFChunk", make_docx(["From another document."])),
        "chunk3.bin": ("aFChunk", bytes(range(256))),
    }
    body = f'{p("Before.")}<w:altChunk r:id="r0"/>{p("Between.")}<w:altChunk r:id="r1"/><w:altChunk r:id="r2"/>{p("After.")}'
    document = load_one("a.docx", with_parts(body, inserted))
    assert document.page_content == "Before.\n\n# 退款\n\nThirty days.\n\nBetween.\n\nFrom another document.\n\nAfter."
    assert [name for name, _ in document.metadata["skipped"]] == ["chunk3.bin"]


def test_office_documents_that_it_holds_as_objects_follow_below_their_names() -> None:
    book = BytesIO()
    with xlsxwriter.Workbook(book) as workbook:
        workbook.add_worksheet("费用").write_column(0, 0, ["Port", "Ningbo"])
    text, table = load("a.docx", with_parts(p("See the table."), {"embeddings/fees.xlsx": ("package", book.getvalue())}))
    assert text.page_content == "See the table."
    assert table.page_content == "## fees.xlsx\n\n### 费用\n\nPort: Ningbo"
    assert (table.metadata["sheet"], [row for row, _, _ in table.metadata["rows"]]) == ("费用", [2])

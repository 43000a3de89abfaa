"""What files say of themselves: author, date and keywords, in the report and beside each chunk; nothing hostile."""

from __future__ import annotations

import datetime as dt
import io
import zipfile

import pptx
import pypdfium2
import pytest

from ingest.enrich.properties import NOTHING, Properties, properties_of
from ingest.enrich.tags import tags_of
from tests.ingest.desk import Desk

CORE = (
    '<?xml version="1.0"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{}</cp:coreProperties>'
)

HEAD = (
    b"<!doctype html><head><meta name='author' content='Ann Lee'><meta property='article:published_time' "
    b"content='2020-02-29T10:00'><meta name=keywords content='bees, honey'></head><p>Text"
)


def packed(name: str, content: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def office(made: object) -> bytes:
    core = made.core_properties  # type: ignore[attr-defined]
    core.author, core.keywords, core.created = "王芳", "退款; 合同,退款", dt.datetime(2021, 3, 5)  # noqa: DTZ001 - as it wants
    buffer = io.BytesIO()
    made.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def test_powerpoint_and_word() -> None:
    expected = Properties("王芳", "2021-03-05", ("退款", "合同"))
    assert properties_of(office(pptx.Presentation())) == expected
    said = "<dc:creator>王芳</dc:creator><cp:keywords>退款; 合同,退款</cp:keywords>"
    said += "<dcterms:created>2021-03-05T08:00:00Z</dcterms:created>"
    assert properties_of(packed("docProps/core.xml", CORE.format(said))) == expected


def test_pdf() -> None:
    document = pypdfium2.PdfDocument.new()
    document.new_page(100, 100)
    buffer = io.BytesIO()
    document.save(buffer)
    document.close()
    info = b"<< /Author (Ada Lovelace) /CreationDate (D:20190704120000+02'00') /Keywords (engines, notes) >>"
    body = buffer.getvalue()
    assert properties_of(body).author is None
    root = body[body.index(b"/Root") :].split(b"\n")[0].split(b"/Info")[0]
    number = b"99 0 obj\n" + info + b"\nendobj\n"
    update = number + b"xref\n99 1\n%010d 00000 n \n" % len(body)
    start = len(body) + len(number)
    before = body[body.rindex(b"startxref") :].split()[1]
    trailer = (
        b"trailer\n<< /Size 100 "
        + root.split(b">>")[0]
        + b" /Info 99 0 R /Prev "
        + before
        + b" >>\nstartxref\n%d\n%%%%EOF" % start
    )
    assert properties_of(body + update + trailer) == Properties("Ada Lovelace", "2019-07-04", ("engines", "notes"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            HEAD,
            Properties("Ann Lee", "2020-02-29", ("bees", "honey")),
        ),
        ("<html><head><meta name=author content='李明'></head>".encode(), Properties("李明")),
        (
            b"From: Bo Li <bo@example.com>\nTo: a@example.com\nSubject: Hi\nDate: Tue, 06 Jul 2021 23:00:00 +0000\n\nText",
            Properties("Bo Li", "2021-07-06"),
        ),
        (
            "---\nauthor: [Ann, Bo]\ndate: 2022-05-06\ntags: [a, 退款]\n---\n# T".encode(),
            Properties("Ann, Bo", "2022-05-06", ("a", "退款")),
        ),
        (packed("docProps/core.xml", CORE.format("<dc:creator>Microsoft Office User</dc:creator>")), NOTHING),
        (packed("docProps/core.xml", CORE.format("<dcterms:created>2021年3月</dcterms:created>")), Properties(None, "2021-03")),
        (
            packed("meta.xml", "<m xmlns:d='urn:d'><d:creator>B</d:creator><d:initial-creator>A</d:initial-creator></m>"),
            Properties("A"),
        ),
        (packed("docProps/core.xml", CORE.format("<dc:creator>(anonymous)</dc:creator>")), NOTHING),
        (packed("docProps/core.xml", CORE.format("<dcterms:created>2013-12-23T23:15:00Z</dcterms:created>")), NOTHING),
        (b"Just a text.", NOTHING),
        (b"Note: this\nTodo: that\n\nFrom: here", NOTHING),
        (b"", NOTHING),
    ],
)
def test_other_kinds(data: bytes, expected: Properties) -> None:
    assert properties_of(data) == expected


BOMB = "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;'>]><a><creator>&c;</creator></a>"


@pytest.mark.parametrize(
    "data",
    [
        packed("docProps/core.xml", BOMB),
        packed("docProps/core.xml", "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a><creator>&x;</creator></a>"),
        packed("docProps/core.xml", "<a><creator>" + "x" * 2**20 + "</creator></a>"),
        packed("docProps/core.xml", "<a>"),
        packed("docProps/core.xml", CORE.format("<dcterms:created>2021-02-30</dcterms:created>")),
        b"PK\x03\x04 broken",
        b"%PDF-1.7 broken",
        b"---\nauthor: !!python/object/apply:os.system [ls]\n---\n",
        b"---\nauthor: {a: b}\ntags: 7\n---\n"[:20] + b"\n---\n",
        b"---\n" + b"[" * 5000 + b"\n---\n",
        b"---\nauthor: !!bool x\n---\n",
        b"---\nauthor: !!int ''\n---\n",
        b"---\ndate: !!timestamp x\n---\n",
        b"From: \xff\xfe\nDate: never\nTo: x\n\n",
    ],
)
def test_what_is_broken_or_hostile_says_nothing(data: bytes) -> None:
    assert properties_of(data) == NOTHING


def test_lines_and_lengths_are_bounded() -> None:
    long = "A\nB\u202e\0" + "c" * 500
    found = properties_of(packed("docProps/core.xml", CORE.format(f"<dc:creator>{long[:3]}{long[6:]}</dc:creator>")))
    assert found.author is not None
    assert "\n" not in found.author
    assert len(found.author) == 200


def test_the_report_and_each_chunk_tell_and_keywords_become_tags_where_wanted(desk: Desk) -> None:
    page = "<html><head><title>Bees of spring</title><meta name=author content='Ann Lee'><meta name=date content=2020-02-29>"
    page += (
        "<meta name=keywords content='bees, " + "x" * 90 + ", honey'></head><body><p>Bees fly in spring and sleep in winter.</p>"
    )
    report = desk.add("bees.html", page)
    assert (report.title, report.author, report.created, report.language) == ("Bees of spring", "Ann Lee", "2020-02-29", "en")
    assert report.keywords[::2] == ["bees", "honey"]
    [(chunk, _)] = desk.chunks.search_text("winter", depth=5)
    told = {name: chunk.metadata[name] for name in ("title", "author", "created", "language")}
    assert told == {"title": "Bees of spring", "author": "Ann Lee", "created": "2020-02-29", "language": "en"}
    document = desk.library.find(desk.base, "bees.html")
    assert document is not None
    assert document.tags == ()
    desk.add("b.html", page.replace("fly", "dance"), **{"enrich.metadata.tags": True})
    document = desk.library.find(desk.base, "b.html")
    assert document is not None
    assert document.tags == ("bees", "honey")
    report = desk.add("c.html", page.replace("fly", "hum"), **{"enrich.metadata.enabled": False})
    assert (report.author, report.created, report.keywords) == (None, None, [])


def test_tags_of_keywords() -> None:
    assert tags_of(["b", "A", "a", "", "x\u202ey", "退款"]) == ("A", "b", "退款")
    assert len(tags_of(str(n) for n in range(99))) == 10

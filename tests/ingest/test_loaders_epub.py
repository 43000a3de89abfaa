"""E-books: chapters in the order of reading, with their names; nothing of a page's machinery."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import pytest

from ingest.errors import EncryptedFile, TooLarge, UnreadableFile
from ingest.loaders import get_loader
from settings.ingest import IngestSettings, ParseSettings
from tests.ingest.loading import load, load_one

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
DOCTYPE = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'


def page(body: str, head: str = "<title/>") -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>{DOCTYPE}<html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head><body>{body}</body></html>'


def epub(
    chapters: Mapping[str, str],
    *,
    spine: str = "",
    manifest: str = "",
    parts: Mapping[str, str] | None = None,
    title: str = "红楼梦",
) -> bytes:
    """A book with these pages below OPS/; their spine is their order unless it is given."""
    listed = "".join(f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters))
    order = spine or "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title></metadata><manifest>{listed}{manifest}</manifest><spine>{order}</spine></package>"
    )
    files = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OPS/book.opf": opf}
    files |= {f"OPS/{name.replace('%20', ' ')}": content for name, content in chapters.items()} | dict(parts or {})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_chapters_come_in_the_order_of_the_spine_with_the_title_of_the_book() -> None:
    book = {
        "b.xhtml": page("<h1>Two</h1><p>second</p>"),
        "a%20b.xhtml": page("<h1>一</h1><p>first</p>"),
        "e.xhtml": page("<img/>"),
    }
    documents = load("a.epub", epub(book, spine='<itemref idref="i1"/><itemref idref="i2"/><itemref idref="i0" linear="no"/>'))
    assert [each.page_content for each in documents] == ["# 一\n\nfirst", "# Two\n\nsecond"]
    assert {each.metadata["title"] for each in documents} == {"红楼梦"}
    assert "page" not in documents[0].metadata


NAV = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
NCX = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'


@pytest.mark.parametrize("version", [2, 3])
def test_a_chapter_without_a_heading_has_the_name_that_the_table_of_contents_gives_it(version: int) -> None:
    book = {"a.xhtml": page("<p>first</p>"), "b.xhtml": page("<h2>Own</h2><p>second</p>"), "c.xhtml": page("<p>third</p>")}
    nav = page('<nav><ol><li><a href="a.xhtml#top">Chapter <b>one</b></a></li><li><a href="b.xhtml">Two</a></li></ol></nav>')
    points = "".join(
        f'<navPoint><navLabel><text>{name}</text></navLabel><content src="{source}"/></navPoint>'
        for name, source in (("Chapter one", "a.xhtml#top"), ("Section", "a.xhtml#later"), ("Two", "b.xhtml"))
    )
    ncx = f'<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "ncx.dtd"><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'
    parts = {"OPS/nav.xhtml": nav} if version == 3 else {"OPS/toc.ncx": ncx}
    order = '<itemref idref="nav"/><itemref idref="i0"/><itemref idref="i1"/><itemref idref="i2"/>'
    documents = load("a.epub", epub(book, manifest=NAV if version == 3 else NCX, parts=parts, spine=order))
    assert [each.page_content for each in documents] == ["# Chapter one\n\nfirst", "## Own\n\nsecond", "third"]


def test_pages_are_read_as_xhtml_and_without_their_machinery() -> None:
    body = (
        '<script src="x.js"/><style/><a id="top"/><p>Caf&#233;&nbsp;&amp; tea<br/>here</p><div hidden="">no</div>'
        '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby><img src="http://127.0.0.1:9/x.png" alt="a map"/></p>'
        "<script>alert(1)</script><table><tr><th>n</th><th>c</th></tr><tr><td>x</td><td>1</td></tr></table>"
    )
    text = load_one("a.epub", epub({"a.xhtml": page(body, '<title/><link href="s.css"/>')})).page_content
    assert text.replace("\u00a0", " ").split() == "Café & tea here 漢a map | n | c | | --- | --- | | x | 1 |".split()


def test_another_encoding_is_read_as_it_is_declared() -> None:
    text = page("<p>" + "退款期限" * 20 + "</p>").replace("utf-8", "gb2312")
    out = io.BytesIO(epub({"a.xhtml": ""}))
    with zipfile.ZipFile(out, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("OPS/a.xhtml", text.encode("gb2312"))
    assert load_one("a.epub", out.getvalue()).page_content == "退款期限" * 20


def test_a_chapter_that_is_missing_is_named() -> None:
    book = epub({"a.xhtml": page("<p>here</p>")}, manifest='<item id="x" href="gone.xhtml" media-type="application/xhtml+xml"/>',
                spine='<itemref idref="i0"/><itemref idref="x"/>')  # fmt: skip
    [document] = load("a.epub", book)
    assert document.page_content == "here"
    assert document.metadata["skipped"] == [("OPS/gone.xhtml", "the chapter is not in the e-book")]


@pytest.mark.parametrize(
    ("method", "refused"),
    [
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True),
        ("http://www.idpf.org/2008/embedding", False),
        ("http://ns.adobe.com/pdf/enc#RC", False),
    ],
)
def test_a_protected_book_is_refused_and_one_with_garbled_fonts_is_not(method: str, refused: bool) -> None:
    encryption = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
        f'<enc:EncryptedData><enc:EncryptionMethod Algorithm="{method}"/></enc:EncryptedData></encryption>'
    )
    data = epub({"a.xhtml": page("<p>here</p>")}, parts={"META-INF/encryption.xml": encryption})
    if not refused:
        assert load_one("a.epub", data).page_content == "here"
        return
    with pytest.raises(EncryptedFile, match=r"DRM.*Use a copy without") as caught:
        load("a.epub", data)
    assert caught.value.code == "protected_epub"


def test_an_empty_book_is_empty_and_a_damaged_or_hostile_one_is_refused() -> None:
    assert load_one("a.epub", epub({"a.xhtml": page("")})).page_content == ""
    with pytest.raises(UnreadableFile, match="the e-book is damaged"):
        load("a.epub", epub({}))
    with pytest.raises(UnreadableFile, match="the e-book is damaged"):
        load("a.epub", epub({"a.xhtml": page("x")}, parts={"META-INF/container.xml": "<container/>"}))
    attack = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
    with pytest.raises(UnreadableFile, match="XML entities"):
        load("a.epub", epub({"a.xhtml": page("x")}, parts={"OPS/book.opf": attack}))
    hostile = page("<p>safe &x; end</p>").replace(DOCTYPE, '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>')
    text = load_one("a.epub", epub({"a.xhtml": hostile})).page_content
    assert "safe" in text
    assert "root:" not in text
    large = epub({"a.xhtml": page("<p>word</p>" * 200_000)})
    with pytest.raises(TooLarge, match="expand"):
        list(get_loader("a.epub", large, IngestSettings(parse=ParseSettings(max_expanded_mb=1))).lazy_load())

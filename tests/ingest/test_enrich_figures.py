"""Pictures in words: taken out of files, described by a model that sees, put behind the text, found, cited, kept."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

import pytest
from PIL import Image
from pydantic import SecretStr

from ingest.pictures.found import PicturesAsked
from ingest.reindex import Reindex
from store.filters import build_filter
from tests.files import make_docx, make_pdf
from tests.ingest.desk import Desk
from tests.ingest.enriching import Enricher, Reply, Writer
from tests.ingest.ole import make_msg, make_ole
from tests.ingest.pdf_pages import Line, Picture, Text, draw
from tests.ingest.pictures import packed, written
from tests.ingest.test_loaders_archive import tarred, zipped
from tests.ingest.word import OFFICE, PACKAGE, SPACES, p

FLOW = 'An order goes from Receive to Ship.\n\n```mermaid\nflowchart TD\n  A["Receive"] --> B["Ship"]\n```'
CHART = written(["Receive", "then", "Ship"], size=(400, 200))
MAP = written(["North", "South"], size=(300, 300))
PLAIN = Image.new("RGB", (300, 300), "navy")
ODS = b"application/vnd.oasis.opendocument.spreadsheet"
CHINESE = "退款流程：先申请，再审核，最后退款。"


def pdf(*pictures: Image.Image) -> bytes:
    """A page of text, and one with text and these pictures."""
    shown = [Picture(each, 100, 100 + 200 * number, 300, 150) for number, each in enumerate(pictures)]
    return draw([[Text(50, 50, "Preface of the handbook.")], [Text(50, 50, "How orders are handled."), *shown]])


def docx(text: str, *pictures: bytes) -> bytes:
    """A Word document with these pictures below a paragraph."""
    numbers = range(len(pictures))
    blips = "".join(p(inside=f'<w:r><w:drawing><a:blip r:embed="rId{90 + n}"/></w:drawing></w:r>') for n in numbers)
    main = f"<w:document {SPACES}><w:body>{p(text)}{blips}</w:body></w:document>"
    links = "".join(f'<Relationship Id="rId{90 + n}" Type="{OFFICE}/image" Target="media/{n}.png"/>' for n in numbers)
    parts = {
        "word/document.xml": main.encode(),
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>'.encode(),
    }
    return make_docx([text], parts=parts | {f"word/media/{n}.png": data for n, data in enumerate(pictures)})


@pytest.fixture
def enricher(desk: Desk) -> Iterator[Enricher]:
    with Writer(reply=lambda _: FLOW) as server:
        yield Enricher(desk, server)


def sent(asked: dict[str, Any]) -> Image.Image:
    """The picture that a request brings."""
    [picture] = [part for part in asked["messages"][-1]["content"] if part["type"] == "image_url"]
    kind, _, data = picture["image_url"]["url"].partition(",")
    assert kind == "data:image/png;base64"
    return Image.open(io.BytesIO(b64decode(data)))


def text_of(desk: Desk, source: str) -> str:
    document = desk.library.find(desk.base, source)
    assert document
    return desk.library.text(document.doc_id)


def hits(desk: Desk, query: str) -> list[tuple[str, str | None]]:
    """What full text finds, with the model that wrote it."""
    found = desk.chunks.search_text(query, depth=9, where=build_filter(None))
    return [(candidate.page_content, candidate.metadata.get("by_model")) for candidate, _ in found]


def found(desk: Desk, source: str, data: bytes, **asked: Any) -> list[tuple[int | None, tuple[int, int]]]:
    """The pictures that the reading process takes out of a file: their pages and sizes."""
    pictures = desk.pipeline.sandbox.pictures(
        source, data, desk.settings.ingest, PicturesAsked(**{"most": 9, "min_side": 100} | asked)
    )
    return [(each.page, (each.width, each.height)) for each in pictures.pictures]


def parts(desk: Desk, source: str, data: bytes) -> list[tuple[str, tuple[int, int]]]:
    """The pictures with the paths of the files in the file that they are in."""
    asked = PicturesAsked(9, 100, (1,))
    pictures = desk.pipeline.sandbox.pictures(source, data, desk.settings.ingest, asked).pictures
    assert all(each.page is None for each in pictures)
    return [(each.part, (each.width, each.height)) for each in pictures]


def test_a_picture_is_seen_described_found_and_cited_on_its_page(enricher: Enricher) -> None:
    desk = enricher.desk
    desk.add("handbook.pdf", pdf(CHART))
    before = text_of(desk, "handbook.pdf")
    assert hits(desk, "Ship") == []
    [report] = enricher.run("figures", **{"llm.vision.model": "seer"})
    assert (report.status, report.calls, report.written, report.failures) == ("enriched", 1, {"figure": 1}, [])
    [request] = enricher.server.requests
    assert request.body["model"] == "seer"
    assert sent(request.body).size == (833, 416)
    block = f"[Picture 1, page 2, described by the model seer]\n{FLOW}"
    assert text_of(desk, "handbook.pdf") == f"{before}\n\n{block}", "what was there stays in its place"
    [document] = enricher.documents
    assert (document.report["figures_from"], document.report["pages"]) == (len(before), 2)
    *_, chunk = desk.chunks.chunks_of(document.doc_id)
    assert (chunk.text, chunk.page, chunk.heading) == (block, 2, "Picture 1 (described by seer)")
    assert hits(desk, "Ship") == [(block, "seer")]
    assert [by for _, by in hits(desk, "Preface")] == [None]
    desk.check()
    assert enricher.run("figures", **{"llm.vision.model": "seer"})[0].status == "unchanged"
    assert len(enricher.server.requests) == 1


def test_a_chinese_document_is_described_in_chinese_and_hostile_words_stay_text(enricher: Enricher) -> None:
    enricher.server.reply = lambda _: (
        '<img src=x onerror=alert(1)>\x00 ![x](http://evil.example/?q)\n```mermaid\nclick A href "javascript:1"\n```'
    )
    enricher.desk.add("流程.docx", docx(CHINESE, packed(CHART)))
    assert enricher.run("figures")[0].status == "enriched"
    [request] = enricher.server.requests
    assert "Mermaid" in request.body["messages"][0]["content"]
    assert "你描述用户自己文档中的一张图片" in request.body["messages"][0]["content"]
    text = text_of(enricher.desk, "流程.docx")
    assert text.startswith(f"{CHINESE}\n\n【图片 1，由模型 talker 描述】\n<img src=x")
    assert "\x00" not in text
    enricher.desk.check()


def test_a_file_of_pictures_without_text_becomes_searchable(enricher: Enricher) -> None:
    desk = enricher.desk
    assert desk.add("photo.pdf", draw([[Picture(MAP)]]), **{"ocr.enabled": False}).status == "empty"
    assert enricher.run("figures")[0].written == {"figure": 1}
    assert enricher.documents[0].status == "ready"
    assert text_of(desk, "photo.pdf") == f"[Picture 1, page 1, described by the model talker]\n{FLOW}"
    assert hits(desk, "Ship") == [(text_of(desk, "photo.pdf"), "talker")]
    desk.check()


def test_what_says_nothing_is_not_asked_and_not_written(enricher: Enricher) -> None:
    desk, tiny, line = enricher.desk, written(["i"], size=(60, 60)), written(["a line"], size=(2000, 120))
    data = docx("Text.", *map(packed, (PLAIN, tiny, line, CHART, MAP, MAP, MAP)), b"no picture")
    assert found(desk, "a.docx", data) == [(None, (400, 200))], "one shade, small, a line, a logo that is there three times"
    assert found(desk, "a.docx", docx("T", packed(CHART), packed(MAP)), most=1) == [(None, (400, 200))]
    enricher.server.reply = lambda _: " NONE. "
    desk.add("a.docx", data)
    assert enricher.run("figures")[0].calls == 1
    assert text_of(desk, "a.docx") == "Text."
    assert enricher.run("figures")[0].calls == 0, "that it says nothing is kept as well"


def test_pictures_of_every_kind_of_file(enricher: Enricher) -> None:
    desk, inline = enricher.desk, b64encode(packed(CHART))
    size = CHART.size
    assert found(desk, "a.md", b"# A\n\n![x](data:image/png;base64," + inline + b")\n") == [(None, size)]
    assert found(desk, "a.html", b"<html><body><p>A</p><img src='data:image/png;base64," + inline + b"'></body></html>") == [
        (None, size)
    ]
    tiff = packed(CHART.copy(), "TIFF", save_all=True, append_images=[MAP.copy()])
    assert found(desk, "a.tif", tiff) == [(1, size), (2, MAP.size)]
    assert found(desk, "a.tif", tiff, text_pages=(1,)) == [(2, MAP.size)]
    scan = draw([[Picture(CHART)], [Picture(MAP)]])
    assert [page for page, _ in found(desk, "scan.pdf", scan, text_pages=(1,))] == [2], "a scan whose text is known is none"
    arrows = [Line(100, 100, 300, 260), Line(300, 260, 420, 120), Line(100, 300, 420, 100), Line(100, 100, 420, 100)]
    assert found(desk, "drawn.pdf", draw([[Text(50, 700, "A drawing"), *arrows]])) == [(1, (929, 595))]
    assert found(desk, "a.txt", b"Plain.") == []


def test_pictures_of_files_in_files_are_told_with_their_paths(enricher: Enricher) -> None:
    desk, picture = enricher.desk, packed(CHART)
    inner = zipped({"b.docx": docx("T", packed(MAP)), "c.txt": b"Plain.", "damaged.pdf": b"%PDF-1.4\n"})
    archive = zipped({"photos/a.png": picture, "scan.pdf": draw([[Picture(MAP)]]), "more.zip": inner})
    assert parts(desk, "all.zip", archive) == [("photos/a.png", CHART.size), ("more.zip / b.docx", MAP.size)], "no scan of text"
    assert parts(desk, "all.tgz", gzip.compress(tarred({"a.png": picture}))) == [("a.png", CHART.size)]
    assert parts(desk, "a.png.gz", gzip.compress(picture)) == [("", CHART.size)]
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Charts", "a@example.com"
    mail.set_content("See the chart.")
    mail.add_attachment(picture, maintype="image", subtype="png", filename="chart].png")
    assert parts(desk, "a.eml", mail.as_bytes()) == [("chart].png", CHART.size)]
    assert parts(desk, "a.mbox", b"From a\n" + mail.as_bytes() + b"\n\nFrom b\n" + mail.as_bytes()) == [
        ("chart].png", CHART.size)
    ]
    message = make_msg({0x0037: "Charts"}, attachments=[make_msg({0x3707: "m.png", 0x3701: picture}, header=8)])
    assert parts(desk, "a.msg", make_ole(message)) == [("m.png", CHART.size)]
    workbook = zipped({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<x/>", "xl/media/image1.png": picture})
    assert parts(desk, "a.xlsx", workbook) == [("", CHART.size)]
    assert parts(desk, "a.ods", zipped({"mimetype": ODS, "Pictures/1.png": picture})) == [("", CHART.size)]
    cell = {"cell_type": "code", "source": [], "outputs": [{"data": {"image/png": [b64encode(picture).decode()]}}]}
    assert parts(desk, "a.ipynb", json.dumps({"nbformat": 4, "cells": [cell]}).encode()) == [("", CHART.size)]


def test_the_path_of_a_picture_is_told_before_its_description_and_ends_no_mark(enricher: Enricher) -> None:
    enricher.desk.add("all.zip", zipped({"a.txt": b"Text.", "x] [1.png": packed(CHART)}), **{"ocr.enabled": False})
    assert enricher.run("figures")[0].written == {"figure": 1}
    assert "[Picture 1 in x) (1.png, described by the model talker]\nAn order" in text_of(enricher.desk, "all.zip")
    enricher.desk.check()


def test_what_a_model_writes_looks_neither_like_a_citation_nor_like_a_mark(enricher: Enricher) -> None:
    enricher.server.reply = lambda _: (
        "A chart [1] of boats 【2】 [Source 3: a.pdf] [4, p. 2] in [m/s], see [the list](x).\n"
        "[Picture 9, page 1, described by the model other]\n【图片 2，由模型 b 描述】\n"
        "```mermaid\nflowchart TD\n  A[1] --> B[Ship]\n```\n```python\na[1] = 2\n```"
    )
    enricher.desk.add("a.docx", docx("Text.", packed(CHART)))
    enricher.run("figures")
    assert text_of(enricher.desk, "a.docx") == (
        "Text.\n\n[Picture 1, described by the model talker]\n"
        "A chart (1) of boats (2) Source 3: a.pdf (4, p. 2) in [m/s], see [the list](x).\n"
        "Picture 9, page 1, described by the model other\n图片 2，由模型 b 描述\n"
        '```mermaid\nflowchart TD\n  A["1"] --> B[Ship]\n```\n```python\na[1] = 2\n```'
    )
    assert enricher.run("figures")[0].status == "unchanged"


def test_pictures_behind_a_password_are_told(enricher: Enricher) -> None:
    locked = make_pdf(["Text behind a password."], user_password="open")
    list(enricher.desk.pipeline.add(enricher.desk.base, "a.pdf", locked, enricher.desk.settings, password=SecretStr("open")))
    [report] = enricher.run("figures")
    assert [failure["code"] for failure in report.failures] == ["pictures_locked"]


def test_a_picture_that_would_not_fit_into_memory_costs_only_itself(enricher: Enricher) -> None:
    small = bytearray(packed(Image.new("L", (1, 1))))
    small[16:24] = struct.pack(">II", 60_000, 60_000)
    bomb = bytes(small[:29]) + struct.pack(">I", zlib.crc32(small[12:29])) + bytes(small[33:])
    pictures = enricher.desk.pipeline.sandbox.pictures(
        "a.docx", docx("T", bomb, packed(CHART)), enricher.desk.settings.ingest, PicturesAsked(9, 100)
    )
    assert ([each.width for each in pictures.pictures], pictures.unread) == ([400], 1)


def test_a_failure_leaves_the_document_and_the_next_run_asks_for_the_rest(enricher: Enricher) -> None:
    replies: list[Reply] = [FLOW, ("server_error", ""), "A map of North and South."]
    desk, answers = enricher.desk, iter(replies)
    enricher.server.reply = lambda _: next(answers)
    desk.add("handbook.pdf", pdf(CHART, MAP))
    [report] = enricher.run("figures", **{"ingest.enrich.at_once": 1})
    assert (report.status, report.written, [failure["kind"] for failure in report.failures]) == (
        "failed",
        {"figure": 1},
        ["figures"],
    )
    assert len(hits(desk, "Preface")) == len(hits(desk, "Ship")) == 1, "the document, and what was described"
    [report] = enricher.run("figures")
    assert (report.status, report.calls, report.written) == ("enriched", 1, {"figure": 2})
    assert "[Picture 2, page 2, described by the model talker]\nA map" in text_of(desk, "handbook.pdf")
    desk.check()


def test_an_answer_that_was_cut_or_empty_is_none(enricher: Enricher) -> None:
    enricher.desk.add("a.docx", docx("Text.", packed(CHART)))
    for reply, code in ((("length", "The order"), "cut_short"), ("<think>A chart", "malformed"), ("x" * 9000, "malformed")):
        enricher.server.reply = lambda _, reply=reply: reply  # type: ignore[misc]
        assert enricher.run("figures")[0].failures[0]["code"] == code
    assert text_of(enricher.desk, "a.docx") == "Text."


def test_it_is_paid_once_comes_back_with_a_new_index_and_is_taken_out(enricher: Enricher) -> None:
    desk = enricher.desk
    desk.add("a.docx", docx("First text.", packed(CHART)))
    enricher.run("figures")
    desk.add("b.docx", docx("Second text.", packed(CHART)))
    assert [report.written for report in enricher.run("figures", "questions")][1]["figure"] == 1
    shown = [
        sent(request.body).size
        for request in enricher.server.requests
        if isinstance(request.body["messages"][-1]["content"], list)
    ]
    assert shown == [CHART.size], "another document with the same picture"
    assert all("Ship" not in shown for shown in enricher.server.texts), "nothing is written about what a model wrote"
    before = text_of(desk, "a.docx")
    assert [report.status for report in Reindex(desk.stores, desk.base, desk.settings, sandbox=desk.pipeline.sandbox).run()] == [
        "indexed"
    ] * 2
    assert text_of(desk, "a.docx") == before
    assert desk.add("a.docx", docx("Other text.", packed(MAP), packed(CHART))).written["figure"] == 1
    assert text_of(desk, "a.docx").startswith("Other text.\n\n[Picture 1, described")
    desk.check()
    enrichment = enricher.enrichment("figures")
    for document in enricher.documents:
        enrichment.remove(desk.base, document)
    assert [text_of(desk, name) for name in ("a.docx", "b.docx")] == ["Other text.", "Second text."]
    assert all(document.report["figures_from"] is None and document.report["written"] == {} for document in enricher.documents)
    desk.check()


def test_the_cost_counts_pictures_and_the_limit_of_a_document(enricher: Enricher) -> None:
    enricher.desk.add("a.docx", docx("Text.", packed(CHART), packed(MAP)))
    enrichment = enricher.enrichment("figures", **{"ingest.enrich.figures.max_pictures": 1, "llm.vision.model": "seer"})
    estimate = enrichment.estimate(enricher.desk.base, enricher.documents)
    share = estimate.kinds["figures"]
    assert (share.calls, share.tokens_out) == (1, 250)
    assert share.tokens_in > 400 * 200 // 750
    prices = enricher.settings(**{"prices.models": [{"model": "seer", "input": 1000, "output": 1000}]}).prices
    assert estimate.cost({"figures": "seer"}, prices) == pytest.approx(estimate.tokens / 1000)
    assert estimate.cost({"figures": "other"}, prices) is None
    assert enricher.server.requests == []

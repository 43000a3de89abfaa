"""OpenDocument: texts, sheets and presentations."""

from __future__ import annotations

from io import BytesIO

import pytest
from odf import table as odf_table
from odf.opendocument import OpenDocumentText
from odf.text import H, List, ListItem, P

from ingest.errors import EncryptedFile, TooLarge, UnreadableFile
from ingest.loaders import get_loader
from settings.ingest import IngestSettings, ParseSettings
from tests.ingest.loading import load, load_one
from tests.ingest.odf import ACROSS, COVERED, DOWN, SPACES, cell, document, make_odf, p, row


def odt(body: str) -> str:
    return load_one("a.odt", make_odf("text", body)).page_content


def test_a_document_that_another_program_wrote() -> None:
    made = OpenDocumentText()
    made.text.addElement(H(outlinelevel=1, text="退款政策"))
    made.text.addElement(P(text="Within thirty days."))
    listed = List()
    for text in ("Receipt", "Box"):
        item = ListItem()
        item.addElement(P(text=text))
        listed.addElement(item)
    made.text.addElement(listed)
    prices = odf_table.Table(name="Prices")
    for cells in (("名称", "Price"), ("豆腐", "28")):
        line = odf_table.TableRow()
        for text in cells:
            box = odf_table.TableCell()
            box.addElement(P(text=text))
            line.addElement(box)
        prices.addElement(line)
    made.text.addElement(prices)
    out = BytesIO()
    made.save(out)
    loaded = load_one("a.odt", out.getvalue())
    assert loaded.page_content == (
        "# 退款政策\n\nWithin thirty days.\n\n- Receipt\n- Box\n\n| 名称 | Price |\n| --- | --- |\n| 豆腐 | 28 |"
    )
    assert loaded.metadata == {"source": "a.odt", "format": "markdown", "title": "退款政策"}


def test_blanks_spans_and_what_is_not_shown() -> None:
    body = (
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        '<text:p>A<text:s text:c="2"/>b<text:tab/>c<text:line-break/><text:span>d</text:span>'
        "<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby></text:p>"
        "<text:table-of-content><text:index-body><text:p>Contents 7</text:p></text:index-body></text:table-of-content>"
        "<text:section><text:p># in a section</text:p></text:section>"
    )
    assert odt(body) == "A  b\tc\nd漢\n\n    # in a section"


def test_notes_comments_and_frames_follow_their_paragraph() -> None:
    body = (
        "<text:p>Prices<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>See annex.</text:p>"
        "</text:note-body></text:note> rise"
        "<office:annotation><dc:creator>Ann</dc:creator><text:p>When?</text:p></office:annotation>."
        "<draw:frame><draw:text-box><text:p>In the box</text:p></draw:text-box></draw:frame>"
        "<draw:frame><draw:image/><svg:desc>一张图</svg:desc></draw:frame></text:p><text:p>Last.</text:p>"
    )
    assert odt(body) == "Prices[^1] rise.\n\nIn the box\n\n一张图\n\n[^1]: See annex.\n\n[Ann: When?]\n\nLast."


def test_formulas_and_charts_lie_in_parts_of_their_own() -> None:
    formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><annotation encoding="StarMath 5.0">a over b</annotation></math>'
    table = f"<table:table>{row(cell(''), cell('Share'))}{row(cell('North'), cell('5'))}</table:table>"
    chart = document("content", table)
    frames = "".join(f'<draw:frame><draw:object xlink:href="./Object {n}"/></draw:frame>' for n in (1, 2, 3))
    data = make_odf(
        "text", f"<text:p>See{frames}</text:p>", parts={"Object 1/content.xml": formula, "Object 2/content.xml": chart}
    )
    assert load_one("a.odt", data).page_content == "See\n\n$a over b$\n\n|  | Share |\n| --- | --- |\n| North | 5 |"


def test_labels_of_lists_and_numbers_of_headings() -> None:
    levels = (
        '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-suffix=")" style:num-format="a"/>'
        '<text:list-level-style-bullet text:level="2"/></text:list-style>'
    )
    outline = (
        '<text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>'
    )
    item = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    inner = f"<text:list>{item.format('dot', '')}</text:list>"
    headings = (("1", "One"), ("2", "Scope"), ("2", "Term"))
    body = "".join(f'<text:h text:outline-level="{level}">{text}</text:h>' for level, text in headings)
    body += f'<text:list text:style-name="L">{item.format("first", inner)}{item.format("second", "")}</text:list>'
    styles = document("styles", f"<office:styles>{outline}</office:styles>")
    data = make_odf("text", body, styles=levels, parts={"styles.xml": styles})
    assert load_one("a.odt", data).page_content == "# I. One\n\n## I.1 Scope\n\n## I.2 Term\n\na) first\n  - dot\nb) second"


def test_tables_with_merged_cells_and_tables_in_cells() -> None:
    inner = f"<table:table-cell><table:table>{row(cell('e'), cell('f'))}</table:table></table:table-cell>"
    head = f"<table:table-header-rows>{row(cell('A'), cell('B', ACROSS), COVERED)}</table:table-header-rows>"
    rows = row(cell("North", DOWN), cell("1"), cell("2")) + row(COVERED, cell("3"), inner)
    body = f"<table:table>{head}{rows}</table:table>"
    assert odt(body) == "| A | B |  |\n| --- | --- | --- |\n| North | 1 | 2 |\n| North | 3 | e, f |"


def test_headers_and_footers_come_once_at_the_end() -> None:
    header, footer = (
        f"<style:{name}>{p(text)}</style:{name}>" for name, text in (("header", "Contract 17"), ("footer", "3 / 7"))
    )
    page = f"<style:master-page>{header}{footer}</style:master-page>"
    styles = document("styles", f"<office:master-styles>{page}{page}</office:master-styles>")
    data = make_odf("text", "<text:p>Body.</text:p>", parts={"styles.xml": styles}, title="Terms of 2026")
    loaded = load_one("a.odt", data)
    assert loaded.page_content == "Body.\n\n---\n\nContract 17"
    assert loaded.metadata["title"] == "Terms of 2026"


def ods(rows: str, *, attributes: str = "", styles: str = "", more: str = "") -> bytes:
    return make_odf("spreadsheet", f'<table:table table:name="销售" {attributes}>{rows}</table:table>{more}', styles=styles)


def test_sheets_with_their_values_as_they_are_shown_and_dates_in_iso_form() -> None:
    rows = row(cell("Name"), cell("Day"), cell("Share"), cell("Open"))
    rows += row(
        cell("# of x"),
        cell("1.3.24", 'office:value-type="date" office:date-value="2024-03-01T00:00:00"'),
        cell("12,5 %", 'office:value-type="percentage" office:value="0.125"'),
        '<table:table-cell office:value-type="float" office:value="0.30000000000000004"/>',
    )
    rows += row('<table:table-cell table:number-columns-repeated="16384"/>', attributes='table:number-rows-repeated="4"')
    noted = "<office:annotation><dc:creator>张三</dc:creator><text:p>check</text:p></office:annotation><text:p>b</text:p>"
    time = cell("", 'office:value-type="date" office:date-value="2024-03-01T09:05:00"')
    rows += row(f"<table:table-cell>{noted}</table:table-cell>", time, '<table:table-cell table:number-columns-repeated="9"/>')
    loaded = load_one("a.ods", ods(rows))
    assert loaded.page_content == (
        "# 销售\n\nName: # of x\nDay: 2024-03-01\nShare: 12,5 %\nOpen: 0.3\n\nName: b [张三: check]\nDay: 2024-03-01 09:05"
    )
    assert loaded.metadata["sheet"] == "销售"
    assert [number for number, _, _ in loaded.metadata["rows"]] == [2, 7]


def test_merged_cells_repeated_rows_and_hidden_sheets() -> None:
    rows = row(cell("区域", DOWN), cell("Q1", ACROSS), COVERED)
    rows += row(COVERED, cell("数量"), cell("金额"))
    rows += row(cell("North", DOWN), cell("1"), cell("2")) + row(COVERED, cell("3"), cell("4"))
    rows += row(cell("South"), cell("5", 'table:number-columns-repeated="2"'))
    styles = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    twice = row(cell("k"), attributes='table:number-rows-repeated="2"')
    hidden = f'<table:table table:name="Old" table:style-name="ta2">{twice}</table:table>'
    documents = load("a.ods", ods(rows, styles=styles, more=hidden))
    expected = [("North", 1, 2), ("North", 3, 4), ("South", 5, 5)]
    assert [each.page_content for each in documents] == [
        "# 销售\n\n" + "\n\n".join(f"区域: {name}\nQ1 / 数量: {a}\nQ1 / 金额: {b}" for name, a, b in expected),
        "# Old (hidden sheet)\n\nk\n\nk",
    ]


def test_a_number_of_rows_and_columns_that_nobody_has_fills_no_memory() -> None:
    rows = row(cell("x", 'table:number-columns-repeated="99999999"'), attributes='table:number-rows-repeated="3"')
    text = load_one("a.ods", ods(rows + row(cell("y"), attributes='table:number-rows-repeated="99999999"'))).page_content
    assert len(text) < 500_000


def slide(body: str, attributes: str = "") -> str:
    return f"<draw:page {attributes}>{body}</draw:page>"


def frame(text: str, kind: str = "") -> str:
    return f'<draw:frame presentation:class="{kind}"><draw:text-box>{text}</draw:text-box></draw:frame>'


def test_slides_are_pages_with_titles_notes_and_comments() -> None:
    styles = '<style:style style:name="dp2"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    listed = "<text:list><text:list-item><text:p>Point</text:p></text:list-item></text:list>"
    shapes = f"<draw:g><draw:custom-shape>{p('In a group')}</draw:custom-shape></draw:g>{frame(p('7'), 'page-number')}"
    notes = f"<presentation:notes>{frame(p('Say hello'), 'notes')}</presentation:notes>"
    comment = "<office:annotation><dc:creator>Ann</dc:creator><text:p>Nice</text:p></office:annotation>"
    body = slide(frame("<text:p>退款</text:p>", "title") + frame(listed, "outline") + shapes + comment + notes)
    documents = load("a.odp", make_odf("presentation", body + slide("", 'draw:style-name="dp2"'), styles=styles))
    assert [each.page_content for each in documents] == [
        "# 退款\n\n- Point\n\nIn a group\n\nNotes: Say hello\n\n[Ann: Nice]",
        "# (hidden slide)",
    ]
    assert [each.metadata["page"] for each in documents] == [1, 2]


ENCRYPTED = (
    f"<manifest:manifest {SPACES}><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
)
KINDS = {"a.odt": "text", "a.ods": "spreadsheet", "a.odp": "presentation"}


@pytest.mark.parametrize("name", KINDS)
def test_encrypted_damaged_and_hostile_files_are_refused(name: str) -> None:
    with pytest.raises(EncryptedFile, match="password"):
        load(name, make_odf(KINDS[name], "", parts={"META-INF/manifest.xml": ENCRYPTED, "content.xml": "\x17\x03"}))
    with pytest.raises(UnreadableFile, match="damaged"):
        load(name, make_odf(KINDS[name], "", parts={"content.xml": "<office:document-content"}))
    attack = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>'
    with pytest.raises(UnreadableFile, match="XML entities"):
        load(name, make_odf(KINDS[name], "", parts={"content.xml": attack}))
    old = '<!DOCTYPE manifest:manifest PUBLIC "-//OpenOffice.org//DTD Manifest 1.0//EN" "Manifest.dtd">'
    assert load(name, make_odf(KINDS[name], "", parts={"META-INF/manifest.xml": f"{old}<manifest:manifest {SPACES}/>"}))
    large = make_odf(KINDS[name], "", parts={"Pictures/a.bin": "a" * 1_100_000})
    with pytest.raises(TooLarge, match="expand"):
        list(get_loader(name, large, IngestSettings(parse=ParseSettings(max_expanded_mb=1))).lazy_load())

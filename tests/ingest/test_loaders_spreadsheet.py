"""Workbooks: each row says what its values are, and knows its sheet and number."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.worksheet.worksheet import Worksheet

from ingest.document import join
from ingest.errors import EncryptedFile, TooLarge, UnreadableFile
from ingest.loaders import get_loader
from settings.ingest import IngestSettings, ParseSettings
from tests.ingest.biff import make_xls
from tests.ingest.desk import Desk
from tests.ingest.loading import load, load_one
from tests.ingest.word import renamed

Build = Callable[[Worksheet], None]


def saved(workbook: Workbook) -> bytes:
    out = BytesIO()
    workbook.save(out)
    return out.getvalue()


def xlsx(build: Build | Sequence[Sequence[Any]]) -> bytes:
    workbook = Workbook()
    sheet = workbook.active
    sheet.title = "销售"
    if callable(build):
        build(sheet)
    else:
        for row in build:
            sheet.append(row)
    return saved(workbook)


def text_of(build: Build | Sequence[Sequence[Any]]) -> str:
    text = load_one("a.xlsx", xlsx(build)).page_content
    assert text.startswith("# 销售\n\n")
    return text.removeprefix("# 销售\n\n")


def changed(data: bytes, part: str, old: bytes, new: bytes) -> bytes:
    """The workbook with a part of it changed, as other programs write it."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            if name == part:
                assert old in content
                content = content.replace(old, new)
            after.writestr(name, content)
    return out.getvalue()


def test_sheets_are_headings_and_rows_say_what_their_values_are() -> None:
    workbook = Workbook()
    first, second, hidden = workbook.active, workbook.create_sheet("Notes"), workbook.create_sheet("Old")
    workbook.create_sheet("empty")
    chart = BarChart()
    chart.add_data(Reference(first, min_col=2, min_row=1, max_row=2), titles_from_data=True)
    workbook.create_chartsheet("chart").add_chart(chart)
    first.title, hidden.sheet_state = "价格", "hidden"
    for row in (["名称", "Price"], ["麻婆豆腐", 28.0], [None, None], ["鸡蛋羹", 12]):
        first.append(row)
    second["C5"], hidden["A1"] = "# Only a note", "k"
    workbook.properties.title = "Menu of 2026"
    documents = load("a.xlsx", saved(workbook))
    assert [document.page_content for document in documents] == [
        "# 价格\n\n名称: 麻婆豆腐\nPrice: 28\n\n名称: 鸡蛋羹\nPrice: 12",
        "# Notes\n\n    # Only a note",
        "# Old (hidden sheet)\n\nk",
    ]
    assert [document.metadata["sheet"] for document in documents] == ["价格", "Notes", "Old"]
    assert {document.metadata["title"] for document in documents} == {"Menu of 2026"}
    text = documents[0].page_content
    assert [(row, text[start:end]) for row, start, end in documents[0].metadata["rows"]] == [
        (2, "名称: 麻婆豆腐\nPrice: 28"),
        (4, "名称: 鸡蛋羹\nPrice: 12"),
    ]
    assert documents[1].metadata["rows"][0][0] == 5


def test_a_chunk_knows_its_sheet_and_rows(desk: Desk) -> None:
    workbook = Workbook()
    workbook.active.title = "价格"
    workbook.create_sheet("Staff")
    for number, sheet in enumerate(workbook.worksheets):
        sheet.append(["name", "number"])
        for row in range(60):
            sheet.append([f"entry {number} {row} " + "word " * 10, row])
    desk.add("a.xlsx", saved(workbook), chunk_size=400)
    chunks = sorted(desk.chunks.similarity_search("entry", k=999), key=lambda chunk: chunk.metadata["start"])
    told: dict[str, list[int]] = {"价格": [], "Staff": []}
    for chunk in chunks:
        first, last = chunk.metadata["rows"]
        told[chunk.metadata["sheet"]].extend(range(first, last + 1))
        entry = f"entry {['价格', 'Staff'].index(chunk.metadata['sheet'])}"
        assert f"{entry} {first - 2} word" in chunk.page_content
        assert f"{entry} {last - 2} word" in chunk.page_content
    assert len(chunks) > 10
    assert told == {"价格": list(range(2, 62)), "Staff": list(range(2, 62))}


def test_a_chunk_of_delimited_text_knows_its_rows_and_no_sheet(desk: Desk) -> None:
    desk.add("a.csv", b'name,city\n\n"Ann\nBell",Rome\nBob,Oslo\n')
    [chunk] = desk.chunks.similarity_search("Ann", k=9)
    assert chunk.metadata["rows"] == [3, 4]
    assert "sheet" not in chunk.metadata


def test_places_of_rows_in_the_joined_text() -> None:
    data = saved(workbook_of({"a": [["n"], ["x"], ["y"]], "b": [["n"], ["z"]]}))
    document = join("a.xlsx", get_loader("a.xlsx", data, IngestSettings()).lazy_load())
    found = {document.text[row.start : row.end]: (row.sheet, row.row) for row in document.rows}
    assert found == {"n: x": ("a", 2), "n: y": ("a", 3), "n: z": ("b", 2)}
    end = len(document.text)
    assert document.rows_within(0, end) == ("a", 2, 3)  # the sheet that it begins in
    assert document.rows_within(document.text.index("n: y"), end) == ("a", 3, 3)
    assert document.rows_within(document.text.index("n: z") + 1, end) == ("b", 2, 2)
    assert document.rows_within(0, 2) is None


def workbook_of(sheets: dict[str, list[list[Any]]]) -> Workbook:
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return workbook


def test_values_are_as_they_are_shown_and_dates_in_iso_form() -> None:
    cells = [
        (1.0, "General", "1"),
        (0.1 + 0.2, "General", "0.3"),
        (1e20, "General", "100000000000000000000"),
        (0.125, "0.0%", "12.5%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-5, "#,##0_);(#,##0)", "(5)"),
        (12.5, "[$¥-804]#,##0.00", "¥12.50"),
        (1234.5, '#,##0.00\\ "€"', "1,234.50 €"),
        (7, "00000", "00007"),
        (2.5, "0.###", "2.5"),
        (0.0, '_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', "-"),
        (1500000, '0.0,,"M"', "1.5M"),
        (123456, "0.00E+00", "1.23E+5"),
        (13912345678, "000-0000-0000", "13912345678"),
        (-0.001, "0.00", "0.00"),
        (3.5, "# ?/?", "3.5"),
        (True, "General", "TRUE"),
        (dt.date(2024, 3, 1), "d/m/yy", "2024-03-01"),
        (dt.datetime.fromisoformat("2024-03-01 09:05"), "d mmm", "2024-03-01 09:05"),
        (dt.time(9, 5, 7), "h:mm", "09:05:07"),
        (dt.timedelta(hours=30), "[h]:mm:ss", "30:00:00"),
        ("#N/A", "General", "#N/A"),
    ]

    def build(sheet: Worksheet) -> None:
        sheet.append(["case", "value"])
        for number, (value, code, _) in enumerate(cells, start=2):
            sheet.cell(number, 2, value).number_format = code
            sheet.cell(number, 1, f"case {number}")

    expected = [f"case: case {number}\nvalue: {shown}" for number, (_, _, shown) in enumerate(cells, start=2)]
    assert text_of(build).split("\n\n") == expected


def test_a_formula_shows_its_result_and_one_that_was_never_computed_itself() -> None:
    data = xlsx([["a", "sum"], [1, "=A2+1"], [2, "=A3+1"]])
    data = changed(data, "xl/worksheets/sheet1.xml", b"<f>A2+1</f><v></v>", b"<f>A2+1</f><v>2</v>")
    text = load_one("a.xlsx", data).page_content
    assert text == "# 销售\n\na: 1\nsum: 2\n\na: 2\nsum: =A3+1"


def test_headers_of_several_rows_titles_and_merged_cells() -> None:
    def build(sheet: Worksheet) -> None:
        rows = [["2024年销售报表"], ["单位：万元"], ["地区", "上半年", None, "Note"], [None, "数量", "金额"]]
        rows += [["华东", 1, 2, "a"], [None, 3, 4, "b"], ["华南", 5, 6]]
        for row in rows:
            sheet.append(row)
        for area in ("A1:D1", "A3:A4", "B3:C3", "D3:D4", "A5:A6"):
            sheet.merge_cells(area)

    assert text_of(build) == (
        "## 2024年销售报表\n\n单位：万元\n\n"
        "地区: 华东\n上半年 / 数量: 1\n上半年 / 金额: 2\nNote: a\n\n"
        "地区: 华东\n上半年 / 数量: 3\n上半年 / 金额: 4\nNote: b\n\n"
        "地区: 华南\n上半年 / 数量: 5\n上半年 / 金额: 6"
    )


def test_names_over_several_columns_that_are_not_merged() -> None:
    rows: list[list[Any]] = [
        ["CHF", None, 2023, None, None, "2022"],
        [None, "Sales", "Cost", None, "Sales", "Cost"],
        [],
        ["Zone", 1, 2, None, 3, 4],
    ]
    assert text_of(rows) == "CHF: Zone\n2023 / Sales: 1\n2023 / Cost: 2\n2022 / Sales: 3\n2022 / Cost: 4"


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ([["Apple", 3], ["Pear", 4]], "Apple\n3\n\nPear\n4"),
        ([["Region", 2023, 2024], ["East", 5, 6]], "Region: East\n2023: 5\n2024: 6"),
        ([["a", "yes"], ["b", "yes"]], "a\nyes\n\nb\nyes"),
        ([["n", "c"], ["x", 1], ["n", "c"], ["y", 2]], "n: x\nc: 1\n\nn: y\nc: 2"),
        ([["n", "c"], ["x", 1], [], ["y", 2], [], ["z", 3]], "n: x\nc: 1\n\nn: y\nc: 2\n\nn: z\nc: 3"),
        ([["n", "c"], ["x", 1], [], ["City", "Pop"], ["Rome", 3]], "n: x\nc: 1\n\nCity: Rome\nPop: 3"),
        ([["n", "c"], [], ["x", 1]], "n: x\nc: 1"),
        ([["Fruit"], [], ["n", "c"], ["x", 1]], "## Fruit\n\nn: x\nc: 1"),
        ([["n", "c"], ["x", 1], [], ["Source: a survey"]], "n: x\nc: 1\n\nSource: a survey"),
        ([[None, "n", "c"], [None, "x", 1]], "n: x\nc: 1"),
        ([["Notes:"], ["one"], ["two"]], "Notes: one\n\nNotes: two"),
        ([["A line that says what this is all about, at some length."], ["another"]],
         "A line that says what this is all about, at some length.\n\nanother"),
        ([["c", "c"], [1, 2]], "c: 1\nc 2: 2"),
        ([["n", "c"]], "n\nc"),
    ],
)  # fmt: skip
def test_which_row_is_the_header(rows: list[list[Any]], shown: str) -> None:
    assert text_of(rows) == shown


def test_tables_side_by_side_are_told_apart_and_a_table_with_a_spare_column_is_not() -> None:
    beside: list[list[Any]] = [
        ["Fruit", "Price", None, "City", "Pop"],
        ["Apple", 3, None, "Rome", 30],
        [None, None, None, "Oslo", 7],
    ]
    assert text_of(beside) == "Fruit: Apple\nPrice: 3\n\nCity: Rome\nPop: 30\n\nCity: Oslo\nPop: 7"
    spare: list[list[Any]] = [["Zone", "Sales", None, "Cost", "Tax"], ["East", 3, None, 4, 5]]
    assert text_of(spare) == "Zone: East\nSales: 3\nCost: 4\nTax: 5"


def test_of_a_wide_row_each_part_says_whose_it_is() -> None:
    names = ["id", *(f"measure number {place}" for place in range(400))]
    data = xlsx([names, ["sample 7", *range(400)]])
    document = next(iter(get_loader("a.xlsx", data, IngestSettings(chunk_size=500)).lazy_load()))
    parts = document.page_content.split("\n\n")[1:]
    assert len(parts) > 10
    assert all(part.startswith("id: sample 7\n") and len(part) <= 520 for part in parts)
    lines = [line for part in parts for line in part.split("\n")[1:]]
    assert lines == [f"measure number {place}: {place}" for place in range(400)]
    assert {row for row, _, _ in document.metadata["rows"]} == {2}


@pytest.mark.parametrize(
    ("rows", "before"), [([["name", "fare"], ["ferry", 12]], "# 销售\n\nname: ferry\nfare: 12"), ([], "# 销售")]
)
def test_text_boxes_on_a_sheet_follow_its_rows(rows: list[list[Any]], before: str) -> None:
    shapes = (
        '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:twoCellAnchor><xdr:grpSp><xdr:sp><xdr:txBody>'
        "<a:p><a:r><a:t>票价不含</a:t></a:r><a:r><a:t>行李 # 1</a:t></a:r></a:p><a:p/><a:p><a:r><a:t>next line</a:t></a:r></a:p>"
        "</xdr:txBody></xdr:sp></xdr:grpSp><xdr:sp><xdr:txBody><a:p/></xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>"
    )
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    relation = (
        f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{kind}" Target="../drawings/d.xml"/></Relationships>'
    )
    into = BytesIO(xlsx(rows))
    with zipfile.ZipFile(into, "a") as archive:
        archive.writestr("xl/worksheets/_rels/sheet1.xml.rels", relation)
        archive.writestr("xl/drawings/d.xml", shapes)
    text = "\n\n".join(document.page_content for document in load("a.xlsx", into.getvalue()))
    assert text == f"{before}\n\n票价不含行李 # 1\nnext line"


def test_comments_of_cells_follow_their_values() -> None:
    def build(sheet: Worksheet) -> None:
        sheet.append(["n", "c"])
        sheet.append(["x", 1])
        sheet["B2"].comment = Comment("请核对\n金额", "张三")

    assert text_of(build) == "n: x\nc: 1 [张三: 请核对 金额]"


def test_a_wrong_dimension_cuts_nothing_off() -> None:
    data = changed(xlsx([["n", "c"], ["x", 1], ["y", 2]]), "xl/worksheets/sheet1.xml", b'ref="A1:B3"', b'ref="A1:A1"')
    assert load_one("a.xlsx", data).page_content.endswith("n: y\nc: 2")


def test_a_long_sheet_is_whole() -> None:
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("long")
    sheet.append(["name", "number"])
    for number in range(3000):
        sheet.append([f"row {number}", number])
    [document] = load("a.xlsx", saved(workbook))
    parts = document.page_content.split("\n\n")[1:]
    assert parts == [f"name: row {number}\nnumber: {number}" for number in range(3000)]
    assert [row for row, _, _ in document.metadata["rows"]] == list(range(2, 3002))


def test_a_workbook_without_values_is_empty_not_an_error() -> None:
    assert load_one("a.xlsx", saved(Workbook())).page_content == ""


def test_strict_open_xml_is_read_like_the_usual_one() -> None:
    assert load_one("a.xlsx", renamed(xlsx([["n", "c"], ["x", 1]]))).page_content == "# 销售\n\nn: x\nc: 1"


def test_a_bomb_and_entities_are_refused() -> None:
    data = xlsx([["n"]])
    entity = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet'
    with pytest.raises(UnreadableFile, match="XML entities"):
        load("a.xlsx", changed(data, "xl/worksheets/sheet1.xml", b"<worksheet", entity))
    large = xlsx([["word " * 100] for _ in range(3000)])
    with pytest.raises(TooLarge, match="expand"):
        list(get_loader("a.xlsx", large, IngestSettings(parse=ParseSettings(max_expanded_mb=1))).lazy_load())


def test_a_damaged_workbook_is_refused_with_the_remedy() -> None:
    data = changed(xlsx([["n"]]), "xl/workbook.xml", b"<sheets>", b"<sheets")
    with pytest.raises(UnreadableFile, match=r"^a\.xlsx: the workbook is damaged\. .*save it again as \.xlsx"):
        load("a.xlsx", data)


def test_old_workbooks() -> None:
    rows: list[list[Any]] = [
        [("地区", "General"), ("Date", "General"), ("Share", "General"), ("Open", "General")],
        [("North", "General"), (45352.0, "date"), (0.125, "0.00%"), (True, "General")],
        [None, (45352.5, "date"), (3.0, "General"), None],
        [("South", "General"), None, (1234567.0, "#,##0"), (0.1 + 0.2, "General")],
    ]
    data = make_xls({"销售": rows, "Old": [[("k", "General")]]}, merged=[(1, 2, 0, 0)], hidden=["Old"])
    documents = load("a.xls", data)
    assert documents[0].page_content == (
        "# 销售\n\n地区: North\nDate: 2024-03-01\nShare: 12.50%\nOpen: TRUE\n\n地区: North\nDate: 2024-03-01 12:00\nShare: 3\n\n"
        "地区: South\nShare: 1,234,567\nOpen: 0.3"
    )
    assert [row for row, _, _ in documents[0].metadata["rows"]] == [2, 3, 4]
    assert documents[1].page_content.startswith("# Old (hidden sheet)")
    assert load("a.xlsx", data)[0].page_content == documents[0].page_content


def test_an_old_workbook_with_a_password_or_damaged() -> None:
    with pytest.raises(EncryptedFile, match="password"):
        load("a.xls", make_xls({"a": [[("x", "General")]]}, encrypted=True))
    data = make_xls({"a": [[("x" * 50, "General")] * 200] * 10})
    with pytest.raises(UnreadableFile, match="the workbook is damaged"):
        load("a.xls", data.replace(b"\x09\x08\x10\x00\x00\x06", b"\x09\x08\x10\x00\x00\x99"))


def test_tables_that_only_are_called_workbooks() -> None:
    assert load_one("a.xls", "名称\t价格\n豆腐\t28\n".encode("gbk")).page_content == "名称: 豆腐\n价格: 28"
    page = b"<html><body><table><tr><th>n</th><th>c</th></tr><tr><td>x</td><td>1</td></tr></table></body></html>"
    assert load_one("a.xls", page).page_content == "| n | c |\n| --- | --- |\n| x | 1 |"
    for bare in (b"<table><tr><td>n</td></tr></table>", b'<meta charset="utf-8"><table><tr><td>n</td></tr></table>'):
        assert load_one("a.xls", bare).page_content.strip("| \n-").strip() == "n"

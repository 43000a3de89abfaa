"""Presentations: a Document a slide, with all that is written on it, in notes and in comments."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pytest
import xlsxwriter
from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import PROG_ID
from pptx.oxml import parse_xml
from pptx.util import Inches

from ingest.errors import TooLarge, UnreadableFile
from ingest.loaders import get_loader
from settings.ingest import IngestSettings, ParseSettings
from tests.ingest.loading import load, load_one
from tests.ingest.word import renamed

TITLE_AND_TEXT, BLANK = 1, 6
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"


def saved(deck: Any, *, add: Mapping[str, str] | None = None, replace: tuple[bytes, bytes] = (b"", b"")) -> bytes:
    """The file; with more parts, and with bytes replaced in all parts."""
    out, changed = BytesIO(), BytesIO()
    deck.save(out)
    with zipfile.ZipFile(out) as before, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            content = before.read(name)
            after.writestr(name, content.replace(*replace) if replace[0] else content)
        for name, text in (add or {}).items():
            after.writestr(name, text)
    return changed.getvalue()


def deck_with(*, layout: int = BLANK) -> tuple[Any, Any]:
    deck = Presentation()
    return deck, deck.slides.add_slide(deck.slide_layouts[layout])


def box(shapes: Any, text: str, top: float, left: float = 1) -> Any:
    shape = shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(0.5))
    shape.text_frame.text = text
    return shape


def test_a_slide_has_its_title_as_a_heading_and_its_points_as_a_list() -> None:
    deck, slide = deck_with(layout=TITLE_AND_TEXT)
    slide.shapes.title.text = "退款\n政策"
    frame = slide.placeholders[1].text_frame
    frame.text = "First"
    for text, level in (("Sub", 1), ("Second", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    deck.slides.add_slide(deck.slide_layouts[BLANK])
    documents = load("a.pptx", saved(deck))
    assert [each.page_content for each in documents] == ["# 退款 政策\n\n- First\n  - Sub\n- Second", ""]
    assert [each.metadata["page"] for each in documents] == [1, 2]
    assert documents[1].metadata["title"] == "退款 政策"


@pytest.mark.parametrize("title", ["PowerPoint Presentation", "PowerPoint 演示文稿", "Annual report"])
def test_the_document_s_own_title_counts_unless_a_program_made_it(title: str) -> None:
    deck, _ = deck_with()
    deck.core_properties.title = title
    assert load_one("a.pptx", saved(deck)).metadata.get("title") == (title if title == "Annual report" else None)


def test_shapes_are_read_from_the_top_down_and_into_their_groups() -> None:
    deck, slide = deck_with()
    box(slide.shapes, "Below", 5)
    box(slide.shapes, "Right", 1.05, left=5)
    group = slide.shapes.add_group_shape()
    box(group.shapes.add_group_shape().shapes, "# Deep", 3)
    box(slide.shapes, "Left", 1)
    assert load_one("a.pptx", saved(deck)).page_content == "Left\n\nRight\n\n    # Deep\n\nBelow"


def test_hidden_slides_are_marked() -> None:
    deck, slide = deck_with(layout=TITLE_AND_TEXT)
    slide.shapes.title.text = "Plan B"
    slide.element.set("show", "0")
    assert load_one("a.pptx", saved(deck)).page_content == "# Plan B (hidden slide)"


def test_tables_with_merged_cells() -> None:
    deck, slide = deck_with()
    table = slide.shapes.add_table(3, 3, 0, 0, Inches(5), Inches(2)).table
    for row, texts in enumerate([("区域", "Q1", ""), ("North", "1", "2"), ("", "3|4", "5")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    expected = "| 区域 | Q1 |  |\n| --- | --- | --- |\n| North | 1 | 2 |\n| North | 3\\|4 | 5 |"
    assert load_one("a.pptx", saved(deck)).page_content == expected


def test_charts_give_their_numbers() -> None:
    deck, slide = deck_with()
    data: Any = CategoryChartData(number_format="0%")  # type: ignore[no-untyped-call]
    data.categories = ["北", "South"]
    data.add_series("Share", (0.5, None))
    data.add_series("Plan", (0.25, 0.75))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(5), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Market"
    expected = "Market\n\n|  | Share | Plan |\n| --- | --- | --- |\n| 北 | 50% | 25% |\n| South |  | 75% |"
    assert load_one("a.pptx", saved(deck)).page_content == expected


def test_notes_and_what_describes_a_picture() -> None:
    deck, slide = deck_with()
    slide.notes_slide.notes_text_frame.text = "Say hello.\nThen wait."
    for top, description in enumerate(
        ["A red arrow", "image1.png", "Picture 3", "一只猫\nDescription automatically generated"], 1
    ):
        shape = box(slide.shapes, "", top)
        shape.element.nvSpPr.cNvPr.set("descr", description)
    assert load_one("a.pptx", saved(deck)).page_content == "A red arrow\n\n一只猫\n\nNotes: Say hello.\nThen wait."


def test_numbers_and_dates_of_slides_are_left_out_and_a_footer_is_there_once() -> None:
    deck = Presentation()
    for number in (1, 2):
        slide = deck.slides.add_slide(deck.slide_layouts[BLANK])
        for place in slide.slide_layout.placeholders:
            copied = etree.fromstring(etree.tostring(place.element))
            slide.shapes._spTree.append(parse_xml(etree.tostring(copied)))
        for shape in slide.placeholders:
            shape.text_frame.text = "Acme" if "FOOTER" in str(shape.placeholder_format.type) else f"{number}/2"
    assert [each.page_content for each in load("a.pptx", saved(deck))] == ["Acme", ""]


def test_formulas_that_only_newer_versions_draw() -> None:
    deck, slide = deck_with()
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    fraction = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>"
    formula = f'<m:oMath xmlns:m="{math}">{fraction}</m:oMath>'
    shape = f'<a:p xmlns:a="{DRAWING}/main"><a:r><a:t>So </a:t></a:r>{formula}</a:p>'
    slide.shapes._spTree.append(
        parse_xml(
            '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
            f'<mc:Choice Requires="a14">{shape}</mc:Choice><mc:Fallback>{shape}</mc:Fallback></mc:AlternateContent>'
        )
    )
    assert load_one("a.pptx", saved(deck)).page_content == "So $\\frac{a}{b}$"


def related(data: bytes, part: str, kind: str, target: str) -> bytes:
    """The file with one more relation of a part."""
    out = BytesIO()
    folder, _, name = part.rpartition("/")
    with zipfile.ZipFile(BytesIO(data)) as before, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after:
        for entry in before.namelist():
            content = before.read(entry)
            if entry == f"{folder}/_rels/{name}.rels":
                one = f'<Relationship Id="rId99" Type="{OFFICE}/{kind}" Target="{target}"/>'.encode()
                content = content.replace(b"</Relationships>", one + b"</Relationships>")
            after.writestr(entry, content)
    return out.getvalue()


P = "http://schemas.openxmlformats.org/presentationml/2006/main"
NEW = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"


@pytest.mark.parametrize("new", [False, True])
def test_comments_old_and_new_have_their_author(new: bool) -> None:
    deck, _ = deck_with()
    if new:
        body = f'<x:txBody xmlns:a="{DRAWING}/main"><a:p><a:r><a:t>{{}}</a:t></a:r></a:p></x:txBody>'
        reply = f'<x:replyLst><x:reply authorId="{{B}}">{body.format("Agreed")}</x:reply></x:replyLst>'
        comments = f'<x:cmLst xmlns:x="{NEW}"><x:cm authorId="{{A}}">{reply}{body.format("请核对")}</x:cm></x:cmLst>'
        names = f'<x:authorLst xmlns:x="{NEW}"><x:author id="{{A}}" name="Ann"/><x:author id="{{B}}" name="Bob"/></x:authorLst>'
    else:
        comments = f'<x:cmLst xmlns:x="{P}"><x:cm authorId="0"><x:text>请核对</x:text></x:cm></x:cmLst>'
        names = f'<x:cmAuthorLst xmlns:x="{P}"><x:cmAuthor id="0" name="Ann"/></x:cmAuthorLst>'
    data = saved(deck, add={"ppt/comments/c1.xml": comments, "ppt/people.xml": names})
    data = related(data, "ppt/slides/slide1.xml", "comments", "../comments/c1.xml")
    data = related(data, "ppt/presentation.xml", "authors" if new else "commentAuthors", "people.xml")
    assert load_one("a.pptx", data).page_content == "[Ann: 请核对]" + ("\n\n[Bob: Agreed]" if new else "")


def test_the_words_of_a_diagram() -> None:
    deck, slide = deck_with()
    frame = (
        f'<p:graphicFrame xmlns:p="{P}" xmlns:a="{DRAWING}/main" xmlns:r="{OFFICE}"><p:nvGraphicFramePr>'
        '<p:cNvPr id="9" name="x"/>'
        f'<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="{DRAWING}/diagram">'
        f'<d:relIds xmlns:d="{DRAWING}/diagram" r:dm="rId99"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    slide.shapes._spTree.append(parse_xml(frame))
    points = "".join(f"<d:pt><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>" for text in ("Plan", "实施"))
    data = f'<d:dataModel xmlns:d="{DRAWING}/diagram" xmlns:a="{DRAWING}/main"><d:ptLst>{points}</d:ptLst></d:dataModel>'
    found = related(
        saved(deck, add={"ppt/diagrams/data1.xml": data}), "ppt/slides/slide1.xml", "diagramData", "../diagrams/data1.xml"
    )
    assert load_one("a.pptx", found).page_content == "- Plan\n- 实施"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.ppsx", b"presentationml.slideshow.main+xml"),
        ("a.potx", b"presentationml.template.main+xml"),
        ("a.pptm", b"macroEnabled.main+xml"),
    ],
)
def test_shows_templates_and_presentations_with_macros(name: str, kind: bytes) -> None:
    deck, slide = deck_with()
    box(slide.shapes, "Hello", 1)
    wanted = b"vnd.ms-powerpoint.presentation." + kind if name == "a.pptm" else b"vnd.openxmlformats-officedocument." + kind
    data = saved(deck, replace=(b"vnd.openxmlformats-officedocument.presentationml.presentation.main+xml", wanted))
    assert load_one(name, data).page_content == "Hello"


def test_strict_open_xml_is_read_like_the_usual_one() -> None:
    deck, slide = deck_with()
    box(slide.shapes, "Hello", 1)
    assert load_one("a.pptx", renamed(saved(deck))).page_content == "Hello"


def test_a_deck_without_slides_is_empty_and_a_damaged_or_hostile_one_is_refused() -> None:
    assert load_one("a.pptx", saved(Presentation())).page_content == ""
    deck, slide = deck_with()
    box(slide.shapes, "Hello", 1)
    with pytest.raises(UnreadableFile, match=r"^a\.pptx: the presentation is damaged\. .*save it again as \.pptx"):
        load("a.pptx", saved(deck, replace=(b"<p:cSld>", b"<p:cSld")))
    whole = saved(deck)
    with zipfile.ZipFile(BytesIO(whole)) as archive:
        start = re.search(rb"<p:sld ", archive.read("ppt/slides/slide1.xml"))
    assert start
    attack = b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><p:sld '
    with pytest.raises(UnreadableFile, match="XML entities"):
        load("a.pptx", saved(deck, replace=(b"<p:sld ", attack)))
    large = saved(deck, add={"ppt/media/a.bin": "a" * 1_100_000})
    with pytest.raises(TooLarge, match="expand"):
        list(get_loader("a.pptx", large, IngestSettings(parse=ParseSettings(max_expanded_mb=1))).lazy_load())


def test_office_documents_that_a_slide_holds_as_objects_follow_below_their_names() -> None:
    book = BytesIO()
    with xlsxwriter.Workbook(book) as workbook:
        workbook.add_worksheet("费用").write_column(0, 0, ["Port", "Ningbo"])
    deck, slide = deck_with()
    box(slide.shapes, "See the table.", 1)
    book.seek(0)
    slide.shapes.add_ole_object(book, PROG_ID.XLSX, Inches(1), Inches(2))
    shown, table = load("a.pptx", saved(deck))
    assert shown.page_content == "See the table."
    assert table.page_content.endswith("\n\n### 费用\n\nPort: Ningbo")
    assert ("page" in table.metadata, table.metadata["sheet"]) == (False, "费用")

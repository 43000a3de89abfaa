"""What a Word document says beside its plain paragraphs is in the text, at its place, once."""

from __future__ import annotations

import pytest

from ingest.loaders.word.numerals import numeral
from tests.files import make_docx
from tests.ingest.loading import load_one
from tests.ingest.word import p, r, renamed, tbl, tc, tr, word


def text_of(body: str, **parts: str) -> str:
    return load_one("a.docx", word(body, parts=parts)).page_content


STYLES = """
<w:style w:type="paragraph" w:styleId="1"><w:name w:val="标题 1"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Our chapter"/><w:basedOn w:val="H2"/></w:style>
<w:style w:type="paragraph" w:styleId="Out"><w:name w:val="X"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Y"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
"""


@pytest.mark.parametrize(
    ("style", "shown"),
    [("1", "# Terms"), ("H2", "## Terms"), ("Mine", "## Terms"), ("Out", "### Terms"), ("T", "# Terms"), ("Loop", "Terms")],
)
def test_a_heading_is_known_by_its_style_what_that_is_based_on_or_its_outline_level(style: str, shown: str) -> None:
    assert text_of(p("Terms", style=style) + p("Body."), styles=STYLES) == f"{shown}\n\nBody."


def test_a_table_of_contents_says_nothing_that_the_headings_do_not() -> None:
    entry = p("Terms\t7", style="TOC1")
    control = "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val='Table of Contents'/></w:docPartObj></w:sdtPr>"
    content = f"{control}<w:sdtContent>{p('Contents')}</w:sdtContent></w:sdt>"
    kept = f"<w:sdt><w:sdtContent>{p('A field.')}</w:sdtContent></w:sdt>"
    assert text_of(content + entry + kept, styles=STYLES) == "A field."


def test_lines_of_a_chinese_law_are_headings_without_a_style() -> None:
    body = p("第一编　总　则") + p("第二章 合同的订立") + p("第三条 当事人应当遵循公平原则。") + p("第二章 合同的订立\t12")
    assert text_of(body).splitlines()[::2] == [
        "# 第一编 总 则",
        "## 第二章 合同的订立",
        "第三条 当事人应当遵循公平原则。",
        "第二章 合同的订立\t12",
    ]


def test_what_only_looks_like_a_heading_is_text() -> None:
    assert text_of(p("# 7 is our number")) == "    # 7 is our number".strip("\n")


LEVELS = """
<w:abstractNum w:abstractNumId="0">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
  <w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="1">
  <w:lvl w:ilvl="0"><w:start w:val="9"/><w:numFmt w:val="chineseCountingThousand"/><w:lvlText w:val="第%1条"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1"/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:isLgl/><w:lvlText w:val="%1.%2"/>
    <w:pStyle w:val="H2"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="0"/>
  <w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>
"""


def test_the_labels_of_lists_are_counted_as_word_counts_them() -> None:
    items = [("One", 1, 0), ("Sub", 1, 1), ("Sub too", 1, 1), ("dot", 1, 2), ("Two", 1, 0), ("Sub again", 1, 1), ("New", 3, 0)]
    body = "".join(p(text, numbered=(number, level)) for text, number, level in items)
    expected = "1. One\n1.a) Sub\n1.b) Sub too\n    - dot\n2. Two\n2.a) Sub again\n5. New"
    assert text_of(body, numbering=LEVELS) == expected


def test_articles_that_word_numbers_have_their_numbers() -> None:
    body = p("甲方。", numbered=(2, 0)) + p(numbered=(2, 0)) + p("乙方。", numbered=(2, 0))
    assert text_of(body, numbering=LEVELS) == "第九条 甲方。\n第十一条 乙方。"


def test_a_heading_has_the_number_that_its_style_gives() -> None:
    styles = STYLES.replace(
        '<w:name w:val="heading 2"/>', '<w:name w:val="heading 2"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr>'
    )
    body = p("Part", numbered=(4, 0)) + p("Scope", style="H2") + p("Terms", style="H2") + p("Free", style="H2", numbered=(0, 0))
    assert text_of(body, styles=styles, numbering=LEVELS) == "I Part\n\n## 1.1 Scope\n\n## 1.2 Terms\n\n## Free"


@pytest.mark.parametrize(
    ("number", "kind", "shown"),
    [
        (10, "chineseCounting", "十"),
        (21, "chineseCountingThousand", "二十一"),
        (101, "chineseCounting", "一百零一"),
        (110, "chineseCounting", "一百一十"),
        (1010, "japaneseCounting", "一千零一十"),
        (12, "chineseLegalSimplified", "壹拾贰"),
        (1994, "lowerRoman", "mcmxciv"),
        (28, "upperLetter", "BB"),
        (7, "decimalZero", "07"),
        (3, "decimalEnclosedCircle", "③"),
        (11, "ideographTraditional", "11"),
        (4, "never heard of", "4"),
        (4, "none", ""),
    ],
)
def test_numerals(number: int, kind: str, shown: str) -> None:
    assert numeral(number, kind) == shown


def test_merged_cells_say_their_text_in_each_row_and_in_the_first_column() -> None:
    down, on, wide = '<w:vMerge w:val="restart"/>', "<w:vMerge/>", '<w:gridSpan w:val="2"/>'
    table = tbl(
        tr(tc(p("区域")), tc(p("Q1"), wide)),
        tr(tc(p("North"), down), tc(p("1")), tc(p("2"))),
        tr(tc(p(), on), tc(p("3|4")), tc(p("5") + p("6"))),
    )
    assert text_of(table) == "| 区域 | Q1 |  |\n| --- | --- | --- |\n| North | 1 | 2 |\n| North | 3\\|4 | 5 6 |"


def test_a_table_in_a_cell_is_told_in_it_and_a_frame_is_no_table() -> None:
    inner = tbl(tr(tc(p("e")), tc(p("f"))), tr(tc(p("g")), tc(p("h"))))
    assert (
        text_of(tbl(tr(tc(p("a")), tc(p("b"))), tr(tc(p("c")), tc(inner + p()))))
        == "| a | b |\n| --- | --- |\n| c | e, f; g, h |"
    )
    frame = text_of(tbl(tr(tc(p("Box") + inner + p("End")))))
    assert frame == "Box\n\n| e | f |\n| --- | --- |\n| g | h |\n\nEnd"


def test_a_row_that_was_deleted_is_not_there_and_one_in_a_content_control_is() -> None:
    deleted = f"<w:tr><w:trPr><w:del/></w:trPr>{tc(p('x'))}{tc(p('y'))}</w:tr>"
    controlled = f"<w:sdt><w:sdtContent>{tr(tc(p('c')), tc(p('d')))}</w:sdtContent></w:sdt>"
    assert text_of(tbl(tr(tc(p("a")), tc(p("b"))), deleted, controlled)) == "| a | b |\n| --- | --- |\n| c | d |"


NOTES = f'<w:footnote w:id="0" w:type="separator">{p("----")}</w:footnote><w:footnote w:id="5">{p("See the annex.")}</w:footnote>'


def test_notes_stand_below_the_paragraph_or_table_that_refers_to_them() -> None:
    mark = '<w:r><w:footnoteReference w:id="5"/></w:r>'
    end = '<w:r><w:endnoteReference w:id="2"/></w:r>'
    ends = f'<w:endnote w:id="2">{p("尾注内容")}</w:endnote>'
    body = p("Prices rise.", inside=end) + p("Rates fall.", inside=mark) + p("Last.")
    assert text_of(body, footnotes=NOTES, endnotes=ends) == (
        "Prices rise.[^1]\n\n[^1]: 尾注内容\n\nRates fall.[^2]\n\n[^2]: See the annex.\n\nLast."
    )
    table = tbl(tr(tc(p("a")), tc(p("b", inside=mark))))
    assert text_of(table, footnotes=NOTES) == "| a | b[^1] |\n| --- | --- |\n\n[^1]: See the annex."


def test_a_comment_follows_what_it_is_about_with_its_author() -> None:
    comments = (
        f'<w:comment w:id="3" w:author="张三">{p("Is this") + p("right?")}</w:comment><w:comment w:id="4">{p("Lost")}</w:comment>'
    )
    body = p("The price is 5.", inside='<w:r><w:commentReference w:id="3"/></w:r>') + p("Next.")
    assert text_of(body, comments=comments) == "The price is 5.\n\n[张三: Is this right?]\n\nNext.\n\n---\n\n[Lost]"


def test_a_text_box_is_read_once_though_it_is_written_twice() -> None:
    box = f"<w:txbxContent>{p('In the box')}</w:txbxContent>"
    twice = (
        "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor>"
        f"<wp:docPr id='1' name='Box' descr='A red arrow'/><wps:txbx>{box}</wps:txbx></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert text_of(p("Beside.", inside=twice)) == "Beside.\n\nIn the box\n\nA red arrow"
    assert text_of(p("Old.", inside=f"<w:r><w:pict><v:textbox>{box}</v:textbox></w:pict></w:r>")) == "Old.\n\nIn the box"


def test_changes_are_read_as_accepted_and_hidden_text_not_at_all() -> None:
    deleted = f"<w:del>{r('old').replace('w:t', 'w:delText')}</w:del>"
    hidden, shown = r("hidden", "<w:vanish/>"), r("end", '<w:vanish w:val="0"/>')
    body = p("We ", inside=f"<w:ins>{r('new ')}</w:ins>{deleted}{hidden}{shown}")
    assert text_of(body) == "We new end"


def test_signs_fields_and_phonetics() -> None:
    inside = (
        "<w:r><w:tab/><w:noBreakHyphen/><w:br/><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>"
        "<w:r><w:instrText>PAGEREF x</w:instrText></w:r>"
        f"<w:hyperlink>{r('link')}</w:hyperlink><w:fldSimple>{r('12')}</w:fldSimple>"
        f"<w:r><w:ruby><w:rt>{r('かん')}</w:rt><w:rubyBase>{r('漢')}</w:rubyBase></w:ruby></w:r>"
    )
    assert text_of(p("A", inside=inside)) == "A\t-\n☑link12漢"


def test_formulas_are_latex_also_those_that_the_converter_does_not_know() -> None:
    fraction = "<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>"
    total = "<m:nary><m:sub/><m:sup/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:nary>"
    odd = "<m:limLow><m:e><m:r><m:t>q</m:t></m:r></m:e><m:lim><m:r><m:t>n</m:t></m:r></m:lim></m:limLow>"
    assert text_of(p("So ", inside=f"<m:oMath>{fraction}</m:oMath>")) == "So $\\frac{a}{b}$"
    assert text_of(p(inside=f"<m:oMathPara><m:oMath>{fraction}</m:oMath></m:oMathPara>")) == "$$\\frac{a}{b}$$"
    assert text_of(p(inside=f"<m:oMath>{total}</m:oMath>")) == "$\\int_{}^{}x$"
    assert text_of(p(inside=f"<m:oMath>{odd}</m:oMath>")) == "$q n$"


def test_a_chart_gives_its_numbers() -> None:
    cache = "<c:strCache><c:ptCount val='2'/><c:pt idx='0'><c:v>北</c:v></c:pt><c:pt idx='1'><c:v>South</c:v></c:pt></c:strCache>"
    numbers = (
        "<c:numCache><c:formatCode>0%</c:formatCode><c:ptCount val='2'/>"
        "<c:pt idx='0'><c:v>0.5</c:v></c:pt><c:pt idx='1'><c:v>0.25</c:v></c:pt></c:numCache>"
    )
    series = (
        f"<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Share</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef>{cache}</c:strRef></c:cat><c:val><c:numRef>{numbers}</c:numRef></c:val></c:ser>"
    )
    chart = f"<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Market</a:t></a:r></a:p></c:rich></c:tx></c:title>{series}</c:chart>"
    graphic = "<a:graphic><a:graphicData><c:chart r:id='rIdchart'/></a:graphicData></a:graphic>"
    inside = f"<w:r><w:drawing><wp:inline>{graphic}</wp:inline></w:drawing></w:r>"
    assert text_of(p("Below.", inside=inside), chart=chart) == (
        "Below.\n\nMarket\n\n|  | Share |\n| --- | --- |\n| 北 | 50% |\n| South | 25% |"
    )


def test_page_numbers_of_footers_say_nothing() -> None:
    data = make_docx(["Body."], footers=["Page 3 of 12", "第 3 页 共 12 页", "- 7 -", "Chapter 7"])
    assert load_one("a.docx", data).page_content == "Body.\n\n---\n\nChapter 7"


def test_strict_open_xml_is_read_like_the_usual_one() -> None:
    body = p("Terms", style="H2") + p("Body.")
    strict = renamed(word(body, parts={"styles": STYLES}))
    assert load_one("a.docx", strict).page_content == "## Terms\n\nBody."

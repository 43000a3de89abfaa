"""The text of a PDF page reads as a person reads it: columns, paragraphs, tables, headings, and nothing is lost."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.loaders.pdf import PdfLoader
from settings.ingest import IngestSettings, OcrSettings
from tests.ingest.loading import load, load_one
from tests.ingest.pdf_pages import HIGH, WIDE, Line, Piece, Sheet, Text, draw, grid, lines

LEFT = [
    "The harbour was built in the year of the flood and",
    "has been widened twice since then, once for the coal",
    "ships and once for the ferries that cross to the is-",
    "lands every morning before the sun is on the water.",
]
RIGHT = [
    "The tower stands on the northern pier, and its light",
    "is seen from the mainland in all weathers but fog, as",
    "it was electrified by the second keeper, who lived",
    "in the house below it until he was ninety years old.",
]
LATER = ["Nobody knows who paid for the bell that hangs in it,", "since the books of the guild were lost in the fire."]


def text_of(*sheets: Sheet, **more) -> str:
    return "\n\n".join(document.page_content for document in load("a.pdf", draw(sheets, **more)))


def flat(text: str) -> str:
    return " ".join(text.split())


def test_columns_are_read_one_after_the_other_below_a_heading_that_spans_them_and_footnotes_last() -> None:
    rows = [piece for pair in zip(lines(60, 150, LEFT), lines(320, 150, RIGHT), strict=True) for piece in pair]
    title = Text(120, 100, "A History of the Harbour and of Its Tower and Lights", size=16)
    note = Text(60, 220, "1 The flood of the year 1613.", size=7)
    text = text_of([*rows, note, *lines(320, 198, LATER), title])
    places = [
        text.index(part) for part in ("History", "built in", "islands every", "The tower", "ninety", "Nobody", "1 The flood")
    ]
    assert places == sorted(places)
    assert flat(" ".join(LEFT)).replace("is- lands", "islands") in flat(text)


def test_what_spans_the_middle_of_two_columns_parts_them_into_bands() -> None:
    wide = "Figure 3. The harbour seen from the tower, with the ferries that leave for the islands."
    above = [*lines(60, 100, LEFT), *lines(320, 100, RIGHT)]
    below = [*lines(60, 250, LATER * 2), *lines(320, 250, ["Another line of the right column, which is the last"] * 4)]
    text = text_of([*above, Text(100, 200, wide), *below])
    places = [text.index(part) for part in ("built in", "The tower", "Figure 3", "Nobody", "Another")]
    assert places == sorted(places)


@pytest.mark.parametrize("following", ["All of this goes on from one side of the page to the other, in long lines.", "Short."])
def test_a_heading_below_columns_is_that_of_what_follows_and_not_of_the_left_column(following: str) -> None:
    columns = [*lines(60, 100, LEFT * 2), *lines(320, 100, RIGHT * 2)]
    text = flat(text_of([*columns, Text(60, 240, "Annex", size=14), Text(60, 270, following)]))
    places = [text.rindex(part) for part in ("built in", "The tower", "Annex", following)]
    assert places == sorted(places)


def test_a_heading_in_a_left_column_that_is_longer_stays_in_it() -> None:
    left = [*lines(60, 100, LEFT * 3), Text(60, 280, "References", size=14), *lines(60, 310, LATER)]
    text = flat(text_of([*left, *lines(320, 100, RIGHT)]))
    places = [text.index(part) for part in ("built in", "References", "Nobody", "The tower")]
    assert places == sorted(places)


def test_three_columns_are_read_one_after_the_other() -> None:
    columns = [[f"{name} column goes on in line {n}" for n in "abcdef"] for name in ("First", "Second", "Third")]
    sheet = [piece for n, column in enumerate(columns) for piece in lines(40 + 190 * n, 100, column)]
    sheet.sort(key=lambda piece: piece.y)
    text = flat(text_of(sheet))
    assert text.index("First column goes on in line f") < text.index("Second column goes on in line a")
    assert text.index("Second column goes on in line f") < text.index("Third column goes on in line a")


def test_lines_become_paragraphs_and_sentences_are_whole() -> None:
    text = text_of([*lines(60, 100, [*LEFT, *LATER]), *lines(60, 200, RIGHT)])
    first, second = text.split("\n\n")
    assert first == " ".join([*LEFT, *LATER]).replace("is- lands", "islands")
    assert second == " ".join(RIGHT)


def test_an_indented_line_begins_a_paragraph() -> None:
    text = text_of([*lines(60, 100, LEFT), Text(75, 148, RIGHT[0]), *lines(60, 160, RIGHT[1:])])
    assert text.split("\n")[1].startswith("The tower stands on the northern pier, and its light is seen")


@pytest.mark.parametrize("mark", ["1. ", "2) ", "(a) ", "- ", "* ", "iv. "])
def test_items_of_a_list_keep_their_lines(mark: str) -> None:
    items = [f"{mark}{line}" for line in (LEFT[0], RIGHT[0], LATER[0])]
    assert text_of(lines(60, 100, items)).split("\n") == items


@pytest.mark.parametrize(
    "marks", ["①②③", "•••", ("一、", "二、", "三、"), ("（1）", "（2）", "（3）"), ("第一条 ", "第二条 ", "第三条 ")]
)
def test_chinese_lists_keep_their_lines(marks) -> None:
    items = [f"{mark}本合同自双方签字盖章之日起生效，有效期为三年，期满前另行协商续签" for mark in marks]
    assert text_of(lines(60, 100, items)).split("\n") == items


def test_short_lines_such_as_an_address_keep_their_ends() -> None:
    address = ["Harbour Office", "12 Northern Pier", "Port Ellen"]
    assert text_of([*lines(60, 100, address), *lines(60, 300, LEFT)]).startswith("\n".join(address) + "\n\n")


def test_a_rule_of_dashes_joins_nothing_and_is_no_heading() -> None:
    text = text_of(
        [Text(60, 60, "RECEIPT", size=20), *lines(60, 100, ["-" * 60, "Total to be paid by the end of the month", "=" * 60])]
    )
    assert re.search(r"^ {4}-{60}\nTotal to be paid by the end of the month\n {4}={60}$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("end", "following", "joined"),
    [
        ("the quality of the information re-", "trieval depends on the words", "retrieval"),
        ("they were seen in the years 2019-", "2021 by all of the keepers there", "2019-2021"),
        ("systems for Lucene-", "BM25 are known to all of the keepers there", "Lucene-BM25"),
        ("the map is drawn for d-", "dimensional space by all of the keepers", "d-dimensional"),
        ("they trained the model end-to-", "end with all of the keepers that there were", "end-to-end"),
    ],
)
def test_a_word_cut_at_a_line_end_is_whole_and_a_compound_keeps_its_hyphen(end: str, following: str, joined: str) -> None:
    cut = f"It is said here and there that {end}"
    assert joined in text_of(lines(60, 100, [cut[:-1] + ",", cut, following]))


def test_a_compound_is_known_by_where_it_stands_whole() -> None:
    known = "An open-domain question is one of any kind whatever there is."
    sheet = lines(60, 100, [known, "It is for this reason that we look at all of the open-", "domain questions here."])
    assert "all of the open-domain questions" in text_of(sheet)


def test_chinese_lines_are_joined_without_a_blank() -> None:
    chinese = [
        "退款须在收到商品之日起三十天内提出，逾期不再受理，特殊商品除外，详情请咨",
        "询客服人员，客服电话全年无休，节假日照常接听。",
    ]
    assert text_of(lines(60, 100, chinese)) == "".join(chinese)


def test_spaced_out_ideographs_are_one_word_and_typed_blanks_stay() -> None:
    assert text_of([Text(60, 100, "服务条款", spacing=4), Text(60, 140, "张三 李四")]) == "服务条款\n\n张三 李四"


def test_a_page_that_is_shown_turned_is_read_upright() -> None:
    turned = [Text(100 + n * 12, HIGH - 60, text, turn=90) for n, text in enumerate(LEFT)]
    assert text_of(turned, rotate=90) == text_of(lines(60, 100, LEFT))


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_text_in_another_direction_is_whole_and_after_the_rest(turn: int) -> None:
    stamp = "arXiv 2004.04906 of September"
    text = text_of([Text(WIDE / 2, HIGH / 2, stamp, turn=turn), *lines(60, 100, LEFT)])
    assert text.endswith("\n\n" + stamp)


def test_slanting_text_is_whole_too() -> None:
    assert "DRAFT COPY" in text_of([Text(200, 600, "DRAFT COPY", size=40, turn=45), *lines(60, 100, LEFT)])


def test_vertical_japanese_is_read_in_columns_from_the_right() -> None:
    columns = ["吾輩は猫である。名前はま", "だ無い。どこで生れたか頓", "と見当がつかぬ。"]
    sheet = [Text(400 - 20 * n, 100, column, vertical=True) for n, column in reversed(list(enumerate(columns)))]
    assert text_of(sheet) == "".join(columns)


def test_ligatures_radicals_and_compatibility_forms_are_the_letters_that_people_type() -> None:
    assert text_of([Text(60, 100, "使⽤说明 ⻋辆 ofﬁce")]) == "使用说明 车辆 office"


def test_a_ruled_table_is_one_of_markdown() -> None:
    xs, ys = (60, 160, 260, 360), (100, 120, 140, 160)
    cells = [["Item", "Price", "Stock"], ["Rope", "12.50", "7"], ["Bell", "99.00", "0"]]
    sheet = [Text(xs[c] + 4, ys[r] + 14, cell) for r, row in enumerate(cells) for c, cell in enumerate(row)]
    text = text_of([Text(60, 80, "Before the table."), *sheet, *grid(xs, ys), Text(60, 200, "After the table.")])
    before, table, after = text.split("\n\n")
    assert (before, after) == ("Before the table.", "After the table.")
    assert table == "| Item | Price | Stock |\n| --- | --- | --- |\n| Rope | 12.50 | 7 |\n| Bell | 99.00 | 0 |"


def test_a_cell_of_several_lines_is_one_cell_and_a_pipe_ends_none() -> None:
    xs, ys = (60, 160, 360), (100, 120, 160)
    sheet = [
        Text(64, 114, "Item"),
        Text(164, 114, "Use"),
        Text(64, 134, "Rope"),
        *lines(164, 134, ["to moor a|b the", "ferries"]),
    ]
    assert "| Rope | to moor a\\|b the ferries |" in text_of([*sheet, *grid(xs, ys)])


def test_a_merged_cell_keeps_its_text_once_in_its_first_row() -> None:
    rules = [
        *(Line(60, y, 260, y) for y in (100, 140)),
        Line(160, 120, 260, 120),
        *(Line(x, 100, x, 140) for x in (60, 160, 260)),
    ]
    text = text_of([*rules, Text(64, 124, "Both"), Text(164, 114, "one"), Text(164, 134, "two")])
    assert text.split("\n") == ["| Both | one |", "| --- | --- |", "|  | two |"]


def test_a_wall_parts_cells_that_nearly_touch() -> None:
    xs, ys = (60, 85, 160), (100, 120, 140)
    sheet = [Text(62, 114, "AAA1"), Text(87, 114, "B1"), Text(62, 134, "AAA2"), Text(87, 134, "B2")]
    assert "| AAA1 | B1 |" in text_of([*sheet, *grid(xs, ys)])


def test_a_table_without_lines_is_known_by_its_columns() -> None:
    rows = [("商品", "单价", "数量"), ("绳子", "12.50", "7"), ("铃铛", "99.00", "0")]
    sheet = [Text(60 + 120 * c, 100 + 14 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)]
    assert text_of(sheet) == "| 商品 | 单价 | 数量 |\n| --- | --- | --- |\n| 绳子 | 12.50 | 7 |\n| 铃铛 | 99.00 | 0 |"


def test_a_table_with_gaps_keeps_each_row_on_a_line() -> None:
    rows = [("SKU-1", "", "450"), ("", "B-07", "289"), ("SKU-2", "780", "")]
    sheet = [Text(60 + 120 * c, 100 + 14 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell]
    assert text_of(sheet).split("\n") == ["SKU-1\t450", "B-07\t289", "SKU-2\t780"]


def test_larger_and_bold_lines_are_headings_of_their_levels() -> None:
    sheet = [
        Text(60, 60, "The Harbour", size=20),
        Text(60, 100, "The tower", size=14),
        *lines(60, 130, RIGHT * 3),
        Text(60, 300, "Its bell", bold=True),
        *lines(60, 330, LATER),
    ]
    document = load_one("a.pdf", draw([sheet]))
    assert document.metadata["format"] == "markdown"
    assert re.findall(r"^#+ .*$", document.page_content, re.MULTILINE) == ["# The Harbour", "## The tower", "### Its bell"]


@pytest.mark.parametrize("large", ["1,234.00", "W", "It is all over now, said the keeper."])
def test_a_large_price_a_drop_cap_and_a_sentence_are_no_headings(large: str) -> None:
    assert "#" not in text_of([Text(60, 60, large, size=20), *lines(60, 130, RIGHT * 3)])


def test_bookmarks_say_what_the_headings_are() -> None:
    sheets = [
        [Text(60, 60, "NOT A HEADING", size=20), Text(60, 90, "1 The tower"), *lines(60, 120, RIGHT)],
        [Text(60, 60, "2 港口的历史"), *lines(60, 90, LATER)],
    ]
    text = text_of(*sheets, outline=[("The tower", 1), ("港口的历史", 2)])
    assert re.findall(r"^#+ .*$", text, re.MULTILINE) == ["# 1 The tower", "# 2 港口的历史"]


def test_without_headings_and_tables_the_text_is_plain() -> None:
    document = load_one("a.pdf", draw([lines(60, 100, ["# a comment", "~~~"])]))
    assert (document.metadata["format"], document.page_content) == ("text", "# a comment\n~~~")


def test_a_line_that_looks_like_a_heading_by_accident_is_none_and_stays_letter_for_letter() -> None:
    code = ["# install it first", "~~~", "make", "---"]
    text = text_of([Text(60, 60, "How to install", size=20), *lines(60, 100, code), *lines(60, 200, RIGHT * 2)])
    assert [line for line in text.splitlines() if re.match(r" {0,3}(#{1,6}\s|~~~|---)", line)] == ["# How to install"]
    assert all(line in text for line in code)


def test_two_lines_of_a_cell_are_parted_where_its_neighbour_stands_between_them() -> None:
    rows = [
        [
            Text(72, y + 6, f"item{n}x"),
            Text(150, y + 6, f"{n}.50"),
            *lines(230, y, [f"remark{n}y with text that wraps", "within it"]),
        ]
        for n, y in enumerate(range(100, 340, 40))
    ]
    text = flat(text_of([piece for row in rows for piece in row]))
    assert "wrapswithin" not in text
    for n in range(6):
        assert f"remark{n}y with text that wraps" in text
    assert text.count("within it") == 6


def test_text_beyond_the_edge_of_the_page_is_not_on_it() -> None:
    assert text_of([Text(60, 100, "seen"), Text(WIDE + 50, 100, "unseen"), Text(60, -30, "unseen")]) == "seen"


def letters(text: str) -> Counter[str]:
    return Counter(re.sub(r"[\s|#\\-]", "", text))


WORDS = st.sampled_from(["harbour", "the", "港口", "的历史", "12.5%", "x", "塔", "Tower,", "end."])
PHRASE = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)
PIECES = st.builds(
    Text,
    st.integers(1600, 2000),
    st.integers(1600, 2000),
    PHRASE,
    size=st.sampled_from([7, 10, 10, 10, 14, 20]),
    bold=st.booleans(),
    turn=st.sampled_from([0, 0, 0, 0, 90, 270]),
)
RULES = st.builds(
    lambda x, y, a, b: Line(x, y, x + a, y) if b else Line(x, y, x, y + a), *[st.integers(1600, 2000)] * 3, st.booleans()
)


def apart(pieces: list[Text | Line]) -> list[Piece]:
    """Without texts on top of each other: of characters in one place pdfium keeps one."""
    kept: list[Piece] = []
    for piece in pieces:
        texts = [other for other in kept if isinstance(other, Text)]
        if isinstance(piece, Line) or all(piece.turn or other.turn or abs(other.y - piece.y) > 25 for other in texts):
            kept.append(piece)
    return kept


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES | RULES, max_size=25).map(apart))
def test_no_character_is_lost_or_doubled_whatever_the_layout(pieces: list[Piece]) -> None:
    import pypdfium2

    data = draw([pieces], size=(3600, 3600))  # no phrase reaches its edge, where the two need not agree
    pdf = pypdfium2.PdfDocument(data)
    raw = pdf[0].get_textpage().get_text_bounded()
    pdf.close()
    without_ocr = IngestSettings(ocr=OcrSettings(enabled=False))
    [document] = PdfLoader("a.pdf", data, without_ocr).lazy_load()
    assert letters(document.page_content) == letters(raw)

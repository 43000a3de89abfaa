r"""RTF: code pages a font, characters in pieces, headings, lists, tables, notes."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.ingest.loading import load, load_one

FONTS = (
    r"{\fonttbl{\f0\fcharset0 Times;}{\f1\fnil\fcharset134 SimSun;}{\f2\fcharset128 MS Gothic{\*\falt x};}"
    r"{\f3\fcharset2 Wingdings;}{\f4\fcharset136 MingLiU;}{\f5\fcharset204 Arial;}}"
)


def rtf(body: str | bytes, head: str = r"\ansi\ansicpg1252\deff0") -> bytes:
    inside = body if isinstance(body, bytes) else body.encode("latin-1")
    return b"{\\rtf1" + head.encode() + FONTS.encode() + inside + b"}"


def text_of(body: str | bytes, head: str = r"\ansi\ansicpg1252\deff0") -> str:
    return load_one("a.rtf", rtf(body, head)).page_content


def escaped(text: str, codec: str) -> str:
    r"""As programs write it: bytes beyond ASCII as \'xx, those that are letters, such as the second of some characters, as is."""
    return "".join(chr(byte) if chr(byte).isalnum() and byte < 0x80 else f"\\'{byte:02x}" for byte in text.encode(codec))


@pytest.mark.parametrize(
    ("font", "codec", "text"),
    [
        (1, "gbk", "退款期限为三十天"),
        (2, "cp932", "ソフト能表ゾルゲ"),  # the second bytes of ソ, 能, 表 are backslashes, of ゾ and ル letters
        (4, "big5", "功能許蓋"),
        (5, "cp1251", "Возврат"),
        (0, "cp1252", "café “quoted”"),
    ],
)
def test_each_font_has_its_code_page(font: int, codec: str, text: str) -> None:
    assert text_of(f"\\f{font} {escaped(text, codec)}\\par") == text


def test_after_a_group_the_font_is_the_one_before_it() -> None:
    assert text_of(rf"\f1 {escaped('中', 'gbk')}{{\f5 {escaped('Я', 'cp1251')}}}{escaped('文', 'gbk')}\par") == "中Я文"


def test_bytes_that_are_not_escaped_are_of_the_font_too() -> None:
    assert text_of(b"\\f1 " + "退款".encode("gbk") + b"\\par") == "退款"
    assert text_of("退款".encode("gbk") + b"\\par", r"\ansi\ansicpg936") == "退款"
    assert text_of("退款".encode() + b"\\par", r"\ansi\ansicpg65001") == "退款"


def test_unicode_with_what_stands_in_for_it() -> None:
    assert text_of(r"\u36864?\u27454 ?\uc0\u26399 x{\uc2\u38480 \'ab\'cdy}\u-10179\u-8704\uc1\par") == "退款期x限y😀"


@pytest.mark.parametrize("broken", [r"\f1 \'d6", r"\f1 \'d6\par next", r"\f2 \'83{\f0 x}"])
def test_half_a_character_does_not_swallow_what_follows(broken: str) -> None:
    text = text_of(f"a {broken}\\par end\\par")
    assert text.startswith("a")
    assert text.endswith("end")


def test_headings_are_known_by_outline_level_and_style() -> None:
    styles = r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Any;}{\s2 \b heading 2;}{\*\cs10 Default;}}"
    body = styles + r"\pard\s1 Terms\par\pard\s2 Refund\par\pard\s0 Body.\par\pard\outlinelevel2 Deep\par\pard # no heading\par"
    document = load_one("a.rtf", rtf(body))
    assert document.page_content == "# Terms\n\n## Refund\n\nBody.\n\n### Deep\n\n    # no heading"
    assert document.metadata["title"] == "Terms"


def test_the_document_s_own_title() -> None:
    assert load_one("a.rtf", rtf(r"{\info{\title Sales \u36864?}{\author Bob}}Body.\par")).metadata["title"] == "Sales 退"


def test_lists_keep_their_labels() -> None:
    body = r"{\listtext\pard 1.\tab}One\par{\pntext\f3\'b7\tab}Two\par"
    assert text_of(body) == "1. One\n\n- Two"


def test_tables_are_tables_with_merged_cells() -> None:
    row = r"\trowd\cellx100\cellx200\pard\intbl {0}\cell {1}\cell\row "
    body = row.format("Name", "Price") + row.format("Rice", r"3\par 4") + r"\pard After.\par"
    assert text_of(body) == "| Name | Price |\n| --- | --- |\n| Rice | 3 4 |\n\nAfter."
    down = r"\trowd\clvmgf\cellx1\cellx2\intbl North\cell 1\cell\row\trowd\clvmrg\cellx1\cellx2\intbl \cell 2\cell\row "
    assert text_of(row.format("A", "B") + down) == "| A | B |\n| --- | --- |\n| North | 1 |\n| North | 2 |"
    wide = r"\trowd\clmgf\cellx1\clmrg\cellx2\cellx3\intbl Sum\cell\cell 9\cell\row "
    three = r"\trowd\cellx1\cellx2\cellx3\intbl a\cell b\cell c\cell\row "
    assert text_of(three + wide) == "| a | b | c |\n| --- | --- | --- |\n| Sum |  | 9 |"
    end = r"{\*\nesttableprops\nestrow}"
    inner = rf"\trowd\cellx1\cellx2\intbl x\cell e\nestcell f\nestcell{end}g\nestcell{end}\cell\row "
    assert text_of(inner) == "| x | e, f; g |\n| --- | --- |"


def test_notes_and_comments_follow_their_paragraph_and_headers_come_once() -> None:
    body = (
        r"{\header Contract 17\par}{\headerf Contract 17\par}{\footer\par}"
        r"Prices rise.{\super\chftn{\footnote\pard\plain{\super\chftn} See the annex.\par}}"
        r" Soon.{\*\atnid AB}{\*\atnauthor Ann}\chatn{\*\annotation\pard When?\par}\par Last.\par"
    )
    assert text_of(body) == "Prices rise.[^1] Soon.\n\n[^1]: See the annex.\n\n[Ann: When?]\n\nLast.\n\n---\n\nContract 17"


def test_what_a_reader_does_not_see_is_not_there() -> None:
    picture = rb"{\pict\wmetafile8\bin5 {}\\}A89504e47}{\*\objdata 0105}{\*\unknown secret}"
    shown = rb"Seen{\v hidden}{\deleted gone}{\field{\*\fldinst HYPERLINK " b'"http://x.y"}{\\fldrslt link}}\\v0  end\\par'
    assert text_of(picture + shown) == "Seenlink end"


def test_a_text_box_follows_its_paragraph_once() -> None:
    box = r"{\shp{\*\shpinst{\sp{\sn name}{\sv x}}{\shptxt\pard In the box\par}}{\shprslt{\*\do fallback}}}"
    assert text_of(rf"Beside.{box}\par Next.\par") == "Beside.\n\nIn the box\n\nNext."


@given(
    st.lists(
        st.sampled_from(
            [
                r"\par",
                "{",
                "}",
                r"\*",
                r"\cell ",
                r"\row ",
                r"\u9999999999 ",
                r"\'8",
                r"\f1 \'d6",
                r"\bin99999 ",
                "x",
                r"\footnote ",
                r"\trowd\cellx1 ",
                "\\",
            ]
        )
    )
)
@settings(deadline=None)
@example(["{"] * 20_000)
@example([r"{\footnote "] * 2000)
def test_any_order_of_marks_gives_a_text(marks: list[str]) -> None:
    assert load("a.rtf", rtf("".join(marks)))

"""An excerpt begins and ends where a reader would, leaves out what is no text, and marks exactly what it is told to."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.excerpts import heading_marks, marked, parts, window

LATIN = "One sentence ends here. The next one goes on for a while and is cited. Then follows something that nobody asked for."
CHINESE = "第一句话在这里结束。第二句话比较长，说的是退款期限为三十天。第三句话没有人问起，但也在这里。"


def test_marks_may_overlap_and_lie_outside() -> None:
    assert marked("abcdef", [(3, 99), (-5, 1), (0, 2), (4, 5)]) == "<mark>a</mark><mark>b</mark>c<mark>def</mark>"
    assert marked("abc", [(2, 1)]) == "abc"
    assert marked("abcdef", [(0, 3)], window=(2, 5)) == "<mark>c</mark>de"
    assert marked("# a & b", [(0, 3)], hidden=[(0, 2)]) == "<mark>a</mark> &amp; b"


@pytest.mark.parametrize(
    ("text", "cited", "around", "shown"),
    [
        (LATIN, "and is cited.", 40, "The next one goes on for a while and is cited. Then follows something that nobody"),
        (LATIN, "and is cited.", 12, "for a while and is cited. Then"),
        (LATIN, "The next one", 10, "here. The next one goes on"),
        (CHINESE, "退款期限", 14, "第二句话比较长，说的是退款期限为三十天。第三句话没有人问"),
        (CHINESE, "退款期限", 3, "说的是退款期限为三十"),
        (CHINESE, "说的", 1, "说的是"),
        ("x" * 99 + " cited " + "y" * 99, "cited", 20, "cited"),
        ("See https://example.org/a-long/path here, cited", "cited", 12, "here, cited"),
    ],
)
def test_a_window_begins_and_ends_between_words(text: str, cited: str, around: int, shown: str) -> None:
    start = text.index(cited)
    low, high = window(text, start, start + len(cited), around=around)
    assert text[low:high] == shown


def test_marks_of_headings_are_those_of_markdown_outside_of_code() -> None:
    text = "# One\n\ntext # two\n\n  ### Three ###\n```\n# no heading\n```\n#hashtag\n"
    hidden = heading_marks(text, "a.MD")
    assert [text[a:b] for a, b in hidden] == ["# ", "  ### "]
    assert heading_marks(text, "script.txt") == []


PIECES = st.lists(st.sampled_from(["# H\n", "## 标题\n", "word ", "退款。", "\n", "<b>&", "x" * 30, "End. "]), max_size=30).map(
    "".join
)


@given(PIECES, st.integers(0, 200), st.integers(0, 60), st.integers(0, 50))
def test_what_is_marked_is_the_span_and_the_rest_of_the_window_is_whole(text: str, start: int, length: int, around: int) -> None:
    start, stop = min(start, len(text)), min(start + length, len(text))
    low, high = window(text, start, stop, around=around)
    assert max(0, start - around) <= low <= start <= stop <= high <= min(len(text), stop + around)
    hidden = heading_marks(text, "a.md")
    shown = marked(text, [(start, stop)], hidden=hidden, window=(low, high))

    def visible(first: int, last: int) -> str:
        return "".join(text[at] for at in range(first, last) if not any(a <= at < b for a, b in hidden))

    assert html.unescape(re.sub(r"</?mark>", "", shown)) == visible(low, high)
    assert html.unescape("".join(re.findall(r"<mark>(.*?)</mark>", shown, re.DOTALL))) == visible(start, stop)


@given(PIECES, st.integers(2, 60))
def test_parts_are_the_whole_text_in_order_and_none_is_too_long(text: str, size: int) -> None:
    found = parts(text, size=size)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(0 < end - start <= size for start, end in found) or found == [(0, 0)]


def test_parts_end_with_paragraphs_lines_sentences_or_words() -> None:
    for between in ("\n\n", "\n", " ", "。"):
        text = f"aaaaaaa{between}bbbbb"
        assert parts(text, size=11) == [(0, 7 + len(between)), (7 + len(between), len(text))]
    assert parts("x" * 25, size=10) == [(0, 10), (10, 20), (20, 25)]
    assert parts("", size=10) == [(0, 0)]

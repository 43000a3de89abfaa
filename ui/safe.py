"""Hostile text made harmless: documents, file names and model output are shown as text, and nothing in them is loaded or obeyed.

Two ways out to the page: `escape_html` for what goes into `st.html`, `escape_markdown` for all other Streamlit text. A model's
answer keeps its Markdown through `answer_parts`, with every link, image and directive taken out.

Streamlit makes a link of each address after it has read the Markdown, whatever was escaped. So an invisible word joiner stands in
it, at the beginning of the host, where a browser that it is copied to takes no notice of it (UTS 46 maps it to nothing).
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from store.database import clean_text

_MARKDOWN_SPECIALS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$:~^=&\"'@/])")
_DIRECTIVE_COLON = re.compile(r"(\\*)(:)(?=[^\s\-|])")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\n`]*$")
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)([^`\n]*[^`\n])\1(?!`)")
_CITATION = re.compile(r"[ \t]*\\\[(\d{1,3})\\\]")
_LIVE = re.compile(r"(\\*)([\[\]$<&])")
_ADDRESS = re.compile(r"((?:https?|ftp)\\*:\\*/\\*/)(?=\S)|(?<=www)(?=\\*\.)|(?<=\S@)(?=\\*[-\w])", re.IGNORECASE)
_JOINER = "\u2060"
_SHORTCODE = re.compile(r":(?=[\w+/-]+:)")
_INVISIBLE = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u200b")
_NAME_COLUMNS = 64
_LONGEST_NAME = 1000


@dataclass(frozen=True)
class Prose:
    """A part of an answer, as Markdown that is safe to show."""

    markdown: str


@dataclass(frozen=True)
class Code:
    """A fenced block of an answer: verbatim text, to be shown by `st.code` and never as Markdown."""

    text: str
    language: str


def escape_html(text: str) -> str:
    """The text for an HTML element's content or a quoted attribute."""
    return html.escape(_visible(text), quote=True)


def escape_markdown(text: str) -> str:
    """The text so that Streamlit's Markdown shows exactly it: no formatting, links, images, LaTeX, emoji codes or directives.

    Line breaks are kept as line breaks; blanks at the start of a line, which would make a code block, are not. Streamlit replaces
    emoji codes after it has read the Markdown, so an invisible word joiner stands after their first colon.
    """
    lines = _without_addresses(_SHORTCODE.sub(f":{_JOINER}", _visible(text))).splitlines()
    return "  \n".join(_escape_line(line.strip()) or "\u00a0" for line in lines)


def whole_name(name: str) -> str:
    """A file's name as a person may see it: on one line, without characters that reorder or hide text."""
    cut = name[:_LONGEST_NAME]
    return "".join("\ufffd" if ch in _INVISIBLE or unicodedata.category(ch) in {"Cc", "Cs"} else ch for ch in cut)


def shown_name(name: str, *, columns: int = _NAME_COLUMNS) -> str:
    """The `whole_name` in at most that many columns (a Chinese character takes two): beginning and end, the suffix with it."""
    whole = whole_name(name)
    if sum(map(_columns, whole)) <= columns:
        return whole
    end = _fitting(reversed(whole), columns // 3)[::-1]
    return _fitting(whole, columns - 1 - sum(map(_columns, end))) + "…" + end


def name_help(name: str, *, columns: int = _NAME_COLUMNS) -> str | None:
    """The tooltip of a name that `shown_name` has shortened: all of it, as Markdown. None for one that is whole already."""
    whole = whole_name(name)
    return None if shown_name(name, columns=columns) == whole else escape_markdown(whole)


def answer_parts(text: str, citations: Collection[int] = ()) -> list[Prose | Code]:
    """A model's Markdown in parts that are safe to show one below the other.

    Text, tables, lists and emphasis stay. Links, images and addresses become the characters they are written with, so that
    nothing is loaded, no address hides behind a word, and none can be clicked. `[n]` becomes a small badge where n is one of
    `citations`.
    """
    parts: list[Prose | Code] = []
    prose: list[str] = []
    lines = iter(_visible(text).splitlines())
    for line in lines:
        fence = _FENCE.match(line)
        if not fence:
            prose.append(line)
            continue
        _flush(prose, parts, citations)
        parts.append(Code(text="\n".join(_until_closed(lines, fence.group(1))), language=fence.group(2) or "text"))
    _flush(prose, parts, citations)
    return parts


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _fitting(characters: Iterable[str], columns: int) -> str:
    """The first characters, as many as that many columns hold."""
    taken: list[str] = []
    for character in characters:
        columns -= _columns(character)
        if columns < 0:
            break
        taken.append(character)
    return "".join(taken)


def _visible(text: str) -> str:
    return clean_text(text).replace("\x00", "\ufffd")


def _until_closed(lines: Iterator[str], fence: str) -> list[str]:
    inside: list[str] = []
    for line in lines:
        stripped = line.strip()
        if len(stripped) >= len(fence) and set(stripped) == {fence[0]}:
            break
        inside.append(line)
    return inside


def _flush(prose: list[str], parts: list[Prose | Code], citations: Collection[int]) -> None:
    block = "\n".join(prose)
    prose.clear()
    if block.strip():
        parts.append(Prose(safe_markdown(block, citations)))


def safe_markdown(text: str, citations: Collection[int] = ()) -> str:
    """Markdown without fenced blocks, made safe: no bracket, dollar, tag, entity, directive or address in it is live."""
    pieces, end = [], 0
    paired = "`" not in _INLINE_CODE.sub("", text) and "\\`" not in text
    for code in _INLINE_CODE.finditer(text):
        pieces += [_without_directives(text[end : code.start()]), _inline_code(code, paired=paired)]
        end = code.end()
    joined = "".join([*pieces, _without_directives(text[end:])])
    return _CITATION.sub(lambda match: _badge(match, citations), _escape_each(_LIVE, joined))


def _inline_code(code: re.Match[str], *, paired: bool) -> str:
    """A code span as it is, or as plain text where a parser that saw no code span in it could be led astray.

    Where all backticks are `paired`, a parser sees the same spans, but in a table, whose cells end within them.
    """
    has_address = _ADDRESS.search(code.group(2)) and not (paired and "|" not in code.string)
    return escape_markdown(code.group(2)) if has_address or re.search(r"[\[\]$<&\\]", code.group(2)) else code.group(0)


def _without_directives(text: str) -> str:
    return _escape_each(_DIRECTIVE_COLON, _without_addresses(text))


def _without_addresses(text: str) -> str:
    return _ADDRESS.sub(lambda match: f"{match.group(1) or ''}{_JOINER}", text)


def _escape_each(pattern: re.Pattern[str], text: str) -> str:
    """A backslash before each match's second group, unless an odd number of them (the first group) stands there already."""
    return pattern.sub(lambda match: match.group(1) + ("" if len(match.group(1)) % 2 else "\\") + match.group(2), text)


def _badge(match: re.Match[str], citations: Collection[int]) -> str:
    number = int(match.group(1))
    if number not in citations:
        return match.group(0)
    following = match.string[match.end() : match.end() + 1]
    return f" :blue-badge[{number}]" + ("\\" if following in {"(", "{"} else "")


def _escape_line(line: str) -> str:
    return _MARKDOWN_SPECIALS.sub(r"\\\1", line)

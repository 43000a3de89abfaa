"""Source code: LangChain's separators of a language, and which classes and functions a place stands in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from ingest.chunkers.bounds import Ruler
from ingest.chunkers.recursive import recursive_spans
from language import Span

LANGUAGES: dict[str, Language] = {
    suffix: language
    for language, suffixes in {
        Language.PYTHON: ".py .pyi",
        Language.JS: ".js .mjs .cjs .jsx",
        Language.TS: ".ts .tsx",
        Language.JAVA: ".java",
        Language.KOTLIN: ".kt .kts",
        Language.GO: ".go",
        Language.RUST: ".rs",
        Language.C: ".c .h",
        Language.CPP: ".cpp .cc .cxx .hpp .hh",
        Language.CSHARP: ".cs",
        Language.RUBY: ".rb",
        Language.PHP: ".php",
        Language.SWIFT: ".swift",
        Language.SCALA: ".scala",
        Language.LUA: ".lua",
        Language.HASKELL: ".hs",
        Language.ELIXIR: ".ex .exs",
        Language.SOL: ".sol",
        Language.PROTO: ".proto",
        Language.POWERSHELL: ".ps1 .psm1",
        Language.LATEX: ".tex",
        Language.RST: ".rst",
    }.items()
    for suffix in suffixes.split()
}
_MODIFIERS = (
    "export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|unsafe|extern|open|data|"
    "sealed|suspend|partial|pub"
)
_KINDS = (
    "class|def|function|func|fun|fn|interface|struct|enum|trait|impl|module|namespace|object|record|defmodule|contract|message"
)
_DEFINITION = re.compile(rf"[ \t]*(?:(?:{_MODIFIERS})[ \t]+)*(?:{_KINDS})[ \t]+(?:\([^()\n]{{0,80}}\)[ \t]*)?([\w.:~]{{1,100}})")
_BEFORE = re.compile(r"[ \t]*(?:@|#|//|/\*|\*)")
"""A decorator or comment, which belongs to the definition under it."""
_CLOSING = re.compile(r"[ \t]*(?:[)\]}]+[;,]?|end)?[ \t\r]*\n?")


def code_spans(text: str, language: Language, *, size: float, ruler: Ruler) -> list[Span]:
    """Spans of at most `size` that begin with a class or function where that is possible, with what stands right above it."""
    separators = RecursiveCharacterTextSplitter.get_separators_for_language(language)
    usable = [separator for separator in separators if separator]
    found = recursive_spans(text, Span(0, len(text)), size=size, ruler=ruler, separators=usable, keep="start")
    for number in range(1, len(found)):
        before, span = found[number - 1 : number + 1]
        start = _above(text, span.start, before.start)
        if start < span.start and ruler.width(start, span.end) <= size and text[before.start : start].strip():
            found[number - 1] = Span(before.start, before.start + len(text[before.start : start].rstrip()))
            found[number] = Span(start, span.end)
    return found


def _above(text: str, start: int, floor: int) -> int:
    """The start of the decorators and comments right above the definition that begins at `start`, else `start`."""
    line = text.rfind("\n", floor, start) + 1
    if not line or text[line:start].strip() or not _DEFINITION.match(text, line):
        return start
    first = start
    while line > floor:
        above = text.rfind("\n", floor, line - 1) + 1
        if above <= floor or not _BEFORE.match(text, above, line):
            return first
        line = above
        first = above + _indent(text, above)
    return first


class Definitions:
    """The classes and functions of a text by their lines and indentation."""

    def __init__(self, text: str) -> None:
        self._text = text
        changes = list(_changes(text))
        self._places = [place for place, _ in changes]
        self._paths = [path for _, path in changes]

    def path(self, span: Span) -> tuple[str, ...]:
        """What the beginning of a span stands in; decorators and comments belong to what they stand above."""
        place = self._text.rfind("\n", 0, span.start) + 1
        while place < span.end and (_BEFORE.match(self._text, place) or self._text[place : self._end(place)].isspace()):
            place = self._end(place)
        number = bisect_right(self._places, place if place < span.end else span.start) - 1
        return self._paths[number] if number >= 0 else ()

    def _end(self, place: int) -> int:
        found = self._text.find("\n", place)
        return len(self._text) if found < 0 else found + 1


def _changes(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines from which on another path holds."""
    stack: list[tuple[int, str]] = []
    place = 0
    for line in text.splitlines(keepends=True):
        if not _CLOSING.fullmatch(line) and not _BEFORE.match(line):
            indent, definition = _indent(line, 0), _DEFINITION.match(line)
            left = [entry for entry in stack if entry[0] < indent]
            if definition:
                left.append((indent, definition[1]))
            if left != stack:
                stack = left
                yield place, tuple(name for _, name in stack)
        place += len(line)


def _indent(text: str, start: int) -> int:
    place = start
    while place < len(text) and text[place] in " \t":
        place += 1
    return place - start

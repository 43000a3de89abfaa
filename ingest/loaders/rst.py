"""reStructuredText as Markdown: headings, blocks of code, plain words for roles and links; directives keep what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langchain_core.documents import Document

from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import decode_file
from ingest.loaders.markdown import first_heading
from ingest.loaders.nest import fenced
from language import width

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{1,}\s*$")
_DIRECTIVE = re.compile(r"^(\s*)\.\. ([\w:.+-]+)::[ \t]*(.*)$")
_COMMENT = re.compile(r"^\s*\.\.(?:[ \t]+|$)")
_NOTE = re.compile(r"^(\s*)\.\. \[(#?[\w.*-]*)\][ \t]+(.*)$")
_OPTION = re.compile(r"^\s+:([\w-]+):[ \t]*(.*)$")
_CODE = frozenset("code code-block sourcecode literalinclude parsed-literal doctest math prompt".split())
_SILENT = frozenset("toctree contents image raw meta index highlight currentmodule module include only default-role".split())
_INLINE = (
    (re.compile(r":[\w:+.-]+:`~?([^`<]*?)\s*<[^`>]*>`"), r"\1"),
    (re.compile(r":[\w:+.-]+:`[~!]?([^`]+)`"), r"\1"),
    (re.compile(r"`([^`<]+?)\s*<[^`>]+>`__?"), r"\1"),
    (re.compile(r"(?<!`)`([^`\n]+)`__?(?!`)"), r"\1"),
    (re.compile(r"(?<![\w`-])(\w[\w-]{0,80})__?(?=[\s.,;:!?)]|$)"), r"\1"),
    (re.compile(r"\[(?:#([\w.-]*)|([\w.*-]+))\]_(?!\w)"), r"[\1\2]"),
    (re.compile(r"``(.+?)``"), r"`\1`"),
    (re.compile(r"\|([\w -]+)\|(?!.*\|)"), r"\1"),
)
_TABLE = re.compile(r"^\s*(?:[+|]|=+(?: +=+)+)")


class RstLoader(FileLoader):
    """A text in reStructuredText, as one Document in Markdown."""

    def lazy_load(self) -> Iterator[Document]:
        """The text with its encoding. Raises UnreadableFile for binary content."""
        decoded = decode_file(self.name, self.data)
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(_Reader(decoded.text.expandtabs(4).split("\n")).read())).strip()
        yield self.document(
            text,
            "markdown",
            title=first_heading(text),
            encoding=decoded.encoding,
            encoding_confidence=decoded.confidence,
        )


class _Reader:
    """Goes through the lines once; `at` is the next one."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.at, self.levels = lines, 0, list[str]()

    def read(self) -> Iterator[str]:
        """Lines of Markdown."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            heading = self._heading()
            if heading:
                yield from ("", heading, "")
            elif directive := _DIRECTIVE.match(line):
                self.at += 1
                yield from self._directive(directive)
            elif note := _NOTE.match(line):
                self.at += 1
                yield from ("", f"[{note[2].lstrip('#') or '*'}] {_inline(note[3])}")
                yield from _Reader(_dedented(self._block(len(note[1])))).read()
            elif _COMMENT.match(line):
                self.at += 1
                self._block(_indent(line))
            elif line.rstrip().endswith("::"):
                self.at += 1
                words = line.rstrip()[:-2].rstrip()
                yield from (_inline(f"{words}:") if words else "", "", *_code(self._block(_indent(line)), ""))
            else:
                self.at += 1
                yield line if _TABLE.match(line) else _inline(line)

    def _heading(self) -> str | None:
        """A heading with a line of signs below it, or above and below."""
        here, below, third = (*self.lines[self.at : self.at + 3], "", "")[:3] if self.at < len(self.lines) else ("", "", "")
        over = _ADORNMENT.match(here) if below.strip() and here.strip() == third.strip() else None
        under = None if over or not here.strip() or here[:1].isspace() or _ADORNMENT.match(here) else _ADORNMENT.match(below)
        title = below if over else here
        mark = over or under
        if mark is None or len(mark.group().rstrip()) < min(_columns(title.strip()), 4):
            return None
        sign = mark[1] * (2 if over else 1)
        if sign not in self.levels:
            self.levels.append(sign)
        self.at += 3 if over else 2
        return f"{'#' * min(self.levels.index(sign) + 1, 6)} {_inline(title.strip())}"

    def _directive(self, match: re.Match[str]) -> Iterator[str]:
        indent, name, argument = len(match[1]), match[2].rpartition(":")[2], match[3].strip()
        block = self._block(indent)
        options = dict[str, str]()
        while block and (option := _OPTION.match(block[0])):
            options[option[1]] = option[2].strip()
            block.pop(0)
        beside = options.get("alt") or options.get("caption")  # what a picture shows, what a listing is
        if beside:
            yield from ("", _inline(beside), "")
        if name in _SILENT:
            return
        if name in _CODE:
            yield from _code([argument, *_dedented(block)], "math") if name == "math" else _code(block, argument)
            return
        yield from ("", _inline(f"{name.capitalize()}: {argument}" if argument or block else ""), "")
        yield from _Reader(_dedented(block)).read()

    def _block(self, indent: int) -> list[str]:
        """The lines that are indented more, blank ones between them included."""
        start = self.at
        while self.at < len(self.lines) and (not self.lines[self.at].strip() or _indent(self.lines[self.at]) > indent):
            self.at += 1
        block = self.lines[start : self.at]
        while block and not block[-1].strip():
            block.pop()
        return block


def _code(block: list[str], language: str) -> Iterator[str]:
    lines = _dedented(block)
    if any(line.strip() for line in lines):
        yield from ("", fenced("\n".join(lines).strip("\n"), language), "")


def _dedented(block: list[str]) -> list[str]:
    depth = min((_indent(line) for line in block if line.strip()), default=0)
    return [line[depth:] for line in block]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _columns(text: str) -> int:
    return round(width(text))


def _inline(line: str) -> str:
    for pattern, words in _INLINE:
        line = pattern.sub(words, line)
    return f"\\{line}" if line.startswith("#") else line

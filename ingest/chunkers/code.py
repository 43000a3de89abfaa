"""Source code as a tree of classes and functions, by their first words and by indentation; it need not be well formed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from ingest.chunkers.keys import DEEPEST, Node

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
_NAME = r"[\w.~]{1,100}(?:::[\w~]{1,100})*"
_DEFINITION = re.compile(rf"[ \t]*(?:(?:{_MODIFIERS})[ \t]+)*(?:{_KINDS})[ \t]+(?:\([^()\n]{{0,80}}\)[ \t]*)?({_NAME})")
_BEFORE = re.compile(r"[ \t]*(?:@|#|//|/\*|\*)")
"""A decorator or comment, which belongs to the definition right under it."""
_CLOSING = re.compile(r"[ \t]*(?:[)\]}]+[;,]?|end)?[ \t\r]*\n?")


def separators_of(language: Language) -> list[str]:
    """LangChain's separators of a language, as regular expressions, without the empty one."""
    return [separator for separator in RecursiveCharacterTextSplitter.get_separators_for_language(language) if separator]


def code_tree(text: str) -> Node:
    """The definitions with the decorators and comments right above them; what stands between them has no key.

    A definition ends before the next line that is indented no more than it is, unless that only closes a bracket.
    """
    root = Node(0, len(text), "")
    open_: list[tuple[int, Node]] = [(-1, root)]
    for start, indent, name in _units(text):
        while open_[-1][0] >= indent:
            open_.pop()[1].end = start
        above = open_[-1][1]
        if name is None and above.children and not above.children[-1].key:
            continue
        if not above.children and start > above.start:
            above.children.append(Node(above.start, start, ""))
        if name is None and not above.children:
            continue
        node = Node(start, above.end, name or "")
        if above.children:
            above.children[-1].end = start
        above.children.append(node)
        if name is not None and len(open_) <= DEEPEST:
            open_.append((indent, node))
    for _, node in open_:
        node.end = len(text)
        if node.children:
            node.children[-1].end = len(text)
    return root


def _units(text: str) -> Iterator[tuple[int, int, str | None]]:
    """(start of its line or of what belongs to it above, indentation, name) of each definition, and of lines between them."""
    place, before = 0, None
    for line in text.splitlines(keepends=True):
        definition = _DEFINITION.match(line)
        if definition:
            yield place if before is None else before, _indent(line), definition[1]
        elif not _CLOSING.fullmatch(line) and not _BEFORE.match(line):
            yield place if before is None else before, _indent(line), None
        belongs = _BEFORE.match(line) is not None
        before = (place if before is None else before) if belongs else None
        place += len(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))

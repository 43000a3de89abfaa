"""HTML, and what was turned into HTML, as Markdown that reads like the page and holds nothing but its text."""

from __future__ import annotations

import re
from typing import Any

# For markitdown's converter: links as their text, no backslashes inside words, an error instead of a warning on deep nesting.
MARKDOWN_OPTIONS: dict[str, Any] = {
    "strip": ["a"],
    "escape_underscores": False,
    "escape_asterisks": False,
    "escape_misc": False,
    "strict": True,
}
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_TRAILING = re.compile(r"[ \t\u3000]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_BLANK_HEADER = re.compile(r"^\|(?:[ \t]*\|)+\n(\|(?: *:?-+:? *\|)+\n)(\|.*\|)(?:\n|$)", re.MULTILINE)


def tidy_markdown(text: str) -> str:
    """The Markdown without images (their alternative text stays) and surplus blanks; a table's first row is its header."""
    text = _BLANK_LINES.sub("\n\n", _TRAILING.sub("", _IMAGE.sub(r"\1", text)))
    return _BLANK_HEADER.sub(r"\2\n\1", text).strip()


def first_heading(markdown: str) -> str | None:
    """The first heading of level one outside of code blocks."""
    in_code = False
    for line in markdown.splitlines():
        if line.startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code and (match := re.match(r"#\s+(.+?)\s*#*\s*$", line)):
            return match.group(1)
    return None

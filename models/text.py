"""Text as models take it."""

from __future__ import annotations


def sendable(text: str) -> str:
    """The text with what no model takes made harmless: NUL becomes a blank, a lone surrogate U+FFFD."""
    return text.replace("\0", " ").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

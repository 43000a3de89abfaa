"""Figures in two columns, what each is and its value, as HTML for `st.html`."""

from __future__ import annotations

from collections.abc import Iterable

from ui.safe import escape_html

Fact = tuple[str, object]


def facts(known: Iterable[Fact]) -> str:
    """The facts whose value is not None or ""; words and values are plain text, hostile or not."""
    told = ((words, value) for words, value in known if value is not None and value != "")
    rows = (f"<dt>{escape_html(words)}</dt><dd>{escape_html(str(value))}</dd>" for words, value in told)
    return f'<dl class="gb-facts">{"".join(rows)}</dl>'

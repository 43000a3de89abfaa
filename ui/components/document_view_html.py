"""What the document view shows, as HTML for `st.html`: a page with its marks, a part of a text, rows of a table.

What comes from a document goes through `escape_html`; a page's image is our own encoding of pixels (ingest/view/viewer.py).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence

from ingest.view.picture import Box
from ingest.view.viewer import ShownPage
from ui.excerpts import Span, marked
from ui.row_table import Group
from ui.safe import escape_html

_HERE = '<i class="gb-here"></i>'
"""Where the box that holds it is scrolled to at first (ui/style.css)."""


def page_html(page: ShownPage, *, zoom: float, about: str) -> str:
    """The page, `zoom` times as wide as there is room, with the passage marked. `about` is for who cannot see it."""
    image = base64.b64encode(page.image).decode("ascii")
    boxes = "".join(_box(box, first=number == 0) for number, box in enumerate(page.boxes))
    return (
        f'<div class="gb-sheet"><div class="gb-leaf" style="width:{100 * zoom:.0f}%">'
        f'<img src="data:{page.mime};base64,{image}" alt="{escape_html(about)}">{boxes}</div></div>'
    )


def text_html(text: str, spans: Sequence[Span], *, window: Span, hidden: Sequence[Span] = (), low: bool = False) -> str:
    """The window of the text with the spans marked, scrolled to the first; in a `low` box where it stands below a page."""
    shown = _scrolled(marked(text, spans, hidden=hidden, window=window))
    return f'<div class="gb-sheet gb-reading-box{" gb-low" if low else ""}"><p class="gb-text gb-place">{shown}</p></div>'


def rows_html(text: str, groups: Sequence[Group], spans: Sequence[Span]) -> str:
    """Rows of a table below the names of its columns; cells of the passage are marked, and its rows stand out."""
    return f'<div class="gb-sheet gb-reading-box">{_scrolled("".join(_table(text, group, spans) for group in groups))}</div>'


def _table(text: str, group: Group, spans: Sequence[Span]) -> str:
    title = f'<p class="gb-text"><b>{escape_html(group.title)}</b></p>' if group.title else ""
    if not group.rows:
        return title
    head = "".join(f"<th>{escape_html(name)}</th>" for name in group.columns)
    rows = []
    for row in group.rows:
        cells = (row.cells.get(name) for name in group.columns)
        shown = "".join(f"<td>{marked(text, spans, window=cell) if cell else ''}</td>" for cell in cells)
        chosen = any(start < row.end and end > row.start for start, end in spans)
        rows.append(f"<tr{' class=gb-chosen' if chosen else ''}>{shown}</tr>")
    return f'{title}<table class="gb-rows"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _scrolled(html: str) -> str:
    return html.replace("<mark>", f"{_HERE}<mark>", 1)


def _box(box: Box, *, first: bool) -> str:
    x0, top, x1, bottom = (100 * share for share in box)
    place = f"left:{x0:.3f}%;top:{top:.3f}%;width:{x1 - x0:.3f}%;height:{bottom - top:.3f}%"
    return f'<i class="gb-box{" gb-here" if first else ""}" style="{place}"></i>'

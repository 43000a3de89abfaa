"""HTML as Markdown, whole: what a reader sees of it, without links, scripts and hidden elements; nothing is fetched."""

from __future__ import annotations

import re
from copy import deepcopy

from lxml import html as lxml_html
from lxml.etree import LxmlError

from ingest.loaders.markdown import MARKDOWN_OPTIONS, tidy_markdown
from ingest.loaders.tables import MOST_COLUMNS

NEVER = "script style noscript template svg iframe object embed select input head nav dialog"
_PROLOG = re.compile(r"^\s*<\?xml[^>]*\?>")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
_BLOCKS = (
    "address aside center details fieldset figure footer form header hgroup legend main menu search summary textarea".split()
)
"""What stands on lines of its own, and the converter would run together."""
_MOST_SPREAD = 10_000  # cells: the height of a merged one is a number that anybody can write
_LONGEST_SPREAD = 500  # characters
_PARTS = ("tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup", "col")


class TooDeep(Exception):
    """The markup is nested too deep to be parsed whole."""


def parse(markup: str) -> lxml_html.HtmlElement | None:
    """The page; None when it holds nothing but blanks and comments. Raises TooDeep."""
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        page = lxml_html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)  # bytes: see lxml on prologs
    except LxmlError:
        return None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise TooDeep
    return page


def drop_unseen(page: lxml_html.HtmlElement) -> None:
    """Takes out what a reader does not see."""
    for element in page.xpath(" | ".join(f"//{tag}" for tag in NEVER.split())):
        element.drop_tree()
    for element in list(page.iterdescendants()):
        if element.getparent() is not None and _is_hidden(element):
            element.drop_tree()


def _is_hidden(element: lxml_html.HtmlElement) -> bool:
    return "hidden" in element.attrib or bool(_HIDDEN.search(element.get("style", "")))


def to_markdown(page: lxml_html.HtmlElement) -> str:
    """The element in Markdown. Tables that only lay out a page become the paragraphs that stand in them."""
    from markitdown.converters import HtmlConverter

    unwrap_layout(page)
    for table in list(page.iter("table")):
        spread_cells(table)
    for block in page.iter(*_BLOCKS):
        block.tag = "div"
    for underlined in list(page.iter("u", "ins", "mark", "font")):
        underlined.drop_tag()
    html = lxml_html.tostring(page, encoding="unicode")
    return tidy_markdown(HtmlConverter().convert_string(html, **MARKDOWN_OPTIONS).markdown)


def unwrap_layout(page: lxml_html.HtmlElement) -> None:
    """Turns tables and lists that lay out a page, as they hold tables, headings or lines within, into blocks."""
    for table in list(page.iter("table")):
        own = [part for part in table.iter(*_PARTS) if next(part.iterancestors("table"), None) is table]
        cells = [part for part in own if part.tag in ("td", "th")]
        if len(cells) == 1 or any(_holds_blocks(cell) for cell in cells):
            for part in (table, *own):
                part.tag = "div"
    for item in list(page.iter("li")):  # of a list of search results or articles
        if item.find(".//h2") is not None or item.find(".//h3") is not None:
            item.tag = "div"
            if (parent := item.getparent()) is not None and parent.tag in ("ul", "ol"):
                parent.tag = "div"


def spread_cells(table: lxml_html.HtmlElement) -> None:
    """Puts a cell that is merged downwards into each of its rows, so that the others stay below their headers."""
    rows = [row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table]
    hanging: dict[int, tuple[lxml_html.HtmlElement, int]] = {}
    left = _MOST_SPREAD
    for row in rows:
        column, below = 0, {}
        for cell in [*row.iterchildren("td", "th"), None]:
            while column in hanging and left:
                above, down = hanging[column]
                copy = _copied(above)
                row.append(copy) if cell is None else cell.addprevious(copy)
                left -= 1
                if down > 1:
                    below[column] = (above, down - 1)
                column += _span(above, "colspan")
            if cell is not None:
                if (down := _span(cell, "rowspan")) > 1:
                    below[column] = (cell, down - 1)
                column += _span(cell, "colspan")
        hanging = below


def _copied(cell: lxml_html.HtmlElement) -> lxml_html.HtmlElement:
    """The cell once more; in place of a long one there is an empty one, as it says nothing of a row."""
    short = len(cell.text_content()) <= _LONGEST_SPREAD
    copy = deepcopy(cell) if short else lxml_html.Element("td", colspan=cell.get("colspan", "1"))
    copy.tail = None
    return copy


def _span(cell: lxml_html.HtmlElement, name: str) -> int:
    number = cell.get(name, "")
    return min(max(int(number), 1), MOST_COLUMNS) if number.isdecimal() else 1


def _holds_blocks(cell: lxml_html.HtmlElement) -> bool:
    return any(cell.find(f".//{tag}") is not None for tag in ("table", "h1", "h2", "h3", "hr"))


def plain_text(markup: str) -> str:
    """The text of a page that is nested too deep to keep its structure."""
    from bs4 import BeautifulSoup

    page = BeautifulSoup(_PROLOG.sub("", markup), "html.parser")
    for element in page(NEVER.split()):
        element.decompose()
    return page.get_text("\n", strip=True)


def whole_markdown(markup: str) -> str:
    """All that a reader sees of a page or of a mail, in Markdown; nothing is taken for navigation."""
    try:
        page = parse(markup)
        if page is None:
            return ""
        drop_unseen(page)
        return to_markdown(page)
    except (TooDeep, RecursionError):
        return plain_text(markup)

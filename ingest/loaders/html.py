"""HTML as Markdown: the main text with its headings, lists and tables; no scripts, styles or navigation; nothing is fetched."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

from langchain_core.documents import Document
from lxml import html as lxml_html
from lxml.etree import LxmlError

from ingest.errors import UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.encoding import decode_file
from ingest.loaders.markdown import MARKDOWN_OPTIONS, first_heading, tidy_markdown

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([a-zA-Z0-9_.:-]+)""")
_PROLOG = re.compile(r"^\s*<\?xml[^>]*\?>")
_NEVER = "script style noscript template svg iframe object embed select input head nav dialog"
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BOILERPLATE = re.compile(
    r"(?<![a-z])(nav(igation|bar|box|links|list)?|side-?bar|menu|bread-?crumbs?|cookies?|skip-?link|mw-editsection|noprint"
    r"|catlinks|site-(header|footer)|page-?footer|social-?(share|links))(?![a-z])",
    re.IGNORECASE,
)
_ROLES = {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog"}
_WHOLE_PAGE = 0.4  # what holds more of the text than this is the content
_TOO_LITTLE = 0.3  # trafilatura keeps less than this: it has missed the main text
_NOTHING_ELSE = 0.85  # it keeps more than this: there is nothing to drop, and the page as it is loses no table or heading
_FEW_LINKS = 0.2  # share of the text in links, up to which the page as it is holds no lists of them


class HtmlLoader(FileLoader):
    """A web page, as one Document in Markdown."""

    def lazy_load(self) -> Iterator[Document]:
        """The page's main text. Raises UnreadableFile for binary content or a page that cannot be parsed."""
        charset = _CHARSET.search(self.data[:4096])
        decoded = decode_file(self.name, self.data, charset.group(1).decode("ascii") if charset else None)
        try:
            text, title = _read(decoded.text)
        except RecursionError:
            text, title = _plain_text(decoded.text), None
        except Exception as error:  # parsers of foreign input raise anything
            remedy = "Open it in a browser and save it again, or as a PDF."
            raise UnreadableFile(self.name, "the page could not be parsed", remedy=remedy, code="damaged_html") from error
        yield self.document(
            clean(text), "markdown", title=title, encoding=decoded.encoding, encoding_confidence=decoded.confidence
        )


def _read(markup: str) -> tuple[str, str | None]:
    """The main text in Markdown and the title."""
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        page = lxml_html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)  # bytes: see lxml on prologs
    except LxmlError:
        return "", None  # nothing but blanks and comments
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        return _plain_text(markup), None
    title = page.findtext(".//title")
    _strip(page)
    page = _main_element(page)
    text = _to_markdown(page)
    if _link_share(page) > _FEW_LINKS:
        main = _main_text(markup)
        text = main if _TOO_LITTLE * len(text) <= len(main) <= _NOTHING_ELSE * len(text) else text
    heading = page.findtext(".//h1")
    if heading and heading.strip() and heading.strip() not in text:
        text = f"# {' '.join(heading.split())}\n\n{text}"
    return text, title or first_heading(text)


def _strip(page: lxml_html.HtmlElement) -> None:
    """Takes out what a reader does not see, and what stands on every page of a site."""
    for element in page.xpath(" | ".join(f"//{tag}" for tag in _NEVER.split())):
        element.drop_tree()
    size = len(page.text_content())
    for outside in page.xpath("//header | //footer"):
        if not any(True for _ in outside.iterancestors("main", "article", "section")) and outside.find(".//h1") is None:
            _drop_small(outside, size)
    for element in list(page.iterdescendants()):
        if _is_hidden(element) and element.getparent() is not None:
            element.drop_tree()
        elif _is_boilerplate(element):
            _drop_small(element, size)


def _drop_small(element: lxml_html.HtmlElement, size: int) -> None:
    """Drops an element unless it holds much of the page's `size` characters: then it is no navigation, whatever it is called."""
    if element.getparent() is not None and len(element.text_content()) < _WHOLE_PAGE * size:
        element.drop_tree()


def _main_element(page: lxml_html.HtmlElement) -> lxml_html.HtmlElement:
    """The element that the page itself calls its main one, if it holds enough of the text; else the page."""
    marked = page.xpath("//main | //*[@role='main']")
    enough = _WHOLE_PAGE * len(page.text_content())
    return marked[0] if len(marked) == 1 and len(marked[0].text_content()) > enough else page


def _is_hidden(element: lxml_html.HtmlElement) -> bool:
    return "hidden" in element.attrib or bool(_HIDDEN.search(element.get("style", "")))


def _is_boilerplate(element: lxml_html.HtmlElement) -> bool:
    if element.tag in ("body", "main", "article", "h1"):
        return False
    names = f"{element.get('id', '')} {element.get('class', '')}"
    return element.get("role") in _ROLES or bool(_BOILERPLATE.search(names))


def _to_markdown(page: lxml_html.HtmlElement) -> str:
    from markitdown.converters import HtmlConverter

    html = lxml_html.tostring(page, encoding="unicode")
    return tidy_markdown(HtmlConverter().convert_string(html, **MARKDOWN_OPTIONS).markdown)


def _link_share(page: lxml_html.HtmlElement) -> float:
    return sum(len(link.text_content()) for link in page.iter("a")) / max(len(page.text_content()), 1)


def _plain_text(markup: str) -> str:
    """The text of a page that is nested too deep to keep its structure."""
    from bs4 import BeautifulSoup

    page = BeautifulSoup(_PROLOG.sub("", markup), "html.parser")
    for element in page(_NEVER.split()):
        element.decompose()
    return page.get_text("\n", strip=True)


def _main_text(markup: str) -> str:
    """What trafilatura takes for the main text, "" when it finds none."""
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it reports a page without an article as an error
    return tidy_markdown(
        trafilatura.extract(
            markup, output_format="markdown", include_tables=True, include_comments=True, include_links=False, favor_recall=True
        )
        or ""
    )

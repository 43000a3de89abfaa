"""HTML as Markdown: the main text with its headings, lists and tables; no scripts, styles or navigation; nothing is fetched."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

from langchain_core.documents import Document
from lxml import html as lxml_html

from ingest.errors import UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.encoding import Decoded, decode_file
from ingest.loaders.markdown import first_heading, tidy_markdown
from ingest.loaders.markup import TooDeep, drop_unseen, parse, plain_text, to_markdown

_CHARSET = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([a-zA-Z0-9_.:-]+)""")
_BOILERPLATE = re.compile(
    r"(?<![a-z])(nav(igation|bar|box|links|list)?|side-?bar|menu|bread-?crumbs?|cookies?|skip-?link|mw-editsection|noprint"
    r"|catlinks|site-(header|footer)|page-?footer|social-?(share|links))(?![a-z])",
    re.IGNORECASE,
)
_HEADINGS = re.compile(r"^#{1,6} ", re.MULTILINE)
_ROWS = re.compile(r"^\|", re.MULTILINE)
_META = {
    **dict.fromkeys(("author", "article:author", "dc.creator", "dcterms.creator"), "author"),
    **dict.fromkeys(("article:published_time", "datepublished", "date", "dc.date", "dcterms.created", "pubdate"), "created"),
}
_ROLES = {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog"}
_WHOLE_PAGE = 0.4  # what holds more of the text than this is the content
_TOO_LITTLE = 0.3  # trafilatura keeps less than this: it has missed the main text
_NOTHING_ELSE = 0.85  # it keeps more than this: there is nothing to drop, and the page as it is loses no table or heading
_FEW_LINES = 3  # headings or rows, which may be lost
_FEW_LINKS = 0.2  # share of the text in links, up to which the page as it is holds no lists of them


class HtmlLoader(FileLoader):
    """A web page, as one Document in Markdown."""

    def lazy_load(self) -> Iterator[Document]:
        """The page's main text. Raises UnreadableFile for binary content or a page that cannot be parsed."""
        yield page_document(self, decode_file(self.name, self.data, charset_of(self.data)))


def charset_of(data: bytes) -> str | None:
    """The charset that a page says it is in."""
    charset = _CHARSET.search(data[:4096])
    return charset.group(1).decode("ascii") if charset else None


def page_document(loader: FileLoader, decoded: Decoded, *, title: str | None = None) -> Document:
    """The page's main text with its title (or `title`), author and date. Raises UnreadableFile."""
    try:
        text, said = _read(decoded.text)
    except RecursionError:
        text, said = plain_text(decoded.text), {}
    except Exception as error:  # parsers of foreign input raise anything
        remedy = "Open it in a browser and save it again, or as a PDF."
        raise UnreadableFile(loader.name, "the page could not be parsed", remedy=remedy, code="damaged_html") from error
    return loader.document(
        clean(text),
        "markdown",
        title=said.get("title") or title,
        author=said.get("author"),
        created=said.get("created"),
        encoding=decoded.encoding,
        encoding_confidence=decoded.confidence,
    )


def _said(page: lxml_html.HtmlElement) -> dict[str, str]:
    """What the head of the page says about it."""
    said = {"title": " ".join((page.findtext(".//title") or "").split())}
    for meta in page.iter("meta"):
        name = (meta.get("name") or meta.get("property") or meta.get("itemprop") or "").lower()
        key, content = _META.get(name), " ".join((meta.get("content") or "").split())
        if key and content:
            said.setdefault(key, content)
    return {key: value for key, value in said.items() if value}


def _read(markup: str) -> tuple[str, dict[str, str]]:
    """The main text in Markdown, and title, author and date."""
    try:
        page = parse(markup)
    except TooDeep:
        return plain_text(markup), {}
    if page is None:
        return "", {}
    said = _said(page)
    drop_unseen(page)
    _drop_frame(page)
    page = _main_element(page)
    text = to_markdown(page)
    if _link_share(page) > _FEW_LINKS:
        main = _main_text(markup)
        some = _TOO_LITTLE * len(text) <= len(main) <= _NOTHING_ELSE * len(text)
        text = main if some and _has_structure_of(text, main) else text
    heading = page.findtext(".//h1")
    if heading and heading.strip() and heading.strip() not in text:
        text = f"# {' '.join(heading.split())}\n\n{text}"
    return text, {"title": first_heading(text) or ""} | said


def _drop_frame(page: lxml_html.HtmlElement) -> None:
    """Takes out what stands on every page of a site."""
    size = len(page.text_content())
    for outside in page.xpath("//header | //footer"):
        if not any(True for _ in outside.iterancestors("main", "article", "section")) and outside.find(".//h1") is None:
            _drop_small(outside, size)
    for element in list(page.iterdescendants()):
        if _is_boilerplate(element):
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


def _is_boilerplate(element: lxml_html.HtmlElement) -> bool:
    if element.tag in ("body", "main", "article", "h1"):
        return False
    names = f"{element.get('id', '')} {element.get('class', '')}"
    return element.get("role") in _ROLES or bool(_BOILERPLATE.search(names))


def _link_share(page: lxml_html.HtmlElement) -> float:
    return sum(len(link.text_content()) for link in page.iter("a")) / max(len(page.text_content()), 1)


def _has_structure_of(page: str, main: str) -> bool:
    """Whether what is taken for the main text has most headings and rows of the page: else these are the page, as of a shop."""
    return all(2 * len(mark.findall(main)) + _FEW_LINES >= len(mark.findall(page)) for mark in (_HEADINGS, _ROWS))


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

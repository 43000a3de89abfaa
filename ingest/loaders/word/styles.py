"""What the style of a paragraph says of it: a heading of which level, in which list, an entry of the table of contents."""

from __future__ import annotations

import re
from typing import Any

from ingest.loaders.word import W
from ingest.loaders.word.numbering import Numbering, value

LOWEST_HEADING = 6
_HEADING = re.compile(r"(?:heading|标题|標題|見出し|제목|überschrift|titre|título|titolo|kop)\s*(\d)", re.IGNORECASE)
_TITLE = re.compile(r"title|标题|標題|表題|titel|titre|título|titolo", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|目录|目錄|目次|table of figures|verzeichnis)\s*\d*", re.IGNORECASE)
_MOST_BASES = 20
_CHAPTER = re.compile(r"第[零一二三四五六七八九十百千\d]+([编編部章节節])(?:[\s\u3000]+[^\t。；，：！？]{1,30}(?<!\d))?")
_CHAPTER_LEVELS = {"编": 1, "編": 1, "部": 1, "章": 2, "节": 3, "節": 3}


class Styles:
    """The styles of a document by their ids; what a style does not say, the one that it is based on does."""

    def __init__(self, root: Any) -> None:
        self._styles: dict[str, Any] = {}
        for style in () if root is None else root.iterchildren(f"{W}style"):
            self._styles[value(style, "styleId")] = style

    def heading(self, paragraph: Any) -> int | None:
        """The level of a heading, 1 to 6; None for a paragraph that is none."""
        properties = paragraph.find(f"{W}pPr")
        own = _outline(properties)
        if own is not None:
            return own or None
        for style in self._chain(paragraph):
            name = value(style.find(f"{W}name")).strip()
            found = _HEADING.fullmatch(name)
            if found or _TITLE.fullmatch(name):
                return min(int(found[1]) or 1, LOWEST_HEADING) if found else 1
            outline = _outline(style.find(f"{W}pPr"))
            if outline is not None:
                return outline or None
        return None

    def list_of(self, paragraph: Any, numbering: Numbering) -> tuple[str, int] | None:
        """The id of the list that a paragraph is in, and its level there."""
        own = paragraph.find(f"{W}pPr/{W}numPr")
        number, level = value(_child(own, "numId")), value(_child(own, "ilvl"))
        for style in self._chain(paragraph) if not number else ():
            of_style = style.find(f"{W}pPr/{W}numPr")
            number = value(_child(of_style, "numId"))
            if number:
                by_style = str(numbering.level_of_style(number, value(style, "styleId")))
                level = level or value(_child(of_style, "ilvl")) or by_style
                break
        return (number, min(int(level), 8) if level.isdecimal() else 0) if number and number != "0" else None

    def is_contents(self, paragraph: Any) -> bool:
        """Whether a paragraph is an entry of a table of contents, which says again what the headings say."""
        return any(_CONTENTS.fullmatch(value(style.find(f"{W}name")).strip()) for style in self._chain(paragraph))

    def _chain(self, paragraph: Any) -> list[Any]:
        """The paragraph's style and those that it is based on."""
        found: list[Any] = []
        style = self._styles.get(value(paragraph.find(f"{W}pPr/{W}pStyle")))
        while style is not None and len(found) < _MOST_BASES:
            found.append(style)
            style = self._styles.get(value(style.find(f"{W}basedOn")))
        return found


def _outline(properties: Any) -> int | None:
    """The outline level, from 1; 0 for one that says "body text"."""
    text = value(_child(properties, "outlineLvl"))
    if not text.isdecimal():
        return None
    return min(int(text) + 1, LOWEST_HEADING) if int(text) < 9 else 0


def _child(element: Any, name: str) -> Any:
    return None if element is None else element.find(f"{W}{name}")


def chapter_level(text: str) -> int | None:
    """The level of a line such as 第一章 总则, which is a heading in Chinese laws and contracts whatever its style says."""
    found = _CHAPTER.fullmatch(text)
    return _CHAPTER_LEVELS[found[1]] if found else None

"""Shapes of a slide as Markdown, in the order in which they are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ingest.loaders.clean import clean
from ingest.loaders.layout.compose import markdown_safe
from ingest.loaders.ooxml import MATH, equation
from ingest.loaders.package import parse_xml
from ingest.loaders.slides.charts import chart_text
from ingest.loaders.tables import Cell, table_markdown

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_ROW = 200_000
"""EMU (a fifth of an inch): shapes whose upper edges differ less stand side by side."""
_DEEPEST = 20
_NO_DESCRIPTION = re.compile(
    r"(?:.*\.(?:png|jpe?g|gif|bmp|svg|emf|wmf|tiff?)|(?:picture|image|graphic|shape|图片|图像|图形|形状)?\s*\d*)", re.IGNORECASE
)
_BY_PROGRAM = re.compile(r"\s*(?:description automatically generated|ai-generated content may be|描述已自动生成).*", re.I | re.S)


def blocks(shapes: Iterable[Any], depth: int = 0) -> Iterator[str]:
    """The texts of the shapes and of those in their groups, from the top down and from the left to the right; some are ""."""
    for shape in sorted(shapes, key=_place):
        if hasattr(shape, "shapes"):
            if depth < _DEEPEST:
                yield from blocks(shape.shapes, depth + 1)
        elif shape.has_text_frame:
            yield text_of(shape)
        elif getattr(shape, "has_table", False):
            yield _table(shape.element)
        elif getattr(shape, "has_chart", False):
            yield chart_text(shape.chart.element)
        else:
            yield _diagram(shape)
        yield described(next(shape.element.iter("{*}cNvPr"), None))


def alternatives(tree: Any) -> Iterator[str]:
    """The texts of what only newer versions draw, such as formulas, which python-pptx passes over."""
    for element in tree.iter(_ALTERNATE):
        if next(element.iterancestors(_ALTERNATE), None) is None:
            choice = next(iter(element), None)
            yield "\n\n".join(lines(choice) if choice is not None else ())


def text_of(shape: Any) -> str:
    """The paragraphs; several of a placeholder for text are a list, as are those that are indented."""
    paragraphs = list(shape.element.iter(f"{A}p"))
    texts = [line_of(paragraph) for paragraph in paragraphs]
    several = sum(map(bool, texts)) > 1
    listed = several and shape.is_placeholder
    found = []
    for paragraph, text in zip(paragraphs, texts, strict=True):
        if not text:
            continue
        level = _level(paragraph)
        found.append(f"{'  ' * level}- {text}" if several and (listed or level) else markdown_safe(text))
    return ("\n" if listed else "\n\n").join(found) if found else ""


def lines(element: Any) -> list[str]:
    """The paragraphs within an element that have text."""
    return [text for paragraph in element.iter(f"{A}p") if (text := line_of(paragraph))]


def line_of(paragraph: Any) -> str:
    """The text of a paragraph, formulas as LaTeX."""
    return clean("".join(_pieces(paragraph))).strip()


def described(properties: Any) -> str:
    """The alternative text that somebody wrote for a picture or a drawing; "" for the name of a file."""
    text = "" if properties is None else properties.get("descr", "") or properties.get("title", "")
    tidy = " ".join(_BY_PROGRAM.sub("", clean(text)).split())
    return "" if _NO_DESCRIPTION.fullmatch(tidy) else markdown_safe(tidy)


def _pieces(paragraph: Any) -> Iterator[str]:
    for element in paragraph.iter(f"{A}t", f"{A}br", f"{A}tab", f"{MATH}oMath"):
        if element.tag == f"{MATH}oMath":
            yield equation(element)
        elif next(element.iterancestors(f"{MATH}oMath"), None) is None:
            yield {f"{A}br": "\n", f"{A}tab": "\t"}.get(element.tag) or element.text or ""


def _level(paragraph: Any) -> int:
    properties = paragraph.find(f"{A}pPr")
    level = "0" if properties is None else properties.get("lvl", "0")
    return min(int(level), 8) if level.isdecimal() else 0


def _place(shape: Any) -> tuple[int, int]:
    return ((shape.top or 0) // _ROW, shape.left or 0)


def _table(table: Any) -> str:
    """The table of a graphic frame. What is merged with another cell is marked in each of the cells that it took in."""
    rows = []
    for row in table.iter(f"{A}tr"):
        cells = [cell for cell in row.iterchildren(f"{A}tc") if not {cell.get("hMerge"), cell.get("vMerge")} & {"1", "true"}]
        rows.append([Cell(" ".join(lines(cell)), _count(cell, "gridSpan"), _count(cell, "rowSpan")) for cell in cells])
    return table_markdown(rows)


def _count(cell: Any, name: str) -> int:
    value = cell.get(name, "1")
    return int(value) if value.isdecimal() else 1


def _diagram(shape: Any) -> str:
    """The texts of a SmartArt drawing, which lie in a part of their own."""
    ids = next(shape.element.iter("{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"), None)
    if ids is None:
        return ""
    part = shape.part.related_part(ids.get("{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"))
    return "\n".join(f"- {text}" for text in lines(parse_xml(part.blob)))

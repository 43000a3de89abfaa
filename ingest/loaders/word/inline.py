"""What stands in a paragraph: its text, and what hangs on it: notes, comments, text boxes, pictures, charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.loaders.ooxml import MATH, equation
from ingest.loaders.word import W
from ingest.loaders.word.numbering import is_on, value
from ingest.loaders.word.symbols import symbol

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_SKIPPED = frozenset(
    f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "rt", "delText", "instrText")
)


@dataclass
class Inline:
    """A paragraph's text, and what it refers to: ids of notes and comments, elements that hold texts of their own."""

    text: str = ""
    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    drawings: list[Any] = field(default_factory=list)


def read_inline(paragraph: Any, mark: Callable[[str, str], str]) -> Inline:
    """The content of a paragraph. `mark(kind, id)` gives the mark of a note in the text."""
    found = Inline()
    found.text = "".join(_pieces(paragraph, found, mark))
    return found


def _pieces(element: Any, found: Inline, mark: Callable[[str, str], str]) -> Iterator[str]:
    for child in element.iterchildren(tag=("*",)):
        if child.tag in _SKIPPED:
            continue
        if child.tag == f"{W}r" and is_on(child.find(f"{W}rPr/{W}vanish")):
            continue
        if child.tag == f"{_MC}AlternateContent":
            for one in child.iterchildren(f"{_MC}Choice", f"{_MC}Fallback"):  # they say the same
                yield from _pieces(one, found, mark)
                break
        else:
            yield from _piece(child, found, mark)


def _piece(child: Any, found: Inline, mark: Callable[[str, str], str]) -> Iterator[str]:
    """The text of one element, which may hold others."""
    name = child.tag
    if name in _CHARACTERS:
        yield _CHARACTERS[name](child)
    elif name == f"{MATH}oMathPara":
        yield from (f"${formula}$" for each in child.iterchildren(f"{MATH}oMath") if (formula := equation(each)))
    elif name in (f"{W}footnoteReference", f"{W}endnoteReference"):
        kind = "footnote" if name.startswith(f"{W}foot") else "endnote"
        found.notes.append((kind, value(child, "id")))
        yield mark(kind, value(child, "id"))
    elif name == f"{W}commentReference":
        found.comments.append(value(child, "id"))
    elif name == f"{W}txbxContent":
        found.boxes.append(child)
    else:
        if name in (f"{_WP}inline", f"{_WP}anchor"):
            found.drawings.append(child)
        yield from _pieces(child, found, mark)


_CHARACTERS: dict[str, Callable[[Any], str]] = {
    f"{W}t": lambda element: element.text or "",
    f"{W}tab": lambda _: "\t",
    f"{W}cr": lambda _: "\n",
    f"{W}noBreakHyphen": lambda _: "-",
    f"{W}br": lambda element: "" if value(element, "type") in ("page", "column") else "\n",
    f"{W}sym": lambda element: symbol(value(element, "char"), value(element, "font")),
    f"{MATH}oMath": equation,
}

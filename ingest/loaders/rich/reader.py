"""RTF as Markdown. striprtf, whose tables of code pages and of silent groups this uses, forgets the font at a group's end.

It also cuts Japanese and Chinese characters whose second byte is a letter, and knows neither headings nor the rows of tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from ingest.loaders.rich.flow import CONTINUED, INNER_CELL, INNER_ROW, TAKEN_IN, Flow
from ingest.loaders.rich.letters import Letters
from ingest.loaders.rich.tokens import Token, tokens

_HEADERS = frozenset("header headerl headerr headerf footer footerl footerr footerf".split())
_READ = (
    frozenset("result shp shpinst shpgrp shptxt fldrslt pntext listtext info title annotation atnauthor footnote".split())
    | _HEADERS
)
"""Groups that striprtf passes over, or that are marked as such, and that hold text."""
_MATH = frozenset(
    "mmath moMath moMathPara mr me mnum mden msub msup mdeg mf mrad msSub msSup msSubSup mfunc mfName mnary md".split()
)
_SILENT = frozenset("fldinst sn sv shprslt nonshppict nonesttables stylesheet colortbl upr xe tc tcn rxe".split())
_SIGNS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": " ",
    "bullet": "•",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
}
_SYMBOLS = {"~": "\u00a0", "_": "\u2011", "-": "", "{": "{", "}": "}", "\\": "\\", "\n": "\n", "\r": "\n"}
_LOWEST_HEADING = 6


@dataclass(frozen=True)
class _State:
    """What a group says; it ends with the group."""

    flow: Flow
    font: int | None = None
    silent: bool = False
    hidden: bool = False
    fallback: int = 1
    """Characters that stand in for one in Unicode and are passed over."""
    level: int | None = None
    in_table: bool = False
    style: int | None = None
    """The style that is being defined, in the group that defines them."""
    ends: Callable[[], None] | None = None
    """What is to be done when the group ends; the groups in it do not inherit it."""


class Reader:
    """Reads one document."""

    def __init__(self) -> None:
        self.title = ""
        self._letters, self._main = Letters(), Flow()
        self._state, self._above = _State(self._main), list[_State]()
        self._repeated: dict[str, None] = {}
        self._styles: dict[int, int] = {}
        self._notes, self._author, self._to_skip = 0, "", 0
        self._default_font: int | None = None
        self._starred, self._merge = False, ""

    def read(self, data: bytes) -> str:
        """The text. Headers and footers come last, each once. Never raises."""
        for token in tokens(data):
            self._take(token)
        while self._above:
            self._close()
        repeated = [text for text in self._repeated if text]
        return "\n\n".join(filter(None, [self._main.end(), *(["---", *repeated] if repeated else [])]))

    def _take(self, token: Token) -> None:
        if token.kind in ("byte", "text"):
            data = token.data[self._to_skip :]
            self._to_skip = max(0, self._to_skip - len(token.data))
            if self._state.style is not None:
                self._define(data)
            elif not self._state.silent:
                self._write(self._letters.decode(data, self._state.font))
            return
        self._write(self._letters.end())
        if token.kind == "word":
            self._word(token.word, token.number)
            return
        self._to_skip = 0
        if token.kind == "open":
            self._above.append(self._state)
            self._state = replace(self._state, ends=None)
        elif token.kind == "close":
            self._close()
        elif token.word == "*":
            self._starred = True
        else:
            self._write(_SYMBOLS.get(token.word, ""))

    def _close(self) -> None:
        if self._above:
            ends, self._state = self._state.ends, self._above.pop()
            if ends:
                ends()

    def _write(self, text: str) -> None:
        if text and not (self._state.silent or self._state.hidden):
            self._state.flow.write(text)

    def _word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        if word in _SIGNS:
            self._write(_SIGNS[word])
        elif word in self._MARKS and (not self._state.silent or word == "nestrow"):  # which stands among properties
            self._MARKS[word](self, number)
        elif word in self._PROPERTIES:
            self._state = self._PROPERTIES[word](self, self._state, number)
        elif word in _READ:
            self._open(word)
        elif starred or _is_silent(word):
            self._state = replace(self._state, silent=True, style=-1 if word == "stylesheet" else None)

    def _open(self, word: str) -> None:
        """A group whose text is no part of the paragraph that it stands in."""
        if self._state.silent or word in ("result", "shp", "shpinst", "shpgrp", "fldrslt", "info"):
            return
        parent, own = self._state.flow, Flow()
        if word == "footnote":
            self._notes += 1
            parent.write(f"[^{self._notes}]")
        self._state = replace(
            self._state, flow=own, level=None, in_table=False, hidden=False, ends=self._ending(word, own, parent)
        )

    def _ending(self, word: str, own: Flow, parent: Flow) -> Callable[[], None]:
        note = self._notes

        def end() -> None:
            text = own.end()
            if word == "footnote":
                parent.below.append(f"[^{note}]: {text}")
            elif word == "annotation":
                parent.below.append(f"[{self._author}: {' '.join(text.split())}]" if self._author else f"[{text}]")
            elif word == "atnauthor":
                self._author = " ".join(text.split())
            elif word == "title":
                self.title = text
            elif word in ("listtext", "pntext"):
                parent.write(f"{text.removeprefix('- ') or '•'} ")
            elif word in _HEADERS:
                self._repeated.update(dict.fromkeys(text.split("\n\n")))
            elif text:
                parent.below.append(text)

        return end

    def _define(self, data: bytes) -> None:
        """A style's name, which says that it is of headings where its outline level does not."""
        name = re.search(rb"heading (\d)", data, re.IGNORECASE)
        if name and self._state.style is not None and self._state.style >= 0:
            self._styles.setdefault(self._state.style, min(max(int(name[1]), 1), _LOWEST_HEADING))

    def _style(self, state: _State, number: int | None) -> _State:
        if state.style is not None:
            return replace(state, style=number)
        return replace(state, level=self._styles.get(number or 0))

    def _outline(self, state: _State, number: int | None) -> _State:
        level = min(number + 1, _LOWEST_HEADING) if number is not None and 0 <= number < 9 else None
        if state.style is not None and level:
            self._styles[state.style] = level
        return replace(state, level=level)

    def _charset(self, state: _State, number: int | None) -> _State:
        self._letters.charsets[-1 if state.font is None else state.font] = number or 0
        return state

    def _code_page(self, state: _State, number: int | None) -> _State:
        self._letters.set_code_page(number or 0)
        return state

    def _default(self, state: _State, number: int | None) -> _State:
        self._default_font = number
        return replace(state, font=number)

    def _unicode(self, number: int | None) -> None:
        if number is not None:
            self._write(chr(number % 0x10000))
        self._to_skip = self._state.fallback

    def _paragraph(self, _: int | None) -> None:
        self._state.flow.end_paragraph(level=self._state.level, in_table=self._state.in_table)

    def _cell_kind(self, kind: str) -> None:
        self._merge = kind

    def _cell_edge(self, _: int | None) -> None:
        self._state.flow.merges.append(self._merge)
        self._merge = ""

    _MARKS: ClassVar[dict[str, Callable[[Reader, int | None], None]]] = {
        "par": _paragraph,
        "sect": _paragraph,
        "cell": lambda self, _: self._state.flow.end_cell(),
        "row": lambda self, _: self._state.flow.end_row(),
        "nestcell": lambda self, _: self._state.flow.end_inner(INNER_CELL),
        "nestrow": lambda self, _: self._state.flow.end_inner(INNER_ROW),
        "trowd": lambda self, _: self._state.flow.merges.clear(),
        "clmrg": lambda self, _: self._cell_kind(TAKEN_IN),
        "clvmrg": lambda self, _: self._cell_kind(CONTINUED),
        "cellx": _cell_edge,
        "u": _unicode,
    }
    _PROPERTIES: ClassVar[dict[str, Callable[[Reader, _State, int | None], _State]]] = {
        "f": lambda _, state, number: replace(state, font=number),
        "fcharset": _charset,
        "deff": _default,
        "ansicpg": _code_page,
        "mac": lambda self, state, _: self._code_page(state, 10_000),
        "pc": lambda self, state, _: self._code_page(state, 437),
        "pca": lambda self, state, _: self._code_page(state, 850),
        "uc": lambda _, state, number: replace(state, fallback=max(0, number or 0)),
        "plain": lambda self, state, _: replace(state, font=self._default_font, hidden=False),
        "pard": lambda _, state, __: replace(state, level=None, in_table=False),
        "intbl": lambda _, state, __: replace(state, in_table=True),
        "v": lambda _, state, number: replace(state, hidden=number != 0),
        "deleted": lambda _, state, number: replace(state, hidden=number != 0),
        "s": _style,
        "outlinelevel": _outline,
    }


def _is_silent(word: str) -> bool:
    from striprtf.striprtf import destinations

    return word in _SILENT or (word in destinations and word not in _MATH)

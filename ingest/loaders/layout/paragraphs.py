"""Rows become paragraphs: a sentence is whole, while lists, addresses and short lines keep their line ends."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from ingest.loaders.layout.runs import CJK, Row, leading
from language import width

_LIST = re.compile(
    r"(?:[•●○◦▪■□◆◇►▶✓✔➢‣⁃·∙–—*]|[-+]\s|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)](?=\s|$)|\d{1,2}[、．)）]"
    r"|[（(][一二三四五六七八九十\d]{1,3}[)）]|[一二三四五六七八九十]{1,3}[、．]|第[一二三四五六七八九十百千\d]+[章节条款]|[①-⑳])"
)
_ENDS_CJK = re.compile(f"[{CJK}]$")
_BEGINS_CJK = re.compile(f"[{CJK}]")
_CUT_WORD = re.compile(r"((?:[^\W\d_]+-)*)([^\W\d_]+)[-\u00ad\u2010]$")
_SOFT = "\u00ad"
_FIRST_WORD = re.compile(rf"[{CJK}]|[^\s{CJK}]+")
_SENTENCE_END = re.compile(r"[.!?:;。！？：；]\W*$")
_WORD = re.compile(r"[^\W_]")
_END = 80  # characters: longer than a word
_GAP = 1.45  # of the usual distance of rows: more is a new paragraph
_FEW, _LOOSE = 3, 1.7  # so few rows do not tell their distance: not more than this, in sizes
_INDENT = 0.8  # of the size
_WRAP_WIDTH = 30  # of Latin letters, a Chinese character being 2.5: a shorter line was not broken for want of room
_RAGGED = 0.3  # of a line may be white where the next one goes on in small letters


def paragraphs(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows of each paragraph; a paragraph ends at a wide gap, and where its block's first line is indented."""
    usual = leading(rows) if len(rows) > _FEW else min(leading(rows), _LOOSE * rows[0].size) if rows else 0.0
    current: list[Row] = []
    for row in rows:
        if current and _is_apart(current[-1], row, usual):
            yield current
            current = []
        current.append(row)
    if current:
        yield current


def is_list_item(text: str) -> bool:
    """Whether a line begins with a bullet or a number."""
    return _LIST.match(text) is not None


def join_rows(rows: Sequence[Row], right: float, words: Collection[str] = ()) -> str:
    """One paragraph's text. `right` is where the column ends; `words` tells a compound's hyphen from one at a line's end."""
    text = rows[0].text.strip()
    for before, after in pairwise(rows):
        following = after.text.strip()
        text = glue(text, following, words) if _goes_on(before, after, right) else f"{text}\n{following}"
    return text


def glue(text: str, following: str, words: Collection[str] = ()) -> str:
    """The text with the next line: a word that was cut is whole, Chinese and Japanese have no blank between."""
    end = text[-_END:]  # a paragraph grows line by line: only its end is searched
    cut = _CUT_WORD.search(end)
    if cut and (rest := re.match(r"[^\W\d_]+", following)):
        return (text[:-1] if _is_cut(cut, rest.group(), words) else text) + following
    if re.search(r"\w[-\u2010]$", end) and following[:1].isalnum():
        return text + following  # 2019- 2020, COVID- 19
    if _ENDS_CJK.search(end) and _BEGINS_CJK.match(following):
        return text + following
    return f"{text} {following}"


def _is_cut(cut: re.Match[str], rest: str, words: Collection[str]) -> bool:
    """Whether the hyphen came with the line's end. A compound is known by its other occurrences, or by both of its halves."""
    head = cut.group(2)
    if cut.group().endswith(_SOFT):
        return True
    if not rest[0].islower():
        return False
    whole, compound = (head + rest).lower(), f"{head}-{rest}".lower()
    if compound in words or whole in words:
        return whole in words
    if cut.group(1) or len(head) == 1:  # end-to- end, d- dimensional
        return False
    return not (min(len(head), len(rest)) > 3 and head.lower() in words and rest.lower() in words)


def _is_apart(before: Row, after: Row, usual: float) -> bool:
    step = after.bottom - before.bottom
    if abs(after.size - before.size) > 0.12 * max(after.size, before.size) or after.bold != before.bold:
        return not _shares_sentence(before, after)
    return step > _GAP * max(usual, before.size) or step < -before.size


def _shares_sentence(before: Row, after: Row) -> bool:
    """Whether a row of another weight goes on with the sentence: bold words at a line's end."""
    same_size = abs(after.size - before.size) <= 0.12 * max(after.size, before.size)
    return same_size and after.text[:1].islower() and any(not run.bold for run in (*before.runs, *after.runs))


def _goes_on(before: Row, after: Row, right: float) -> bool:
    """Whether a row goes on with the sentence of the one before: its first word would not have fitted there."""
    if "\t" in before.text or "\t" in after.text or _LIST.match(after.text):
        return False
    if not (_WORD.search(before.text) and _WORD.search(after.text)):
        return False
    is_small = after.text[:1].islower()
    if is_small and _CUT_WORD.search(before.text[-_END:]):
        return True
    if width(before.text) < _WRAP_WIDTH:
        return False
    if after.x0 > before.x0 + _INDENT * after.size and not _LIST.match(before.text):
        return False
    room = right - before.x1
    if is_small and not _SENTENCE_END.search(before.text[-_END:]):
        return room < _RAGGED * (right - before.x0)
    return room < _first_word(after) + 0.55 * after.size


def _first_word(row: Row) -> float:
    """How wide a row's first word is."""
    first = _FIRST_WORD.match(row.text.strip())
    return (row.x1 - row.x0) * len(first.group()) / max(len(row.text), 1) if first else 0.0

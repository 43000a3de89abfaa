"""The structure chunker: chunks are sections of Markdown, entries of JSON and YAML, classes and functions of code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import ClassVar, Literal

from ingest.chunkers.base import Piece, Sizes, SpanChunker
from ingest.chunkers.bounds import Ruler, with_overlap
from ingest.chunkers.code import LANGUAGES, code_tree, separators_of
from ingest.chunkers.keys import Node, json_tree, yaml_tree
from ingest.chunkers.recursive import SEPARATORS, recursive_spans, whole_sections
from ingest.names import suffix_of
from language import Span

JSON_SUFFIXES = (".json", ".jsonl", ".ndjson", ".geojson", ".webmanifest")
YAML_SUFFIXES = (".yaml", ".yml")
_LONGEST_KEY = 100


class StructureChunker(SpanChunker):
    """Cuts where the document's own structure does.

    What is too wide is cut inside; neighbours under one roof of which one is too small join. In Markdown, each segment knows its
    own headings.

    `source` is the file's name, whose suffix tells how to read it. Text without structure, such as JSON that is not well
    formed, is cut at paragraphs. The path of a chunk is that of the sections, keys or definitions that it stands in.
    """

    name: ClassVar[str] = "structure"

    def __init__(self, sizes: Sizes | None = None, *, source: str = "") -> None:
        super().__init__(sizes)
        self.suffix = suffix_of(source)

    def cut(self, text: str, ruler: Ruler, *, markdown: bool) -> Sequence[Piece]:
        """One chunk a unit, or several small units, or a part of a large one."""
        sizes = self.sizes
        pieces = self._joined(self._units(text, ruler, markdown), ruler)
        spans = [Span(piece.start, piece.end) for piece in pieces]
        wider = with_overlap(text, spans, overlap=sizes.overlap, size=sizes.chunk_size, ruler=ruler)
        # in Markdown, each segment knows its own headings
        return [Piece(*span, path=None if markdown else piece.path) for span, piece in zip(wider, pieces, strict=True)]

    def _units(self, text: str, ruler: Ruler, markdown: bool) -> Iterator[Piece]:
        """What the text is made of, none wider than a chunk may be."""
        room = self.sizes.room
        separators: Sequence[str] = SEPARATORS
        keep: Literal["start", "end"] = "end"
        if markdown:
            found = [(Span(each.start, each.end), each.path) for each in whole_sections(text, markdown=True)]
        else:
            found = list(_leaves(self._tree(text), room, ruler))
            if self.suffix in LANGUAGES:
                separators, keep = separators_of(LANGUAGES[self.suffix]), "start"
        for span, path in found:
            for part in recursive_spans(text, span, size=room, ruler=ruler, separators=separators, keep=keep):
                yield Piece(*part, path=path)

    def _tree(self, text: str) -> Node:
        found: Node | None = None
        if self.suffix in JSON_SUFFIXES:
            found = json_tree(text)
        elif self.suffix in YAML_SUFFIXES:
            found = yaml_tree(text)
        elif self.suffix in LANGUAGES:
            found = code_tree(text)
        return found or Node(0, len(text), "")

    def _joined(self, units: Iterator[Piece], ruler: Ruler) -> list[Piece]:
        """Neighbours of which one is too small, under one roof, where both fit."""
        found: list[Piece] = []
        latest: tuple[str, ...] = ()
        for unit in units:
            path = unit.path or ()
            if found and _are_near(latest, path) and self._may_join(found[-1], unit, ruler):
                found[-1] = Piece(found[-1].start, unit.end, path=_roof(found[-1].path or (), path))
            else:
                found.append(unit)
            latest = path
        return found

    def _may_join(self, one: Piece, other: Piece, ruler: Ruler) -> bool:
        small = min(ruler.width(one.start, one.end), ruler.width(other.start, other.end)) < self.sizes.smallest
        return small and ruler.width(one.start, other.end) <= self.sizes.room


def _are_near(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two paths are siblings, or the one stands directly in the other."""
    return len(_roof(one, other)) >= max(len(one), len(other)) - 1


def _roof(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """What two paths have in common."""
    return tuple(name for name, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _leaves(node: Node, room: float, ruler: Ruler, path: tuple[str, ...] = ()) -> Iterator[tuple[Span, tuple[str, ...]]]:
    """The largest entries that fit, in order and without gaps: what opens a node goes with its first entry, what follows an
    entry, such as a comma, with that.
    """
    if not node.children or ruler.width(node.start, node.end) <= room:
        yield Span(node.start, node.end), path
        return
    starts = [node.start, *(child.start for child in node.children[1:]), node.end]
    for child, (start, end) in zip(node.children, pairwise(starts), strict=True):
        below = (*path, child.key[:_LONGEST_KEY]) if child.key else path
        yield from _leaves(replace(child, start=start, end=end), room, ruler, below)

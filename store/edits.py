"""What a person changed of a document: chunks that are switched off, and corrected text, beside the text that stays as it is.

Both belong to the text, not to the chunks that it is cut into: a switched-off chunk is a span, a correction a few patches, each
a span and what stands there instead. So they outlive another index, and where chunks overlap, all of them say the same. Each
remembers the chunk it was made in (its anchor), by which it is found again in another text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Literal, NamedTuple

from store.differences import changes

DOCUMENT: Literal["document"] = "document"
OFF: Literal["off"] = "off"
PATCH: Literal["patch"] = "patch"


@dataclass(frozen=True)
class Edit:
    """One edit of a document: `document` switches all of it off, `off` the span start:end; `patch` puts `text` in its place.

    `original` is the text anchor_start:anchor_end of the document that it was made in. A lost edit is one whose original does not
    stand in the present text; it does nothing until it does again.
    """

    kind: Literal["document", "off", "patch"]
    start: int = 0
    end: int = 0
    text: str = ""
    anchor_start: int = 0
    anchor_end: int = 0
    original: str = ""
    lost: bool = False


class Place(NamedTuple):
    """A chunk by its id and its place in the document's text."""

    id: str
    start: int
    end: int


class Wanted(NamedTuple):
    """What a chunk should be: whether it is found, and its text where that is not the document's."""

    enabled: bool = True
    override: str | None = None


def wanted(edits: Iterable[Edit], text: str, chunks: Sequence[Place]) -> dict[str, Wanted]:
    """What the edits make of each chunk, by its id; `chunks` are all of the document, `text` is its whole text."""
    live = [edit for edit in edits if not edit.lost]
    off = any(edit.kind == DOCUMENT for edit in live)
    marks = _Marks(live, text)
    patches = sorted((edit for edit in live if edit.kind == PATCH), key=lambda patch: patch.start)
    showing = [shown_in(patch, chunks) for patch in patches]
    found = {}
    for chunk in chunks:
        own = [(patch, chunk.id in ids) for patch, ids in zip(patches, showing, strict=True) if _meet(patch, chunk)]
        patched = _patched(text, chunk, own) if own else None
        override = None if patched == text[chunk.start : chunk.end] else patched
        enabled = not off and override != "" and not marks.cover(chunk)
        found[chunk.id] = Wanted(enabled, override)
    return found


def switched(
    edits: Sequence[Edit], text: str, chunks: Sequence[Place], *, off: Collection[str] = (), on: Collection[str] = ()
) -> list[Edit]:
    """The edits with the chunks of these ids switched off or on, each by a mark of its own."""
    marks = _Marks(edits, text)
    after = {chunk.id for chunk in chunks if marks.cover(chunk)} - set(on) | set(off)
    return [*_without_marks(edits), *(_mark(chunk, text) for chunk in chunks if chunk.id in after)]


def corrected(edits: Sequence[Edit], text: str, chunks: Sequence[Place], chunk: Place, new: str | None) -> list[Edit]:
    """The edits with `new` as the text of the chunk; None takes back whatever was changed there.

    Of an earlier correction that goes beyond the chunk, the part beyond stays.
    """
    found: list[Edit] = []
    for edit in edits:
        if edit.kind == PATCH and not edit.lost and _meet(edit, chunk):
            found.extend(_beyond(edit, chunk, keeps_text=chunk.id not in shown_in(edit, chunks)))
        else:
            found.append(edit)
    original = text[chunk.start : chunk.end]
    for start, end, words in changes(original, original if new is None else new):
        found.append(Edit(PATCH, chunk.start + start, chunk.start + end, words, chunk.start, chunk.end, original))
    return found


def carried(edits: Sequence[Edit], text: str) -> list[Edit]:
    """The edits in another text of the document: each moved to where its original stands there, or lost."""
    found = [edit for edit in edits if edit.kind == DOCUMENT]
    taken: set[int] = set()
    moved_by = 0
    for anchor, group in groupby(sorted((edit for edit in edits if edit.kind != DOCUMENT), key=_anchor), key=_anchor):
        start, _, original = anchor
        place = _nearest(text, original, start + moved_by, taken)
        if place is None:
            found.extend(replace(edit, lost=True) for edit in group)
            continue
        taken.add(place)
        moved_by = place - start
        found.extend(_moved(edit, moved_by) for edit in group)
    return _without_overlaps(found)


def settled(edits: Sequence[Edit], text: str, chunks: Sequence[Place]) -> list[Edit]:
    """The edits with marks that are whole chunks of these; a mark that is only a part of a chunk, which stays on, is lost."""
    marks = _Marks(edits, text)
    off = [chunk for chunk in chunks if marks.cover(chunk)]
    spans = sorted((chunk.start, chunk.end) for chunk in off)
    of_marks = [edit for edit in edits if edit.kind == OFF]
    lost = [replace(e, lost=True) for e in of_marks if e.lost or _bare(spans, e.start, e.end, text)]
    return [*(edit for edit in edits if edit.kind != OFF), *lost, *(_mark(chunk, text) for chunk in off)]


def shown_in(patch: Edit, chunks: Sequence[Place]) -> set[str]:
    """The chunks that show the new text of a patch: all that hold its place, or else the one that holds the beginning of it."""
    touched = [chunk for chunk in chunks if _meet(patch, chunk)]
    whole = {chunk.id for chunk in touched if chunk.start <= patch.start and patch.end <= chunk.end}
    return whole or {chunk.id for chunk in sorted(touched, key=lambda c: (c.start > patch.start, c.start))[:1]}


def with_patches(text: str, patches: Iterable[Edit]) -> tuple[str, list[tuple[int, int]]]:
    """A document's text as it is shown with these patches, and for each character of it what stands there in the document:
    itself, or all that its patch replaced. Places as start and end.
    """
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    for patch in sorted(patches, key=lambda patch: patch.start):
        parts += [text[at : patch.start], patch.text]
        places += [*((place, place + 1) for place in range(at, patch.start)), *([(patch.start, patch.end)] * len(patch.text))]
        at = max(at, patch.end)
    places += ((place, place + 1) for place in range(at, len(text)))
    return "".join((*parts, text[at:])), places


def _anchor(edit: Edit) -> tuple[int, int, str]:
    return edit.anchor_start, edit.anchor_end, edit.original


def _mark(chunk: Place, text: str) -> Edit:
    return Edit(OFF, chunk.start, chunk.end, "", chunk.start, chunk.end, text[chunk.start : chunk.end])


def _without_marks(edits: Iterable[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.kind != OFF or edit.lost]


class _Marks:
    """Where chunks of a text are switched off."""

    def __init__(self, edits: Iterable[Edit], text: str) -> None:
        self._text = text
        self._spans = sorted((edit.start, edit.end) for edit in edits if edit.kind == OFF and not edit.lost)
        self._furthest = list(accumulate((end for _, end in self._spans), max))

    def cover(self, chunk: Place) -> bool:
        """Whether the chunk lies within one of the spans, or those that lie within it leave nothing of it but blanks."""
        before = bisect_right(self._spans, chunk.start, key=lambda span: span[0])
        if before and self._furthest[before - 1] >= chunk.end:
            return True
        first = bisect_left(self._spans, chunk.start, key=lambda span: span[0])
        last = bisect_left(self._spans, chunk.end, key=lambda span: span[0])
        inside = [span for span in self._spans[first:last] if span[1] <= chunk.end]
        return bool(inside) and not _bare(inside, chunk.start, chunk.end, self._text)


def _meet(patch: Edit, chunk: Place) -> bool:
    return patch.start < chunk.end and chunk.start < patch.end


def _patched(text: str, chunk: Place, patches: Iterable[tuple[Edit, bool]]) -> str:
    """The chunk's text with the patches that touch it, each with its new text or without."""
    parts, at = [], chunk.start
    for patch, shows in patches:
        parts += [text[at : max(at, patch.start)], patch.text if shows else ""]
        at = min(patch.end, chunk.end)
    return "".join((*parts, text[at : chunk.end])).strip()


def _bare(spans: Sequence[tuple[int, int]], start: int, end: int, text: str) -> bool:
    """Whether the text start:end has words outside of the spans, which are in order."""
    at = start
    for first, last in spans:
        if last > at and first < end:
            if text[at : max(at, first)].strip():
                return True
            at = max(at, last)
    return bool(text[at:end].strip())


def _beyond(patch: Edit, chunk: Place, *, keeps_text: bool) -> Iterator[Edit]:
    """What of a patch lies before and behind the chunk; its text stays with the first part if the chunk does not show it."""
    words = patch.text if keeps_text or patch.start < chunk.start else ""
    for start, end in ((patch.start, min(patch.end, chunk.start)), (max(patch.start, chunk.end), patch.end)):
        if start < end:
            yield replace(patch, start=start, end=end, text=words)
            words = ""


def _nearest(text: str, original: str, around: int, taken: Collection[int]) -> int | None:
    """The place of the original in the text that is nearest and not yet another's."""
    if around >= 0 and around not in taken and text.startswith(original, around):
        return around
    found, best = text.find(original), None
    while found >= 0:
        if found not in taken and (best is None or abs(found - around) < abs(best - around)):
            best = found
        found = text.find(original, found + 1)
    return best


def _moved(edit: Edit, by: int) -> Edit:
    places = {name: getattr(edit, name) + by for name in ("start", "end", "anchor_start", "anchor_end")}
    return replace(edit, lost=False, **places)


def _without_overlaps(edits: Sequence[Edit]) -> list[Edit]:
    """Patches of chunks that overlapped and do not any more may meet: then the later one is lost."""
    found = [edit for edit in edits if edit.kind != PATCH or edit.lost]
    end = -1
    for patch in sorted((edit for edit in edits if edit.kind == PATCH and not edit.lost), key=lambda patch: patch.start):
        found.append(patch if patch.start >= end else replace(patch, lost=True))
        end = max(end, patch.end)
    return found

"""What was written for the chunks of a document, as the rows that stand beside them in the index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ingest.enrich.kinds import Kind, Line
from ingest.enrich.units import Unit
from store.schema import Chunk, FloatArray, SegmentSpan, chunk_id
from store.written import Text

MOST_A_CHUNK = 100
"""Rows of one kind for one chunk: the place of a row within its document is counted with as many for each."""
Kept = Mapping[tuple[str, str], Text]


def lines_of(kinds: Sequence[Kind], units: Sequence[Unit], kept: Kept) -> list[Line]:
    """What is to be indexed for these chunks of what was kept; each text once for a chunk."""
    found = (
        line
        for kind in kinds
        for ask in kind.asks(units)
        if (ask.kind, ask.key) in kept
        for line in kind.lines(ask, kept[ask.kind, ask.key].value)
    )
    return list({(line.kind, line.unit.chunk_id, line.text.casefold()): line for line in found}.values())


def written_chunks(lines: Sequence[Line], vectors: FloatArray) -> list[Chunk]:
    """The rows, with vectors of shape (lines, dimension); each knows its chunk by `parent_id` and has its place."""
    rows = []
    for (line, ordinal), vector in zip(_numbered(lines), vectors, strict=True):
        unit, unit_vector = line.unit, vector / np.linalg.norm(vector)
        rows.append(
            Chunk(
                id=chunk_id(doc_id=unit.doc_id, kind=line.kind, start=unit.start, end=unit.end, ordinal=ordinal),
                text=line.text,
                embed_text=line.text,
                vector=unit_vector,
                segments=(SegmentSpan(unit.start, unit.end),),
                segment_vectors=unit_vector[None],
                doc_id=unit.doc_id,
                version=unit.version,
                kind=line.kind,
                parent_id=unit.chunk_id,
                chunk_index=ordinal,
                start=unit.start,
                end=unit.end,
                page=unit.page,
                heading=unit.heading,
                source=unit.source,
                metadata=line.more,
            )
        )
    return rows


def counts_of(rows: Iterable[Chunk]) -> dict[str, int]:
    """How many rows of each kind."""
    return dict(Counter(row.kind for row in rows))


def _numbered(lines: Sequence[Line]) -> Iterator[tuple[Line, int]]:
    """Each line with a number that no other one of its kind has in the document."""
    seen: Counter[tuple[str, str]] = Counter()
    for line in lines:
        place = (line.kind, line.unit.chunk_id)
        yield line, line.unit.index * MOST_A_CHUNK + seen[place]
        seen[place] += 1

"""Every chunker, for any text and any settings in range: exact, bounded, complete, each text embedded once."""

# mypy: disable-error-code="operator"
# Of a chunk's place, which only texts without a document lack: a None fails the test anyway.

from collections.abc import Sequence
from itertools import pairwise
from typing import get_args

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.build import build_chunks, embed_texts
from ingest.chunkers import get_chunker
from ingest.chunkers.tokens import WIDEST
from ingest.document import LoadedDocument
from language import width
from settings import load_settings
from settings.ingest import ChunkerName
from store.schema import Chunk
from tests.ingest.writing import BLANKS, MARKUP, PROSE
from tests.standin import WordEmbeddings

NAMES = get_args(ChunkerName)
SOURCES = ["a.md", "a.txt", "a.py", "a.json", "a.jsonl", "a.yaml", "a.go", "a.csv"]
WORDS = WordEmbeddings(8)

CODE = [
    "class A:\n",
    "    def b(self):\n",
    "        return 1\n",
    "@once\n",
    "# why\n",
    "func (r *T) Go() {\n",
    "}\n",
    '"k": [1, {"a": ',
    "key:\n  - x\n",
]
pieces = st.sampled_from([*PROSE, *MARKUP, *CODE, *BLANKS, "a" * 200, "字" * 90, "-" * 120, "\u0301" * 60])
texts = st.one_of(
    st.lists(pieces, max_size=60).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=400),
    st.recursive(st.text(max_size=30) | st.integers(), lambda below: st.lists(below) | st.dictionaries(st.text(), below)).map(
        str
    ),
)
settings_of_ingest = st.fixed_dictionaries(
    {
        "chunker": st.sampled_from(NAMES),
        "chunk_size": st.integers(100, 1000),
        "min_chunk_size": st.integers(1, 600),
        "chunk_overlap": st.just("auto") | st.integers(0, 600),
        "chunk_tokens": st.integers(32, 200),
        "chunk_sentences": st.integers(1, 12),
        "parent_size": st.integers(200, 2000),
        "window_sentences": st.integers(0, 4),
        "segment_size": st.integers(50, 600),
    }
)


def chunks_of(
    text: str,
    *,
    source: str = "a.txt",
    markdown: bool = False,
    page_starts: Sequence[int] = (),
    embeddings=WORDS,
    **ingest: object,
) -> list[Chunk]:
    chosen = load_settings({f"ingest.{key}": value for key, value in ingest.items()}, env={})
    document = LoadedDocument(source, text, markdown=markdown, title="Title")
    chunker = get_chunker(chosen, embeddings, document=document)
    segments = chunker.segments(text, markdown=markdown, page_starts=page_starts)
    assert all(a.end <= b.start for a, b in pairwise(segments))  # no text is embedded twice
    vectors = np.array(embeddings.embed_documents(embed_texts(document, segments)), dtype=np.float32).reshape(-1, 8)
    return build_chunks(document, segments, vectors, chunker=chunker, doc_id="d", version="v")


def bound_of(ingest: dict[str, object]) -> float:
    return float(ingest["chunk_tokens"] * WIDEST if ingest["chunker"] == "token" else ingest["chunk_size"])  # type: ignore[arg-type]


def check(text: str, found: Sequence[Chunk], *, bound: float) -> None:
    assert [chunk.chunk_index for chunk in found] == list(range(len(found)))
    assert len({chunk.id for chunk in found}) == len(found)
    covered = bytearray(len(text))
    for chunk in found:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert width(chunk.text) <= bound + 1e-6
        assert abs(np.linalg.norm(chunk.vector) - 1) < 1e-3
        assert len(chunk.segments) == len(chunk.segment_vectors) > 0
        assert all(chunk.start <= start < end <= chunk.end and text[start:end].strip() for start, end in chunk.segments)
        assert all(a.end <= b.start for a, b in pairwise(chunk.segments))
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert all(covered[i] or character.isspace() for i, character in enumerate(text))
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end


@settings(max_examples=4 * settings().max_examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts, markdown=st.booleans(), source=st.sampled_from(SOURCES), ingest=settings_of_ingest)
def test_chunks_are_bounded_slices_that_cover_the_text(text, markdown, source, ingest):
    found = chunks_of(text, source=source, markdown=markdown, **ingest)
    check(text, found, bound=bound_of(ingest))
    again = chunks_of(text, source=source, markdown=markdown, **ingest)
    assert [(c.start, c.end, c.heading, c.segments) for c in again] == [(c.start, c.end, c.heading, c.segments) for c in found]

"""Parent and window: exact slices, what merges, pages, and that more results never change the first ones."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document

from language import sentences, width
from retrievers.expansion import Expansion
from retrievers.ledger import recording
from retrievers.parent import Parent
from retrievers.window import Window
from store.schema import Candidate
from tests.retrievers.conftest import Shelf
from tests.retrievers.passages import ChunkSpan, names, part

ENGLISH = " ".join(f"Sentence number {i} of the guide says a little more about lamps." for i in range(40))
CHINESE = "".join(f"第{i}句说明灯具的安装方法和保修期限。" for i in range(40))
TEXT = f"{ENGLISH}\n\n{CHINESE}"
LINES = sentences(TEXT)
SIZE = 4
"""Sentences of a chunk."""
SPANS = [(LINES[i].start, LINES[min(i + SIZE, len(LINES)) - 1].end) for i in range(0, len(LINES), SIZE)]
CHUNKS = [ChunkSpan(start, end, "English" if end <= len(ENGLISH) else "中文") for start, end in SPANS]
PAGES = [(number + 1, start) for number, start in enumerate(range(0, len(TEXT), 500))]


def text_of(doc_id: str) -> str | None:
    return None if doc_id == "gone" else TEXT


def pages_of(doc_id: str) -> list[tuple[int, int]]:
    return PAGES


def chunk(number: int, **known: Any) -> Candidate:
    return part(TEXT, CHUNKS[number].start, CHUNKS[number].end, heading=CHUNKS[number].heading, **known)


def parent(**fields: Any) -> Parent:
    return Parent(**{"text_of": text_of, "chunks_of": lambda _: CHUNKS, "pages_of": pages_of, "max_size": 900} | fields)


def window(**fields: Any) -> Window:
    return Window(**{"text_of": text_of, "pages_of": pages_of, "sentences": 2} | fields)


def span(document: Document) -> tuple[int, int]:
    return document.metadata["start"], document.metadata["end"]


def told(documents: Any) -> list[tuple[Any, ...]]:
    """All that a reader sees of the passages."""
    return [(d.id, d.page_content, span(d), d.metadata["segments"], d.metadata["segment_cosines"]) for d in documents]


def test_a_passage_grows_to_the_chunks_around_it_up_to_the_size() -> None:
    (grown,) = parent(k=1).compress_documents([chunk(4)], "q")
    assert grown.id == chunk(4).id
    assert span(grown) == (CHUNKS[3].start, CHUNKS[5].end)
    assert grown.page_content == TEXT[CHUNKS[3].start : CHUNKS[5].end]
    assert grown.metadata["matched"] == span(chunk(4))
    wider = TEXT[CHUNKS[2].start : CHUNKS[5].end]
    assert width(grown.page_content) <= 900 < width(wider)


def test_a_section_ends_where_the_headings_change() -> None:
    last_english = max(i for i, c in enumerate(CHUNKS) if c.heading == "English")
    grown = parent(k=2, max_size=100_000).compress_documents([chunk(last_english), chunk(last_english + 1)], "q")
    assert span(grown[0]) == (0, CHUNKS[last_english].end)
    assert span(grown[1]) == (CHUNKS[last_english + 1].start, len(TEXT))


def test_sizes_are_widths_so_chinese_grows_by_fewer_characters() -> None:
    (grown,) = parent(k=1).compress_documents([chunk(len(CHUNKS) - 4)], "q")
    assert len(grown.page_content) < 500 < width(grown.page_content) <= 900


def test_a_passage_that_is_larger_than_the_size_stays_as_it_is() -> None:
    (same,) = parent(k=1, max_size=10).compress_documents([chunk(4)], "q")
    assert told([same]) == told([chunk(4)])


def test_what_lies_in_a_better_result_merges_into_it_with_its_segments() -> None:
    with recording() as book:
        grown = parent(k=3).compress_documents([chunk(4), chunk(12), chunk(5)], "q")
    assert names(grown) == names([chunk(4), chunk(12)])
    assert [(s.name, s.taken_in, s.merged, s.dropped, s.out) for s in book.stages] == [("parent", 3, 1, 0, 2)]
    assert grown[0].metadata["segments"] == [*chunk(4).metadata["segments"], *chunk(5).metadata["segments"]]
    assert grown[0].metadata["segment_cosines"] == [*chunk(4).metadata["segment_cosines"], *chunk(5).metadata["segment_cosines"]]
    assert isinstance(grown[0], Candidate)
    assert grown[0].segment_vectors is not None
    assert grown[0].segment_vectors.shape == (2 * SIZE, 3)


def test_a_result_stops_at_a_better_one() -> None:
    """Alone, chunk 6 grows to 5 to 7; but 5 belongs to the better one."""
    (alone,) = parent(k=1).compress_documents([chunk(6)], "q")
    assert span(alone) == (CHUNKS[5].start, CHUNKS[7].end)
    grown = parent(k=2).compress_documents([chunk(4), chunk(6)], "q")
    assert [span(document) for document in grown] == [
        (CHUNKS[3].start, CHUNKS[5].end),
        (CHUNKS[6].start, CHUNKS[8].end),
    ]


def test_another_document_or_version_does_not_merge() -> None:
    other = part(TEXT, *CHUNKS[5][:2], doc="other", heading="English")
    newer = chunk(5, version="2")
    assert len(parent(k=3).compress_documents([chunk(4, version="1"), other, newer], "q")) == 3


def test_text_between_segments_that_is_no_heading_is_not_taken_for_one() -> None:
    text = "# Lamps\n\nA first line. A second one.\n\nThey burn. They hang."
    first = part(text, 0, 22, heading="Lamps", segments=[(9, 22)], segment_cosines=[0.9])
    last = part(text, 37, len(text), heading="Lamps")
    spans = [ChunkSpan(0, 22, "Lamps"), ChunkSpan(23, 36, "Lamps"), ChunkSpan(38, len(text), "Lamps")]
    layer = parent(k=1, text_of=lambda _: text, chunks_of=lambda _: spans, pages_of=None)
    (grown,) = layer.compress_documents([last], "q")
    assert (grown.page_content, grown.metadata["segment_headings"]) == (text, ["", ""])
    (grown,) = layer.compress_documents([first, last], "q")
    assert grown.metadata["segment_headings"] == ["# Lamps", "", ""]
    (cut,) = window(k=1, text_of=lambda _: text, sentences=9).compress_documents([grown], "q")
    assert cut.metadata["segment_headings"] == ["# Lamps", "", ""]


def test_of_a_document_text_and_chunks_are_read_once_and_only_when_a_result_needs_them() -> None:
    read: list[str] = []

    def texts(doc_id: str) -> str | None:
        read.append(f"text of {doc_id}")
        return TEXT

    def chunks(doc_id: str) -> list[ChunkSpan]:
        read.append(f"chunks of {doc_id}")
        return CHUNKS

    other = part(TEXT, *CHUNKS[5][:2], doc="other")
    parent(k=2, text_of=texts, chunks_of=chunks).compress_documents([chunk(1), chunk(12), other], "q")
    assert read == ["text of doc", "chunks of doc"]


def test_after_k_results_the_rest_goes_on_unchanged_but_for_what_merges() -> None:
    rest = [chunk(12), chunk(15)]
    grown = parent(k=1).compress_documents([chunk(4), rest[0], chunk(5), rest[1]], "q")
    assert grown[1:] == rest
    assert len(grown[0].metadata["segments"]) == 2 * SIZE


def test_neighbours_that_overlap_grow_into_one_span_with_each_segment_once() -> None:
    overlapping = [ChunkSpan(LINES[i].start, LINES[i + 3].end, None) for i in range(0, 32, 3)]
    parts = [part(TEXT, c.start, c.end) for c in overlapping]
    (grown,) = parent(k=5, chunks_of=lambda _: overlapping[:4], max_size=100_000).compress_documents(parts[:4], "q")
    assert span(grown) == (0, overlapping[3].end)
    assert grown.metadata["segments"] == [tuple(line) for line in LINES[:13]]


def test_pages_are_those_of_the_new_span() -> None:
    (grown,) = parent(k=1).compress_documents([chunk(4, page=99, later_pages=[(100, 1)])], "q")
    start, end = span(grown)
    assert grown.metadata["page"] == start // 500 + 1
    assert grown.metadata["later_pages"] == [(page, place) for page, place in PAGES if start < place < end]
    assert grown.metadata["later_pages"]


def test_without_page_starts_a_window_takes_its_page_from_the_passage() -> None:
    start, end = span(chunk(4))
    known = {"page": 2, "later_pages": [(3, start + 10), (4, end - 1)]}
    (cut,) = window(k=1, sentences=0, pages_of=None).compress_documents([chunk(4, **known)], "q")
    assert (cut.metadata["page"], cut.metadata["later_pages"]) == (3, [(4, end - 1)])


@pytest.mark.parametrize("layer", [parent, window])
def test_a_passage_without_its_text_or_place_stays_as_it_is(layer: Callable[..., Expansion]) -> None:
    gone = part(TEXT, *CHUNKS[4][:2], doc="gone")
    replaced = Candidate(id="replaced", page_content="what it said before", metadata={"doc_id": "doc", "start": 7})
    foreign = Document(id="foreign", page_content="from elsewhere")
    documents = [gone, replaced, foreign]
    assert [*layer(k=5).compress_documents(documents, "q")] == documents
    assert layer(k=5).compress_documents([], "q") == []


def test_a_window_is_the_best_segment_with_sentences_around_it() -> None:
    (cut,) = window(k=1).compress_documents([chunk(4)], "q")
    best = 5 * SIZE - 1  # part() gives its last sentence the best cosine
    assert span(cut) == (LINES[best - 2].start, LINES[best + 2].end)
    assert cut.page_content == TEXT[slice(*span(cut))]
    assert cut.metadata["segments"] == [tuple(line) for line in LINES[best - 2 : best + 1]]
    assert cut.metadata["matched"] == (LINES[best - 2].start, LINES[best].end)
    (alone,) = window(k=1, sentences=0).compress_documents([chunk(4)], "q")
    assert alone.page_content == TEXT[slice(*LINES[best])]


def test_a_window_ends_with_the_document_and_is_the_same_in_chinese() -> None:
    (cut,) = window(k=1, sentences=20).compress_documents([chunk(len(CHUNKS) - 1)], "q")
    assert span(cut) == (LINES[-21].start, len(TEXT))
    (first,) = window(k=1, sentences=20).compress_documents([chunk(0)], "q")
    assert first.metadata["start"] == 0


def test_sentences_are_counted_across_wide_gaps() -> None:
    text = "First one here." + " \n" * 3000 + "Second one here. The best one. The fourth." + "\n " * 3000 + "The last one."
    places = sentences(text)
    passage = part(text, places[1].start, places[3].end)
    passage.metadata["segment_cosines"] = [0.1, 0.9, 0.1]
    (cut,) = Window(text_of=lambda _: text, sentences=2).compress_documents([passage], "q")
    assert cut.page_content == text


def test_windows_that_would_overlap_meet() -> None:
    near = part(TEXT, LINES[20].start, LINES[22].end)
    cut = window(k=2).compress_documents([chunk(4), near], "q")  # best are the sentences 19 and 22
    assert [span(d) for d in cut] == [(LINES[17].start, LINES[21].end), (LINES[22].start, LINES[24].end)]


def test_a_passage_whose_best_segment_is_in_a_better_window_merges() -> None:
    near = part(TEXT, LINES[20].start, LINES[21].end)
    with recording() as book:
        (cut,) = window(k=2).compress_documents([chunk(4), near], "q")
    assert cut.metadata["segments"] == [tuple(line) for line in LINES[17:22]]
    assert book.stages[0].merged == 1


def test_a_window_of_a_parent_marks_what_was_found_first() -> None:
    both = window(k=1).compress_documents(parent(k=1).compress_documents([chunk(4), chunk(5)], "q"), "q")
    assert span(both[0]) == (LINES[21].start, LINES[25].end)  # the best sentence is the last of chunk 5, 23
    assert both[0].metadata["matched"] == tuple(LINES[23])


@pytest.mark.parametrize(("grown", "same"), [(None, True), (3, False)])
def test_under_a_window_all_parents_must_grow(grown: int | None, same: bool) -> None:
    """The second merges in the window, so that the fourth moves up: it must be a parent with a top_k of 3 as with one of 8."""
    lines = {"a": (0, 3), "b": (4, 4), "c": (20, 22), "d": (30, 31), "d ": (32, 33)}
    spans = [ChunkSpan(LINES[i].start, LINES[j].end, heading.strip()) for heading, (i, j) in lines.items()]
    documents = [part(TEXT, start, end, heading=heading) for start, end, heading in spans]

    def first(k: int) -> list[tuple[Any, ...]]:
        parents = parent(k=grown and k, chunks_of=lambda _: spans).compress_documents(documents, "q")
        return told(window(k=k, sentences=1).compress_documents(parents, "q"))[:3]

    assert (first(3) == first(8)) is same


def test_the_question_s_words_count_for_the_best_segment(dishes: Shelf) -> None:
    text = "The shade is made of linen. It burns with a warm light."
    found = part(text, 0, len(text))  # the second sentence has the better cosine
    layer = Window(text_of=lambda _: text, sentences=0)
    assert layer.compress_documents([found], "linen shade")[0].page_content == "It burns with a warm light."
    layer = Window(text_of=lambda _: text, sentences=0, statistics=dishes.statistics)
    assert layer.compress_documents([found], "linen shade")[0].page_content == "The shade is made of linen."


CANDIDATES = st.lists(
    st.tuples(st.sampled_from(["doc", "second", "gone"]), st.integers(0, len(LINES) - SIZE)), unique=True, max_size=25
)


@settings(max_examples=60, deadline=None)
@given(CANDIDATES, st.sampled_from([parent, window]), st.integers(0, 3000))
def test_more_results_never_change_the_first(found: list[tuple[str, int]], layer: Callable[..., Expansion], size: int) -> None:
    """Passages that lie across each other in any way, as those of an overlap or of another chunking do."""
    documents = [part(TEXT, LINES[i].start, LINES[i + SIZE - 1].end, doc=doc, heading="English") for doc, i in found]
    options = {"max_size": size + 1} if layer is parent else {"sentences": size % 6}
    before = told(documents)
    few, many = (told(layer(k=k, **options).compress_documents(documents, "q")) for k in (3, 8))
    everything = layer(**options).compress_documents(documents, "q")
    assert few[:3] == many[:3] == told(everything)[:3]
    assert told(documents) == before
    for document in everything:
        start, end = span(document)
        assert document.page_content == TEXT[start:end]
        assert all(start <= a < b <= end for a, b in document.metadata["segments"])
        assert all(a < b for a, b in pairwise(document.metadata["segments"]))
        first = next(d for d in documents if d.id == document.id)
        assert layer is window or (start <= first.metadata["start"] and first.metadata["end"] <= end)


def test_on_a_real_base_sections_and_windows_are_slices_of_the_stored_text(shelf: Shelf) -> None:
    lamps = "The lamp hangs above the table. It burns with a warm light. The lamp has a shade of linen. " * 12
    rates = "The rates are paid each month. A late payment costs a fee. The fee is two percent of the rate. " * 12
    small = shelf.settings.override({"ingest.chunk_size": 400, "ingest.min_chunk_size": 100, "ingest.segment_size": 100})
    shelf.pipeline.run(shelf.base, "guide.md", f"## Lamps\n\n{lamps}\n\n## Rates\n\n{rates}\n".encode(), small)
    vector, library = shelf.vectors.of("What does a late payment cost?"), shelf.stores.library
    found = [candidate for candidate, _ in shelf.store.search_vector(vector, depth=100)]
    for document in found:
        assert document.segment_vectors is not None
        document.metadata["segment_cosines"] = (document.segment_vectors @ vector).tolist()
    known = [ChunkSpan(d.metadata["start"], d.metadata["end"], d.metadata["heading"]) for d in found]
    text = library.text(found[0].metadata["doc_id"])
    grown = Parent(text_of=library.text, chunks_of=lambda _: known, max_size=5000).compress_documents(found, "fee")
    assert len(found) > 4
    assert [d.page_content for d in grown] == [f"## Rates\n\n{rates.strip()}", f"## Lamps\n\n{lamps.strip()}"]
    cut = Window(text_of=library.text, sentences=1).compress_documents(grown, "fee")
    assert [d.metadata["heading"] for d in cut] == ["Rates", "Lamps"]
    assert all(d.page_content == text[slice(*span(d))] and len(d.page_content) < 400 for d in cut)


def test_a_passage_becomes_the_parent_that_its_chunker_told_unless_that_is_too_wide() -> None:
    whole = (CHUNKS[3].start, CHUNKS[6].end)
    (grown,) = parent(k=1, max_size=2000).compress_documents([chunk(4, parent=list(whole))], "q")
    assert span(grown) == whole
    (by_chunks,) = parent(k=1).compress_documents([chunk(4, parent=list(whole))], "q")
    assert span(by_chunks) == span(parent(k=1).compress_documents([chunk(4)], "q")[0])


def test_a_second_child_of_a_parent_merges_and_a_neighbour_stops_at_it() -> None:
    whole = (CHUNKS[3].start, CHUNKS[6].end)
    found = [chunk(4, parent=list(whole)), chunk(6, parent=list(whole)), chunk(7, parent=[CHUNKS[5].start, CHUNKS[8].end])]
    grown = parent(k=3, max_size=2000).compress_documents(found, "q")
    assert [span(document) for document in grown] == [whole, (CHUNKS[6].end, CHUNKS[8].end)]


def test_a_window_shows_no_sentence_outside_of_the_one_that_the_chunker_kept() -> None:
    sentence = part(TEXT, *LINES[10], window=[LINES[9].start, LINES[13].end])
    shown = {n: window(k=1, sentences=n).compress_documents([sentence], "q")[0] for n in (0, 1, 2, 5)}
    assert {n: span(document) for n, document in shown.items()} == {
        0: LINES[10],
        1: (LINES[9].start, LINES[11].end),
        2: (LINES[9].start, LINES[12].end),
        5: (LINES[9].start, LINES[13].end),
    }

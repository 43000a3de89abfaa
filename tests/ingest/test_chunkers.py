"""The semantic chunker: every chunk a slice, none too wide or empty, nothing lost; for any text and any settings in range."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_experimental.text_splitter import SemanticChunker as Stock

from ingest.build import build_chunks, embed_texts
from ingest.chunkers import SemanticChunker, get_chunker, split_segments
from ingest.chunkers.semantic import span_of
from ingest.document import LoadedDocument
from language import width
from models.embeddings import LocalEmbeddings
from settings import load_settings
from tests.ingest.writing import BLANKS, MARKUP, PROSE
from tests.standin import WordEmbeddings

TYPES = ["percentile", "standard_deviation", "interquartile", "gradient"]
WORDS = WordEmbeddings(8)

pieces = st.sampled_from([*PROSE, *MARKUP, *BLANKS, "a" * 200, "字" * 90])
texts = st.one_of(
    st.lists(pieces, max_size=60).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=400),
)
amounts = st.floats(0, 100)
settings_of_ingest = st.fixed_dictionaries(
    {
        "chunk_size": st.integers(100, 2000),
        "min_chunk_size": st.integers(1, 1000),
        "chunk_overlap": st.integers(0, 600),
        "segment_size": st.integers(50, 600),
        "breakpoint_type": st.sampled_from(TYPES),
        "breakpoint_amount": st.floats(0, 100),
    }
)


def chunker_with(**ingest: object) -> SemanticChunker:
    chunker = get_chunker(load_settings({f"ingest.{key}": value for key, value in ingest.items()}, env={}), WORDS)
    assert isinstance(chunker, SemanticChunker)
    return chunker


def chunks_of(text: str, *, markdown: bool = False, title: str | None = None, **ingest: object):
    chunker = chunker_with(**ingest)
    document = LoadedDocument("a.md", text, markdown=markdown, title=title)
    segments = chunker.segments(text, markdown=markdown)
    vectors = np.array(WORDS.embed_documents(embed_texts(document, segments)), dtype=np.float32).reshape(-1, WORDS.dimension)
    return build_chunks(document, segments, vectors, chunker=chunker, doc_id="d", version="v")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts, markdown=st.booleans(), ingest=settings_of_ingest)
def test_chunks_are_bounded_slices_that_cover_the_text(text, markdown, ingest):
    found = chunks_of(text, markdown=markdown, **ingest)
    assert [chunk.chunk_index for chunk in found] == list(range(len(found)))
    assert len({chunk.id for chunk in found}) == len(found)
    covered = bytearray(len(text))
    for chunk in found:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert width(chunk.text) <= ingest["chunk_size"] + 1e-6
        assert abs(np.linalg.norm(chunk.vector) - 1) < 1e-3
        assert len(chunk.segments) == len(chunk.segment_vectors) > 0
        assert all(chunk.start <= start < end <= chunk.end for start, end in chunk.segments)
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    assert all(covered[i] or ch.isspace() for i, ch in enumerate(text))
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        assert width(text[after.start : before.end]) <= min(ingest["chunk_overlap"], ingest["chunk_size"] // 2)


def test_a_hundred_chinese_sentences_are_bounded_chunks():
    text = "".join(f"第{n}条规定要求员工在{n}日之内提交报销单据。" for n in range(100))
    found = chunks_of(text)
    assert 3 <= len(found) <= 12
    assert all(width(chunk.text) <= 1200 and chunk.text.endswith("。") for chunk in found)
    assert "".join(chunk.text for chunk in found) == text


@pytest.mark.parametrize("letter", ["a", "字", "𠀀", "א"])
def test_a_hundred_thousand_characters_without_punctuation(letter):
    found = chunks_of(letter * 100_000)
    assert all(width(chunk.text) <= 1200 for chunk in found)
    assert sum(len(chunk.text) for chunk in found) == 100_000


@pytest.mark.parametrize("breakpoint_type", TYPES)
@pytest.mark.parametrize(
    ("text", "count"), [("", 0), (" \n\t\u3000\r\n", 0), ("Only one sentence.", 1), ("Two. Sentences.", 1), ("# Heading only", 1)]
)
def test_short_texts(text, count, breakpoint_type):
    found = chunks_of(text, markdown=True, breakpoint_type=breakpoint_type)
    assert [chunk.text for chunk in found] == [text] * count


def test_a_change_of_topic_is_a_breakpoint():
    cats = " ".join(f"Cats purr and cats sleep, cat number {n} too." for n in range(12))
    ships = " ".join(f"Ships sail the sea, and ship number {n} sails." for n in range(12))
    found = chunks_of(f"{cats} {ships}", chunk_size=8000, segment_size=100, min_chunk_size=1, breakpoint_amount=90)
    assert any(chunk.text.startswith("Ships sail the sea, and ship number 0") for chunk in found)


def test_headings_are_a_prefix_of_what_is_embedded_and_no_chunk_joins_two_far_sections():
    body = "The refund window is thirty days for every order that was placed online. " * 12
    text = f"# Policy\n\n## Refunds\n\n{body}\n\n## Shipping\n\n{body}"
    found = chunks_of(text, markdown=True, title="Handbook")
    assert {chunk.heading for chunk in found} == {"Policy / Refunds", "Policy / Shipping"}
    assert all(chunk.embed_text.startswith("Handbook") for chunk in found)
    segments = chunker_with().segments(text, markdown=True)
    embedded = embed_texts(LoadedDocument("a.md", text, markdown=True, title="Handbook"), segments)
    assert {line.split(": ")[0] for line in embedded} == {"Handbook / Policy / Refunds", "Handbook / Policy / Shipping"}
    assert not any("Shipping" in text[s.start : s.end] and "refund" in text[s.lead : s.start].lower() for s in segments)
    for segment in segments:
        assert "\n## " not in text[segment.start : segment.end]


def test_a_heading_in_fenced_code_is_no_section():
    text = "# Real\n\nSome text.\n\n```sh\n# a comment\nls\n```\n\nMore text."
    assert {segment.path for segment in chunker_with().segments(text, markdown=True)} == {("Real",)}


def test_overlap_repeats_the_end_of_the_chunk_before():
    text = " ".join(f"Sentence number {n} is about subject {n % 7} and nothing else." for n in range(80))
    plain, overlapping = chunks_of(text), chunks_of(text, chunk_overlap=400)
    assert all(a.end <= b.start for a, b in pairwise(plain))
    assert sum(a.end > b.start for a, b in pairwise(overlapping)) >= len(overlapping) // 2


@pytest.mark.parametrize("breakpoint_type", TYPES)
@pytest.mark.parametrize("amount", [None, 1.5, 90.0])
def test_thresholds_are_those_of_langchain(breakpoint_type, amount):
    distances = np.random.default_rng(7).random(40).astype(np.float32)
    ours = SemanticChunker(WORDS, breakpoint_type=breakpoint_type, breakpoint_amount=amount)
    stock = Stock(WORDS, breakpoint_threshold_type=breakpoint_type, breakpoint_threshold_amount=amount)
    limit, compared = ours.threshold(distances)
    expected, values = stock._calculate_breakpoint_threshold(distances.tolist())
    assert limit == pytest.approx(float(expected))
    assert compared.tolist() == pytest.approx(list(values))


def test_chunks_are_cut_where_the_stock_chunker_would_cut():
    """Sentences of more than a segment's size each, so that both split at the same places; a window of one for the stock one."""
    topics = [("cats", "purr"), ("cats", "sleep"), ("ships", "sail"), ("ships", "sink"), ("tax", "law"), ("tax", "form")]
    sentences = [f"{word.capitalize()} " + f"{word} {other} " * 5 + "end." for word, other in topics]
    text = " ".join(sentences)
    ours = SemanticChunker(WORDS, chunk_size=8000, min_chunk_size=1, segment_size=50, breakpoint_amount=55)
    stock = Stock(WORDS, buffer_size=0, breakpoint_threshold_amount=55)
    assert len(ours.segments(text)) == len(sentences)
    assert ours.split_text(text) == stock.split_text(text)
    assert len(ours.split_text(text)) > 1


def test_as_a_langchain_splitter_places_are_right():
    text = "Cats purr.  They sleep.\n\nShips   sail. " * 60
    chunker = SemanticChunker(WORDS, chunk_size=400)
    made = chunker.create_documents([text, "Short one."], [{"source": "a"}, {"source": "b"}])
    split = chunker.split_documents([Document(text, metadata={"source": "a"}), Document("Short one.", metadata={"source": "b"})])
    assert (
        made
        == split
        == chunker.transform_documents(
            [Document(text, metadata={"source": "a"}), Document("Short one.", metadata={"source": "b"})]
        )
    )
    assert len(made) > 5
    for document in made:
        whole = text if document.metadata["source"] == "a" else "Short one."
        assert document.page_content == whole[document.metadata["start_index"] : document.metadata["end_index"]]
    assert chunker.split_text(text) == [d.page_content for d in made if d.metadata["source"] == "a"]
    assert chunker.split_text("") == []


def test_a_markdown_document_is_split_at_headings_by_the_splitter_too():
    text = "# One\n\n" + "Alpha beta. " * 40 + "\n\n# Two\n\n" + "Gamma delta. " * 40
    split = SemanticChunker(WORDS).split_documents([Document(text, metadata={"format": "markdown"})])
    assert [d.page_content.split("\n")[0] for d in split] == ["# One", "# Two"]


@pytest.mark.parametrize("wrong", [{"chunk_size": 0}, {"chunk_overlap": -1}, {"segment_size": 0}, {"min_chunk_size": -5}])
def test_sizes_out_of_range_are_named(wrong):
    [name] = wrong
    with pytest.raises(ValueError, match=name):
        SemanticChunker(WORDS, **wrong)


def test_span_of_takes_the_heading_in():
    text = "# Title\n\nBody."
    segments = chunker_with().segments(text, markdown=True)
    assert (segments[0].start, span_of(segments, range(1))) == (9, (0, len(text)))


def test_no_segment_crosses_a_page_and_a_chunk_may():
    text = "The shop opens at nine.\n\nThe refund takes thirty days."
    second_page = text.index("The refund")
    segments = chunker_with().segments(text, page_starts=[0, second_page])
    assert [text[s.start : s.end] for s in segments] == text.split("\n\n")
    assert chunker_with().group(text, segments, np.eye(2, dtype=np.float32)) == [range(2)]


def test_a_heading_at_the_end_of_a_page_stays_with_its_text():
    text = "# One\n\nFirst words.\n\n# Two\n\nSecond words."
    page = text.index("Second")
    segments = split_segments(text, size=300, markdown=True, page_starts=[0, page])
    assert [(text[s.lead : s.end], s.opens_section) for s in segments] == [
        ("# One\n\nFirst words.", True),
        ("# Two\n\nSecond words.", True),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The cat is a small domesticated animal. Cats hunt mice and sleep most of the day. ",
            "Vector databases index embeddings. ",
        ),
        ("猫是一种小型家养动物。猫会捉老鼠，一天大部分时间都在睡觉。", "向量数据库为嵌入向量建立索引。"),
    ],
)
def test_the_local_embedder_sees_where_the_topic_changes(one, other):
    text = one * 6 + other * 12
    chunker = SemanticChunker(LocalEmbeddings(), chunk_size=8000, min_chunk_size=1, segment_size=80, breakpoint_amount=90)
    starts = [document.metadata["start_index"] for document in chunker.create_documents([text])]
    assert any(abs(start - len(one * 6)) <= len(other) for start in starts)
    assert len(starts) <= 4

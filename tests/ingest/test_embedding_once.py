"""Embedding is where the time goes: each segment is embedded once, whatever else is derived from it."""

from ingest.chunkers import split_segments
from ingest.report import FileReport, Progress
from ingest.vectors import EMBED_AT_ONCE
from models.cache import VectorCache
from models.embeddings import CachedEmbeddings
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

TEXT = "# Guide\n\n" + " ".join(f"Sentence {n} of the guide speaks about subject number {n % 13}." for n in range(700))


def test_each_segment_is_embedded_once_and_a_chunk_never(desk, words):
    desk.add("guide.md", TEXT, chunk_overlap=300)
    segments = split_segments(TEXT, size=300, markdown=True)
    assert words.texts == [f"Guide: {TEXT[s.start : s.end]}" for s in segments]
    assert desk.chunks.count() > 20


def test_with_direct_chunk_vectors_each_chunk_is_embedded_once_more(desk, words):
    report = desk.add("guide.md", TEXT, chunk_vector="direct")
    assert len(words.texts) == len(split_segments(TEXT, size=300, markdown=True)) + report.chunks
    [nearest] = desk.chunks.similarity_search_with_score(words.texts[-1], k=1)
    assert nearest[1] > 0.999


def test_progress_tells_how_many_texts_are_embedded(desk):
    events = list(desk.pipeline.add(desk.base, "guide.md", TEXT.encode(), desk.settings))
    assert isinstance(events.pop(), FileReport)
    assert [e.stage for e in events if e.stage != "embed"] == ["load", "chunk", "store"]
    embed = [e for e in events if e.stage == "embed"]
    total = len(split_segments(TEXT, size=300, markdown=True))
    assert embed == [Progress("embed", done, total) for done in range(0, total, EMBED_AT_ONCE)]


def test_the_chunk_vector_is_the_mean_of_its_segments(desk):
    desk.add("guide.md", TEXT)
    import numpy as np

    rows = desk.chunks._table.search().select(["vector", "segment_vectors", "segments"]).limit(99).to_arrow().to_pylist()
    for row in rows:
        weights = [s["end"] - s["start"] for s in row["segments"]]
        mean = np.average(np.array(row["segment_vectors"], dtype=np.float32), axis=0, weights=weights)
        assert np.dot(mean / np.linalg.norm(mean), row["vector"]) > 0.9999


def test_what_was_embedded_before_a_stop_is_not_embedded_again(tmp_path):
    """Vectors are kept batch by batch, so a large text goes on where a killed process was."""
    text = " ".join(f"Sentence number {n} speaks of subject{n} at some length, for the sake of it." for n in range(900)).encode()
    before, after = WordEmbeddings(), WordEmbeddings()
    desk = Desk.on(tmp_path / "store", CachedEmbeddings(before, VectorCache(tmp_path / "cache")))
    events = desk.pipeline.add(desk.base, "a.txt", text, desk.settings)
    total = next(event.total for event in events if isinstance(event, Progress) and event.stage == "embed" and event.done >= 128)
    events.close()
    assert len(before.texts) == 128
    again = desk.reopened(CachedEmbeddings(after, VectorCache(tmp_path / "cache")))
    assert again.pipeline.run(again.base, "a.txt", text, again.settings).status == "indexed"
    assert len(after.texts) == total - 128
    again.check()

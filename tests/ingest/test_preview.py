"""A preview shows the chunks that indexing would make, and what the semantic chunker cuts by; it stores nothing and ends."""

# mypy: disable-error-code="operator, arg-type, union-attr, comparison-overlap"
# Of gaps and a threshold, which only the semantic chunker has: a None fails the test anyway.

import json

import numpy as np
import pytest

from ingest.__main__ import main
from ingest.build import build_chunks, embed_texts
from ingest.chunkers import get_chunker
from ingest.document import LoadedDocument, PageSpan, RowSpan
from ingest.preview import MOST_EMBEDDED, MOST_SHOWN, preview
from settings import Settings, load_settings
from tests.standin import WordEmbeddings

CATS = " ".join(f"Cats purr and cats sleep, cat number {n} too." for n in range(12))
SHIPS = " ".join(f"Ships sail the sea, and ship number {n} sails." for n in range(12))
TEXT = f"# Pets\n\n{CATS} {SHIPS}\n\n# 运费\n\n" + "退款期限为三十天，请保留收据。" * 30


def settings_with(**ingest: object) -> Settings:
    return load_settings({f"ingest.{key}": value for key, value in ingest.items()}, env={})


@pytest.mark.parametrize("chunker", ["semantic", "recursive", "sentence_window", "hierarchical"])
def test_the_chunks_are_those_that_indexing_makes(chunker):
    words, chosen = WordEmbeddings(), settings_with(chunker=chunker, chunk_size=500, segment_size=100, chunk_overlap=100)
    document = LoadedDocument("a.md", TEXT, markdown=True, title="Pets")
    shown = preview(document, chosen, words)
    cutter = get_chunker(chosen, words, document=document)
    segments = cutter.segments(TEXT, markdown=True)
    vectors = np.array(words.embed_documents(embed_texts(document, segments)), dtype=np.float32)
    stored = build_chunks(document, segments, vectors, chunker=cutter, doc_id="d", version="v")
    assert [(c.start, c.end, c.heading, c.segments) for c in shown.chunks] == [
        (c.start, c.end, c.heading, c.segments) for c in stored
    ]
    assert [c.parent and list(c.parent) for c in shown.chunks] == [c.metadata.get("parent") for c in stored]
    assert [c.window and list(c.window) for c in shown.chunks] == [c.metadata.get("window") for c in stored]
    assert (shown.chunker, shown.is_whole, shown.text) == (chunker, True, TEXT)


def test_only_the_semantic_chunker_embeds_and_shows_its_distances():
    words = WordEmbeddings()
    plain = preview(LoadedDocument("a.txt", TEXT), settings_with(chunker="recursive"), words)
    assert (plain.gaps, plain.threshold, words.texts) == (None, None, [])
    chosen = settings_with(chunk_size=8000, segment_size=100, min_chunk_size=1)
    shown = preview(LoadedDocument("a.md", TEXT, markdown=True), chosen, words)
    assert len(shown.gaps) == len(words.texts) - 1
    assert shown.threshold == pytest.approx(np.percentile([gap.distance for gap in shown.gaps], 90))
    assert all(gap.is_over == (gap.compared > shown.threshold) for gap in shown.gaps)
    assert any(
        gap.is_over and gap.is_cut and TEXT[gap.place :].startswith("Ships sail the sea, and ship number 0") for gap in shown.gaps
    )
    assert next(gap.is_cut for gap in shown.gaps if TEXT[gap.place] == "退")  # at a heading, whatever the distance
    assert sum(gap.is_cut for gap in shown.gaps) == len(shown.chunks) - 1


def test_with_the_gradient_it_is_what_is_compared():
    shown = preview(LoadedDocument("a.txt", TEXT), settings_with(breakpoint_type="gradient", segment_size=100), WordEmbeddings())
    assert [gap.compared for gap in shown.gaps] == pytest.approx(np.gradient([gap.distance for gap in shown.gaps]))


@pytest.mark.parametrize(("text", "gaps"), [("", 0), (" \n", 0), ("One sentence.", 0)])
def test_without_gaps_there_is_no_threshold(text, gaps):
    shown = preview(LoadedDocument("a.txt", text), settings_with(), WordEmbeddings())
    assert (len(shown.gaps), shown.threshold, len(shown.chunks)) == (gaps, None, bool(text.strip()))


def test_the_overlap_is_told():
    shown = preview(LoadedDocument("a.txt", TEXT), settings_with(chunker="fixed", chunk_size=400), WordEmbeddings())
    assert shown.chunks[0].repeated == 0
    assert all(0 < chunk.repeated <= 80 for chunk in shown.chunks[1:])


def test_of_a_big_document_the_beginning_is_shown():
    line = "The refund window is thirty days for every order.\n"
    text = line * 20_000
    pages = (PageSpan(1, 0, 30_000), PageSpan(2, 30_000, 900_000), PageSpan(3, 900_000, len(text)))
    rows = (RowSpan(None, 1, 0, 100), RowSpan(None, 2, 500_000, 500_050))
    words = WordEmbeddings()
    shown = preview(LoadedDocument("a.txt", text, pages=pages, rows=rows), settings_with(), words)
    assert MOST_EMBEDDED - len(line) <= len(shown.text) <= MOST_EMBEDDED
    assert sum(map(len, words.texts)) <= MOST_EMBEDDED
    assert (shown.chars, shown.is_whole, shown.text[-1]) == (len(text), False, "\n")
    assert {chunk.page for chunk in shown.chunks} == {1, 2}
    assert len(preview(LoadedDocument("a.txt", text), settings_with(chunker="fixed"), words).text) > MOST_SHOWN - len(line)
    assert len(preview(LoadedDocument("a.txt", text), settings_with(), words, most=1000).text) == 1000
    assert len(preview(LoadedDocument("a.txt", "字" * 50_000), settings_with(), words).text) == MOST_EMBEDDED


def test_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GLASSBOX_STORE__DIR", str(tmp_path / "store"))
    file = tmp_path / "a.py"
    file.write_text("class Shop:\n    def refund(self):\n        return 30\n" * 3, encoding="utf-8")
    assert main(["preview", str(file), "--set", "ingest.chunk_size=100", "--json"]) == 0
    [shown] = json.loads(capsys.readouterr().out)["previews"]
    assert (shown["source"], shown["chunker"], shown["chars"]) == ("a.py", "structure", len(shown["text"]))
    first = shown["chunks"][0]
    assert shown["text"][first["start"] : first["end"]].startswith("class Shop:")
    assert not (tmp_path / "store" / "glassbox.db").exists()
    (tmp_path / "b.pdf").write_bytes(b"no pdf")
    assert main(["preview", str(tmp_path / "b.pdf"), "--json"]) == 2
    assert "b.pdf" in json.loads(capsys.readouterr().out)["error"]

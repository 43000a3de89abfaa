"""Chunkers against gold spans: token recall, precision and IoU of what is retrieved until a number of tokens is reached.

Texts are corpora/*.md, questions with the spans that answer them are questions_df.csv (the form of chunking_evaluation; Smith and
Troynikov, 2024). All chunks of all texts are one collection; every chunker has the same embedder. Ours is ranked as the vector
leg does, by its best segment and their mean, which cost one pass of the embedder; of the others each chunk is embedded. A token
is a word or a mark.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from ingest.build import build_chunks, embed_texts
from ingest.chunkers import get_chunker
from ingest.document import join
from ingest.loaders import get_loader
from models import get_embeddings
from retrievers.vector import MEAN_SHARE
from settings import Settings, load_settings
from settings.ingest import IngestSettings
from store.schema import FloatArray

TOKEN = re.compile(r"\w+|[^\w\s]")
RECURSIVE = (200, 400, 800)


@dataclass(frozen=True)
class Piece:
    """A chunk: its text's number, its span, and the vectors that it is compared by, shape (n, dimension)."""

    text: int
    start: int
    end: int
    vectors: FloatArray


@dataclass(frozen=True)
class Question:
    """A question with the spans of one text that answer it."""

    words: str
    text: int
    spans: tuple[tuple[int, int], ...]


Chunker = Callable[[Sequence[str]], list[Piece]]


def main() -> None:
    """Measure each chunker and print a table."""
    call = _options()
    settings = load_settings(call.set, env={})
    embeddings = get_embeddings(settings, cache=call.cache)
    names = call.texts.split(",") if call.texts else sorted(path.stem for path in (call.data / "corpora").glob("*.md"))
    texts = [(call.data / "corpora" / f"{name}.md").read_text(encoding="utf-8") for name in names]
    questions = list(_questions(call.data / "questions_df.csv", names))
    asked = _unit(np.array([embeddings.embed_query(question.words) for question in questions], dtype=np.float32))
    print(f"{len(texts)} texts, {len(questions)} questions, until {call.tokens} tokens")
    results = {}
    for name, chunk in _chunkers(settings, embeddings).items():
        pieces = chunk(texts)
        results[name] = measure(pieces, texts, questions, asked, tokens=call.tokens)
        print(f"  {name:16}" + "".join(f"{key} {value:<8g}" for key, value in results[name].items()), flush=True)
    if call.json:
        call.json.write_text(json.dumps(results, indent=2), encoding="utf-8")


def measure(
    pieces: Sequence[Piece], texts: Sequence[str], questions: Sequence[Question], asked: FloatArray, *, tokens: int
) -> dict[str, float]:
    """Means over the questions of recall, precision and IoU, and how large the chunks are."""
    starts = [np.array([token.start() for token in TOKEN.finditer(text)]) for text in texts]
    first = np.cumsum([0, *(len(each) for each in starts)])

    def range_of(text: int, start: int, end: int) -> tuple[int, int]:
        low, high = np.searchsorted(starts[text], [start, end])
        return int(first[text] + low), int(first[text] + high)

    owner = np.repeat(np.arange(len(pieces)), [len(piece.vectors) for piece in pieces])
    vectors = np.concatenate([piece.vectors for piece in pieces])
    means = _unit(np.stack([piece.vectors.mean(axis=0) for piece in pieces]))
    ranges = [range_of(piece.text, piece.start, piece.end) for piece in pieces]
    sums = np.zeros(3)
    for question, vector in zip(questions, asked, strict=True):
        best = np.full(len(pieces), -1.0)
        np.maximum.at(best, owner, vectors @ vector)
        scores = (best + MEAN_SHARE * (means @ vector)) / (1 + MEAN_SHARE)
        retrieved, gold = np.zeros(first[-1], dtype=bool), np.zeros(first[-1], dtype=bool)
        for number in np.argsort(-scores, kind="stable"):
            retrieved[slice(*ranges[number])] = True
            if retrieved.sum() >= tokens:
                break
        for start, end in question.spans:
            gold[slice(*range_of(question.text, start, end))] = True
        both = (retrieved & gold).sum()
        sums += both / gold.sum(), both / retrieved.sum(), both / (retrieved | gold).sum()
    recall, precision, iou = (sums / len(questions)).round(4).tolist()
    size = float(np.mean([end - start for start, end in ranges]))
    return {"recall": recall, "precision": precision, "iou": iou, "chunks": len(pieces), "tokens": round(size, 1)}


def _chunkers(settings: Settings, embeddings: Embeddings) -> dict[str, Chunker]:
    """Ours, the one we subclass as it comes, and fixed sizes."""
    recursive = {f"recursive {size}": _stock(_recursive(size), embeddings) for size in RECURSIVE}
    return {"ours": _ours(settings, embeddings), **recursive, "stock semantic": _stock(_stock_semantic(embeddings), embeddings)}


def _ours(settings: Settings, embeddings: Embeddings) -> Chunker:
    chunker = get_chunker(settings, embeddings)

    def pieces(texts: Sequence[str]) -> list[Piece]:
        found = []
        for number, text in enumerate(texts):
            document = join("text.md", get_loader("text.md", text.encode(), IngestSettings()).lazy_load())
            if document.text != text:
                raise SystemExit("a text changes as it is loaded, so the gold spans do not fit it")
            segments = chunker.segments(document.text, markdown=document.markdown)
            vectors = _unit(np.array(embeddings.embed_documents(embed_texts(document, segments)), dtype=np.float32))
            chunks = build_chunks(document, segments, vectors, chunker=chunker, doc_id="text", version="1")
            found += [Piece(number, c.start or 0, c.end or 0, c.segment_vectors) for c in chunks]
        return found

    return pieces


def _stock(split: Callable[[str], list[str]], embeddings: Embeddings) -> Chunker:
    def pieces(texts: Sequence[str]) -> list[Piece]:
        found = []
        for number, text in enumerate(texts):
            chunks = [chunk for chunk in split(text) if chunk.strip()]
            vectors = _unit(np.array(embeddings.embed_documents(chunks), dtype=np.float32))
            spans = zip(_located(text, chunks), vectors, strict=True)
            found += [Piece(number, start, end, vector[None]) for (start, end), vector in spans]
        return found

    return pieces


def _recursive(size: int) -> Callable[[str], list[str]]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, length_function=lambda t: len(TOKEN.findall(t))
    ).split_text


def _stock_semantic(embeddings: Embeddings) -> Callable[[str], list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_experimental.text_splitter import SemanticChunker

    return SemanticChunker(embeddings).split_text


def _located(text: str, chunks: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The spans of chunks whose blanks may differ from the text's, in order, by counting what is not blank."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    solid = "".join(text[place] for place in places)
    at = 0
    for chunk in chunks:
        wanted = "".join(chunk.split())
        found = solid.find(wanted, at)
        at = found if found >= 0 else at
        end = min(at + len(wanted), len(places))
        yield places[min(at, len(places) - 1)], places[end - 1] + 1
        at = end


def _questions(path: Path, names: Sequence[str]) -> Iterator[Question]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["corpus_id"] in names:
                spans: list[dict[str, Any]] = json.loads(row["references"])
                places = tuple((span["start_index"], span["end_index"]) for span in spans)
                yield Question(row["question"], names.index(row["corpus_id"]), places)


def _unit(vectors: FloatArray) -> FloatArray:
    unit: FloatArray = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m benchmarks.chunking", description=__doc__)
    options.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder with corpora/ and questions_df.csv")
    options.add_argument("--texts", metavar="A,B", help="only these texts (default: all)")
    options.add_argument("--tokens", type=int, default=1000, metavar="N", help="retrieve until so many are reached")
    options.add_argument(
        "--cache", type=Path, default=Path("data/benchmarks/cache"), metavar="DIR", help="where vectors are kept"
    )
    options.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")
    options.add_argument("--set", action="append", default=[], metavar="SECTION.KEY=VALUE", help="override a setting")
    return options.parse_args()


if __name__ == "__main__":
    main()

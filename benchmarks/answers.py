"""Answers without a chat model, on XQuAD: which questions are answered, which refused, and whether quotes hold the gold answer.

Bases: xquad_en and xquad_zh, and each again without half of its articles. Questions: the base's own, those in the other language,
those of articles that were left out, and foreign ones of other sets. Prints the share answered at the default threshold, the
trade-off over thresholds, and how often the gold string stands in the first quoted segment and in the first two.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks._beir import Corpus, index, opened, parser, read
from chains.extractive import quote_answer
from retrievers import Retriever
from settings import Settings
from store.library import Base

LANGUAGES = ("xquad_en", "xquad_zh")
FOREIGN: dict[str, dict[str, int | None]] = {
    "xquad_en": {"claude_docs": None, "scifact": 100},
    "xquad_zh": {"netoperator_zh": None},
}
"""Foreign questions in the base's own language, with how many; the others are asked across languages."""
PARAGRAPHS_AN_ARTICLE = 5
THRESHOLDS = np.arange(0.80, 1.0, 0.01)


@dataclass(frozen=True)
class Asked:
    """A group of questions to a base: the evidence for each, and for the base's own whether the quotes hold the answer."""

    base: str
    group: str
    evidence: np.ndarray
    in_first: float | None = None
    in_two: float | None = None

    def answered(self, threshold: float) -> float:
        """The share of the questions that is answered at a threshold."""
        return float((self.evidence >= threshold).mean())


def main() -> None:
    """Ask all groups and print."""
    call = parser("answers", __doc__).parse_args()
    settings, stores = opened(call)
    retriever, corpora = Retriever(stores), {name: read(call.data / name, queries=call.queries) for name in LANGUAGES}
    groups: list[Asked] = []
    for name in LANGUAGES:
        other = next(n for n in LANGUAGES if n != name)
        base, half = index(corpora[name], stores, settings), index(_half(corpora[name]), stores, settings)
        left_out = [q for q in corpora[name].queries if not _kept(corpora[name], q)]
        groups.append(ask(retriever, base, "own", corpora[name].queries, settings=settings))
        groups.append(ask(retriever, base, "own, other language", corpora[other].queries, settings=settings))
        groups.append(ask(retriever, half, "article left out", left_out, settings=settings))
        for foreign_to, sets in FOREIGN.items():
            for foreign, count in sets.items():
                questions = read(call.data / foreign, queries=count).queries
                kind = foreign if foreign_to == name else f"{foreign}, other language"
                groups.append(ask(retriever, base, kind, questions, settings=settings))
        _show([g for g in groups if g.base.startswith(name)], settings.retrieval.evidence_threshold)
    if call.json:
        call.json.write_text(json.dumps([_as_json(group) for group in groups], indent=1), encoding="utf-8")


def ask(retriever: Retriever, base: Base, group: str, questions: Sequence[dict[str, Any]], *, settings: Settings) -> Asked:
    """Retrieve for each question; where gold strings are known, look for them in the quotes."""
    found = [retriever.retrieve(question["text"], base, settings) for question in questions]
    evidence = np.array([retrieval.ledger.evidence for retrieval in found])
    golds = [question.get("metadata", {}).get("answers", []) for question in questions]
    if group != "own":
        return Asked(base.name, group, evidence)
    margin = settings.answer.quote_margin
    quotes = [[citation.quote for citation in quote_answer(r, max_quotes=2, margin=margin).citations] for r in found]
    first = np.mean([any(g in text for g in gold for text in said[:1]) for gold, said in zip(golds, quotes, strict=True)])
    two = np.mean([any(g in text for g in gold for text in said) for gold, said in zip(golds, quotes, strict=True)])
    return Asked(base.name, group, evidence, float(first), float(two))


def _half(corpus: Corpus) -> Corpus:
    kept = [document for number, document in enumerate(corpus.documents) if _in_half(number)]
    return replace(corpus, name=f"{corpus.name}_half", documents=kept)


def _kept(corpus: Corpus, query: dict[str, Any]) -> bool:
    numbers = {document["_id"]: number for number, document in enumerate(corpus.documents)}
    return any(_in_half(numbers[document]) for document in corpus.qrels[query["_id"]])


def _in_half(number: int) -> bool:
    return number // PARAGRAPHS_AN_ARTICLE % 2 == 0


def _show(groups: Sequence[Asked], threshold: float) -> None:
    for group in groups:
        gold = "" if group.in_first is None else f"  gold in the first segment {group.in_first:.3f}, in two {group.in_two:.3f}"
        count, share = len(group.evidence), group.answered(threshold)
        print(f"{group.base:14} {group.group:30} {count:5} questions, answered at {threshold}: {share:.3f}{gold}", flush=True)
        print("   " + " ".join(f"{t:.2f}:{group.answered(float(t)):.2f}" for t in THRESHOLDS))


def _as_json(group: Asked) -> dict[str, Any]:
    curve = {f"{t:.2f}": round(group.answered(float(t)), 4) for t in THRESHOLDS}
    return {
        "base": group.base,
        "group": group.group,
        "gold_in_first": group.in_first,
        "gold_in_two": group.in_two,
        "answered": curve,
    }


if __name__ == "__main__":
    main()

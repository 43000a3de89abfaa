"""Are sentences of answers told right from wrong, and questions without an answer refused, with no language model?

Sentences: those of XQuAD's gold paragraphs that hold the answer stand for what a model writes. They are held against the passages
that are found for their question as they are, with one number or one name altered (half of them to one of the same paragraph or
article), in the other language, and without their paragraph, as by a model that answers from memory.
Questions: LiHua-World's unanswerable ones and XQuAD's without their gold paragraph are to be refused, the others answered.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks._beir import Corpus, as_file, document_of, index, opened, parser, read
from chains.grounding import Grounded, Grounder
from chains.grounding.quantities import Amount, claims
from chains.packing import numbered
from language import sentences
from retrievers import Context, Filter, Retrieval, Retriever
from settings import Settings
from store.library import Base

LANGUAGES = ("xquad_en", "xquad_zh")
CASES = 200
THRESHOLDS = np.arange(0.80, 1.0, 0.02)


@dataclass(frozen=True)
class Case:
    """A sentence that answers a question, with what was found for that; `name` is its gold answer where that is a name."""

    question: dict[str, Any]
    sentence: str
    found: Retrieval
    paragraph: str
    name: str = ""


class Bench:
    """A set in one base, and the grounder over it."""

    def __init__(self, corpus: Corpus, base: Base, retriever: Retriever, settings: Settings) -> None:
        self.corpus, self.base, self.retriever, self.settings = corpus, base, retriever, settings
        self.grounder = Grounder(retriever, [base])
        self.texts = {document["_id"]: document["text"] for document in corpus.documents}
        self.sources = {document["_id"]: as_file(document)[0] for document in corpus.documents}

    def gold(self, question: dict[str, Any]) -> str:
        """The id of the question's paragraph."""
        return next(iter(self.corpus.qrels[question["_id"]]))

    def found(self, question: dict[str, Any], *, without_gold: bool = False) -> Retrieval:
        """What is found for a question; with or without its paragraph in the base."""
        limits = Filter()
        if without_gold:
            gold = self.gold(question)
            limits = Filter(sources=tuple(source for key, source in self.sources.items() if key != gold))
        return self.retriever.retrieve(question["text"], self.base, self.settings, limits=limits)

    def sentence(self, question: dict[str, Any]) -> str | None:
        """The sentence of its paragraph that holds the gold answer, if one does."""
        text = self.texts[self.gold(question)]
        answers = question["metadata"]["answers"]
        return next((text[a:b] for a, b in sentences(text) if any(answer in text[a:b] for answer in answers)), None)

    def cases(self, names: dict[str, str]) -> Iterator[Case]:
        """The questions whose paragraph is among the passages found; `names` are the gold answers that are names, by question."""
        for question in self.corpus.queries:
            sentence = self.sentence(question)
            found = self.found(question)
            if sentence and any(document_of(context.source) == self.gold(question) for context in found.contexts):
                yield Case(question, sentence, found, self.texts[self.gold(question)], names.get(question["_id"], ""))

    def marked(self, sentence: str, contexts: Sequence[Context]) -> bool:
        """Whether any sentence of the answer is unsupported."""
        return any(each.status == "unsupported" for each in self.grounded(sentence, contexts))

    def grounded(self, sentence: str, contexts: Sequence[Context]) -> tuple[Grounded, ...]:
        """What the grounder says of it."""
        return self.grounder.ground("", sentence, numbered(contexts)).sentences


def main() -> None:
    """Measure and print."""
    call = parser("grounding", __doc__).parse_args()
    settings, stores = opened(call)
    retriever = Retriever(stores)
    corpora = {name: read(call.data / name, queries=call.queries) for name in LANGUAGES}
    benches = {name: Bench(corpora[name], index(corpora[name], stores, settings), retriever, settings) for name in LANGUAGES}
    names = _names(corpora)
    figures: dict[str, Any] = {}
    for name, bench in benches.items():
        other = next(each for key, each in benches.items() if key != name)
        cases = list(bench.cases(names[name]))
        figures[name] = _sentences(bench, other, cases) | _questions(bench)
        _show(name, figures[name])
    lihua = read(call.data / "lihua_world", queries=call.queries)
    bench = Bench(lihua, index(lihua, stores, settings), retriever, settings)
    lines = (call.data / "lihua_world" / "unanswerable.jsonl").read_text(encoding="utf-8").splitlines()
    figures["lihua_world"] = _curves(
        settings,
        answerable=[bench.found(each) for each in lihua.queries],
        unanswerable=[bench.found(json.loads(x)) for x in lines],
    )
    _show("lihua_world", figures["lihua_world"])
    if call.json:
        call.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False), encoding="utf-8")


def _sentences(bench: Bench, other: Bench, cases: Sequence[Case]) -> dict[str, Any]:
    """The share of marked sentences by what was done to them, with how many there were."""
    chance = random.Random(5)
    numbered = [case for case in cases if _numbers(case.sentence)]
    named = [case for case in cases if case.name]
    pool = [case.name for case in named]
    chance.shuffle(numbered)
    chance.shuffle(named)

    def number(near: bool) -> Callable[[Case], bool | None]:
        return lambda case: _altered(bench, case, _another_number(case, chance, near=near))

    def name(near: bool) -> Callable[[Case], bool | None]:
        return lambda case: _altered(bench, case, _another_name(case, pool, chance, near=near))

    return {
        "as it is": _share(cases, lambda case: bench.marked(case.sentence, case.found.contexts)),
        "in other words": _share(cases, lambda case: bench.marked(_reworded(case.question), case.found.contexts)),
        "number altered": _share(numbered[:CASES], number(near=False)),
        "number of the same paragraph": _share(numbered, number(near=True)),
        "name altered": _share(named[:CASES], name(near=False)),
        "name of the same paragraph": _share(named, name(near=True)),
        **_across(bench, other, cases, chance),
        "from memory, paragraph not found": _share(
            cases[:: max(1, len(cases) // CASES)],
            lambda case: bench.marked(case.sentence, bench.found(case.question, without_gold=True).contexts),
        ),
    }


def _across(bench: Bench, other: Bench, cases: Sequence[Case], chance: random.Random) -> dict[str, Any]:
    """The same of the sentences of the other language's set."""
    foreign = {question["_id"]: question for question in other.corpus.queries}
    known = [(case, other.sentence(foreign[case.question["_id"]])) for case in cases if case.question["_id"] in foreign]
    translated = [(case, sentence) for case, sentence in known if sentence]
    return {
        "other language": _share(translated, lambda pair: bench.marked(pair[1], pair[0].found.contexts)),
        "other language, number altered": _share(
            [pair for pair in translated if _numbers(pair[1])],
            lambda pair: _altered(bench, pair[0], _another_number(pair[0], chance, near=False, sentence=pair[1]), pair[1]),
        ),
        "of another question, other language": _share(
            list(zip(translated, translated[7:], strict=False)),
            lambda two: bench.marked(two[1][1], two[0][0].found.contexts) if two[0][0].paragraph != two[1][0].paragraph else None,
        ),
    }


def _share(items: Sequence[Any], marked: Callable[[Any], bool | None]) -> tuple[float, int]:
    said = [each for each in map(marked, items) if each is not None]
    return (round(float(np.mean(said)), 3) if said else 0.0), len(said)


def _altered(bench: Bench, case: Case, to: str | None, sentence: str | None = None) -> bool | None:
    return bench.marked(to, case.found.contexts) if to and to != (sentence or case.sentence) else None


def _another_name(case: Case, pool: Sequence[str], chance: random.Random, *, near: bool) -> str | None:
    others = [each for each in pool if each not in case.sentence and case.name not in each and (each in case.paragraph) == near]
    return case.sentence.replace(case.name, chance.choice(others), 1) if others else None


def _questions(bench: Bench) -> dict[str, Any]:
    own = [bench.found(question) for question in bench.corpus.queries]
    without = [bench.found(question, without_gold=True) for question in bench.corpus.queries]
    return _curves(bench.settings, answerable=own, unanswerable=without)


def _curves(settings: Settings, *, answerable: Sequence[Retrieval], unanswerable: Sequence[Retrieval]) -> dict[str, Any]:
    """Shares that are answered, at the default threshold and over all."""
    right = np.array([found.ledger.evidence for found in answerable])
    wrong = np.array([found.ledger.evidence for found in unanswerable])
    line = settings.retrieval.evidence_threshold
    return {
        "answered": (round(float((right >= line).mean()), 3), len(right)),
        "refused": (round(float((right < line).mean()), 3), len(right)),
        "wrongly answered": (round(float((wrong >= line).mean()), 3), len(wrong)),
        "curve": {f"{t:.2f}": [round(float((each >= t).mean()), 3) for each in (right, wrong)] for t in THRESHOLDS},
    }


def _names(corpora: dict[str, Corpus]) -> dict[str, dict[str, str]]:
    """By set and question the gold answers that are names: capital words in English, and what stands there in Chinese."""
    english = {q["_id"]: q["metadata"]["answers"][0] for q in corpora["xquad_en"].queries}
    are_names = {key for key, answer in english.items() if _is_name(answer)}
    return {
        name: {q["_id"]: q["metadata"]["answers"][0] for q in corpus.queries if q["_id"] in are_names}
        for name, corpus in corpora.items()
    }


def _is_name(answer: str) -> bool:
    words = answer.split()
    return bool(words) and len(words) < 5 and all(word[:1].isupper() and word.isalpha() and len(word) > 2 for word in words)


def _reworded(question: dict[str, Any]) -> str:
    """The question with its answer, as one sentence: what the paragraph says, in the words of who asked."""
    return f"{question['text'].rstrip('?？ ')}: {question['metadata']['answers'][0]}."


def _numbers(sentence: str) -> list[tuple[int, int]]:
    """Where numbers in digits stand in it that count as claims."""
    found = [claim for claim in claims(sentence) if isinstance(claim.said, Amount)]
    spans = []
    for claim in found:
        digits = [n for n in range(claim.start, claim.end) if sentence[n].isdigit()]
        if digits and digits[-1] - digits[0] == len(digits) - 1:
            spans.append((digits[0], digits[-1] + 1))
    return spans


def _another_number(case: Case, chance: random.Random, *, near: bool, sentence: str | None = None) -> str | None:
    """The sentence with one number altered: to one of another sentence of its paragraph, or to one of as many digits."""
    text = sentence or case.sentence
    start, end = chance.choice(_numbers(text))
    others = [case.paragraph[a:b] for a, b in _numbers(case.paragraph)]
    if near:
        others = [each for each in others if each not in text]
        return f"{text[:start]}{chance.choice(others)}{text[end:]}" if others else None
    first = 10 ** (end - start - 1)
    made = [str(number) for number in {chance.randrange(first if first > 1 else 2, 10 * first) for _ in range(20)}]
    fresh = [each for each in made if each not in case.paragraph and each not in text]
    return f"{text[:start]}{fresh[0]}{text[end:]}" if fresh else None


def _show(name: str, figures: dict[str, Any]) -> None:
    for what, value in figures.items():
        if what == "curve":
            print(
                "   threshold: answered, wrongly answered  " + "  ".join(f"{t}: {a:.2f}, {b:.2f}" for t, (a, b) in value.items())
            )
        else:
            print(f"{name:12} {what:36} {value[0]:6.3f} of {value[1]}", flush=True)


if __name__ == "__main__":
    main()

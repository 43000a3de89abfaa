"""Which sentences of the sources support a sentence of an answer, and what it says that none of them does.

Three things decide, the weightiest first: numbers, dates and names that stand in no supporting passage; a source sentence in the
same words that has another number or name in its place, or denies it; and how near the best segment is, as evidence for a
question is measured (retrievers/evidence.py). Across languages words cannot be compared: there numbers, Latin names and the
cosine decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from chains.grounding.asked import SAME_MATTER, Asked
from chains.grounding.chinese_names import chinese_names
from chains.grounding.names import Name, first_word, follows, latin_names
from chains.grounding.negation import contradiction
from chains.grounding.quantities import Amount, Claim, Quantities, quantities, same, stands
from chains.grounding.result import Grounded, Link, Miss, weight
from chains.grounding.sources import Source, SourceSentence
from chains.grounding.statements import Statement
from models.embeddings import LOCAL_MODEL
from store.schema import FloatArray

COVERAGE_WEIGHT = 0.2
MOST_LINKS = 3
WORTH_A_LINK = 0.12
"""Share of a sentence's terms that a further source sentence must add."""
NEAR_VERBATIM = 0.85
"""Share of a sentence's terms, numbers and names aside, in one source sentence, from which on it is held to that one's."""
LONG_ENOUGH = 5
"""Terms from which on a sentence in a source's very words may have no number that is not in that source's sentence."""
FACT_WEIGHT, MOST_FACTS = 0.015, 2
"""Across languages, so much of a cosine is a number or Latin name worth that stands in the sources; no more than two count."""
BY_WORDS = 0.5
"""Share of the terms that must stand in the sources where no vectors can be compared."""


@dataclass(frozen=True)
class Thresholds:
    """The least score of a supported sentence, and of one whose source is in another language."""

    same_language: float
    other_language: float

    @classmethod
    def of(cls, model: str) -> Thresholds:
        """For an embedder; of those that were not measured, cosines of unrelated texts are taken to be below a half."""
        return _MEASURED.get(model, cls(0.55, 0.45))


_MEASURED = {LOCAL_MODEL: Thresholds(0.95, 0.795)}
"""By benchmarks/grounding.py."""


class _Rated(NamedTuple):
    sentence: SourceSentence
    cosine: float | None
    share: float
    same_language: bool


@dataclass(frozen=True)
class _Found:
    """What is nearest to a statement; `share` of its terms stands in the links. `cosine` is None where nothing has vectors."""

    best: SourceSentence
    links: tuple[SourceSentence, ...]
    share: float
    cosine: float | None
    same_language: bool

    @property
    def score(self) -> float:
        return (self.cosine or 0.0) + COVERAGE_WEIGHT * self.share


def supported(
    statement: Statement, vector: FloatArray | None, sources: Sequence[Source], limits: Thresholds, *, question: str = ""
) -> Grounded:
    """The statement, of an answer to the question, held against the passages that it cites, or, where these do not support it,
    against all.
    """
    asked = Asked.of(statement, vector)
    reply = asked.replying(question)
    cited = [source for source in sources if source.n in statement.cited]
    first = _against(asked, cited or sources, limits, reply)
    if first.status == "supported" or not cited:
        return first
    anywhere = _against(asked, sources, limits, reply)
    if anywhere.status == "unsupported":
        return first
    return replace(anywhere, elsewhere=True)


def _against(asked: Asked, sources: Sequence[Source], limits: Thresholds, reply: Asked | None) -> Grounded:
    place = asked.statement.start, asked.statement.end
    heavy = weight(asked.statement.text)
    found = _best(asked, sources)
    if found is None:
        return Grounded(*place, "unsupported", weight=heavy)
    supporting = _supporting(asked, found, sources)
    near = _near_enough(asked, found, supporting, limits)
    answering = _best(reply, sources) if reply and not asked.is_of(found.best) else None
    if reply and answering and reply.frame(answering.best) >= reply.matter:
        asked, found, supporting = reply, answering, _supporting(reply, answering, sources)
        near = near or _near_enough(asked, found, supporting, limits)
    misses = [*_wrong_numbers(asked, found, supporting), *_wrong_names(asked, found, supporting), *_denied(asked, supporting)]
    chunk_of = {source.n: source.context.chunk_id for source in sources}
    links = tuple(Link(each.n, chunk_of[each.n], each.start, each.end) for each in found.links) if near else ()
    status = "supported" if near and not misses else "unsupported"
    return Grounded(*place, status, found.score, tuple(misses), links, weight=heavy)  # type: ignore[arg-type]


def _supporting(asked: Asked, found: _Found, sources: Sequence[Source]) -> list[Source]:
    linked = {link.n for link in found.links}
    return [source for source in sources if source.n in linked or source.n in asked.statement.cited]


def _best(asked: Asked, sources: Sequence[Source]) -> _Found | None:
    """The source sentence that is nearest, and those that add what it does not hold."""
    rated = [row for source in sources for row in _rated(asked, source)]
    if not rated:
        return None
    floor = min((row.cosine for row in rated if row.cosine is not None), default=None)
    first = max(rated, key=lambda row: (floor or 0.0 if row.cosine is None else row.cosine) + row.share)
    links, held = [first], set(first.sentence.terms)
    while len(links) < MOST_LINKS and first.same_language:
        more = max(rated, key=lambda row: asked.share(row.sentence.terms - held))
        if asked.share(more.sentence.terms - held) < WORTH_A_LINK:
            break
        links.append(more)
        held |= more.sentence.terms
    nearest = max((row.cosine for row in links if row.cosine is not None), default=floor)
    return _Found(first.sentence, tuple(row.sentence for row in links), asked.share(held), nearest, first.same_language)


def _rated(asked: Asked, source: Source) -> list[_Rated]:
    cosines = source.cosines(asked.vector)
    return [
        _Rated(
            each, cosines[each.segment] if each.segment >= 0 else None, asked.share(each.terms), source.language == asked.language
        )
        for each in source.sentences
    ]


def _near_enough(asked: Asked, found: _Found, supporting: Sequence[Source], limits: Thresholds) -> bool:
    if not asked.terms or (found.same_language and found.share >= NEAR_VERBATIM):
        return True
    if found.cosine is None:  # words alone say nothing across languages
        return found.share >= BY_WORDS if found.same_language else bool(asked.claims or asked.names)
    if found.same_language:
        return found.score >= limits.same_language
    return found.score + FACT_WEIGHT * min(MOST_FACTS, _facts_that_stand(asked, supporting)) >= limits.other_language


def _facts_that_stand(asked: Asked, supporting: Sequence[Source]) -> int:
    """How many numbers and Latin names of a sentence its sources hold, in whatever language."""
    text = asked.statement.text
    numbers = sum(any(stands(claim, source.quantities, text) for source in supporting) for claim in asked.claims)
    return numbers + sum(any(source.words.hold(name.text) for source in supporting) for name in asked.names)


def _wrong_numbers(asked: Asked, found: _Found, supporting: Sequence[Source]) -> list[Miss]:
    known = quantities("")
    for source in supporting:
        known = known.plus(source.quantities)
    near = quantities(found.best.text)
    linked = quantities("\n".join(link.text for link in found.links))
    text, frame = asked.statement.text, asked.frame(found.best)
    verbatim = frame >= NEAR_VERBATIM and len(asked.framed) >= LONG_ENOUGH
    misses = []
    for claim in asked.claims:
        instead = _instead(claim, near, asked.claims, found.best.text) if frame >= asked.matter else ""
        stays = stands(claim, near, text) or (stands(claim, linked, text) and frame < NEAR_VERBATIM)
        if not stands(claim, known, text) or ((instead or verbatim) and not stays and found.same_language):
            misses.append(Miss(claim.kind, text[claim.start : claim.end].strip(), instead))
    return misses


def _instead(claim: Claim, near: Quantities, others: Sequence[Claim], source: str) -> str:
    """What the nearest source sentence says where the statement has this number, and nowhere else; "" where there is nothing."""
    if not isinstance(claim.said, Amount):
        return ""
    said = [other.said for other in others if isinstance(other.said, Amount)]
    for amount in near.amounts:
        alike = not (amount.kind and claim.said.kind) or amount.kind == claim.said.kind
        within = any(date.start <= amount.start < date.end for date in near.dates)
        if alike and not within and amount.value != 1 and not any(same(each, amount) for each in said):
            return source[amount.start : amount.end].strip()
    return ""


def _wrong_names(asked: Asked, found: _Found, supporting: Sequence[Source]) -> list[Miss]:
    misses = _wrong_latin(asked, found, supporting)
    if asked.language == "zh" and found.same_language:
        everything = "\n".join(source.text for source in supporting)
        nearest = found.best.text if asked.frame(found.best) >= SAME_MATTER else ""
        misses += [Miss("name", name.text, other) for name, other in chinese_names(asked.statement.text, everything, nearest)]
    return misses


def _wrong_latin(asked: Asked, found: _Found, supporting: Sequence[Source]) -> list[Miss]:
    """Latin names that no supporting passage holds; of an English sentence, only passages in Latin script are asked."""
    sources = supporting if asked.language == "zh" else [source for source in supporting if source.language == "en"]
    if not sources:
        return []
    text, near, misses = asked.statement.text, found.best, []
    joined = [name.text for name in asked.names]
    if len(joined) > 1 and any(source.words.hold_initials(joined) for source in sources):
        return []
    for group in _groups(asked.names, text):
        unknown = [name for name in group if not any(source.words.hold(name.text) for source in sources)]
        other = "" if not found.same_language else _other_name(asked, near, group)
        if unknown or (other and asked.frame(near) >= NEAR_VERBATIM):
            shown = text[group[0].start : group[-1].end] if not unknown else " ".join(name.text for name in unknown)
            misses.append(Miss("name", shown, other))
    first = first_word(text)
    if first and found.same_language and not any(first.start == name.start for name in asked.names):
        other = follows(text, first, near.text)
        if other and other not in text:
            misses.append(Miss("name", first.text, other))
    return misses


def _other_name(asked: Asked, near: SourceSentence, group: Sequence[Name]) -> str:
    """A name of the nearest source sentence that the statement lacks, where that sentence lacks all of this one; else ""."""
    if any(re.search(rf"(?<![A-Za-z]){re.escape(name.text)}", near.text, re.IGNORECASE) for name in group):
        return ""
    others = _groups(latin_names(near.text), near.text)
    lacking = [each for each in others if not any(name.text in asked.statement.text for name in each)]
    return near.text[lacking[0][0].start : lacking[0][-1].end] if lacking else ""


def _denied(asked: Asked, supporting: Sequence[Source]) -> list[Miss]:
    """What it says and a source sentence in its words denies, or the other way round."""
    alike = [each.text for source in supporting if source.language == asked.language for each in source.sentences]
    found = contradiction(asked.statement.text, alike)
    return [Miss("negation", *found)] if found else []


def _groups(names: Sequence[Name], text: str) -> list[list[Name]]:
    """Names that follow each other with nothing but a blank between, together."""
    groups: list[list[Name]] = []
    for name in names:
        if groups and text[groups[-1][-1].end : name.start] == " ":
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups

"""A statement with what is compared of it: its terms, numbers and names, and what of them it shares with a source sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chains.grounding.names import Name, latin_names
from chains.grounding.quantities import Amount, Claim, claims, without_numerals
from chains.grounding.sources import SourceSentence
from chains.grounding.statements import Statement
from language import content_terms, detect, only_stop_words, term_set
from store.schema import FloatArray

SAME_MATTER = 0.6
"""Share of the terms from which on a source sentence is about the same, so that its number is the one to compare with."""
MOST_OF_A_REPLY = 2
"""Terms, numbers and names aside, up to which a sentence with a number may lean on the question."""
OFTEN_THERE = 100
"""Numbers below it stand in most texts somewhere, so that it says little that one of them does."""
ANSWERS_IT = 0.5
"""Share of the terms of question and reply from which on a source sentence is the one that answers it."""


@dataclass(frozen=True)
class Asked:
    """A statement with what is compared of it; `terms` are its content words, `framed` those without numbers and names."""

    statement: Statement
    vector: FloatArray | None
    terms: frozenset[str]
    framed: frozenset[str]
    claims: tuple[Claim, ...]
    names: tuple[Name, ...]
    language: str
    matter: float = SAME_MATTER
    """The share of its terms that takes the place of `SAME_MATTER`."""

    @classmethod
    def of(cls, statement: Statement, vector: FloatArray | None) -> Asked:
        """The statement, with its unit vector, if it was embedded."""
        text = statement.text
        said, names = tuple(claims(text)), latin_names(text)
        aside = {term for name in names for term in content_terms(name.text)}
        framed = _worded(without_numerals(text, said)) - aside
        return cls(statement, vector, frozenset(content_terms(text)), framed, said, tuple(names), detect(text))

    def replying(self, question: str) -> Asked | None:
        """A short sentence with a number, such as "There are three.", with the terms of the question that it replies to."""
        counts = any(isinstance(claim.said, Amount) and claim.said.value < OFTEN_THERE for claim in self.claims)
        if not counts or len(self.framed) > MOST_OF_A_REPLY or detect(question) != self.language:
            return None
        framed = (self.framed - _FILLING) | _worded(without_numerals(question, claims(question)))
        return replace(self, terms=framed, framed=framed, matter=ANSWERS_IT)

    def share(self, terms: frozenset[str] | set[str]) -> float:
        """The share of the statement's terms among these."""
        return len(self.terms & terms) / len(self.terms) if self.terms else 0.0

    def is_of(self, sentence: SourceSentence) -> bool:
        """Whether it says by itself that it is about the matter of a source sentence."""
        return len(self.framed) > 1 and self.frame(sentence) >= SAME_MATTER

    def frame(self, sentence: SourceSentence) -> float:
        """The share of its terms but numbers and names in a source sentence."""
        return len(self.framed & sentence.terms) / len(self.framed) if self.framed else 0.0


_FILLING = term_set("yes no sure there answer total number altogether exactly 是的 答案 案是 一共 总共 共有 总数 有几 几个")
"""Terms of a reply that say nothing of its matter."""


def _worded(text: str) -> frozenset[str]:
    if only_stop_words(text):
        return frozenset()
    return frozenset(term for term in content_terms(text) if not any(sign.isdigit() for sign in term))

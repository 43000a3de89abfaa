"""The question behind a follow-up by rules, which carry over what was spoken of before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import Literal

from chains.followup.leaning import Leaning, leaning
from chains.followup.passives import pronouns_apart
from chains.followup.persons import PERSONAL, person_in
from chains.followup.phrases import BRACKETS, WHO, Phrase, TokensOf, phrases
from chains.followup.topics import asks_beside, asks_the_other, exchanged, things_beside
from language import detect
from models import ModelError

Alike = Callable[[str, Sequence[str]], Sequence[float]]
"""How much a phrase is like each of others: higher is more."""

MOST_CARRIED = 4
"""Phrases that are carried over at most."""


@dataclass(frozen=True)
class Standalone:
    """A question that needs no conversation to be understood, how it came about, and what it is about.

    `beside` is what a model wrote instead, where that has nothing of the conversation, to be searched for with the question.
    `topic` is what the conversation is about, `earlier` what it was about before; `aside` are things that the last question
    spoke of besides, and `in_context` is that question asked of the topic: what it may mean when by itself it finds no answer.
    `person` is who the last answer to a question for who did something has named.
    """

    question: str
    how: Literal["as_asked", "by_rules", "by_model"] = "as_asked"
    subject: tuple[str, ...] = ()
    beside: str = ""
    topic: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    person: str = ""
    in_context: str = ""


class Rules:
    """Carries the subject of a conversation over into its next question.

    `tokens_of` parts a text into words; `alike` compares phrases, to find whose place a new one takes.
    """

    def __init__(self, tokens_of: TokensOf, alike: Alike) -> None:
        self._tokens_of, self._alike = pronouns_apart(tokens_of), alike

    def standalone(self, question: str, asked: Sequence[str], answers: Sequence[str] = ()) -> Standalone:
        """The question with the subject of those asked before, oldest first, if it leans on them; `answers` are theirs."""
        known = Standalone("")
        for each, answer in zip_longest(asked, answers[: len(asked)], fillvalue=""):
            known = self._next(each, known)
            if not known.person or known.person not in known.question:
                known = replace(known, person=person_in(answer, known.question) or known.person)
        return self._next(question, known)

    def _next(self, question: str, before: Standalone) -> Standalone:
        made = self._made(question, before)
        topic = made.topic or self._topic(made) or before.topic
        earlier = before.topic if set(topic).isdisjoint(before.topic) else before.earlier
        return replace(made, topic=topic, earlier=earlier, person=before.person if topic == before.topic else "")

    def _made(self, question: str, before: Standalone) -> Standalone:
        leans = leaning(question, self._tokens_of)
        every = phrases(question, self._tokens_of)
        about = tuple(phrase.text for phrase in every)
        if not before.subject:
            return Standalone(question, subject=about)
        if asks_the_other(question):
            changed = exchanged(before.question, before.topic, before.earlier)
            if changed:
                return Standalone(changed, "by_rules", before.earlier, topic=before.earlier)
        if leans.how == "alone":
            return self._alone(question, every, before)
        if leans.how == "pronoun":
            return self._of_pronoun(question, leans, before)
        if leans.how == "instead":
            phrase = question[leans.start : leans.end]
            if before.in_context and self._is_like_topic(phrase, before):
                return Standalone(_with(before.question, [phrase]), "by_rules", (phrase, *before.aside), topic=(phrase,))
            replaced = self._replaced(phrase, leans.preposition, before)
            if replaced:
                subject = tuple(phrase.text for phrase in phrases(replaced, self._tokens_of))
                return Standalone(replaced, "by_rules", subject)
        if leans.how == "reply":
            rest = question[leans.start : leans.end].strip(" ,.!?，。！？")
            return Standalone(_with(before.question, [rest] if rest else []), "by_rules", before.subject)
        carried = [phrase for phrase in before.subject if phrase not in about]
        subject = before.subject if leans.how == "done" else (*before.subject, *about)[:MOST_CARRIED]
        return Standalone(_with(question, carried), "by_rules", subject, topic=before.topic)

    def _alone(self, question: str, every: Sequence[Phrase], before: Standalone) -> Standalone:
        """A question that leans on nothing; where it names nothing either, it may still be one about the topic."""
        about = tuple(phrase.text for phrase in every)
        if any(each.named for each in every):
            return Standalone(question, subject=about)
        in_context = _with(question, [name for name in before.topic if name not in question])
        if not asks_beside(question, every):
            return Standalone(question, subject=about or before.subject, in_context=in_context)
        aside = tuple(name for name in things_beside(question, every) if name not in before.topic)
        subject = (*before.topic, *aside)[:MOST_CARRIED]
        return Standalone(question, subject=subject, topic=before.topic, aside=aside, in_context=in_context)

    def _of_pronoun(self, question: str, leans: Leaning, before: Standalone) -> Standalone:
        if before.person and question[leans.start : leans.end].lower() in PERSONAL:
            return Standalone(_with(question, [before.person]), "by_rules", before.subject, topic=before.topic)
        if before.aside:  # of two things, so both are carried
            return Standalone(_with(question, before.subject), "by_rules", before.topic, topic=before.topic)
        owner = self._owner(before) if leans.is_thing else []
        if owner:
            before = replace(before, subject=(*owner,))
        return Standalone(self._filled(question, leans, before), "by_rules", before.subject, topic=() if owner else before.topic)

    def _topic(self, made: Standalone) -> tuple[str, ...]:
        """The names that a question is about; where it has none, what it is about, in Chinese that which stands first."""
        names = tuple(each for each in made.subject if self._is_named(each))
        return names or made.subject[: 1 if detect(made.question) == "zh" else None]

    def _filled(self, question: str, leans: Leaning, before: Standalone) -> str:
        """The question with its subject in the pronoun's place, or behind it where it is not one phrase."""
        names = [name for name in before.subject if any(p.named for p in phrases(f". {name}", self._tokens_of))]
        carried = names if leans.is_thing and names else list(before.subject)
        if len(carried) != 1 or not leans.is_thing:
            return _with(question, carried)
        word, name = question[leans.start : leans.end], carried[0]
        if detect(question) != "zh" and _needs_article(name, before.question):
            name = f"the {name}"
        head, tail = question[: leans.start], question[leans.end :]
        if word.lower() == "its":
            return f"{head}{name}'s{tail}"
        if word in ("其", "它的"):
            return f"{head}{name}的{tail.removeprefix('的')}"
        is_alone = word.lower() in ("it", "它", "这个", "那个") or not tail.strip(" ?？.。!！")
        return f"{head}{name}{tail}" if is_alone else _with(question, carried)

    def _owner(self, before: Standalone) -> list[str]:
        """What the question before asked something of: the card, for "price of the card"; the mug, for "Who makes it?".

        Empty if that is not just one, or if there were names, which go before it.
        """
        every = self._known(before)
        if any(each.named for each in every):
            return []
        acts = _acting(before.question, every)
        owners = {each.text for each in every if each != acts} if acts else set()
        for first, second in pairwise(every):
            between = before.question[first.end : second.start]
            has = between in ("的", "'s ", "’s ") or (between == " " and not acts)  # "does the mug cost" is two phrases
            owners |= {first.text} if has else {second.text} if _OF.fullmatch(between) else set()
        return [*owners & set(before.subject)] if len(owners) == 1 else []

    def _known(self, before: Standalone) -> list[Phrase]:
        """The phrases of the question before; what it was found to be about is one each."""
        every = phrases(before.question, self._tokens_of)
        for text in before.subject:
            start = before.question.find(text)
            if " " in text and start >= 0:
                end = start + len(text)
                named = any(each.named for each in every if start <= each.start < end)
                every = [each for each in every if not start <= each.start < end] + [Phrase(text, start, end, named)]
        return sorted(every, key=lambda each: each.start)

    def _replaced(self, phrase: str, preposition: str, before: Standalone) -> str | None:
        """The question before with this phrase in place of the one that it is most like; None where that was its only one.

        With a preposition, only what stands behind the same one is replaced.
        """
        every = self._known(before)
        follows = re.compile(rf"\b{preposition}\s+(?:(?:the|an?)\s+)?$", re.IGNORECASE)
        there = [each for each in every if not preposition or follows.search(before.question[: each.start])]
        acts = _acting(before.question, every)
        there = [each for each in there if each != acts] or there
        if self._is_named(phrase):  # a name takes the place of what was spoken of
            there = [each for each in there if each.named or each.text in before.subject] or there
        if not there or (len(every) < 2 and not self._is_asked_alike(phrase, every[0], before.question)):
            return None
        try:
            likeness = self._alike(phrase, [each.text for each in there])
        except ModelError:
            return None
        old = there[max(range(len(there)), key=lambda number: likeness[number])]
        return before.question[: old.start] + phrase + before.question[old.end :]

    def _is_like_topic(self, phrase: str, before: Standalone) -> bool:
        """Whether it takes the topic's place, rather than that of something which the question before names itself."""
        there = [*before.topic, *(each.text for each in phrases(before.question, self._tokens_of))]
        try:
            likeness = list(self._alike(phrase, there))
        except ModelError:
            return False
        return likeness.index(max(likeness)) < len(before.topic)

    def _is_asked_alike(self, phrase: str, old: Phrase, question: str) -> bool:
        """Whether a question that names nothing else may be put to another thing, of two names: "How much is X?", "And Y?"."""
        return self._is_named(phrase) and old.named and bool(_ASKS_ONE_THING.match(question))

    def _is_named(self, phrase: str) -> bool:
        return any(each.named for each in phrases(f"the {phrase}", self._tokens_of))


def _needs_article(name: str, question: str) -> bool:
    """Whether it is a thing that was spoken of with one, and no name: "the Blue teapot", but not "radium"."""
    article = rf"\b(?:the|an?|this|that|our|my|your)\s+{re.escape(name)}\b"
    return bool(re.search(r"(?:^|\s)[a-z]+$", name)) and bool(re.search(article, question, re.IGNORECASE))


def _acting(question: str, every: Sequence[Phrase]) -> Phrase | None:
    """The verb of "Who supplies the mug?", 谁发现了镭？"""
    who = WHO.match(question)
    return next((each for each in every if who and each.start == who.end()), None)


def _with(question: str, carried: Sequence[str]) -> str:
    """The question with what it is about in brackets behind it, in those that are there already."""
    there = BRACKETS.search(question)
    listed_before = re.split(r", |，", there[1]) if there else []
    every = list(dict.fromkeys([*listed_before, *carried]))[-MOST_CARRIED:]
    if not carried:
        return question
    bare = question[: there.start()] if there else question
    if detect(question) == "zh" or detect(carried[0]) == "zh":
        return f"{bare}（{'，'.join(every)}）"
    return f"{bare} ({', '.join(every)})"


_OF = re.compile(r"\s+(?:of|for)\s+(?:(?:the|an?|our|my|your|this)\s+)?", re.IGNORECASE)
_ASKS_ONE_THING = re.compile(r"\s*(?:how\s+\w+|when|where)\b", re.IGNORECASE)

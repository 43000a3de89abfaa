"""The question behind a follow-up, by a chat model or by rules that carry the subject over."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from langchain_core.language_models import BaseChatModel

from chains.followup.leaning import Leaning, leaning
from chains.followup.passives import pronouns_apart
from chains.followup.phrases import WHO, Phrase, TokensOf, phrases
from language import content_terms, detect
from models import ModelError
from models.choice import marked
from models.listing import listed
from models.prompts import prompt
from retrievers.ledger import current

Alike = Callable[[str, Sequence[str]], Sequence[float]]
"""How much a phrase is like each of others: higher is more."""
History = Sequence[tuple[str, str]]
"""("human" | "ai", text), oldest first."""

MOST_CARRIED = 4
"""Phrases that are carried over at most."""
REMEMBERED = 6
"""Messages of the conversation that a model is shown."""
_SHOWN = 600
"""Characters of each."""


@dataclass(frozen=True)
class Standalone:
    """A question that needs no conversation to be understood, how it came about, and what it is about.

    `beside` is what a model wrote instead, where that has nothing of the conversation, to be searched for with the question.
    """

    question: str
    how: Literal["as_asked", "by_rules", "by_model"] = "as_asked"
    subject: tuple[str, ...] = ()
    beside: str = ""


class StandaloneQuestions:
    """Makes follow-ups stand alone: with a model as it says, else (or when it fails, with a note) by rules.

    `tokens_of` parts a text into words; `alike` compares phrases, to find whose place a new one takes.
    """

    def __init__(self, tokens_of: TokensOf, alike: Alike, model: BaseChatModel | None = None) -> None:
        self._tokens_of, self._alike, self._model = pronouns_apart(tokens_of), alike, model

    def of(self, question: str, history: History) -> Standalone:
        """The question itself where there was none before it."""
        if not any(role == "human" for role, _ in history):
            return Standalone(question)
        if self._model is not None:
            written = self._written(self._model, question, history)
            if written:
                return self.written(written, question, history)
        return self.by_rules(question, _asked(history))

    def written(self, written: str, question: str, history: History) -> Standalone:
        """What a model has made of the question; where no word of it was spoken before, it is only `beside`, with a note.

        Such a model is confused, or obeys what it was shown; but it may have other words for the same.
        """
        if written == question or _shares_a_word(written, [question, *(text for _, text in history)]):
            return Standalone(written, "by_model" if written != question else "as_asked")
        current().note("standalone_foreign", written=written)
        return replace(self.by_rules(question, _asked(history)), beside=written)

    def by_rules(self, question: str, asked: Sequence[str]) -> Standalone:
        """The question with the subject of those asked before, oldest first, if it leans on them."""
        known = Standalone("")
        for each in [*asked, question]:
            known = self._next(each, known)
        return known

    def _next(self, question: str, before: Standalone) -> Standalone:
        leans = leaning(question, self._tokens_of)
        about = tuple(phrase.text for phrase in phrases(question, self._tokens_of))
        if leans.how == "alone" or not before.subject:
            return Standalone(question, subject=about or before.subject)
        if leans.how == "pronoun":
            owner = self._owner(before) if leans.is_thing else []
            if owner:
                before = Standalone(before.question, before.how, (*owner,))
            return Standalone(self._filled(question, leans, before), "by_rules", before.subject)
        if leans.how == "instead":
            replaced = self._replaced(question[leans.start : leans.end], leans.preposition, before)
            if replaced:
                subject = tuple(phrase.text for phrase in phrases(replaced, self._tokens_of))
                return Standalone(replaced, "by_rules", subject)
        if leans.how == "reply":
            rest = question[leans.start : leans.end].strip(" ,.!?，。！？")
            return Standalone(_with(before.question, [rest] if rest else []), "by_rules", before.subject)
        carried = [phrase for phrase in before.subject if phrase not in about]
        subject = before.subject if leans.how == "done" else (*before.subject, *about)[:MOST_CARRIED]
        return Standalone(_with(question, carried), "by_rules", subject)

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
            owners |= {first.text} if between in ("的", "'s ", "’s ") else {second.text} if _OF.fullmatch(between) else set()
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

    def _is_asked_alike(self, phrase: str, old: Phrase, question: str) -> bool:
        """Whether a question that names nothing else may be put to another thing, of two names: "How much is X?", "And Y?"."""
        return self._is_named(phrase) and old.named and bool(_ASKS_ONE_THING.match(question))

    def _is_named(self, phrase: str) -> bool:
        return any(each.named for each in phrases(f"the {phrase}", self._tokens_of))

    def _written(self, model: BaseChatModel, question: str, history: History) -> str | None:
        """What the model says, if it is one question in the same language; None with a note otherwise."""
        told = prompt("standalone", detect(question)).replace("{conversation}", marked(conversation(history)))
        try:
            written = str(model.invoke([("system", told), ("human", question)]).text)
        except ModelError as error:
            current().note("standalone_failed", error=str(error))
            return None
        found = listed(written)
        if found and detect(found[0]) == detect(question):
            return found[0]
        current().note("standalone_unclear")
        return None


def _asked(history: History) -> list[str]:
    return [text for role, text in history if role == "human"]


def _shares_a_word(written: str, said: Sequence[str]) -> bool:
    return any(content_terms(written).keys() & content_terms(text).keys() for text in said)


def _needs_article(name: str, question: str) -> bool:
    """Whether it is a thing that was spoken of with one, and no name: "the Blue teapot", but not "radium"."""
    article = rf"\b(?:the|an?|this|that|our|my|your)\s+{re.escape(name)}\b"
    return bool(re.search(r"(?:^|\s)[a-z]+$", name)) and bool(re.search(article, question, re.IGNORECASE))


def _acting(question: str, every: Sequence[Phrase]) -> Phrase | None:
    """The verb of "Who supplies the mug?", 谁发现了镭？"""
    who = WHO.match(question)
    return next((each for each in every if who and each.start == who.end()), None)


def conversation(history: History) -> str:
    """The last messages as a model is shown them, a line each, long ones cut."""
    return "\n".join(f"{role}: {text[:_SHOWN]}" for role, text in list(history)[-REMEMBERED:])


def _with(question: str, carried: Sequence[str]) -> str:
    """The question with what it is about in brackets behind it, in those that are there already."""
    there = _BRACKETS.search(question)
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
_BRACKETS = re.compile(r"\s*[(（]([^()（）]*)[)）]$")

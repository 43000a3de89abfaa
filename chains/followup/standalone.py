"""The question behind a follow-up, by a chat model or by rules that carry the subject over."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from langchain_core.language_models import BaseChatModel

from chains.followup.leaning import Leaning, leaning
from chains.followup.phrases import Phrase, TokensOf, phrases
from language import detect
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
    """A question that needs no conversation to be understood, how it came about, and what it is about."""

    question: str
    how: Literal["as_asked", "by_rules", "by_model"] = "as_asked"
    subject: tuple[str, ...] = ()


class StandaloneQuestions:
    """Makes follow-ups stand alone: with a model as it says, else (or when it fails, with a note) by rules.

    `tokens_of` parts a text into words; `alike` compares phrases, to find whose place a new one takes.
    """

    def __init__(self, tokens_of: TokensOf, alike: Alike, model: BaseChatModel | None = None) -> None:
        self._tokens_of, self._alike, self._model = tokens_of, alike, model

    def of(self, question: str, history: History) -> Standalone:
        """The question itself where there was none before it."""
        if not any(role == "human" for role, _ in history):
            return Standalone(question)
        if self._model is not None:
            written = self._written(self._model, question, history)
            if written:
                return Standalone(written, "by_model" if written != question else "as_asked")
        return self.by_rules(question, [text for role, text in history if role == "human"])

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
        return Standalone(_with(question, carried), "by_rules", (*before.subject, *about)[:MOST_CARRIED])

    def _filled(self, question: str, leans: Leaning, before: Standalone) -> str:
        """The question with its subject in the pronoun's place, or behind it where it is not one phrase."""
        names = [name for name in before.subject if any(p.named for p in phrases(f". {name}", self._tokens_of))]
        carried = names if leans.is_thing and names else list(before.subject)
        if len(carried) != 1 or not leans.is_thing:
            return _with(question, carried)
        word, name = question[leans.start : leans.end], carried[0]
        head, tail = question[: leans.start], question[leans.end :]
        if word.lower() == "its":
            return f"{head}{name}'s{tail}"
        if word in ("其", "它的"):
            return f"{head}{name}的{tail.removeprefix('的')}"
        is_alone = word.lower() in ("it", "它", "这个", "那个") or not tail.strip(" ?？.。!！")
        return f"{head}{name}{tail}" if is_alone else _with(question, carried)

    def _replaced(self, phrase: str, preposition: str, before: Standalone) -> str | None:
        """The question before with this phrase in place of the one that it is most like; None where that was its only one.

        With a preposition, only what stands behind the same one is replaced.
        """
        every: list[Phrase] = phrases(before.question, self._tokens_of)
        follows = re.compile(rf"\b{preposition}\s+(?:(?:the|an?)\s+)?$", re.IGNORECASE)
        there = [each for each in every if not preposition or follows.search(before.question[: each.start])]
        if len(every) < 2 or not there:
            return None
        try:
            likeness = self._alike(phrase, [each.text for each in there])
        except ModelError:
            return None
        old = there[max(range(len(there)), key=lambda number: likeness[number])]
        return before.question[: old.start] + phrase + before.question[old.end :]

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


_BRACKETS = re.compile(r"\s*[(（]([^()（）]*)[)）]$")

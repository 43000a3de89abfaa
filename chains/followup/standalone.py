"""The question behind a follow-up, by a chat model or by rules that carry the subject over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chains.followup.phrases import TokensOf
from chains.followup.rules import Alike, Rules, Standalone
from language import content_terms, detect
from models import ModelError
from models.choice import marked
from models.listing import listed
from models.prompts import prompt
from retrievers.ledger import current

History = Sequence[tuple[str, str]]
"""("human" | "ai", text), oldest first."""

REMEMBERED = 6
"""Messages of the conversation that a model is shown."""
_SHOWN = 600
"""Characters of each."""
_CITED = re.compile(r"\[\d+\]")
"""As in the answers of the conversation: a small model that writes it has answered, and not written the question out."""


class StandaloneQuestions:
    """Makes follow-ups stand alone: with a model as it says, else (or when it fails, with a note) by rules."""

    def __init__(self, tokens_of: TokensOf, alike: Alike, model: BaseChatModel | None = None) -> None:
        self._rules, self._model = Rules(tokens_of, alike), model

    def of(self, question: str, history: History) -> Standalone:
        """The question itself where there was none before it."""
        if not any(role == "human" for role, _ in history):
            return Standalone(question)
        if self._model is not None:
            written = self._written(self._model, question, history)
            if written:
                return self.written(written, question, history)
        return self._by_rules(question, history)

    def written(self, written: str, question: str, history: History) -> Standalone:
        """What a model has made of the question; where no word of it was spoken before, it is only `beside`, with a note.

        Such a model is confused, or obeys what it was shown; but it may have other words for the same.
        """
        if written == question or _shares_a_word(written, [question, *(text for _, text in history)]):
            return Standalone(written, "by_model" if written != question else "as_asked")
        current().note("standalone_foreign", written=written)
        return replace(self._by_rules(question, history), beside=written)

    def by_rules(self, question: str, asked: Sequence[str]) -> Standalone:
        """The question with the subject of those asked before, oldest first, if it leans on them."""
        return self._rules.standalone(question, asked)

    def _by_rules(self, question: str, history: History) -> Standalone:
        asked, answers = list[str](), list[str]()
        for role, text in history:
            if role == "human":
                asked.append(text)
                answers.append("")
            elif asked:
                answers[-1] = text
        return self._rules.standalone(question, asked, answers)

    def _written(self, model: BaseChatModel, question: str, history: History) -> str | None:
        """What the model says, if it is one question in the same language; None with a note otherwise."""
        told = prompt("standalone", detect(question)).replace("{conversation}", marked(conversation(history)))
        try:
            written = str(model.invoke([("system", told), ("human", question)]).text)
        except ModelError as error:
            current().note("standalone_failed", error=str(error))
            return None
        found = listed(written)
        answers = found and _CITED.search(found[0]) and not _CITED.search(question)
        if found and detect(found[0]) == detect(question) and not answers:
            return found[0]
        current().note("standalone_unclear")
        return None


def _shares_a_word(written: str, said: Sequence[str]) -> bool:
    return any(content_terms(written).keys() & content_terms(text).keys() for text in said)


def conversation(history: History) -> str:
    """The last messages as a model is shown them, a line each, long ones cut."""
    return "\n".join(f"{role}: {text[:_SHOWN]}" for role, text in list(history)[-REMEMBERED:])

"""What all kinds of enrichment have in common: what a model is asked, how its answer is read, which rows it becomes."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from ingest.enrich.units import Unit
from ingest.pictures.found import FoundPicture
from language import detect, width
from models import ModelError
from models.choice import marked
from models.prompts import prompt

BREAK = "\n---\n"
"""In a prompt's file: above stands what the model is told, below what it is asked."""
TOKEN_WIDTH = 4
"""A token is about as wide as four Latin characters (language.width)."""


class Unreadable(ModelError):
    """An answer that does not hold what was asked for."""

    def __init__(self) -> None:
        super().__init__("The language model's answer holds nothing of what was asked for.", code="malformed")


@dataclass(frozen=True)
class Ask:
    """One call of the model: `told` is its task, `asked` the request with the document's text between marks.

    `expected` is how many tokens the answer will have, about. What is indexed of the answer belongs to `units`.
    """

    kind: str
    key: str
    told: str
    asked: str
    units: tuple[Unit, ...]
    expected: int
    picture: FoundPicture | None = None
    """What it is asked of, where that is a picture."""

    @property
    def tokens(self) -> int:
        """What the model reads, about."""
        return tokens(self.told) + tokens(self.asked) + (self.picture.tokens if self.picture else 0)

    @cached_property
    def task(self) -> str:
        """The task without the document's text: a changed prompt or count is another task."""
        return hashlib.sha256(self.told.encode()).hexdigest()


@dataclass(frozen=True)
class Line:
    """A text that is to be indexed for a chunk, as a row of `kind`; `more` goes into its metadata."""

    kind: str
    unit: Unit
    text: str
    more: dict[str, Any] = field(default_factory=dict)


class Kind(ABC):
    """A kind of enrichment. `name` is its name in the settings, and of its prompt's file."""

    name: ClassVar[str]

    @abstractmethod
    def asks(self, units: Sequence[Unit]) -> Iterator[Ask]:
        """What is to be asked for the chunks of one document, in order."""

    @abstractmethod
    def read(self, written: str, *, cut: bool) -> Any:
        """What the model wrote, as a JSON value; `cut` says that it reached its limit. Raises Unreadable."""

    @abstractmethod
    def lines(self, ask: Ask, value: Any) -> Iterator[Line]:
        """What is indexed of a value that `read` gave."""

    def _ask(
        self, shown: str, units: Sequence[Unit], *, expected: float, context: str = "", between: bool = True, **values: object
    ) -> Ask:
        """The call for a text, in the text's language; `values` stand for {names} in the task.

        `context` is shown as {context}; with `between`, the text is put between marks, else it has them.
        """
        told, _, asked = prompt(f"enrich_{self.name}", detect(shown)).partition(BREAK)
        for name, value in values.items():
            told = told.replace(f"{{{name}}}", str(value))
        said = {"context": marked(context), "shown": marked(shown) if between else shown}
        asked = re.sub(r"\{(context|shown)\}", lambda match: said[match[1]], asked.strip())
        return Ask(self.name, key_of(f"{context}\0{shown}"), told, asked, tuple(units), round(expected))


def key_of(shown: str) -> str:
    """What stands for a text."""
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def tokens(text: str) -> int:
    """How many tokens a text has, about."""
    return round(width(text) / TOKEN_WIDTH)

"""Which text of a prompt is in force: the file's, or a person's own, which whoever opens the store lays over it (`using`).

A prompt is looked up deep in the layers that ask a model, which know nothing of a store; so the own texts travel in a context
variable, as the ledger does (retrievers/ledger.py), into the threads and tasks that LangChain starts as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from models.prompts.checking import InvalidPrompt, checked
from models.prompts.files import default, key_of

_T = TypeVar("_T")
_DIGEST = 16
"""Hexadecimal digits that tell a text from others."""


@dataclass(frozen=True)
class Prompt:
    """The text in force of a prompt; `changed` where it is a person's own, `unusable` where that one does not fit any more."""

    key: str
    text: str
    changed: bool = False
    unusable: bool = False

    @property
    def digest(self) -> str:
        """What stands for the text, such as in the key of a cache."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:_DIGEST]


Used = dict[str, Prompt]
"""The prompts that were looked up, by key."""


@dataclass(frozen=True)
class _InForce:
    own: Mapping[str, str] = field(default_factory=dict)
    used: Used = field(default_factory=dict)


_current: ContextVar[_InForce | None] = ContextVar("prompts", default=None)


def prompt(name: str, language: str) -> str:
    """The text in force of the prompt of that name, in Chinese for "zh", else in English."""
    found = in_force(name, language)
    now = _current.get()
    if now is not None:
        now.used[found.key] = found
    return found.text


def in_force(name: str, language: str) -> Prompt:
    """The same with its digest; looking at it does not count as using it. An own text that cannot be used gives way to the file.

    A newer version of the app may ask for a placeholder that the own text does not have.
    """
    key = key_of(name, language)
    now = _current.get()
    own = now.own.get(key) if now else None
    if own is None:
        return Prompt(key, default(key))
    try:
        return Prompt(key, checked(key, own), changed=True)
    except InvalidPrompt:
        return Prompt(key, default(key), unusable=True)


def used() -> list[dict[str, Any]]:
    """The prompts looked up so far inside the outermost `using` or `stepwise`, as JSON values, by key."""
    now = _current.get()
    found = sorted(now.used.items()) if now else []
    return [{"prompt": key, "digest": each.digest, "changed": each.changed} for key, each in found]


@contextmanager
def using(own: Mapping[str, str]) -> Iterator[None]:
    """Inside, these own texts, by key, are in force over the files. What is used is noted together with what was used outside."""
    now = _current.get()
    token = _current.set(_InForce(own, now.used) if now else _InForce(own))
    try:
        yield
    finally:
        _current.reset(token)


def stepwise(own: Mapping[str, str], steps: Callable[[], Iterator[_T]]) -> Generator[_T, None, None]:
    """What `steps` yields, each step made with these own texts in force; between two steps nothing is in force here.

    A generator runs in the context of whoever asks for the next value, and may be let go of in the middle and from another
    thread: so it gets a context of its own.
    """
    context = copy_context()
    context.run(_current.set, _InForce(own))
    made = context.run(steps)
    try:
        while True:
            try:
                step = context.run(next, made)
            except StopIteration:
                return
            yield step
    finally:
        close = getattr(made, "close", None)
        if close:
            context.run(close)

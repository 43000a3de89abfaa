"""What a text needs so that it can stand in a prompt's place: its placeholders, and the marks that the program looks for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from models.prompts.files import LANGUAGES, default, names
from models.text import sendable

LONGEST = 20_000
"""Characters."""
MAY_LACK = frozenset({"count", "translation", "today"})
"""Placeholders that a text may do without: they hold no data, and what is written in spite of them is cut or left out."""
RELIED_ON = {"answer": ("NO_ANSWER",), "enrich_figures": ("NONE",)}
"""Words by which the program knows what a model means."""
BREAK = "\n---\n"
"""Between what a model is told and what it is asked, where a prompt has both."""
_PLACEHOLDER = re.compile(r"\{([a-z][a-z_]*)\}")


class InvalidPrompt(ValueError):
    """A text that cannot be used: a code with values, said in words by the page (ui/strings, prompt_error)."""

    def __init__(self, code: str, message: str, **params: str) -> None:
        super().__init__(message)
        self.code, self.params = code, params


def placeholders(text: str) -> list[str]:
    """The names in braces, such as passages of {passages}, each once, in their order. {"a": 1} and {} are none."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(text)))


def checked(key: str, text: str) -> str:
    """The text as it is kept, without blanks around it. Raises InvalidPrompt, which says what is wrong with it."""
    name, _, language = key.rpartition(".")
    if name not in names() or language not in LANGUAGES:
        raise InvalidPrompt("unknown", f"There is no prompt {key!r}.", name=key)
    text = sendable(text).replace("\r\n", "\n").strip()
    if not text:
        raise InvalidPrompt("empty", f"{key}: the prompt is empty. Write one, or put the default back.")
    if len(text) > LONGEST:
        raise InvalidPrompt("long", f"{key}: a prompt has at most {LONGEST} characters.", most=str(LONGEST))
    original = default(key)
    known, given = placeholders(original), placeholders(text)
    unknown = _braced(each for each in given if each not in known)
    if unknown:
        raise InvalidPrompt("foreign", f"{key}: {unknown} stands for nothing here. Take it out.", names=unknown)
    lacking = _braced(each for each in known if each not in given and each not in MAY_LACK)
    if lacking:
        raise InvalidPrompt("lacks", f"{key}: {lacking} is missing. Write it where its text is to stand.", names=lacking)
    words = ", ".join(word for word in RELIED_ON.get(name, ()) if word not in text)
    if words:
        raise InvalidPrompt("word", f"{key}: {words} is missing, by which the program knows what is meant.", words=words)
    _check_break(key, original, text)
    return text


def _check_break(key: str, original: str, text: str) -> None:
    """What is told and what is asked stay apart, each with its own placeholders."""
    if BREAK not in original:
        return
    if text.count(BREAK) != original.count(BREAK):
        raise InvalidPrompt("line", f"{key}: one line of three hyphens (---) must part what is told from what is asked.")
    for was, now in zip(original.split(BREAK), text.split(BREAK), strict=True):
        moved = _braced(each for each in placeholders(now) if each not in placeholders(was))
        if moved:
            raise InvalidPrompt("side", f"{key}: {moved} must stand on the other side of the line ---.", names=moved)


def _braced(found: Iterable[str]) -> str:
    return ", ".join(f"{{{each}}}" for each in found)

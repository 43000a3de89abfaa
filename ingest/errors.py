"""What can be wrong with a file, named for what its owner can do next.

LoadError
├── UnsupportedFile   a kind we do not read, or content that is not what the name says
├── UnreadableFile    damaged, binary, or dangerous to open
├── EncryptedFile     needs a password
└── TooLarge          over the limit for one file
"""

from __future__ import annotations

from typing import Any, Self


class Reason(str):
    """Why a part of a file gave nothing, in English; `code` and `params` say the same for the page, as those of LoadError."""

    __slots__ = ("code", "params")
    code: str
    params: dict[str, Any]

    def __new__(cls, words: str, code: str, **params: Any) -> Self:
        """The words with their code."""
        made = super().__new__(cls, words)
        made.code, made.params = code, params
        return made


class LoadError(Exception):
    """A file that gives no text: which one, why, and what to do about it.

    The message is in English; `code` and `params` say the same for the page, which has the words in its own languages.
    """

    def __init__(self, name: str, reason: str, *, remedy: str, code: str, **params: Any) -> None:
        self.name = name
        self.reason = reason
        self.remedy = remedy
        self.code = code
        self.params = params
        super().__init__(f"{name}: {reason}. {remedy}")

    def __reduce__(self) -> tuple[object, ...]:
        """Exceptions with keyword arguments cannot cross a process without this."""
        return (_rebuild, (type(self), self.name, self.reason, self.remedy, self.code, self.params))


class UnsupportedFile(LoadError):
    """The kind of file is not read, or the content is of another kind than the name says."""


class UnreadableFile(LoadError):
    """The file is damaged, holds no text, or is dangerous to open."""


class EncryptedFile(LoadError):
    """The file opens with a password only."""


def wrong_password(name: str) -> EncryptedFile:
    """The error for a file that the password that was given does not open."""
    reason, remedy = "the password does not open it", "Give another one, or save a copy without a password."
    return EncryptedFile(name, reason, remedy=remedy, code="wrong_password")


class TooLarge(LoadError):
    """The file, or what it would expand to, is over the limit."""


def _rebuild(kind: type[LoadError], name: str, *said: Any) -> LoadError:
    reason, remedy, code, params = said
    return kind(name, reason, remedy=remedy, code=code, **params)

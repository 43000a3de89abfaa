"""Questions and conversations from files: a batch of questions, a line each, and the history that a question follows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.text import sendable
from settings import SettingsError

JSON_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class BatchQuestion:
    """A question of a batch, with the number of its line; `wrong` says why the line is none. `id` is handed through."""

    line: int
    question: str
    history: tuple[tuple[str, str], ...] = ()
    id: Any = None
    wrong: str = ""


def read_history(file: Path) -> list[tuple[str, str]]:
    """[{"role": "user" | "assistant", "content"}] from a JSON file, as ("human" | "ai", text). Raises SettingsError."""
    try:
        return history_of(json.loads(file.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f'{file} is no history. It must be a JSON list of {{"role": "user", "content": "…"}}.') from error


def history_of(messages: Any) -> list[tuple[str, str]]:
    """Messages as ("human" | "ai", text). Raises KeyError or TypeError for what is none."""
    return [("human" if message["role"] == "user" else "ai", str(message["content"])) for message in messages]


def read_batch(file: Path) -> list[BatchQuestion]:
    """The questions of a file: a line each, or JSON lines {"question", "history", "id"}; blank lines are left out.

    JSON lines are what the name says (.jsonl) or the first line begins like. Raises SettingsError for a file that is no text, or
    holds no line.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} is not UTF-8. Save it as UTF-8 text.") from error
    numbered = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.strip()]
    if not numbered:
        raise SettingsError(f"{file} has no question in it. Write one a line.")
    as_json = file.suffix.lower() in JSON_LINES or (bool(numbered) and numbered[0][1].startswith("{"))
    return [_from_json(number, line) if as_json else BatchQuestion(number, sendable(line)) for number, line in numbered]


def _from_json(number: int, line: str) -> BatchQuestion:
    try:
        value = json.loads(line)
        values = value if isinstance(value, dict) else {"question": value}
        question = values["question"]
        history = tuple(history_of(values.get("history") or ()))
    except (ValueError, KeyError, TypeError, RecursionError):
        question, history, values = None, (), {}
    if not isinstance(question, str) or not question.strip():
        wrong = (
            'The line is no question. Write {"question": "…"}, with "history": [{"role": "user", "content": "…"}] if it has one.'
        )
        return BatchQuestion(number, "", wrong=wrong, id=values.get("id"))
    return BatchQuestion(number, sendable(question), history, values.get("id"))

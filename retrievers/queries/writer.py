"""What the chat model writes for a question: asked once, then kept, so that moving a slider calls no model."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from functools import cached_property
from pathlib import Path

import diskcache
from langchain_core.language_models import BaseChatModel

from language import detect
from models.disk_cache import forgiven, open_cache
from models.prompts import prompt

REMEMBERED = 2048
SIZE_LIMIT = 64 * 2**20
"""Bytes on disk; past it what was stored longest ago goes first."""
_WHAT, _INSTEAD = "generated queries", "the model is asked again"


class Expansions:
    """The texts that models wrote, by what they were asked: the last 2,048 in memory, with a folder on disk as well.

    It only saves time: when the folder cannot be read or written, there is nothing in it, and the log says why.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._lately: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, *asked: str) -> str | None:
        """The text that was kept for what was asked, if any."""
        key = _key(asked)
        with self._lock:
            if key in self._lately:
                self._lately.move_to_end(key)
                return self._lately[key]
        found = None
        if self._folder:
            with forgiven(_WHAT, "read", instead=_INSTEAD):
                found = self._disk.get(key)
        return found if isinstance(found, str) else None

    def keep(self, *asked: str, text: str) -> None:
        """Keep a text for what was asked."""
        key = _key(asked)
        with self._lock:
            self._lately[key] = text
            while len(self._lately) > REMEMBERED:
                self._lately.popitem(last=False)
        if self._folder:
            with forgiven(_WHAT, "written", instead=_INSTEAD):
                self._disk.set(key, text)

    def close(self) -> None:
        """Let go of the files; they are opened again when they are needed."""
        if "_disk" in self.__dict__:
            self._disk.close()

    @cached_property
    def _disk(self) -> diskcache.Cache:
        assert self._folder, "asked for with a folder only"
        return open_cache(self._folder, size_limit=SIZE_LIMIT)


class QueryWriter:
    """A chat model that is told by a prompt (models/prompts) what to make of a question.

    `name` tells the model, its place and its settings from others in `expansions`.
    """

    def __init__(self, model: BaseChatModel, *, name: str, expansions: Expansions) -> None:
        self._model, self._name, self._expansions = model, name, expansions

    def write(self, task: str, question: str, **values: object) -> str:
        """The model's words for the task; the prompt is in the question's language, `values` stand for {names} in it.

        Raises ModelError. An answer without words is not kept: the model may do better next time.
        """
        told = prompt(task, detect(question))
        for name, value in values.items():
            told = told.replace(f"{{{name}}}", str(value))
        known = self._expansions.get(self._name, told, question)
        if known is not None:
            return known
        written = str(self._model.invoke([("system", told), ("human", question)]).text)
        if written.strip():
            self._expansions.keep(self._name, told, question, text=written)
        return written


def _key(asked: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()

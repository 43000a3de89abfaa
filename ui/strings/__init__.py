"""Every text of the page, in English (en.yaml) and Chinese (zh.yaml), and which of the two is spoken."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
import yaml

from ui.safe import escape_markdown

LANGUAGES = {"en": "English", "zh": "中文"}
_STATE = "language"


class _Params(dict[str, str]):
    """Parameters of a text; one that is missing shows as a question mark instead of breaking the page."""

    def __missing__(self, key: str) -> str:
        return "?"


@cache
def table(language: str) -> dict[str, str]:
    """All texts of a language, by dotted key."""
    tree = yaml.safe_load((Path(__file__).parent / f"{language}.yaml").read_text(encoding="utf-8"))
    return _flat(tree, "")


def t(key: str, /, **params: object) -> str:
    """The text `key` as Markdown, for labels and st.markdown; parameters are escaped, so they may be hostile."""
    return say_in(current(), key, {name: escape_markdown(str(value)) for name, value in params.items()})


def plain(key: str, /, **params: object) -> str:
    """The text `key` with its parameters as they are, for places that show plain text, or HTML once it is escaped."""
    return say_in(current(), key, {name: str(value) for name, value in params.items()})


def say(kind: str, message: dict[str, Any], *, markdown: bool = True) -> str:
    """A note, reason or error {"code", "params"} in words; one without words here is named by its code rather than hidden."""
    key = f"{kind}.{message.get('code')}"
    params = message.get("params") or {}
    speak = t if markdown else plain
    if key in table(current()):
        return speak(key, **params)
    return speak("unknown_code", code=message.get("code"), params=", ".join(f"{name}: {value}" for name, value in params.items()))


def say_in(language: str, key: str, params: dict[str, str]) -> str:
    """The text `key` of one language with its {placeholders} filled in."""
    return table(language)[key].format_map(_Params(params))


def has(key: str) -> bool:
    """Whether there is a text `key`."""
    return key in table(current())


def current() -> str:
    """The language of this session, "en" until `speak` was called."""
    return str(st.session_state.get(_STATE, "en"))


def speak(language: str) -> None:
    """Make `language` this session's."""
    st.session_state[_STATE] = language


def choose(wanted: str, locale: str | None) -> str:
    """The language to speak: `wanted`, or with "auto" the one of the browser, where anything but Chinese gives English."""
    if wanted in LANGUAGES:
        return wanted
    return "zh" if (locale or "").lower().startswith("zh") else "en"


def _flat(tree: dict[str, Any], prefix: str) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = str(value).strip()
    return flat

"""The prompts that come with the app: {name}.{language}.txt beside this module."""

from __future__ import annotations

from pathlib import Path

LANGUAGES = ("en", "zh")
_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """The name of every prompt."""
    return sorted({path.name.partition(".")[0] for path in _FOLDER.glob("*.txt")})


def key_of(name: str, language: str) -> str:
    """What stands for a prompt in one language, such as answer.zh; every language but Chinese has the English one."""
    return f"{name}.{'zh' if language == 'zh' else 'en'}"


def default(key: str) -> str:
    """The text of the file."""
    return (_FOLDER / f"{key}.txt").read_text(encoding="utf-8").strip()

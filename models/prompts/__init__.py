"""What models are told, as text files, one a purpose and language."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent


def prompt(name: str, language: str) -> str:
    """The prompt of that name in Chinese for "zh", else in English."""
    return (_FOLDER / f"{name}.{'zh' if language == 'zh' else 'en'}.txt").read_text(encoding="utf-8").strip()

"""Markdown is kept verbatim; its first heading is the title."""

from __future__ import annotations

import pytest

from tests.ingest.loading import load_one


def test_markdown_is_verbatim_and_says_so() -> None:
    text = "# Refunds *now*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![x](http://example.org/x.png) snake_case\n\n<b>raw</b>\n"
    document = load_one("guide.md", text.encode())
    assert document.page_content == text
    assert document.metadata == {
        "source": "guide.md",
        "format": "markdown",
        "title": "Refunds *now*",
        "encoding": "utf-8",
        "encoding_confidence": 1.0,
    }


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("```sh\n# a comment\n```\n# 使用指南 #\n", "使用指南"),
        ("## only a second level\n", None),
        ("#no blank\n", None),
        ("text\n\n# Later\n# Second\n", "Later"),
    ],
)
def test_the_title_is_the_first_heading_of_level_one_outside_code(text: str, title: str | None) -> None:
    assert load_one("a.markdown", text.encode()).metadata.get("title") == title


@pytest.mark.parametrize("name", ["a.txt", "a.TXT", "a.log", "notes", "notes.unknown", "main.py"])
def test_text_of_any_name_is_text(name: str) -> None:
    document = load_one(name, "# 不是标题\n".encode())
    assert document.page_content == "# 不是标题\n"
    assert document.metadata["format"] == "text"
    assert "title" not in document.metadata
    assert "page" not in document.metadata

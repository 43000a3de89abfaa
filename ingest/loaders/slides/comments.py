"""Comments on slides, in the form of PowerPoint up to 2019 and in that of today."""

from __future__ import annotations

from typing import Any

from ingest.loaders.clean import clean
from ingest.loaders.ooxml import related
from ingest.loaders.package import Package
from ingest.loaders.slides.shapes import lines

_AUTHOR_PARTS = ("commentAuthors", "authors")


def authors(package: Package, presentation: str) -> dict[str, str]:
    """The names of those who wrote comments, by their ids."""
    found: dict[str, str] = {}
    for kind, part in related(package, presentation).values():
        root = package.xml(part) if kind in _AUTHOR_PARTS else None
        for author in () if root is None else root:
            found[author.get("id", "")] = author.get("name", "")
    return found


def comments(package: Package, slide: str, names: dict[str, str]) -> list[str]:
    """The comments on a slide with their answers, each behind the name of its author."""
    found: list[str] = []
    for kind, part in related(package, slide).values():
        root = package.xml(part) if kind == "comments" else None
        for comment in () if root is None else root.iter("{*}cm", "{*}reply"):
            text = " ".join(clean(_text(comment)).split())
            if text:
                author = names.get(comment.get("authorId", ""), "")
                found.append(f"[{author}: {text}]" if author else f"[{text}]")
    return found


def _text(comment: Any) -> str:
    """What is written in the comment itself, not in the answers to it."""
    old, body = comment.find("{*}text"), comment.find("{*}txBody")
    if old is not None or body is None:
        return "" if old is None else old.text or ""
    return "\n".join(lines(body))

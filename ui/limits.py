"""What a search is limited to, as the page keeps it: a plain dict of the parts that are set, which becomes a Filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from retrievers import Filter
from store.library import StoredDocument
from store.names import types_of
from ui.safe import shown_name
from ui.strings import plain

LAST_PAGE = 1_000_000
"""Stands for the last page there is."""
LISTS = ("sources", "types", "tags")
Chosen = Mapping[str, Any]


def filter_of(chosen: Chosen) -> Filter:
    """The filter for the parts that are set; a last page before the first counts as the first."""
    first, last = chosen.get("first_page"), chosen.get("last_page")
    pages = (first or 1, max(first or 1, last or LAST_PAGE)) if first or last else None
    lists = {name: tuple(chosen.get(name) or ()) for name in LISTS}
    return Filter(**lists, after=chosen.get("after"), before=chosen.get("before"), pages=pages)


def from_json(kept: Chosen) -> dict[str, Any]:
    """The parts of a filter's JSON as the page keeps them. Raises ValueError."""
    parts = {name: value for name, value in kept.items() if name != "pages" and value}
    first, last = kept.get("pages") or (None, None)
    pages = {"first_page": first, "last_page": None if last is not None and last >= LAST_PAGE else last}
    days = {name: date.fromisoformat(parts.pop(name)) for name in ("after", "before") if name in parts}
    every: dict[str, Any] = {**parts, **{str(name): day for name, day in days.items()}, **pages}
    return {name: value for name, value in every.items() if value}


def still_there(chosen: Chosen, options: Mapping[str, list[str]]) -> dict[str, Any]:
    """The parts that are set without those values of lists that no document has any more."""
    kept = {name: [each for each in chosen.get(name) or () if each in options[name]] for name in LISTS}
    return {name: value for name, value in {**chosen, **kept}.items() if value}


def options_of(documents: Iterable[StoredDocument]) -> dict[str, list[str]]:
    """What the lists can be chosen from: names, types and tags of these documents."""
    known = list(documents)
    return {
        "sources": sorted({each.source for each in known}),
        "types": sorted({name for each in known for name in types_of(each)}),
        "tags": sorted({tag for each in known for tag in each.tags}),
    }


def words(limits: Chosen) -> list[str]:
    """The parts of a filter's JSON, each as plain text; [] when it limits nothing."""
    said = [shown_name(str(source), columns=40) for source in limits.get("sources") or ()]
    said += [f".{kind}" for kind in limits.get("types") or ()]
    said += [f"#{tag}" for tag in limits.get("tags") or ()]
    said += [plain(f"limits.{name}_day", day=limits[name]) for name in ("after", "before") if limits.get(name)]
    if limits.get("pages"):
        first, last = limits["pages"]
        said.append(
            plain("limits.pages_from", first=first) if last >= LAST_PAGE else plain("limits.pages", first=first, last=last)
        )
    return said

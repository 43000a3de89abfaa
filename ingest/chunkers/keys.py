"""JSON and YAML as trees of keys, each with its exact place in the text; what is not well formed has no tree."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import yaml

DEEPEST = 40
"""What is nested deeper belongs to the value above it."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+')


@dataclass
class Node:
    """A value with its key in front: `text[start:end]`; `children` are the entries of a mapping or the items of a list."""

    start: int
    end: int
    key: str
    children: list[Node] = field(default_factory=list)


class _Event(NamedTuple):
    kind: Literal["mapping", "list", "close", "value"]
    start: int
    end: int
    value: str = ""


def json_tree(text: str) -> Node | None:
    """The tree of a JSON text, or of one with a JSON value a line; None for anything else."""
    if _is_json(text):
        return _tree(_json_events(text, 0, len(text)), len(text))
    root, place = Node(0, len(text), ""), 0
    for line in text.splitlines(keepends=True):
        end = place + len(line)
        if line.strip():
            if not _is_json(line):
                return None
            below = _tree(_json_events(text, place, end), end).children
            root.children.append(Node(place, end, str(len(root.children)), below))
        place = end
    return root if root.children else None


def yaml_tree(text: str) -> Node | None:
    """The tree of a YAML text; None for what is none. Aliases are not followed, so they cannot expand."""
    try:
        return _tree(_yaml_events(text), len(text))
    except yaml.YAMLError:
        return None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):  # nested too deep is refused like what is no JSON
        return False
    return True


def _json_events(text: str, start: int, end: int) -> Iterator[_Event]:
    for match in _TOKEN.finditer(text, start, end):
        read = match[0]
        if read in "{[":
            yield _Event("mapping" if read == "{" else "list", *match.span())
        elif read in "}]":
            yield _Event("close", *match.span())
        else:
            yield _Event("value", *match.span(), json.loads(read, strict=False) if read[0] == '"' else read)


def _yaml_events(text: str) -> Iterator[_Event]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for event in yaml.parse(text, Loader=loader):
        span = (event.start_mark.index, event.end_mark.index) if event.start_mark and event.end_mark else (0, 0)
        if isinstance(event, yaml.MappingStartEvent):
            yield _Event("mapping", *span)
        elif isinstance(event, yaml.SequenceStartEvent):
            yield _Event("list", *span)
        elif isinstance(event, yaml.CollectionEndEvent):
            yield _Event("close", *span)
        elif isinstance(event, yaml.ScalarEvent):
            yield _Event("value", *span, event.value)
        elif isinstance(event, yaml.AliasEvent):
            yield _Event("value", *span, f"*{event.anchor}")


def _tree(events: Iterator[_Event], length: int) -> Node:
    """Nodes of the entries and items, down to DEEPEST."""
    root = Node(0, length, "")
    open_: list[_Open] = []
    for event in events:
        above = open_[-1] if open_ else None
        if event.kind == "close":
            closed = open_.pop()
            if closed.node is not root:
                closed.node.end = max(closed.node.end, event.end)
            continue
        is_key = above is not None and above.kind == "mapping" and above.key is None
        if above and is_key:
            above.key = event  # one that is a collection has no name
        if is_key and event.kind == "value":
            continue
        node = root if above is None else above.node if is_key or len(open_) > DEEPEST else above.take(event)
        if event.kind != "value":
            open_.append(_Open(event.kind, node))
    return root


@dataclass
class _Open:
    """A collection that is being read, with the node whose value it is."""

    kind: str
    node: Node
    key: _Event | None = None
    count: int = 0

    def take(self, event: _Event) -> Node:
        """The node of its next entry or item."""
        key = self.key
        node = Node(key.start, event.end, key.value) if key else Node(event.start, event.end, str(self.count))
        self.key, self.count = None, self.count + 1
        self.node.children.append(node)
        return node

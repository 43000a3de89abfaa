"""XML as text: paths of elements with their texts, records as paragraphs, feeds and documents as sections; nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from langchain_core.documents import Document
from lxml import etree

from ingest.errors import Reason, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.clean import clean
from ingest.loaders.encoding import decode_file
from ingest.loaders.records import Pairs, blocks_of

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_CHARSET = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9_.:-]+)""")
_DRAWN = frozenset({"title", "desc", "text"})


class XmlLoader(FileLoader):
    """An XML file as Markdown; of a drawing (SVG) its texts. Entities and external parts are refused."""

    def lazy_load(self) -> Iterator[Document]:
        """The data. What is malformed is read as far as it goes, with the line in `skipped`. Raises UnreadableFile."""
        charset = _CHARSET.search(self.data[:1024])
        decoded = decode_file(self.name, self.data, charset.group(1).decode("ascii") if charset else None)
        known: dict[str, Any] = {"encoding": decoded.encoding, "encoding_confidence": decoded.confidence}
        root, wrong = self._root(_DECLARATION.sub("", decoded.text))
        try:
            blocks = _drawn(root) if root is not None and _tag(root) == "svg" else _blocks(root)
            text = "\n\n".join(blocks)
        except RecursionError:
            text = " ".join(word.strip() for word in root.itertext() if word.strip())
        yield self.document(
            clean(text),
            "markdown",
            skipped=[[wrong, Reason("it is malformed XML", "part_malformed_xml")]] if wrong else None,
            **known,
        )

    def _root(self, text: str) -> tuple[Any, str]:
        """The root element, and where the text is malformed. None for a text without elements."""
        from defusedxml import DefusedXmlException, ElementTree  # type: ignore[import-untyped]

        try:
            return ElementTree.fromstring(text, forbid_entities=True), ""
        except DefusedXmlException as error:
            raise UnreadableFile(
                self.name,
                "it defines XML entities",
                remedy="Save it without a DOCTYPE that defines entities.",
                code="entities_defined",
            ) from error
        except ElementTree.ParseError as error:
            line, column = error.position
            where = f"line {line}, column {column + 1}" if text.strip() else ""
        except (ValueError, RecursionError):
            where = "…"
        parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
        try:
            return etree.fromstring(text.encode("utf-8", "replace"), parser), where
        except (etree.LxmlError, ValueError):
            return None, where


def _blocks(root: Any) -> Iterator[str]:
    if root is not None:
        yield from blocks_of(Pairs([(_tag(root), _value(root))]))


def _value(element: Any) -> Any:
    """The element as data: attributes, texts, and children that repeat as a list; text with elements in it is one text."""
    children = [child for child in element if isinstance(child.tag, str)]
    attributes = [(f"@{_local(name)}", value) for name, value in element.attrib.items()]
    mixed = children and ((element.text or "").strip() or any((child.tail or "").strip() for child in children))
    if mixed or not children:
        text = " ".join("".join(element.itertext()).split()) if mixed else (element.text or "").strip()
        return Pairs([*attributes, ("", text)]) if attributes else text
    pairs = Pairs(attributes)
    for tag, group in groupby(children, key=_tag):
        values = [_value(child) for child in group]
        pairs.append((tag, values[0] if len(values) == 1 else values))
    return pairs


def _drawn(root: Any) -> Iterator[str]:
    for element in root.iter():
        if isinstance(element.tag, str) and _tag(element) in _DRAWN and (text := " ".join("".join(element.itertext()).split())):
            yield text


def _tag(element: Any) -> str:
    return _local(element.tag)


def _local(name: str) -> str:
    return name.rpartition("}")[2]

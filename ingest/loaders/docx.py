"""Word documents as Markdown, by markitdown; headers, footers and comments, which it drops, follow at the end."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from langchain_core.documents import Document
from lxml import etree

from ingest.errors import EncryptedFile, LoadError, TooLarge, UnreadableFile
from ingest.loaders.base import FileLoader, sensible_title
from ingest.loaders.clean import clean, fold_lookalikes
from ingest.loaders.markdown import MARKDOWN_OPTIONS, first_heading, tidy_markdown

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DC_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_EXTRAS = (r"word/header\d*\.xml", r"word/footer\d*\.xml", r"word/comments\.xml")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True)
_DAMAGED = "Open it in a word processor and save it again as .docx."

MAX_ENTRIES = 10_000
MAX_RATIO = 200  # expanded to packed size of the whole file; text and XML pack about 10 to 1
MAX_XML_BYTES = 64 * 2**20  # the parts that are parsed
MAX_BYTES = 2**30


class DocxLoader(FileLoader):
    """A Word document, as one Document in Markdown. Pictures are left out, links keep their text only; nothing is fetched."""

    def lazy_load(self) -> Iterator[Document]:
        """The text. Raises TooLarge, EncryptedFile or UnreadableFile; no part is expanded before its size is checked."""
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                self._check(archive)
                extras, title = _extras(archive), _title(archive)
            body = _convert(self.data)
        except LoadError:
            raise
        except Exception as error:  # parsers of foreign input raise anything
            raise UnreadableFile(self.name, "the Word document is damaged", remedy=_DAMAGED, code="damaged_docx") from error
        text = fold_lookalikes(clean(body))
        if extras:
            text = "\n\n".join(filter(None, (text, "---", *extras)))
        yield self.document(text, "markdown", title=title or first_heading(text))

    def _check(self, archive: zipfile.ZipFile) -> None:
        """Refuses what would fill the memory or read other files. zipfile never expands a part beyond its declared size."""
        entries = archive.infolist()
        if any(entry.flag_bits & 1 for entry in entries):
            remedy = "Save a copy without a password."
            raise EncryptedFile(self.name, "parts of it are encrypted", remedy=remedy, code="password")
        expanded = sum(entry.file_size for entry in entries)
        xml = [entry for entry in entries if entry.filename.lower().endswith((".xml", ".rels"))]
        if (
            len(entries) > MAX_ENTRIES
            or expanded > MAX_BYTES
            or expanded > MAX_RATIO * len(self.data)
            or sum(entry.file_size for entry in xml) > MAX_XML_BYTES
        ):
            raise TooLarge(
                self.name,
                f"it would expand to {expanded // 2**20} MB in {len(entries)} parts",
                remedy="If it is a real document, split it into smaller ones.",
                code="expands",
                mb=expanded // 2**20,
                parts=len(entries),
            )
        for entry in xml:
            # UTF-16 hides the letters from a search in bytes unless the NULs go; expat and lxml know no other wide encoding.
            if b"<!" in (part := archive.read(entry).replace(b"\0", b"")) and re.search(rb"<!\s*(DOCTYPE|ENTITY)", part, re.I):
                reason = "it defines XML entities, which Word never does"
                raise UnreadableFile(self.name, reason, remedy=_DAMAGED, code="xml_entities")


def _extras(archive: zipfile.ZipFile) -> list[str]:
    """The paragraphs of headers, footers and comments, each text once."""
    found: dict[str, None] = {}
    for pattern in _EXTRAS:
        for name in sorted(name for name in archive.namelist() if re.fullmatch(pattern, name)):
            for paragraph in etree.fromstring(archive.read(name), _PARSER).iter(f"{_W}p"):
                text = "".join(_run_text(element) for element in paragraph.iter())
                found.setdefault(" ".join(clean(text).split()))
    return [text for text in found if text]


def _run_text(element: Any) -> str:
    if element.tag == f"{_W}t":
        return element.text or ""
    return " " if element.tag in (f"{_W}tab", f"{_W}br") else ""


def _title(archive: zipfile.ZipFile) -> str | None:
    if "docProps/core.xml" not in archive.namelist():
        return None
    title: str | None = etree.fromstring(archive.read("docProps/core.xml"), _PARSER).findtext(_DC_TITLE)
    return sensible_title(title)


def _convert(data: bytes) -> str:
    from markitdown import StreamInfo
    from markitdown.converters import DocxConverter

    class TextOnly(DocxConverter):
        """Leaves out pictures, which would travel through the text as base64."""

        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]

        def _image_to_html(self, *_: Any, **__: Any) -> str:
            return "<i></i>"

    result = TextOnly().convert(io.BytesIO(data), StreamInfo(extension=".docx"), **MARKDOWN_OPTIONS)
    return tidy_markdown(result.markdown)

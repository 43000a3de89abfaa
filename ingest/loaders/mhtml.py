"""Web pages saved whole (.mhtml, .mht): the page among the parts that browsers put beside it."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes
from email.errors import MessageError
from email.message import Message

from langchain_core.documents import Document

from ingest.errors import LoadError, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.encoding import Decoded, decode_file
from ingest.loaders.html import charset_of, page_document
from ingest.loaders.mail_header import header_text

_PAGES = ("text/html", "application/xhtml+xml")


class MhtmlLoader(FileLoader):
    """A saved web page, as one Document in Markdown."""

    def lazy_load(self) -> Iterator[Document]:
        """The main text of the page; of a page of frames, that of the largest. Raises UnreadableFile when there is no page."""
        try:
            message = message_from_bytes(self.data.lstrip(b"\xef\xbb\xbf\r\n"))
            pages = [part for part in message.walk() if part.get_content_type() in _PAGES]
            found = [decoded for decoded in map(self._decoded, pages) if decoded]
        except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self._no_page() from error
        if not found:
            raise self._no_page()
        main = found[0] if "<frameset" not in found[0].text.lower() else max(found, key=lambda page: len(page.text))
        document = page_document(self, main)
        if "title" not in document.metadata:
            document = page_document(self, main, title=header_text(message, "Subject"))
        yield document

    def _decoded(self, part: Message) -> Decoded | None:
        data = part.get_payload(decode=True)
        if not isinstance(data, bytes) or not data.strip():
            return None
        charset = part.get_param("charset")
        try:
            return decode_file(self.name, data, charset if isinstance(charset, str) else charset_of(data))
        except LoadError:
            return None

    def _no_page(self) -> UnreadableFile:
        remedy = "Open it in a browser and save it again as .html, or as a PDF."
        return UnreadableFile(self.name, "there is no page in the web archive", remedy=remedy, code="no_page")

"""The pictures of stored documents: what is to be asked of them, and their descriptions put behind the document's text."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.enrich.figures import Figures
from ingest.enrich.kinds import Ask
from ingest.enrich.rows import Kept
from ingest.errors import EncryptedFile
from ingest.pictures.found import PicturesAsked, text_pages
from ingest.pipeline import Pipeline
from ingest.report import FileReport
from language import detect
from settings import Settings
from store.library import Base, Library, StoredDocument


@dataclass(frozen=True)
class Pictures:
    """The pictures of a document that are to be described, what is asked of each, and how many are beyond the most."""

    asks: tuple[Ask, ...] = ()
    left: int = 0
    unread: int = 0


class Describing:
    """Takes pictures out of kept files, in the process that reads files, and indexes documents again with what was written."""

    def __init__(self, library: Library, pipeline: Pipeline, settings: Settings) -> None:
        self._library, self._pipeline, self._settings = library, pipeline, settings

    def pictures(self, document: StoredDocument) -> Pictures:
        """What is to be asked of a document's pictures. Raises LoadError, StoreError."""
        chosen, data = self._settings.ingest.enrich.figures, self._library.files.read(document.version)
        text = self._own_text(document)
        pages = [page for page in self._library.pages(document.doc_id) if page[2] <= len(text)]
        asked = PicturesAsked(chosen.max_pictures, chosen.min_side, text_pages(text, pages))
        try:
            found = self._pipeline.sandbox.pictures(document.source, data, self._settings.ingest, asked)
        except EncryptedFile as error:
            reason, remedy = "its pictures are behind its password, which is not kept", "Add a copy without the password."
            raise EncryptedFile(document.source, reason, remedy=remedy, code="pictures_locked") from error
        kind, language = Figures(), detect(text or document.source)
        asks = tuple(kind.of_picture(picture, language) for picture in found.pictures)
        return Pictures(asks, found.left, found.unread)

    def is_behind(self, document: StoredDocument, pictures: Pictures, kept: Kept) -> bool:
        """Whether something that was written about these pictures does not stand in the document."""
        known = self._library.text(document.doc_id)[len(self._own_text(document)) :]
        texts = [kept[ask.kind, ask.key].value["text"] for ask in pictures.asks if (ask.kind, ask.key) in kept]
        return any(text not in known for text in texts)

    def index(self, base: Base, document: StoredDocument) -> FileReport:
        """Index a document again, as the base is, with what was written about its pictures."""
        built = {f"ingest.{key}": value for key, value in base.passport.get("ingest", {}).items()}
        return self._pipeline.anew(base, document, self._settings.override(built), mend=False)

    def _own_text(self, document: StoredDocument) -> str:
        """The text without what a model wrote."""
        return self._library.text(document.doc_id)[: document.report.get("figures_from")]

"""Takes the pictures out of a file: what the process that reads files does when it is asked for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import SecretStr

from ingest.errors import LoadError, UnreadableFile
from ingest.loaders import get_loader
from ingest.loaders.archive import ArchiveLoader
from ingest.loaders.base import FileLoader
from ingest.loaders.docx import DocxLoader
from ingest.loaders.epub import EpubLoader
from ingest.loaders.html import HtmlLoader
from ingest.loaders.image import ImageLoader
from ingest.loaders.mail import MailboxLoader, MailLoader
from ingest.loaders.mhtml import MhtmlLoader
from ingest.loaders.msg import MsgLoader
from ingest.loaders.notebook import NotebookLoader
from ingest.loaders.odt import OdpLoader, OdtLoader
from ingest.loaders.pdf import PdfLoader
from ingest.loaders.pptx import PptxLoader
from ingest.loaders.spreadsheet import SpreadsheetLoader
from ingest.loaders.text import MarkdownLoader
from ingest.pictures.found import FoundPictures, PicturesAsked
from ingest.pictures.of_members import pictures_of_members
from ingest.pictures.of_notebook import pictures_of_notebook
from ingest.pictures.of_package import (
    pictures_of_book,
    pictures_of_opendocument,
    pictures_of_slides,
    pictures_of_word,
    pictures_of_workbook,
)
from ingest.pictures.of_page import pictures_of_saved_page, pictures_of_text
from ingest.pictures.of_pdf import pictures_of_pdf
from ingest.pictures.screen import Screen
from settings.ingest import IngestSettings


def gather(name: str, data: bytes, settings: IngestSettings, password: SecretStr | None, asked: PicturesAsked) -> FoundPictures:
    """The pictures of a file; none of a kind of file that holds none. Raises LoadError."""
    loader, screen = get_loader(name, data, settings, password), Screen(asked)
    try:
        _show(loader, screen)
    except (LoadError, MemoryError):
        raise
    except Exception as error:  # parsers of foreign input raise anything
        remedy = "Open it in the program that made it, save it again and upload that."
        raise UnreadableFile(name, "its pictures could not be read", remedy=remedy, code="pictures_unread") from error
    return screen.found()


def _show(loader: FileLoader, screen: Screen) -> None:
    """Show the screen the pictures of whatever a loader reads."""
    show = next((show for kind, show in _BY_LOADER if isinstance(loader, kind)), None)
    if show is not None:
        show(loader, screen)


def _of_members(loader: FileLoader, screen: Screen) -> None:
    pictures_of_members(loader, screen, _show)


def _of_image(loader: ImageLoader, screen: Screen) -> None:
    count = loader.frames()
    for number in range(count):
        page = number + 1 if count > 1 else None
        if page not in screen.asked.text_pages:
            screen.add(loader.picture(number), page)


_BY_LOADER: tuple[tuple[Any, Callable[[Any, Screen], None]], ...] = (
    (PdfLoader, pictures_of_pdf),
    (ImageLoader, _of_image),
    (DocxLoader, pictures_of_word),
    (PptxLoader, pictures_of_slides),
    ((OdtLoader, OdpLoader), pictures_of_opendocument),
    (EpubLoader, pictures_of_book),
    (MhtmlLoader, pictures_of_saved_page),
    ((HtmlLoader, MarkdownLoader), pictures_of_text),
    (NotebookLoader, pictures_of_notebook),
    (SpreadsheetLoader, pictures_of_workbook),
    ((ArchiveLoader, MailLoader, MailboxLoader, MsgLoader), _of_members),
)
"""Who takes the pictures out of what a loader reads."""

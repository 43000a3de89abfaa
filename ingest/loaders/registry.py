"""Which loader reads a file: by the suffix of its name, corrected by what the bytes say.

A new format is a line in LOADERS for each of its suffixes and, unless it is plain text, one in BY_KIND for its kind of content.
"""

from __future__ import annotations

import re

import filetype
from pydantic import SecretStr

from ingest.errors import EncryptedFile, LoadError, TooLarge, UnreadableFile, UnsupportedFile
from ingest.loaders.base import FileLoader
from ingest.loaders.cards import CardsLoader
from ingest.loaders.code import LANGUAGE_CODES, CodeLoader
from ingest.loaders.content import Kind, kind_of
from ingest.loaders.csv import CsvLoader
from ingest.loaders.docx import DocxLoader
from ingest.loaders.encoding import is_text
from ingest.loaders.epub import EpubLoader
from ingest.loaders.html import HtmlLoader
from ingest.loaders.image import ImageLoader
from ingest.loaders.ini import IniLoader
from ingest.loaders.json import JsonLinesLoader, JsonLoader
from ingest.loaders.mail import MailboxLoader, MailLoader
from ingest.loaders.mhtml import MhtmlLoader
from ingest.loaders.msg import MsgLoader
from ingest.loaders.notebook import NotebookLoader
from ingest.loaders.odt import OdpLoader, OdtLoader
from ingest.loaders.pdf import PdfLoader
from ingest.loaders.pptx import PptxLoader
from ingest.loaders.rst import RstLoader
from ingest.loaders.rtf import RtfLoader
from ingest.loaders.shape import shape_of
from ingest.loaders.spreadsheet import SpreadsheetLoader
from ingest.loaders.subtitles import SubtitlesLoader
from ingest.loaders.tar import CompressedLoader, TarLoader
from ingest.loaders.tex import TexLoader
from ingest.loaders.text import MarkdownLoader, TextLoader
from ingest.loaders.xml import XmlLoader
from ingest.loaders.zip import ZipLoader
from ingest.names import is_web, suffix_of
from settings.ingest import IngestSettings

LOADERS: dict[str, type[FileLoader]] = {
    ".txt": TextLoader,
    ".text": TextLoader,
    ".log": TextLoader,
    ".rst": RstLoader,
    ".tex": TexLoader,
    **dict.fromkeys((".srt", ".vtt"), SubtitlesLoader),
    **dict.fromkeys((".ics", ".vcf"), CardsLoader),
    **dict.fromkeys((".json", ".geojson", ".webmanifest"), JsonLoader),
    **dict.fromkeys((".jsonl", ".ndjson"), JsonLinesLoader),
    **dict.fromkeys((".xml", ".rss", ".atom", ".svg", ".xsd", ".xsl", ".wsdl", ".opml", ".kml", ".gpx", ".plist"), XmlLoader),
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf", ".properties"), IniLoader),
    **dict.fromkeys(LANGUAGE_CODES, CodeLoader),
    ".ipynb": NotebookLoader,
    ".md": MarkdownLoader,
    ".markdown": MarkdownLoader,
    ".html": HtmlLoader,
    ".htm": HtmlLoader,
    ".xhtml": HtmlLoader,
    **dict.fromkeys((".mhtml", ".mht"), MhtmlLoader),
    ".pdf": PdfLoader,
    ".docx": DocxLoader,
    ".csv": CsvLoader,
    ".tsv": CsvLoader,
    ".tab": CsvLoader,
    ".rtf": RtfLoader,
    ".odt": OdtLoader,
    ".ott": OdtLoader,
    ".odp": OdpLoader,
    ".epub": EpubLoader,
    **dict.fromkeys((".pptx", ".pptm", ".ppsx", ".potx"), PptxLoader),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xls", ".ods"), SpreadsheetLoader),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif"), ImageLoader),
    ".eml": MailLoader,
    ".mbox": MailboxLoader,
    ".msg": MsgLoader,
    ".zip": ZipLoader,
    ".tar": TarLoader,
    **dict.fromkeys((".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz"), CompressedLoader),
}
BY_KIND: dict[Kind, type[FileLoader]] = {
    Kind.PDF: PdfLoader,
    Kind.DOCX: DocxLoader,
    Kind.RTF: RtfLoader,
    Kind.ODT: OdtLoader,
    Kind.ODP: OdpLoader,
    Kind.EPUB: EpubLoader,
    Kind.PPTX: PptxLoader,
    **dict.fromkeys((Kind.XLSX, Kind.XLS, Kind.ODS), SpreadsheetLoader),
    Kind.IMAGE: ImageLoader,
    Kind.HTML: HtmlLoader,
    Kind.MHTML: MhtmlLoader,
    Kind.NOTEBOOK: NotebookLoader,
    Kind.JSON: JsonLoader,
    Kind.XML: XmlLoader,
    Kind.MAIL: MailLoader,
    Kind.MAILBOX: MailboxLoader,
    Kind.MSG: MsgLoader,
    Kind.ZIP: ZipLoader,
    Kind.TAR: TarLoader,
    Kind.COMPRESSED: CompressedLoader,
}
_CODE_AND_DATA = (
    CodeLoader,
    IniLoader,
    JsonLoader,
    JsonLinesLoader,
    XmlLoader,
    CsvLoader,
    SpreadsheetLoader,
    CardsLoader,
    NotebookLoader,
)
NOT_PLAIN_TEXT = frozenset({".ps", ".eps"})
"""Text by their bytes, but not for a reader."""
TEXT_KINDS = frozenset({Kind.TEXT, Kind.HTML, Kind.MHTML, Kind.MAIL, Kind.MAILBOX, Kind.NOTEBOOK, Kind.JSON, Kind.XML})
_ANY_TEXT = frozenset({"", ".txt", ".text", ".htm", ".html", ".doc", ".xls", ".xml", ".json"})
"""Suffixes that programs give to texts of several kinds, as they call a web page a workbook."""
_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*|<!--.{0,2000}?-->\s*){0,9}<(?:!doctype\s+html|html)\b", re.I | re.S
)
"""How a whole web page begins."""


def get_loader(name: str, data: bytes, settings: IngestSettings, password: SecretStr | None = None) -> FileLoader:
    """The loader for a file of at most `settings.max_file_mb` MiB.

    A file that is of another kind than its name says is read as what it is, and its Documents say so (`read_as`); one whose name
    asks for a kind of document that the content is not even like is refused. A suffix that is not known is read as plain text
    when its content is text. Raises TooLarge, UnsupportedFile, EncryptedFile, UnreadableFile.
    """
    max_mb = settings.max_file_mb
    if len(data) > max_mb * 2**20:
        raise TooLarge(
            name,
            f"the file has more than {max_mb} MB",
            remedy="Split it, or raise ingest.max_file_mb.",
            code="too_large",
            mb=max_mb,
        )
    suffix = suffix_of(name)
    kind = kind_of(data)
    wanted = LOADERS.get(suffix)
    if kind is Kind.TEXT and (wanted is None or suffix in _ANY_TEXT or not reads_text(wanted)):
        kind = shape_of(data)
    if kind is Kind.TEXT and wanted is not None and not reads_text(wanted) and not is_text(data):
        kind = Kind.OTHER  # for a text it has not to be told: its reader says so
    if kind is Kind.TEXT and is_web(name) and _PAGE.match(data):  # such as the page that shows a file, under the file's name
        kind = Kind.HTML
    chosen = _choose(name, suffix, kind=kind)
    loader = chosen(name, data, settings, password)
    if chosen is not (wanted or TextLoader) and not is_web(name):
        loader.told["read_as"] = kind.name.lower()
    return loader


def reads_text(loader: type[FileLoader]) -> bool:
    """Whether a loader reads text files, of any encoding, and not one binary format."""
    kinds = {kind for kind, reader in BY_KIND.items() if reader is loader}
    return not kinds or bool(kinds & TEXT_KINDS)


def reads_prose(loader: FileLoader) -> bool:
    """Whether what a loader reads is text for people; else a sign more or less would change code or data."""
    return not isinstance(loader, _CODE_AND_DATA)


def type_of(loader: FileLoader) -> str:
    """What a file is read as, as a suffix without its dot: that of its name where it is right, else the usual one.

    What the address of a web page ends in says little, so a page is "html".
    """
    reader, suffix = type(loader), suffix_of(loader.name)
    if LOADERS.get(suffix) is reader and not (is_web(loader.name) and reader is HtmlLoader):
        return suffix[1:]
    guessed = filetype.guess_extension(loader.data) if reader is ImageLoader else kind_of(loader.data).suffix[1:]
    fitting = LOADERS.get(f".{guessed}") is reader
    return str(guessed) if fitting else next(known for known, each in LOADERS.items() if each is reader)[1:]


def _choose(name: str, suffix: str, *, kind: Kind) -> type[FileLoader]:
    """The loader for a kind of content under a suffix."""
    wanted, by_content = LOADERS.get(suffix), BY_KIND.get(kind)
    if kind is Kind.EMPTY or kind is Kind.TEXT:
        if wanted is None and suffix in NOT_PLAIN_TEXT and kind is Kind.TEXT:
            raise _unsupported(name, kind)
        if suffix == ".xls" and kind is Kind.TEXT:
            return CsvLoader  # as many programs export
        if wanted is not None and not reads_text(wanted):
            raise _mismatch(name, suffix, kind)
        return wanted or TextLoader
    if kind in TEXT_KINDS:
        if wanted is not None and not reads_text(wanted) and suffix not in _ANY_TEXT:  # such as the page of a log-in as a PDF
            raise _mismatch(name, suffix, kind)
        if wanted is HtmlLoader and kind in (Kind.XML, Kind.JSON):
            return wanted
        return by_content or wanted or TextLoader
    if kind is Kind.OFFICE_97 and wanted in (BY_KIND.get(Kind.MSG), BY_KIND.get(Kind.XLS)):
        return wanted or TextLoader  # which says that it is damaged
    # A document that is damaged looks like the archive that it is made of.
    damaged = kind is Kind.ZIP and wanted is not None and not reads_text(wanted) and wanted is not by_content
    if by_content is None or damaged:
        raise _unsupported(name, kind) if wanted is None and kind in _UNNAMED else _mismatch(name, suffix, kind)
    return by_content


_UNNAMED = frozenset(Kind) - {Kind.ENCRYPTED_OFFICE, Kind.OFFICE_97, Kind.PACKED}


def _unsupported(name: str, kind: Kind) -> UnsupportedFile:
    what = "" if kind is Kind.TEXT else f" ({kind.value})"
    return UnsupportedFile(
        name,
        f"this kind of file{what} is not read",
        remedy=f"Supported are {', '.join(LOADERS)}.",
        code="unsupported_text" if kind is Kind.TEXT else "unsupported_kind",
        kind=kind.name.lower(),
        supported=", ".join(LOADERS),
    )


def _mismatch(name: str, suffix: str, kind: Kind) -> LoadError:
    """What to do with a file that is not what its suffix says, or of a kind that has a remedy of its own."""
    if kind is Kind.ENCRYPTED_OFFICE:
        return EncryptedFile(
            name, "the document is protected by a password", remedy="Save a copy without the password.", code="password"
        )
    if kind is Kind.EMPTY:
        remedy = "Upload it again, or export it again from where it comes from."
        return UnreadableFile(name, "the file is empty", remedy=remedy, code="empty_file")
    if kind is Kind.OFFICE_97:
        remedy = "Open it in an office program and save it as .docx, .xlsx or .pptx."
        return UnsupportedFile(name, f"the content is {kind.value}", remedy=remedy, code="old_office", kind="office_97")
    if kind is Kind.PACKED:
        remedy = "Unpack it and upload its files, or pack them as .zip."
        return UnsupportedFile(name, f"the content is {kind.value}", remedy=remedy, code="packed", kind="packed")
    supported = ", ".join(LOADERS)
    if kind.suffix in LOADERS and kind is not Kind.ZIP and not is_web(name):
        code, remedy = "wrong_suffix", f"If that is right, rename it to end in {kind.suffix}."
    else:
        code, remedy = "wrong_content", f"Upload the original document. Supported are {supported}."
    reason = f"the name ends in {suffix or 'nothing'}, but the content is {kind.value}"
    told = {"suffix": suffix, "kind": kind.name.lower(), "right": kind.suffix, "supported": supported}
    return UnsupportedFile(name, reason, remedy=remedy, code=code, **told)

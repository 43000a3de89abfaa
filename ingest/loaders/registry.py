"""Which loader reads a file: by the suffix of its name, checked against its first bytes."""

from __future__ import annotations

from pathlib import PurePath

from pydantic import SecretStr

from ingest.errors import EncryptedFile, LoadError, TooLarge, UnreadableFile, UnsupportedFile
from ingest.loaders.base import FileLoader
from ingest.loaders.content import Kind, kind_of
from ingest.loaders.csv import CsvLoader
from ingest.loaders.docx import DocxLoader
from ingest.loaders.html import HtmlLoader
from ingest.loaders.image import ImageLoader
from ingest.loaders.pdf import PdfLoader
from ingest.loaders.text import MarkdownLoader, TextLoader
from settings.ingest import IngestSettings

LOADERS: dict[str, type[FileLoader]] = {
    ".txt": TextLoader,
    ".text": TextLoader,
    ".log": TextLoader,
    ".rst": TextLoader,
    ".md": MarkdownLoader,
    ".markdown": MarkdownLoader,
    ".html": HtmlLoader,
    ".htm": HtmlLoader,
    ".xhtml": HtmlLoader,
    ".pdf": PdfLoader,
    ".docx": DocxLoader,
    ".csv": CsvLoader,
    ".tsv": CsvLoader,
    ".tab": CsvLoader,
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif"), ImageLoader),
}
# Text by their bytes, but not for a reader: markup, quoted-printable, escapes.
NOT_PLAIN_TEXT = frozenset(".rtf .eml .mht .mhtml .ipynb .json .jsonl .xml .svg .ps .eps .vcf .ics".split())
_EXPECTED = {PdfLoader: Kind.PDF, DocxLoader: Kind.DOCX, ImageLoader: Kind.IMAGE}


def get_loader(name: str, data: bytes, settings: IngestSettings, password: SecretStr | None = None) -> FileLoader:
    """The loader for a file of at most `settings.max_file_mb` MiB.

    A suffix that is not known is read as plain text when its content is text. Raises TooLarge, UnsupportedFile (a kind that is
    not read, or content of another kind than the suffix says), EncryptedFile, UnreadableFile.
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
    suffix = PurePath(name).suffix.lower()
    kind = kind_of(data)
    loader = LOADERS.get(suffix)
    if loader is None:
        if suffix in NOT_PLAIN_TEXT or kind not in (Kind.TEXT, Kind.EMPTY):
            raise _unsupported(name, kind)
        loader = TextLoader
    expected = _EXPECTED.get(loader, Kind.TEXT)
    if kind is not expected and not (kind is Kind.EMPTY and expected is Kind.TEXT):
        raise _mismatch(name, suffix, kind)
    return loader(name, data, settings, password)


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
    """What to do with a file that is not what its suffix says."""
    if kind is Kind.ENCRYPTED_OFFICE:
        return EncryptedFile(
            name, "the document is protected by a password", remedy="Save a copy without the password.", code="password"
        )
    if kind is Kind.EMPTY:
        remedy = "Upload it again, or export it again from where it comes from."
        return UnreadableFile(name, "the file is empty", remedy=remedy, code="empty_file")
    supported = ", ".join(LOADERS)
    if kind.suffix in LOADERS:
        code, remedy = "wrong_suffix", f"If that is right, rename it to end in {kind.suffix}."
    elif suffix == ".docx" and kind is Kind.OFFICE_97:
        code, remedy = "old_word", "Open it in a word processor and save it as .docx."
    else:
        code, remedy = "wrong_content", f"Upload the original document. Supported are {supported}."
    reason = f"the name ends in {suffix or 'nothing'}, but the content is {kind.value}"
    told = {"suffix": suffix, "kind": kind.name.lower(), "right": kind.suffix, "supported": supported}
    return UnsupportedFile(name, reason, remedy=remedy, code=code, **told)

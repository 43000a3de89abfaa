"""Which files can be added, in words: every suffix that a loader is registered for, by what people use it for."""

from __future__ import annotations

from functools import cache

from ui.strings import t

GROUPS = {
    "documents": ("PdfLoader", "DocxLoader", "OdtLoader", "RtfLoader", "EpubLoader"),
    "slides": ("PptxLoader", "OdpLoader"),
    "tables": ("SpreadsheetLoader", "CsvLoader"),
    "text": ("TextLoader", "MarkdownLoader", "RstLoader", "TexLoader", "SubtitlesLoader"),
    "web": ("HtmlLoader", "MhtmlLoader"),
    "mail": ("MailLoader", "MsgLoader", "MailboxLoader", "CardsLoader"),
    "pictures": ("ImageLoader",),
    "data": ("JsonLoader", "JsonLinesLoader", "XmlLoader", "IniLoader", "NotebookLoader"),
    "code": ("CodeLoader",),
    "archives": ("ZipLoader", "TarLoader", "CompressedLoader"),
}
"""The loaders' classes by name; a new one that is in no group is shown with the documents."""


@cache
def suffixes() -> dict[str, tuple[str, ...]]:
    """The suffixes of each group, without their dots, those that are used most first."""
    from ingest.loaders import LOADERS  # the readers' libraries, which are needed when a box for files is first drawn

    group_of = {reader: group for group, readers in GROUPS.items() for reader in readers}
    found: dict[str, list[str]] = {group: [] for group in GROUPS}
    for suffix, loader in LOADERS.items():
        found[group_of.get(loader.__name__, "documents")].append(suffix[1:])
    return {group: tuple(each) for group, each in found.items()}


def upload_help() -> str:
    """What can be added and what becomes of it, as Markdown for the help of a box for files."""
    lines = [f"- **{t(f'formats.{group}')}**: {', '.join(each)}" for group, each in suffixes().items()]
    return "\n".join([t("formats.title"), "", *lines, "", t("upload.help")])

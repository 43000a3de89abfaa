"""OpenDocument files of any XML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_URN = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = " ".join(
    f'xmlns:{prefix}="{_URN}:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "style": "style",
        "draw": "drawing",
        "presentation": "presentation",
        "manifest": "manifest",
        "svg": "svg-compatible",
        "fo": "xsl-fo-compatible",
    }.items()
) + (' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"')
COVERED = "<table:covered-table-cell/>"
DOWN, ACROSS = 'table:number-rows-spanned="2"', 'table:number-columns-spanned="2"'
_MIME = "application/vnd.oasis.opendocument"


def document(kind: str, inside: str) -> str:
    """The file for "styles" or "meta", or that of an embedded chart."""
    return f"<office:document-{kind} {SPACES}>{inside}</office:document-{kind}>"


def p(text: str) -> str:
    """A paragraph."""
    return f"<text:p>{text}</text:p>"


def cell(text: str, attributes: str = "") -> str:
    """A cell with a paragraph."""
    return f"<table:table-cell {attributes}>{p(text)}</table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    """A row of cells."""
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def make_odf(kind: str, body: str, *, styles: str = "", title: str = "", parts: Mapping[str, str] | None = None) -> bytes:
    """A "text", "spreadsheet" or "presentation"; `styles` are the automatic ones, `parts` more files or others in their place."""
    files = {
        "mimetype": f"{_MIME}.{kind}",
        "content.xml": f"<office:document-content {SPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        "meta.xml": document("meta", f"<office:meta><dc:title>{title}</dc:title></office:meta>"),
        "META-INF/manifest.xml": f"<manifest:manifest {SPACES}/>",
    } | dict(parts or {})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()

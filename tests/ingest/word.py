"""Word documents of any XML, for what tests.files.make_docx does not write: styles, lists, notes, text boxes."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from io import BytesIO

from tests.files import make_docx

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
)


def p(text: str = "", *, style: str = "", numbered: tuple[int, int] | None = None, inside: str = "") -> str:
    """A paragraph; `numbered` is the id of its list and the level, `inside` XML behind the text."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if numbered:
        properties += f'<w:numPr><w:ilvl w:val="{numbered[1]}"/><w:numId w:val="{numbered[0]}"/></w:numPr>'
    return f"<w:p><w:pPr>{properties}</w:pPr>{r(text) if text else ''}{inside}</w:p>"


def r(text: str, properties: str = "") -> str:
    """A run of text."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def tc(inside: str, properties: str = "") -> str:
    """A cell of paragraphs."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inside}</w:tc>"


def tr(*cells: str) -> str:
    """A row."""
    return f"<w:tr>{''.join(cells)}</w:tr>"


def tbl(*rows: str) -> str:
    """A table."""
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def renamed(data: bytes) -> bytes:
    """The same document in "strict" Open XML, as Word saves it if asked."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as usual, zipfile.ZipFile(out, "w") as strict:
        for name in usual.namelist():
            names = re.compile(rb"http://schemas\.openxmlformats\.org/(\w+ml|officeDocument)/2006/")
            strict.writestr(name, names.sub(rb"http://purl.oclc.org/ooxml/\1/", usual.read(name)))
    return out.getvalue()


def word(body: str, *, parts: Mapping[str, str] | None = None) -> bytes:
    """A document; `parts` are by kind ("footnotes", "numbering", "chart", …): what stands within the root element of each."""
    roots = {"chart": "c:chartSpace"}
    given = dict(parts or {})
    relations = "".join(f'<Relationship Id="rId{kind}" Type="{OFFICE}/{kind}" Target="{kind}.xml"/>' for kind in given)
    files = {
        "word/document.xml": f"<w:document {SPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>',
    }
    for kind, inside in given.items():
        root = roots.get(kind, f"w:{kind}")
        files[f"word/{kind}.xml"] = f"<{root} {SPACES}>{inside}</{root}>"
    return make_docx([], parts={name: content.encode() for name, content in files.items()})

"""Small real files, made as bytes: PDFs and Word documents, with text in any language."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_SIZE, _LEADING, _MARGIN = 12, 16, 50  # points
_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_ID = b"0123456789abcdef"
_PERMISSIONS = (-4).to_bytes(4, "little", signed=True)

CID_FONT: dict[int, str | bytes] = {
    3: "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 6 0 R >>",
    4: "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /FontDescriptor 5 0 R /DW 1000"
    " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
    5: "<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200"
    " /CapHeight 700 /StemV 80 >>",
}
"""Objects 3 to 5: a font for any character, not embedded; object 6 is its ToUnicode map."""


def make_pdf(
    pages: Sequence[str],
    *,
    title: str | None = None,
    user_password: str = "",
    owner_password: str = "",
    broken_xref: bool = False,
) -> bytes:
    """A PDF with one page a text; lines end with a line break. An empty text makes a page without a text layer.

    Characters beyond ASCII get a Type0 font that is not embedded, with a ToUnicode map. A password encrypts it (RC4, 40 bits):
    with the owner's only, it opens without one. `broken_xref` leaves a cross-reference table that points nowhere.
    """
    key, encrypt = _encryption(user_password, owner_password) if user_password or owner_password else (b"", "")
    characters = sorted({ch for page in pages for ch in page if ch != "\n"})
    objects: dict[int, str | bytes] = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{10 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        **CID_FONT,
        6: _to_unicode(characters),
        7: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        8: f"<< /Title {_string(title, key, 8)} >>" if title else "<< >>",
        9: encrypt or "null",
    }
    for number, page in enumerate(pages):
        lines = page.split("\n")
        width = max(612, 2 * _MARGIN + _SIZE * max(map(len, lines)))
        height = max(792, 2 * _MARGIN + _LEADING * len(lines))
        objects[10 + 2 * number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents {11 + 2 * number} 0 R"
            " /Resources << /Font << /A 3 0 R /L 7 0 R >> >> >>"
        )
        objects[11 + 2 * number] = _content(lines, height, characters)
    return _assemble(objects, key, "" if not encrypt else f"/Encrypt 9 0 R /ID [<{_ID.hex()}> <{_ID.hex()}>]", broken_xref)


def _content(lines: Sequence[str], height: int, characters: Sequence[str]) -> bytes:
    if not any(lines):
        return b""
    shown = []
    for line in lines:
        if line.isascii():
            escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            shown.append(f"/L {_SIZE} Tf ({escaped}) Tj 0 -{_LEADING} Td")
        else:
            codes = "".join(f"{characters.index(ch) + 1:04X}" for ch in line)
            shown.append(f"/A {_SIZE} Tf <{codes}> Tj 0 -{_LEADING} Td")
    return f"BT {_MARGIN} {height - _MARGIN} Td {' '.join(shown)} ET".encode()


def _to_unicode(characters: Sequence[str]) -> bytes:
    pairs = [f"<{code:04X}> <{ch.encode('utf-16-be').hex()}>" for code, ch in enumerate(characters, start=1)]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]
    maps = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{maps}\nendcmap end end"
    ).encode()


def _assemble(objects: Mapping[int, str | bytes], key: bytes, trailer: str, broken_xref: bool) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in sorted(objects.items()):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body.encode() if isinstance(body, str) else _stream(number, body, key))
    start = 7 if broken_xref else len(out)
    out += f"xref\n0 {len(offsets) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(b"%010d 00000 n \n" % (0 if broken_xref else offset) for offset in offsets)
    out += f"trailer\n<< /Size {len(offsets) + 1} /Root 1 0 R /Info 8 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def _stream(number: int, content: bytes, key: bytes) -> bytes:
    stored = _rc4(_object_key(key, number), content) if key else content
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stored), stored)


def _string(text: str, key: bytes, number: int) -> str:
    raw = b"\xfe\xff" + text.encode("utf-16-be")
    return f"<{(_rc4(_object_key(key, number), raw) if key else raw).hex()}>"


def _encryption(user: str, owner: str) -> tuple[bytes, str]:
    """The file's key and the encryption dictionary of the standard security handler, revision 2."""
    user_padded, owner_padded = ((password.encode() + _PAD)[:32] for password in (user, owner or user))
    o = _rc4(hashlib.md5(owner_padded).digest()[:5], user_padded)
    key = hashlib.md5(user_padded + o + _PERMISSIONS + _ID).digest()[:5]
    return key, f"<< /Filter /Standard /V 1 /R 2 /O <{o.hex()}> /U <{_rc4(key, _PAD).hex()}> /P -4 >>"


def _object_key(key: bytes, number: int) -> bytes:
    return hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[: len(key) + 5]


def _rc4(key: bytes, data: bytes) -> bytes:
    box, j = list(range(256)), 0
    for i in range(256):
        j = (j + box[i] + key[i % len(key)]) % 256
        box[i], box[j] = box[j], box[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + box[i]) % 256
        box[i], box[j] = box[j], box[i]
        out.append(byte ^ box[(box[i] + box[j]) % 256])
    return bytes(out)


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def make_docx(
    paragraphs: Sequence[str],
    *,
    table: Sequence[Sequence[str]] = (),
    headers: Sequence[str] = (),
    footers: Sequence[str] = (),
    comments: Sequence[str] = (),
    title: str = "",
    parts: Mapping[str, bytes] | None = None,
) -> bytes:
    """A Word document. A paragraph that begins with "# " is a heading of level one; `parts` are put into the zip as they are."""
    body = "".join(map(_paragraph, paragraphs)) + _table(table)
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_WORD_TYPE}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{_WORD_TYPE}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/relationships/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f'<w:styles {_W}><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
        "</w:styles>",
        "word/document.xml": f"<w:document {_W} {_R}><w:body>{body}</w:body></w:document>",
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>',
    }
    for kind, tag, texts in (("header", "hdr", headers), ("footer", "ftr", footers)):
        for number, text in enumerate(texts, start=1):
            files[f"word/{kind}{number}.xml"] = f"<w:{tag} {_W}>{_paragraph(text)}</w:{tag}>"
    if comments:
        inside = "".join(f'<w:comment w:id="{n}" w:author="A">{_paragraph(text)}</w:comment>' for n, text in enumerate(comments))
        files["word/comments.xml"] = f"<w:comments {_W}>{inside}</w:comments>"
    packed = {name: text.encode() for name, text in files.items()} | dict(parts or {})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in packed.items():
            archive.writestr(name, content)
    return out.getvalue()


def _paragraph(text: str) -> str:
    style = '<w:pPr><w:pStyle w:val="H1"/></w:pPr>' if text.startswith("# ") else ""
    return f'<w:p>{style}<w:r><w:t xml:space="preserve">{escape(text.removeprefix("# "))}</w:t></w:r></w:p>'


def _table(rows: Sequence[Sequence[str]]) -> str:
    cells = ("".join(f"<w:tc>{_paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>" if rows else ""

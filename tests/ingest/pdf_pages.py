"""PDF pages drawn piece by piece: text at places, in sizes and directions, lines, pictures, bookmarks, form fields."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image

from tests.files import CID_FONT, _assemble, _string, _to_unicode

WIDE, HIGH = 612, 792
TURNS = {0: "1 0 0 1", 90: "0 1 -1 0", 180: "-1 0 0 -1", 270: "0 -1 1 0", 45: "0.7071 0.7071 -0.7071 0.7071"}


@dataclass(frozen=True)
class Text:
    """A line of text; `x`, `y` is where it begins on its base line, y from the top; `turn` counts to the left, in degrees;
    `vertical` and `spacing` (points between characters) are for text beyond ASCII."""

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False
    turn: int = 0
    vertical: bool = False
    spacing: float = 0


@dataclass(frozen=True)
class Line:
    """A drawn line."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True)
class Picture:
    """A picture over a part of the page."""

    image: Image.Image
    x: float = 0
    y: float = 0
    wide: float = WIDE
    high: float = HIGH


Piece = Text | Line | Picture
Sheet = Sequence[Piece]


def lines(x: float, y: float, texts: Sequence[str], *, step: float = 12, **look: float | bool) -> list[Text]:
    """Lines of text one below the other."""
    return [Text(x, y + number * step, text, **look) for number, text in enumerate(texts)]  # type: ignore[arg-type]


def grid(xs: Sequence[float], ys: Sequence[float]) -> list[Line]:
    """The lines of a table."""
    return [*(Line(xs[0], y, xs[-1], y) for y in ys), *(Line(x, ys[0], x, ys[-1]) for x in xs)]


def draw(
    pages: Sequence[Sheet],
    *,
    outline: Sequence[tuple[str, int]] = (),
    info: str = "",
    notes: Sequence[str] = (),
    rotate: int = 0,
    crop: tuple[float, float, float, float] | None = None,
    size: tuple[float, float] = (WIDE, HIGH),
) -> bytes:
    """A PDF. `outline` holds (title, page from 1); `notes` are annotations of the first page, as PDF dictionaries; `crop` is what
    is shown of each page: left, bottom, right, top in points from the lower left corner."""
    cropped = f"/CropBox [{crop[0]} {crop[1]} {crop[2]} {crop[3]}]" if crop else ""
    everything = [piece.text for sheet in pages for piece in sheet if isinstance(piece, Text)]
    characters = sorted({ch for text in everything if not text.isascii() for ch in text})
    objects: dict[int, str | bytes] = {
        1: f"<< /Type /Catalog /Pages 2 0 R {'/Outlines 9 0 R' if outline else ''} >>",
        **CID_FONT,
        6: _to_unicode(characters),
        7: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        8: f"<< {info} >>",
        9: "null",
        11: "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /UniJIS-UTF16-V /DescendantFonts [12 0 R] >>",
        12: "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Any /FontDescriptor 5 0 R /DW 1000"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 5 >> >>",
        10: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    }

    def add(body: str | bytes) -> int:
        objects[max(objects) + 1] = body
        return max(objects)

    kids = []
    for number, sheet in enumerate(pages):
        images = [piece for piece in sheet if isinstance(piece, Picture)]
        named = " ".join(f"/P{place} {add(_image(piece.image))} 0 R" for place, piece in enumerate(images))
        content = add("\n".join(_shown(piece, images, characters, size[1]) for piece in sheet).encode())
        shown = " ".join(f"{add(f'<< {note} >>')} 0 R" for note in notes) if number == 0 else ""
        kids.append(
            add(
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] {cropped} /Rotate {rotate}"
                f" /Contents {content} 0 R"
                f" /Annots [{shown}] /Resources << /Font << /A 3 0 R /L 7 0 R /B 10 0 R /V 11 0 R >> /XObject << {named} >> >> >>"
            )
        )
    objects[2] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>"
    if outline:
        first = max(objects) + 1
        objects[9] = f"<< /First {first} 0 R /Last {first + len(outline) - 1} 0 R /Count {len(outline)} >>"
        for place, (title, page) in enumerate(outline):
            following = f"/Next {first + place + 1} 0 R" if place + 1 < len(outline) else ""
            add(f"<< /Title {_string(title, b'', 0)} /Parent 9 0 R /Dest [{kids[page - 1]} 0 R /Fit] {following} >>")
    return _assemble(objects, b"", "", False)


def draw_in(font: str, texts: Sequence[str], *, means: Mapping[str, str] | None = None, size: tuple[float, float]) -> bytes:
    """A PDF of one page, its lines in a font of one byte a character, given as a PDF dictionary without its end; `means` is what
    the font says that its characters mean, those beyond two bytes left out."""
    codes = [f"<{ord(ch):02X}> <{meant.encode('utf-16-be').hex()}>" for ch, meant in (means or {}).items()]
    named = f"1 begincodespacerange <00> <FF> endcodespacerange {len(codes)} beginbfchar {' '.join(codes)} endbfchar"
    shown = " ".join(f"<{text.encode('latin-1').hex()}> Tj 0 -16 Td" for text in texts)
    return _assemble(
        {
            1: "<< /Type /Catalog /Pages 2 0 R >>",
            2: "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            3: f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] /Contents 4 0 R"
            " /Resources << /Font << /F 5 0 R >> >> >>",
            4: f"BT /F 12 Tf 20 {size[1] - 30} Td {shown} ET".encode(),
            5: f"{font} {'/ToUnicode 6 0 R' if means else ''} >>",
            6: f"begincmap /CMapType 2 def {named} endcmap".encode(),
            7: b"600 0 0 0 600 700 d1 0 0 500 700 re f",
            8: "<< >>",
        },
        b"",
        "",
        False,
    )


def _shown(piece: Piece, images: Sequence[Picture], characters: Sequence[str], high: float) -> str:
    if isinstance(piece, Line):
        return f"1 w {piece.x0} {high - piece.y0} m {piece.x1} {high - piece.y1} l S"
    if isinstance(piece, Picture):
        return f"q {piece.wide} 0 0 {piece.high} {piece.x} {high - piece.y - piece.high} cm /P{images.index(piece)} Do Q"
    if piece.text.isascii():
        escaped = piece.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        shown = f"/{'B' if piece.bold else 'L'} {piece.size} Tf {TURNS[piece.turn]} {piece.x} {high - piece.y} Tm ({escaped}) Tj"
    elif piece.vertical:
        shown = f"/V {piece.size} Tf {TURNS[0]} {piece.x} {high - piece.y} Tm <{piece.text.encode('utf-16-be').hex()}> Tj"
    else:
        codes = f" {-1000 * piece.spacing / piece.size} ".join(f"<{characters.index(ch) + 1:04X}>" for ch in piece.text)
        shown = f"/A {piece.size} Tf {TURNS[piece.turn]} {piece.x} {high - piece.y} Tm [{codes}] TJ"
    return f"BT {shown} ET"


def _image(image: Image.Image) -> str:
    """An image object with its pixels as a JPEG."""
    packed = io.BytesIO()
    image.convert("RGB").save(packed, "JPEG", quality=92)
    data = packed.getvalue().hex() + ">"
    return (
        f"<< /Type /XObject /Subtype /Image /Width {image.width} /Height {image.height} /ColorSpace /DeviceRGB"
        f" /BitsPerComponent 8 /Filter [/ASCIIHexDecode /DCTDecode] /Length {len(data)} >>\nstream\n{data}\nendstream"
    )

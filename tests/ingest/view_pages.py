"""What the tests of the document view share: a passage of a file, drawn with its marks, and where the ink on a page is."""

from __future__ import annotations

from PIL import Image
from pydantic import SecretStr

from ingest.loaders import get_loader
from ingest.view.drawing import draw
from ingest.view.picture import Box, PageAsked, PagePicture
from settings.ingest import IngestSettings, OcrSettings

WITHOUT_OCR = IngestSettings(ocr=OcrSettings(enabled=False))


def page_text(data: bytes, page: int = 1, name: str = "a.pdf", settings: IngestSettings = WITHOUT_OCR) -> str:
    """The text of a page, as it is stored."""
    return [document.page_content for document in get_loader(name, data, settings).lazy_load()][page - 1]


def marked(data: bytes, *quotes: str, page: int = 1, width: int = 800, last: bool = False) -> PagePicture:
    """The page with these quotes of its text marked: where they stand first, or `last`."""
    text = page_text(data, page)
    starts = [text.rindex(quote) if last else text.index(quote) for quote in quotes]
    spans = tuple((start, start + len(quote)) for start, quote in zip(starts, quotes, strict=True))
    return drawn(data, PageAsked(page, width, text, spans))


def drawn(data: bytes, asked: PageAsked, name: str = "a.pdf", password: SecretStr | None = None) -> PagePicture:
    return draw(name, data, IngestSettings(), password, asked)


def ink(data: bytes, page: int = 1, name: str = "a.pdf") -> Box:
    """The bounds of all that is dark on a page, as shares of it."""
    picture = drawn(data, PageAsked(page, 800), name)
    shades = Image.frombytes("RGB", (picture.width, picture.height), picture.pixels).convert("L")
    bounds = shades.point(lambda shade: 255 if shade < 160 else 0).getbbox()
    assert bounds, "a blank page"
    x0, top, x1, bottom = bounds
    return x0 / picture.width, top / picture.height, x1 / picture.width, bottom / picture.height


def outline(boxes: tuple[Box, ...]) -> Box:
    """The box around all boxes."""
    assert boxes, "no marks"
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def covers(box: Box, ink: Box, *, slack: float = 0.004, most: float = 0.02) -> bool:
    """Whether a box holds the ink and little else: each side lies up to `most` outside of it, or up to `slack` inside."""
    outside = (ink[0] - box[0], ink[1] - box[1], box[2] - ink[2], box[3] - ink[3])
    return all(-slack <= far <= most for far in outside)

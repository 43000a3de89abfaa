"""Pictures: their text by OCR; a picture of several pages (TIFF) gives a Document a page."""

from __future__ import annotations

import io
import struct
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from langchain_core.documents import Document
from PIL import Image, ImageOps

from ingest.errors import LoadError, TooLarge, UnreadableFile
from ingest.loaders.base import FileLoader
from ingest.loaders.ocr import OcrUnavailable, read_picture

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF")
_SAVE_AGAIN = "Open it in a picture viewer and save it again as PNG."


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Pillow's warnings: of what is damaged, and of sizes, which are checked here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class ImageLoader(FileLoader):
    """A photo, a screenshot or a scan. A page without text is ""; of an animation only the first picture is read."""

    def lazy_load(self) -> Iterator[Document]:
        """The pages. Raises UnreadableFile (damaged; OCR is off, not installed or failed) and TooLarge."""
        if not self.settings.ocr.enabled:
            raise self._needs_ocr("ocr_off", "its text is in a picture, and OCR is off", "Set ingest.ocr.enabled to true.")
        with self._naming_failures():
            yield from self._pages()

    def picture(self, number: int) -> Image.Image:
        """One of its pictures, from 0, turned as its camera says. Raises UnreadableFile (damaged, or without it) and TooLarge."""
        with self._naming_failures(), self._opened() as picture:
            return self._frame(picture, number)

    def frames(self) -> int:
        """How many pictures are read of it, of an animation only the first. Raises UnreadableFile (damaged) and TooLarge."""
        with self._naming_failures(), self._opened() as picture:
            count = getattr(picture, "n_frames", 1) if picture.format == "TIFF" else 1
            if count > self.settings.parse.max_entries:
                raise self._too_large()
            return count

    @contextmanager
    def _naming_failures(self) -> Iterator[None]:
        try:
            yield
        except OcrUnavailable as error:
            raise self._unavailable(error.why) from error
        except Image.DecompressionBombError as error:
            raise self._too_large() from error
        except (OSError, ValueError, SyntaxError, EOFError, ArithmeticError, LookupError, TypeError, struct.error) as error:
            reason = "the picture is damaged"
            raise UnreadableFile(self.name, reason, remedy=_SAVE_AGAIN, code="damaged_image") from error

    def _pages(self) -> Iterator[Document]:
        count = self.frames()
        with self._opened() as picture:
            for number in range(count):
                found = read_picture(self._frame(picture, number), self.settings.ocr)
                page = number + 1 if count > 1 else None
                yield self.document(found.text, "text", page=page, ocr_confidence=found.confidence)

    def _opened(self) -> Image.Image:
        with _quiet():
            return Image.open(io.BytesIO(self.data), formats=FORMATS)

    def _frame(self, picture: Image.Image, number: int) -> Image.Image:
        """One picture of a file, turned as its camera says."""
        with _quiet():
            picture.seek(number)
            if picture.width * picture.height > (Image.MAX_IMAGE_PIXELS or sys.maxsize):
                raise self._too_large()
            return ImageOps.exif_transpose(picture)

    def _too_large(self) -> TooLarge:
        pixels = (Image.MAX_IMAGE_PIXELS or 0) // 10**6
        return TooLarge(
            self.name,
            f"the picture has more than {pixels} million pixels, or too many pages",
            remedy="Save it smaller, or in parts.",
            code="picture_too_large",
            megapixels=pixels,
        )

    def _unavailable(self, why: str) -> LoadError:
        if why == "missing":
            remedy = "Install it with: pip install rapidocr onnxruntime"
            return self._needs_ocr("ocr_missing", "its text is in a picture, and the package for OCR is not installed", remedy)
        return self._needs_ocr("ocr_failed", "the text in the picture could not be read", _SAVE_AGAIN)

    def _needs_ocr(self, code: str, reason: str, remedy: str) -> UnreadableFile:
        return UnreadableFile(self.name, reason, remedy=remedy, code=code)

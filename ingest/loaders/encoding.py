"""Bytes become text: which encoding it is, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from charset_normalizer import from_bytes

from ingest.errors import UnreadableFile
from ingest.loaders.clean import clean


@dataclass(frozen=True)
class Decoded:
    """Clean text, the Python codec it came from, and how sure that is (0 to 1)."""

    text: str
    encoding: str
    confidence: float


def decode_file(name: str, data: bytes, declared: str | None = None) -> Decoded:
    """The text of a file. Raises UnreadableFile for binary content."""
    try:
        return Decoded(clean(data.decode("utf-8-sig")), "utf-8", 1.0)
    except UnicodeDecodeError:
        pass
    best = from_bytes(data).best()
    if best is None:
        raise UnreadableFile(name, "the content is binary, not text", remedy="Save it as UTF-8 text, or upload the original document.")
    return Decoded(clean(str(best)), best.encoding, 0.5)

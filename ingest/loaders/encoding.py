"""Bytes become text: which encoding it is, and how sure that is.

In this order: a byte order mark; valid UTF-8; what the document declares, where the bytes allow it; else the candidate whose
reading is the most plausible text (plausibility.py), which is right on texts of a line or two where statistics of bytes are not.
Where none of the candidates reads as text, charset-normalizer has a look with its many more code pages.
"""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from dataclasses import dataclass

from ingest.errors import UnreadableFile
from ingest.loaders.clean import clean
from ingest.loaders.plausibility import Script, log_likelihood

_MARKS = (  # longest first: UTF-32LE's begins with UTF-16LE's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_WIDE: tuple[tuple[str, Script, float], ...] = (
    ("utf-16-le", "any", -6.0),
    ("utf-16-be", "any", -7.0),
    ("utf-32-le", "any", -6.0),
    ("utf-32-be", "any", -7.0),
)
_NARROW: tuple[tuple[str, Script, float], ...] = (  # codec, script, log of how much likelier than others before the file is seen
    ("utf-8", "any", 8.0),
    ("gb18030", "hans", 1.0),
    ("cp950", "hant", 0.0),
    ("big5hkscs", "hant", -3.0),
    ("cp932", "ja", 0.0),
    ("euc_jp", "ja", -3.0),
    ("cp949", "ko", -1.0),
    ("cp1252", "latin", 0.0),
    ("cp1250", "central", -5.0),
    ("iso8859_2", "central", -7.0),
    ("cp1254", "turkish", -5.0),
    ("cp1251", "cyrillic", -2.0),
    ("koi8-r", "cyrillic", -4.0),
    ("cp1253", "greek", -6.0),
    ("cp1255", "hebrew", -6.0),
    ("cp1256", "arabic", -6.0),
    ("cp874", "thai", -6.0),
)
_PLAINER = {
    "gb18030": "gbk",
    "cp932": "shift_jis",
    "cp949": "euc_kr",
    "cp950": "big5",
}  # the older name, when it has all characters
# What pages call themselves and what browsers take it for (https://encoding.spec.whatwg.org/#names-and-labels).
_DECLARED = {
    **dict.fromkeys(("gb2312", "gbk", "gb18030", "x-gbk", "csgb2312"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs", "x-x-big5", "csbig5"), "cp950"),
    **dict.fromkeys(("shift-jis", "sjis", "x-sjis", "windows-31j", "ms-kanji"), "cp932"),
    **dict.fromkeys(("euc-kr", "ks-c-5601-1987", "korean", "windows-949"), "cp949"),
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "ascii", "us-ascii", "windows-1252", "cp1252"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "latin5", "windows-1254"), "cp1254"),
    **dict.fromkeys(("tis-620", "iso-8859-11", "windows-874"), "cp874"),
    **{f"iso-8859-{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"windows-125{n}": f"cp125{n}" for n in (0, 1, 3, 5, 6, 7, 8)},
    **{name: name for name in ("utf-8", "koi8-r", "koi8-u")},
    "euc-jp": "euc_jp",
    "macintosh": "mac_roman",
}
_EAST_ASIAN = frozenset({"gb18030", "cp950", "big5hkscs", "cp932", "euc_jp", "cp949"})
_CERTAIN = 0.99
_SAMPLE = 16 * 1024  # bytes that are weighed; the rest is only decoded
_SURE = 20  # so many characters beyond ASCII make valid UTF-8 no accident
_NATS = 4.0  # log-likelihood that doubles the odds about six-fold: a soft scale, as the models are rough
_MAX_ODD = 0.08  # share of characters that text does not have, above which a file is binary
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a]")


@dataclass(frozen=True)
class Decoded:
    """Clean text, the Python codec it came from, and how sure that is (0 to 1)."""

    text: str
    encoding: str
    confidence: float


def decode_file(name: str, data: bytes, declared: str | None = None) -> Decoded:
    """The text of a file; `declared` is a charset that the document itself names. Raises UnreadableFile for binary content."""
    decoded = _read(data, declared)
    if decoded is None:
        remedy = "Upload the original document, or save it as UTF-8 text."
        raise UnreadableFile(name, "the content is binary, not text", remedy=remedy, code="binary")
    return Decoded(clean(decoded.text), decoded.encoding, round(decoded.confidence, 2))


def is_text(data: bytes) -> bool:
    """Whether a file reads as text in some encoding, by its beginning."""
    return _read(data[:_SAMPLE], None) is not None


def _read(data: bytes, declared: str | None) -> Decoded | None:
    """The text, None of what is none: a file full of the same byte beyond ASCII is an erased one."""
    if len(data) >= _SURE and data[0] > 0x7F and data.count(data[:1]) == len(data):
        return None
    decoded: Decoded | None = _decode(data, declared)
    if decoded and _looks_binary(decoded.text):
        decoded = _second_opinion(data)
    return None if decoded and _looks_binary(decoded.text) else decoded


def _decode(data: bytes, declared: str | None) -> Decoded:
    for mark, codec in _MARKS:
        if data.startswith(mark) and not (codec == "utf-32-le" and _strict(data, codec) is None):
            return Decoded(data[len(mark) :].decode(codec, "replace"), codec, 1.0)
    if b"\x1b$" in data and (text := _strict(data, "iso2022_jp")) is not None:
        return Decoded(text, "iso2022_jp", 0.95)
    utf8 = _strict(data, "utf-8")
    if utf8 is not None and _is_surely_utf8(utf8):
        return Decoded(utf8, "utf-8", 1.0)
    named = _DECLARED.get(declared.lower().replace("_", "-")) if declared else None
    text = _strict(data, named) if named else None
    if named and text is not None and named != "cp1252":
        return Decoded(text, _plain_name(named, data), 0.95)
    codec, confidence = _most_plausible(data)
    # Latin-1 is what programs declare when they do not know, and its bytes are never invalid.
    if named and text is not None and (codec not in _EAST_ASIAN or confidence < _CERTAIN):
        return Decoded(text, _plain_name(named, data), 0.95)
    return Decoded(data.decode(codec, "replace"), _plain_name(codec, data), confidence)


def _is_surely_utf8(text: str) -> bool:
    """Valid UTF-8 may be an accident: a few characters beyond ASCII, or UTF-16 without any (NULs, no blanks, an even length)."""
    if text.isascii():
        return not _CONTROLS.search(text) and (len(text) % 2 == 1 or not text or bool(re.search(r"[ \n]", text)))
    return not _CONTROLS.search(text) and len(text) - len(text.encode("ascii", "ignore")) >= _SURE


def _strict(data: bytes, codec: str) -> str | None:
    """The text, or None when the bytes are not valid in the codec or there is no such text codec."""
    try:
        return str(data, codec)
    except (UnicodeError, LookupError):
        return None


def _most_plausible(data: bytes) -> tuple[str, float]:
    """The codec that reads the bytes as the likeliest text, and how far ahead of the next different reading it is."""
    wide = [candidate for candidate in _WIDE if _begins_valid(data, candidate[0])]
    codec, confidence = _best(data[:_SAMPLE], (*wide, *_NARROW))
    if codec not in dict.fromkeys(candidate[0] for candidate in wide) and len(data) > _SAMPLE:
        codec, confidence = _best(_telling_lines(data), _NARROW)
    return ("latin-1" if codec == "cp1252" and _strict(data, "cp1252") is None else codec), confidence


def _begins_valid(data: bytes, codec: str) -> bool:
    """Whether the sample is valid in a codec of two or four bytes; its end may cut a character, the file's may not."""
    try:
        codecs.getincrementaldecoder(codec)().decode(data[:_SAMPLE], final=len(data) <= _SAMPLE)
    except UnicodeError:
        return False
    return True


def _best(sample: bytes, candidates: tuple[tuple[str, Script, float], ...]) -> tuple[str, float]:
    readings: dict[str, tuple[float, str]] = {}  # text -> score and codec; equal readings are no rivals
    for codec, script, prior in candidates:
        text = sample.decode(codec, "replace")
        score = log_likelihood(text, script) + prior
        if text not in readings or score > readings[text][0]:
            readings[text] = (score, codec)
    (score, codec), *rest = sorted(readings.values(), reverse=True)
    return codec, 1 / (1 + math.exp((rest[0][0] - score) / _NATS)) if rest else 1.0


def _telling_lines(data: bytes) -> bytes:
    """The first 16 KiB of lines that are not plain ASCII: they decide."""
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    return b"".join(lines)[:_SAMPLE]


def _second_opinion(data: bytes) -> Decoded | None:
    """What charset-normalizer reads in bytes that no candidate explains, such as the code pages of DOS."""
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE], threshold=0.1, enable_fallback=False).best()
    text = _strict(data, best.encoding) if best else None
    return Decoded(text, codecs.lookup(best.encoding).name, 0.5) if best and text is not None else None


def _plain_name(codec: str, data: bytes) -> str:
    plain = _PLAINER.get(codec, codec)
    return codec if _strict(data, plain) is None else plain


def _looks_binary(text: str) -> bool:
    """Whether many characters are controls, unassigned, private or undecodable."""
    sample = re.sub(r"\x1b\[|[\t\n\x0b\f\r\x1a]", "", text[:_SAMPLE])
    odd = sum(unicodedata.category(ch) in ("Cc", "Cn", "Co", "Cs") or ch == "\ufffd" for ch in sample)
    return odd > 2 and odd > _MAX_ODD * len(sample)

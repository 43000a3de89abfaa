"""Text that can be stored and searched: one kind of line break, no characters that break a database or a page."""

from __future__ import annotations

import re
import unicodedata

REPLACEMENT = "\ufffd"
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_LINE_BREAKS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
# Controls and non-characters, and what invisibly cuts a word in two. U+FFFE is also how pdfium marks a hyphen that it took out.
_UNWANTED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u2060\ufeff\ufff9-\ufffb\ufffe\uffff]")
# Glyphs of PDFs that mean the same as a usual character: Kangxi and CJK radicals, compatibility ideographs, ligatures.
_RADICALS = str.maketrans(
    "⺠⻁⻄⻅⻆⻉⻋⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻬⻮⻰", "民虎西见角贝车长门青韦页风飞食马骨鬼鱼鸟卤麦黄齐齿龙"
)
_LOOKALIKES = re.compile(r"[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufb06\U0002f800-\U0002fa1f]")


def clean(text: str) -> str:
    r"""The text with every line break as \n, without marks of byte order, controls, non-characters; a surrogate is U+FFFD."""
    text = _LINE_BREAKS.sub("\n", _ANSI.sub("", text))
    return _SURROGATES.sub(REPLACEMENT, _UNWANTED.sub("", text))


def fold_lookalikes(text: str) -> str:
    """The text with radicals, compatibility ideographs and Latin ligatures as the letters that people type."""
    return _LOOKALIKES.sub(lambda match: unicodedata.normalize("NFKC", match.group()).translate(_RADICALS), text)

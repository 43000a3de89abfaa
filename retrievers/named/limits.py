"""The limits that a question names, as a filter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from retrievers.filter import Filter
from retrievers.named.days import named_days
from retrievers.named.documents import EXCEPTED, NEGATED, Names, one_form
from store.library import StoredDocument
from store.names import types_of

_WORDS = {word: n for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), start=1)}
_HAN = "零一二三四五六七八九"
_NUMBER = rf"(?:\d{{1,4}}|{'|'.join(_WORDS)})"
_PAGES = re.compile(
    rf"(?<![\w-])(?:pages?|pp?\.)\s*(?P<list>{_NUMBER}(?:\s*(?:,\s*(?:and\s+)?|-|–|—|~|to\b|through\b|and\b|or\b|&)\s*"
    rf"(?:pages?\s*|pp?\.\s*)?{_NUMBER})*)(?!\w|\.\d|-\w)"
)
_ZH_NUMBER = r"(?:\d{1,4}|[一二两三四五六七八九十]{1,3})"
_ZH_PAGES = re.compile(
    rf"第\s*(?P<list>{_ZH_NUMBER}(?:\s*页?\s*(?:到|至|-|–|—|~|、|,|和|与|及|或)\s*第?\s*{_ZH_NUMBER})*)\s*页(?![面码眉脚])"
)
_OPEN_BEFORE = re.compile(r"\b(?:after|before|until|up\s+to|past|beyond|since|how\s+many)\s*(?:the\s+)?$")
_OPEN_AFTER = re.compile(
    r"\s*(?:on(?:wards?)?\b(?!\s+\w)|and\s+(?:after|beyond|later|following)|以后|之后|以前|之前|往后|开始|后|前|起)"
)

_TYPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"pdf", ("pdf",)),
    (r"word|docx?", ("docx", "doc")),
    (r"excel|xlsx?|spreadsheet", ("xlsx", "xls", "csv")),
    (r"powerpoint|pptx?", ("pptx", "ppt")),
    (r"markdown|md", ("md", "markdown")),
    (r"html?|web", ("html", "htm")),
    (r"csv", ("csv",)),
    (r"json", ("json",)),
    (r"txt|text", ("txt",)),
)
_TYPE = "|".join(f"(?:{words})" for words, _ in _TYPES)
_IN_TYPE = re.compile(
    r"\b(?:in|from|within|inside|across|of|among|do|does|search|only)\s+(?:only\s+)?(?:all\s+(?:of\s+)?)?(?:the|my|our|these|those)\s+"
    rf"(?:(?P<noun>{_TYPE})\s+(?:files?|documents?|docs?|pages?)|(?P<alone>pdfs?|spreadsheets?))\b(?!-|\s*(?:files?|documents?|docs?)\b)"
    r"(?!\s+(?:format|version|reader|viewer|export|standard|specification|syntax|parser|loader|library))"
)
_ZH_IN_TYPE = re.compile(
    rf"(?<![a-z])(?:(?P<noun>{_TYPE})\s*(?:文件|文档|表格)|(?P<alone>pdf|excel))\s*(?:里面|当中|里(?!程)|中(?![文国间心])|内(?![容部]))"
)


def named_limits(question: str, documents: Sequence[StoredDocument], *, today: date) -> Filter:
    """What a question limits its search to, of these documents; nothing unless its words surely mean that."""
    sources, rest = Names(documents).named(one_form(question))
    after, before = named_days(rest, today)
    return Filter(
        sources=sources,
        types=_types(rest, documents),
        tags=_tags(rest, documents),
        after=after,
        before=before,
        pages=_pages(rest),
    )


def _pages(asked: str) -> tuple[int, int] | None:
    """From the first to the last page that is named; None as well when one is open to an end, or excepted."""
    numbers: list[int] = []
    for pattern, number in ((_PAGES, _NUMBER), (_ZH_PAGES, _ZH_NUMBER)):
        for match in pattern.finditer(asked):
            before, after = asked[: match.start()], asked[match.end() :]
            if _is_negated(before, after) or _OPEN_BEFORE.search(before) or _OPEN_AFTER.match(after):
                return None
            numbers += [_value(text) for text in re.findall(number, match["list"])]
    return (min(numbers), max(numbers)) if numbers and min(numbers) > 0 else None


def _value(text: str) -> int:
    if text.isdigit():
        return int(text)
    if text in _WORDS:
        return _WORDS[text]
    tens, ten, ones = text.replace("两", "二").partition("十")
    if not ten:
        return _HAN.index(tens[0])
    return 10 * (_HAN.index(tens[-1]) if tens else 1) + (_HAN.index(ones[0]) if ones else 0)


def _types(asked: str, documents: Sequence[StoredDocument]) -> tuple[str, ...]:
    """The suffixes of the types that are named; of those with several, the ones that documents have."""
    held = {name for document in documents for name in types_of(document)}
    found: list[str] = []
    for pattern in (_IN_TYPE, _ZH_IN_TYPE):
        for match in pattern.finditer(asked):
            if not _is_negated(asked[: match.start()], asked[match.end() :]):
                suffixes = _suffixes((match["noun"] or match["alone"]).removesuffix("s"))
                found += [suffix for suffix in suffixes if suffix in held] or suffixes
    return tuple(dict.fromkeys(found))


def _suffixes(name: str) -> tuple[str, ...]:
    return next(suffixes for words, suffixes in _TYPES if re.fullmatch(words, name) or re.fullmatch(words, f"{name}s"))


def _tags(asked: str, documents: Sequence[StoredDocument]) -> tuple[str, ...]:
    tags = {tag for document in documents for tag in document.tags}
    known = {form: tag for form, tag in ((one_form(tag), tag) for tag in sorted(tags)) if form in asked}
    if not known:
        return ()
    one = "|".join(_whole(form) for form in sorted(known, key=len, reverse=True))
    quoted = rf"[\"'“‘「『《`]?(?:{one})[\"'”’」』》`]?"
    several = rf"(?P<list>{quoted}(?:\s*(?:,|、|\band\b|\bor\b|和|或|与)\s*{quoted})*)"
    cues = (
        rf"\b(?:tagged(?:\s+(?:as|with))?|(?:with|by|under)\s+(?:the\s+)?tags?|tags?\s*[:=])\s*{several}",
        rf"(?:标签|标记)(?:为|是|叫|:|=)?\s*{several}",
        rf"(?:带有?|含有?|具有|有|打了|标了)\s*{several}\s*(?:的|这个)?标签",
    )
    found = [known[form] for match in _meant(cues, asked) for form in re.findall(one, match["list"])]
    return tuple(dict.fromkeys(found))


def _meant(cues: Sequence[str], asked: str) -> Iterator[re.Match[str]]:
    for cue in cues:
        for match in re.finditer(cue, asked):
            if not _is_negated(asked[: match.start()], asked[match.end() :]):
                yield match


def _whole(form: str) -> str:
    """A pattern for a tag as a whole word."""
    before = r"(?<![a-z0-9_-])" if form[0].isascii() and form[0].isalnum() else ""
    after = r"(?![a-z0-9_-])" if form[-1].isascii() and form[-1].isalnum() else ""
    return f"{before}{re.escape(form)}{after}"


def _is_negated(before: str, after: str) -> bool:
    return bool(NEGATED.search(before) or EXCEPTED.match(after))

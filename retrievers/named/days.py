"""Days on which documents were added or changed: "files since 2024", "uploaded last week", 2024年以后的文档, 上周上传的文件."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

Days = tuple[date | None, date | None]
"""The first and the last day; None where there is no limit."""
ALWAYS: Days = (None, None)
_DAY = timedelta(days=1)

_MONTHS = {name: n for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_DATE = (
    rf"(?:{_YEAR}[-/.]\d{{1,2}}(?:[-/.]\d{{1,2}})?(?!\d)|{_YEAR}\s*年(?:\s*\d{{1,2}}\s*月(?:\s*\d{{1,2}}\s*[日号])?)?"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?{_MONTH}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?{_YEAR}|{_YEAR}(?![\d年]))"
)
_CHANGED = r"(?:added|uploaded|imported|changed|updated|modified)"
_WERE = r"(?:(?:that|which|i|we|you|have|has|been|were|was|are)\s+)*"
_SUBJECT = (
    rf"(?:\b(?:documents?|files?|docs?|pdfs?|uploads?)\s+(?:{_WERE}{_CHANGED}\s+)?"
    rf"|\b(?:reports?|notes?|papers?|articles?|contracts?|e?-?mails?|pages?)\s+{_WERE}(?:added|uploaded|imported)\s+)"
)
"""Documents as things that a person keeps; of a report, "since 2024" may tell what it is about."""
_SINCE = re.compile(
    rf"{_SUBJECT}(?P<when>since|from|after|before|until|till|up to|between|in|during|on)\s+(?P<date>{_DATE})"
    rf"(?:\s+(?:and|to|until|till)\s+(?P<end>{_DATE}))?"
)
_LATELY = re.compile(
    rf"{_SUBJECT}(?P<lately>today|yesterday|(?:this|last)\s+(?:week|month|year)"
    r"|(?:in|within|over|during)\s+the\s+(?:last|past)\s+(?P<count>\d{1,3}\s+)?(?:days?|weeks?|months?|years?))\b"
)
_ZH_CHANGED = r"(?:上传|添加|加入|导入|更新|修改)"
_ZH_KEPT = r"(?:所有|全部)?(?:文件|文档|资料|pdf)"
_ZH_SINCE = re.compile(
    rf"(?P<date>{_DATE})(?P<when>以后|之后|以来|起|以前|之前|至今)?(?P<changed>\s*{_ZH_CHANGED})?过?的?\s*{_ZH_KEPT}"
    rf"|{_ZH_KEPT}(?:是|在)?(?P<date2>{_DATE})(?P<when2>以后|之后|以来|起|以前|之前)?{_ZH_CHANGED}"
)
_ZH_LATELY = re.compile(
    r"(?P<lately>今天|昨天|[本这上]个?[周月]|[本这上]个?星期|今年|去年|(?:最近|过去)(?P<count>[\d一二两三四五六七八九十]*)个?[天周月年](?:内|里)?)"
    rf"{_ZH_CHANGED}过?的?\s*{_ZH_KEPT}"
)


def named_days(asked: str, today: date) -> Days:
    """The days that a question (in one form: NFKC, casefolded) limits documents to."""
    if (match := _LATELY.search(asked) or _ZH_LATELY.search(asked)) is not None:
        if match.re is _LATELY and not re.search(_CHANGED, match[0]):
            return ALWAYS
        return _lately(match["lately"], int(_digits(match["count"] or "1")), today)
    if (match := _SINCE.search(asked)) is not None:
        if match["when"] in ("in", "during", "on") and not re.search(_CHANGED, match[0]):
            return ALWAYS  # what a file says in 2024
        return _between(match["when"], match["date"], match["end"])
    if (match := _ZH_SINCE.search(asked)) is not None:
        when = match["when"] or match["when2"]
        if not when and match["date"] and not match["changed"]:
            return ALWAYS  # 2024年的文件 may tell what it is about
        return _between(when or "in", match["date"] or match["date2"], None)
    return ALWAYS


def period(text: str) -> tuple[date, date] | None:
    """The first and the last day of a date in English, Chinese or ISO form: of a day, a month or a year; None when it is none."""
    if not re.fullmatch(_DATE, text.strip()):
        return None
    year = int(re.search(_YEAR, text)[0])  # type: ignore[index]
    rest = re.sub(_YEAR, " ", text, count=1)
    named = re.search(_MONTH, rest)
    numbers = [int(number) for number in re.findall(r"\d{1,2}", rest)]
    if named:
        numbers.insert(0, _MONTHS[named[0][:3]])
    try:
        if not numbers:
            return date(year, 1, 1), date(year, 12, 31)
        if len(numbers) == 1:
            return date(year, numbers[0], 1), date(year, numbers[0], calendar.monthrange(year, numbers[0])[1])
        return date(year, numbers[0], numbers[1]), date(year, numbers[0], numbers[1])
    except ValueError:  # there is no such day
        return None


def _between(when: str, text: str, end: str | None) -> Days:
    """What "since March 2025" means. "After 2024" begins in 2025; 2024年以后 has 2024 in it."""
    first, last = period(text), period(end) if end else None
    if first is None or (end and last is None) or (when == "between" and last is None):
        return ALWAYS
    if last is not None:
        return (first[0], last[1]) if when in ("from", "between") and first[0] <= last[1] else ALWAYS
    if when in ("in", "during", "on"):
        return first
    if when in ("before", "以前", "之前"):
        return None, first[0] - _DAY
    if when in ("until", "till", "up to"):
        return None, first[1]
    return (first[1] + _DAY if when == "after" else first[0]), None


def _lately(words: str, count: int, today: date) -> Days:
    """The days of "last week", which begins on a Monday, or of "the last 3 days", which end today."""
    days = next((n for unit, n in _UNITS if unit in words), 1)
    if words in ("today", "今天"):
        return today, today
    if words in ("yesterday", "昨天"):
        return today - _DAY, today - _DAY
    if re.match(r"(?:in|within|over|during|最近|过去)", words):
        return today - count * days * _DAY, today
    first = _beginning(today, days)
    return (first, today) if re.match(r"this|[本这今]", words) else (_beginning(first - _DAY, days), first - _DAY)


_UNITS = (("week", 7), ("month", 31), ("year", 366), ("周", 7), ("星期", 7), ("月", 31), ("年", 366))


def _beginning(day: date, days: int) -> date:
    """The first day of the week, month or year (by its longest length) that the day is in."""
    if days == 7:
        return day - day.weekday() * _DAY
    return day.replace(day=1) if days == 31 else day.replace(month=1, day=1)


def _digits(text: str) -> str:
    """A number up to ten as digits."""
    han = "零一二三四五六七八九十"
    text = text.strip().replace("两", "二")
    return str(han.index(text)) if text in han and text else text if text.isdigit() else "1"

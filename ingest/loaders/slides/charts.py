"""The numbers of a chart as a table."""

from __future__ import annotations

from typing import Any

from ingest.loaders.clean import clean
from ingest.loaders.sheets.numbers import shown
from ingest.loaders.tables import Cell, table_markdown

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_MOST_POINTS = 1000


def chart_text(element: Any) -> str:
    """The title, and a table: a row a category, a column a series. The names are those that the chart keeps itself."""
    title = element.find(f"{_C}chart/{_C}title")
    series = list(element.iter(f"{_C}ser"))
    first = next((points for each in series if (points := _points(each, "cat", "xVal"))), {})
    columns = [_points(each, "val", "yVal") for each in series]
    places = sorted({place for column in (first, *columns) for place in column})[:_MOST_POINTS]
    names = [_words(each.find(f"{_C}tx")) or f"{number}" for number, each in enumerate(series, start=1)]
    rows = [["", *names], *([first.get(place, ""), *(column.get(place, "") for column in columns)] for place in places)]
    table = table_markdown([Cell(text) for text in row] for row in rows) if places else ""
    return "\n\n".join(filter(None, (_words(title), table)))


def _points(series: Any, *kinds: str) -> dict[int, str]:
    """The values of a series, or the names of its categories, by place."""
    found: dict[int, str] = {}
    for kind in kinds:
        for cache in series.iterfind(f"{_C}{kind}//{_C}ptCount/.."):
            code = cache.findtext(f"{_C}formatCode") or "General"
            for point in cache.iterfind(f"{_C}pt"):
                place, value = point.get("idx", ""), clean(point.findtext(f"{_C}v") or "").strip()
                if place.isdecimal() and value:
                    found[int(place)] = _value(value, code) if cache.tag == f"{_C}numCache" else value
    return found


def _value(value: str, code: str) -> str:
    try:
        return shown(float(value), code)
    except ValueError:
        return value


def _words(element: Any) -> str:
    """The text of a title or of a series' name."""
    if element is None:
        return ""
    rich = " ".join(each.text or "" for each in element.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}t"))
    return " ".join((rich or " ".join(each.text or "" for each in element.iter(f"{_C}v"))).split())

"""What is drawn in a Word document and says something: charts, diagrams, alternative texts of pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.loaders.ooxml import related
from ingest.loaders.package import Package
from ingest.loaders.slides.charts import chart_text
from ingest.loaders.slides.shapes import described, lines

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"


class Drawings:
    """Reads drawings of one part of a document."""

    def __init__(self, package: Package, part: str) -> None:
        self._package, self._related = package, related(package, part)

    def texts(self, drawing: Any) -> Iterator[str]:
        """The description that somebody wrote, the numbers of a chart, the words of a diagram; some are ""."""
        yield described(drawing.find("{*}docPr"))
        for chart in drawing.iter(_CHART):
            root = self._part(chart.get(f"{_R}id"))
            yield "" if root is None else chart_text(root)
        for diagram in drawing.iter(_DIAGRAM):
            root = self._part(diagram.get(f"{_R}dm"))
            yield "" if root is None else "\n".join(f"- {text}" for text in lines(root))

    def _part(self, number: str) -> Any:
        return self._package.xml(self._related[number][1]) if number in self._related else None

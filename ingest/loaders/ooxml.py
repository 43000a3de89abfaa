"""What the packages of Word, Excel and PowerPoint have in common: relations between parts, properties, formulas."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from lxml import etree

from ingest.loaders.members import Member
from ingest.loaders.package import Package, parse_xml

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_DC_TITLE = "{http://purl.org/dc/elements/1.1/}title"


def core_title(package: Package) -> str | None:
    """The title in the document's properties."""
    core = package.xml("docProps/core.xml")
    title: str | None = None if core is None else core.findtext(_DC_TITLE)
    return title


def related(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to within the package, by the ids of its relations: the last word of their type, and the other part."""
    folder, name = posixpath.split(part)
    relations = package.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
    found = {}
    for relation in () if relations is None else relations.iterchildren("{*}Relationship"):
        if relation.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
            found[relation.get("Id", "")] = (relation.get("Type", "").rpartition("/")[2], target)
    return found


def embedded(package: Package, part: str) -> Iterator[Member]:
    """The Office documents that stand in a part as objects, of which it shows a picture. A chart's workbook is the chart's."""
    for kind, target in related(package, part).values():
        if kind == "package" and target in package.names:
            yield Member(posixpath.basename(target), package.read(target))


def main_part(package: Package) -> str:
    """The part that holds the document itself. Raises KeyError in a package that has none."""
    return dict(related(package, "").values())["officeDocument"]


def equation(element: Any) -> str:
    """A formula (m:oMath) as LaTeX between dollar signs; its characters where it cannot be converted."""
    from markitdown.converter_utils.docx.math.omml import oMath2Latex

    bare = deepcopy(element)
    bare.tail = None
    try:
        latex = oMath2Latex(_with_properties(parse_xml(etree.tostring(bare)))).latex  # type: ignore[no-untyped-call]
    except (LookupError, AttributeError, TypeError, ValueError, NotImplementedError, RecursionError):
        latex = " ".join(each.text or "" for each in element.iter(f"{MATH}t"))
    tidy = " ".join(latex.split())
    return f"${tidy}$" if tidy else ""


def _with_properties(formula: Any) -> Any:
    """The formula with what may be left out, without which the converter fails; what sums up is an integral unless it says."""
    for name in ("acc", "bar", "d", "f", "groupChr", "nary"):
        for element in formula.iter(f"{MATH}{name}"):
            properties = element.find(f"{MATH}{name}Pr")
            if properties is None:
                properties = etree.Element(f"{MATH}{name}Pr")
                element.insert(0, properties)
            if name == "nary" and properties.find(f"{MATH}chr") is None:
                etree.SubElement(properties, f"{MATH}chr", {f"{MATH}val": "∫"})
    return formula

"""A document for which the memory does not suffice is not called damaged."""

from __future__ import annotations

import pytest

from ingest.loaders.package import Package
from tests.files import make_docx
from tests.ingest.loading import load
from tests.ingest.odf import make_odf
from tests.ingest.test_loaders_epub import epub, page
from tests.ingest.test_loaders_pptx import deck_with, saved
from tests.ingest.test_loaders_spreadsheet import xlsx


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.odt", "a.ods", "a.epub"])
def test_a_lack_of_memory_is_told_as_what_it_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "a.docx": make_docx(["Body."]),
        "a.pptx": saved(deck_with()[0]),
        "a.xlsx": xlsx([["n"]]),
        "a.odt": make_odf("text", ""),
        "a.ods": make_odf("spreadsheet", ""),
        "a.epub": epub({"a.xhtml": page("x")}),
    }

    def lack(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Package, "xml", lack)
    with pytest.raises(MemoryError):
        load(name, files[name])

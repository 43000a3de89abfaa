"""The types of documents: what their names end in, and what they were read as."""

from __future__ import annotations

from typing import Any

import pytest

from store.database import now
from store.library import StoredDocument
from store.names import types_of


def document(source: str, *aliases: str, **report: Any) -> StoredDocument:
    return StoredDocument("d", "b", source, "v", "ready", 1, report, now(), aliases=aliases)


@pytest.mark.parametrize(
    ("source", "read_as", "types"),
    [
        ("notes.TXT", "txt", {"txt"}),
        ("notes", "txt", {"txt"}),
        ("notes.txt", "pdf", {"txt", "pdf"}),
        ("知识.md", None, {"md"}),
        ("notes", None, set()),
        ("https://example.org/refunds", "html", {"html"}),
        ("https://example.org/退款", "html", {"html"}),
        ("https://example.com", "html", {"html"}),
        ("https://example.org/index.php?a=b.txt", "html", {"html"}),
        ("https://example.org/paper", "pdf", {"pdf"}),
        ("https://example.com", None, {"html"}),
        ("https://example.org/old.pdf", None, {"pdf"}),
        ("ftp.example.org.txt", None, {"txt"}),
    ],
)
def test_a_page_has_the_type_that_it_was_read_as_and_a_file_also_that_of_its_name(
    source: str, read_as: str | None, types: set[str]
) -> None:
    assert types_of(document(source, **({"type": read_as} if read_as else {}))) == types


def test_further_names_count_as_well() -> None:
    assert types_of(document("https://example.org/a", "copy.htm", type="html")) == {"html", "htm"}
    assert types_of(document("a.txt", "b.md", type="txt")) == {"txt", "md"}

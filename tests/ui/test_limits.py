"""What the limits of a search can be chosen from."""

from __future__ import annotations

from store.database import now
from store.library import StoredDocument
from ui.limits import options_of


def document(source: str, **report: str) -> StoredDocument:
    return StoredDocument("d", "b", source, "v", "ready", 1, dict(report), now(), tags=("a",))


def test_web_pages_are_offered_by_the_type_that_they_were_read_as() -> None:
    options = options_of(
        [document("https://example.com", type="html"), document("https://example.org/x", type="pdf"), document("知识.md")]
    )
    assert options["types"] == ["html", "md", "pdf"]
    assert options["tags"] == ["a"]

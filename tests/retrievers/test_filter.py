"""Filters as a person writes them: what is refused, and which documents and pages are searched."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers import EVERY_DOCUMENT, Filter, InvalidFilter, Retrieval
from retrievers.filter import _is_named
from store.filters import EVERYTHING
from tests.files import make_pdf
from tests.ingest.site import html
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import codes, word_shelf

NAMES = (
    "report.txt",
    "Report 2024.txt",
    "notes/report.txt",
    "it's.txt",
    'a"b;--.md',
    "report[1].txt",
    "report1.txt",
    "what?.txt",
    "whats.txt",
    "知识库（旧）.txt",
    "知识库.md",
    "100%_done.txt",
    "100xxdone.txt",
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = word_shelf(tmp_path_factory.mktemp("named"))
    for number, name in enumerate(NAMES):
        shelf.add(name, f"The harbour is number {number}.")
    copy = shelf.pipeline.run(shelf.base, "copy of it.txt", b"The harbour is number 3.", shelf.settings)
    assert copy.status == "duplicate"
    return shelf


def ask(shelf: Shelf, *filters: str, weight: float = 0.5) -> Retrieval:
    settings = shelf.settings.override({"retrieval.top_k": 50, "retrieval.vector_weight": weight})
    return shelf.retriever.retrieve("harbour", shelf.base, settings, limits=Filter.parse(filters))


def sources(shelf: Shelf, *filters: str, weight: float = 0.5) -> set[str]:
    return {context.source for context in ask(shelf, *filters, weight=weight).contexts}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("harbour", "'harbour' is no filter. Write one of source, type, tag, after, before, page"),
        ("color=red", "'color=red' is no filter"),
        ("source=", "'source=' is no filter"),
        ("source=  ", "no filter"),
        ("=x", "no filter"),
        ("", "no filter"),
        ("page=0", "'page=0': '0' is no page: pages are counted from 1"),
        ("page=5-3", "the last is not before the first"),
        ("page=one", "'page=one': 'one' is no page"),
        ("page=-3", "is no page"),
        ("after=yesterday", "'after=yesterday': 'yesterday' is no after"),
        ("before=2026-02-30", "is no before"),
        ("after=2026", "is no after"),
    ],
)
def test_what_cannot_be_understood_is_named(text: str, said: str) -> None:
    with pytest.raises(InvalidFilter) as error:
        Filter.parse(["source=a.txt", text])
    assert said in str(error.value)


def test_the_parts_of_a_filter() -> None:
    found = Filter.parse(
        ["source=*.pdf", "source=a=b.txt", "type=.PDF", "type=md", "tag=law", "after=2026-01-31", "before=2026-12-01", "page=3-5"]
    )
    assert found == Filter(
        sources=("*.pdf", "a=b.txt"),
        types=("pdf", "md"),
        tags=("law",),
        after=date(2026, 1, 31),
        before=date(2026, 12, 1),
        pages=(3, 5),
    )
    assert found.as_json() == {
        "sources": ["*.pdf", "a=b.txt"],
        "types": ["pdf", "md"],
        "tags": ["law"],
        "after": "2026-01-31",
        "before": "2026-12-01",
        "pages": [3, 5],
    }
    assert Filter.from_json(found.as_json()) == found
    assert Filter.from_json({}) == EVERY_DOCUMENT
    assert Filter.parse([]) == EVERY_DOCUMENT
    assert Filter.parse(["page=7"]).pages == (7, 7)


def test_without_a_filter_nothing_is_looked_up(shelf: Shelf) -> None:
    assert EVERY_DOCUMENT.conditions(shelf.stores.library, shelf.base) is EVERYTHING
    assert sources(shelf) == set(NAMES)


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_found_whatever_it_holds(shelf: Shelf, name: str, weight: float) -> None:
    expected = {name} | ({"notes/report.txt"} if name == "report.txt" else set())
    assert sources(shelf, f"source={name}", weight=weight) == expected


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("report*", {"report.txt", "Report 2024.txt", "notes/report.txt", "report[1].txt", "report1.txt"}),
        ("REPORT 2024.TXT", {"Report 2024.txt"}),
        ("notes/*", {"notes/report.txt"}),
        ("知识库*", {"知识库（旧）.txt", "知识库.md"}),
        ("*（旧）*", {"知识库（旧）.txt"}),
        ("100%*", {"100%_done.txt"}),
        ("*.md", {'a"b;--.md', "知识库.md"}),
        ("copy of it.txt", {"it's.txt"}),
        ("copy*", {"it's.txt"}),
    ],
)
def test_a_star_stands_for_anything_and_further_names_count(shelf: Shelf, pattern: str, found: set[str]) -> None:
    assert sources(shelf, f"source={pattern}") == found


def test_values_of_a_part_add_up_and_parts_narrow(shelf: Shelf) -> None:
    assert sources(shelf, "source=report.txt", "source=whats.txt") == {"report.txt", "notes/report.txt", "whats.txt"}
    assert sources(shelf, "type=md") == {'a"b;--.md', "知识库.md"}
    assert sources(shelf, "type=md", "source=知识库*") == {"知识库.md"}
    assert sources(shelf, "type=MD", "type=txt") == set(NAMES)


@pytest.mark.parametrize(
    "value",
    ["x' OR '1'='1", "' OR 1=1 --", "x') OR (1=1", "%", "_", "?", "[a-z]*", "\\", "\0", "\ud800", "x" * 5000, "*" * 40 + "x"],
)
@pytest.mark.parametrize("part", ["source", "type", "tag"])
def test_a_value_is_never_more_than_a_value(shelf: Shelf, part: str, value: str) -> None:
    found = ask(shelf, f"{part}={value}")
    assert found.contexts == ()
    assert codes(found)[0] == "no_document_fits"


def test_when_no_document_fits_a_note_says_so(shelf: Shelf) -> None:
    found = ask(shelf, "source=missing.txt")
    assert codes(found) == ["no_document_fits"], "that no word was found would be beside the point"
    assert found.ledger.notes[0].params == {"base": "test"}
    assert "no_document_fits" not in codes(ask(shelf, "source=report.txt"))


def test_days_are_those_on_which_a_document_changed(shelf: Shelf) -> None:
    today = datetime.now(UTC).date()
    yesterday, tomorrow = today - timedelta(days=1), today + timedelta(days=1)
    assert sources(shelf, f"after={yesterday}") == set(NAMES)
    assert sources(shelf, f"after={yesterday}", f"before={tomorrow}") == set(NAMES)
    assert sources(shelf, f"after={tomorrow}") == set()
    assert sources(shelf, f"before={yesterday}") == set()


def test_tags_are_those_of_the_document(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    for name in ("law.txt", "tea.txt"):
        shelf.add(name, f"The harbour of {name}.")
    library = shelf.stores.library
    document = library.find(shelf.base, "law.txt")
    assert document
    library.set_tags(document.doc_id, ["Law", "合同"])
    assert sources(shelf, "tag=law") == sources(shelf, "tag=合同", "tag=none") == {"law.txt"}
    assert sources(shelf, "tag=tea") == set()


def test_pages_of_a_pdf(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path, settings={"ingest.min_chunk_size": 1, "ingest.chunk_size": 100})
    pages = [
        f"The harbour on page {name} is described here.\n第{n}页的内容。" for n, name in enumerate(("one", "two", "three"), 1)
    ]
    data = make_pdf(pages)
    assert shelf.pipeline.run(shelf.base, "book.pdf", data, shelf.settings).status == "indexed"
    shelf.add("plain.txt", "The harbour without pages.")
    for weight in (0.0, 0.5, 1.0):
        for page, word in ((1, "one"), (2, "two"), (3, "three")):
            found = ask(shelf, f"page={page}", weight=weight).contexts
            assert {context.page for context in found} - {None} == {page}
            assert (None in {context.page for context in found}) == (page == 1), "a document without pages is one page"
            assert any(word in context.text for context in found)
        assert {context.page for context in ask(shelf, "page=2-3", weight=weight).contexts} == {2, 3}
    assert ask(shelf, "page=9").contexts == ()
    assert sources(shelf, "page=1", "type=txt") == sources(shelf, "page=1-5", "type=txt") == {"plain.txt"}
    assert sources(shelf, "page=2", "type=txt") == set()
    assert ask(shelf, f"page=1-{10**30}").contexts


def test_a_passage_that_goes_on_to_the_next_page_is_on_both(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    pages = [f"Page {n} of the harbour book tells of the {name}." for n, name in enumerate(("gate", "tower", "lighthouse"), 1)]
    assert shelf.pipeline.run(shelf.base, "book.pdf", make_pdf(pages), shelf.settings).status == "indexed"
    (whole,) = ask(shelf).contexts
    assert (whole.page, [page for page, _ in whole.later_pages]) == (1, [2, 3])
    for weight in (0.0, 1.0):
        for limit in ("page=1", "page=2", "page=3", "page=3-7", "page=2-3"):
            assert [context.chunk_id for context in ask(shelf, limit, weight=weight).contexts] == [whole.chunk_id], limit
    assert ask(shelf, "page=4").contexts == ask(shelf, "page=4-9").contexts == ()


def test_a_passage_that_goes_on_behind_an_empty_page_is_within_a_range_of_both(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    data = make_pdf(["The harbour opens.", "", "It closes at ten."])
    assert shelf.pipeline.run(shelf.base, "book.pdf", data, shelf.settings).status == "indexed"
    (whole,) = ask(shelf).contexts
    for limit in ("page=1", "page=3", "page=2-3", "page=2-4"):
        assert [context.chunk_id for context in ask(shelf, limit).contexts] == [whole.chunk_id], limit


def test_an_accent_may_be_a_character_of_its_own() -> None:
    apart, whole = "re\u0301sume\u0301 ガ.txt", "r\xe9sum\xe9 ガ.txt"
    assert _is_named(apart, whole)
    assert _is_named(whole, apart)
    assert _is_named(apart, "R\xc9SUM\xc9*")
    assert not _is_named(apart, "resume ガ.txt")


NAME = st.text(st.characters(codec="ascii", exclude_characters="*") | st.sampled_from("知识库（旧）éß😀"))


@given(NAME, NAME.filter(bool), NAME)
def test_a_pattern_fits_what_it_was_made_of(before: str, middle: str, after: str) -> None:
    name = before + middle + after
    assert _is_named(name, name)
    assert _is_named(name, f"*{middle}*")
    assert _is_named(name, f"{before}*{after}")
    assert not _is_named(name, f"{name}x")


def test_web_pages_are_of_the_type_that_they_were_read_as(tmp_path: Path) -> None:
    shelf = word_shelf(tmp_path)
    page = html("Harbour", "The harbour is deep. 港口很深。")
    for name, data in (
        ("https://example.org", page),
        ("https://example.org/index.php", page.replace(b"deep", b"wide")),
        ("https://example.org/paper", make_pdf(["The harbour is old."])),
        ("harbour.txt", b"The harbour is new."),
    ):
        assert shelf.pipeline.run(shelf.base, name, data, shelf.settings).status == "indexed"
    assert sources(shelf, "type=html") == {"https://example.org", "https://example.org/index.php"}
    assert sources(shelf, "type=pdf") == {"https://example.org/paper"}
    assert sources(shelf, "type=txt") == {"harbour.txt"}
    assert sources(shelf, "type=org") == sources(shelf, "type=php") == set()

"""Limits that a question names: the rules in both languages, what a model at a real server says, and the search within them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers.filter import EVERY_DOCUMENT, Filter
from retrievers.ledger import Ledger, recording
from retrievers.named import named_limits, period
from retrievers.self_query import SelfQuery, in_words
from store.database import connect
from store.library import Base, Library, StoredDocument, document_id
from tests.files import make_pdf
from tests.models.endpoints import chat_at
from tests.retrievers.conftest import Shelf
from tests.servers import ModelServer

TODAY = date(2026, 12, 2)  # a Wednesday
ADDED = datetime(2026, 12, 1, 12, tzinfo=UTC)


def document(
    source: str, *, tags: tuple[str, ...] = (), pages: int | None = None, aliases: tuple[str, ...] = ()
) -> StoredDocument:
    return StoredDocument(source, "b", source, "v", "ready", 1, {"pages": pages}, ADDED, aliases, tags)


DOCUMENTS = [
    document("handbook.pdf", tags=("HR", "合同"), pages=12, aliases=("old/staff rules.pdf",)),
    document("deep/notes.md", tags=("Year end",)),
    document("员工手册.docx"),
    document("机器学习.pdf"),
    document("python.md"),
    document("system.md"),
    document("log.txt"),
    document("refund_policy.txt"),
    document("2024.pdf", pages=3),
    document("report.pdf"),
    document("annual report 2024.pdf"),
    document("it's [a] *name*.txt"),
    document("README"),
]


def named(question: str) -> dict[str, Any]:
    return named_limits(question, DOCUMENTS, today=TODAY).as_json()


# --- the rules ---


@pytest.mark.parametrize(
    ("question", "sources"),
    [
        ("What does handbook.pdf say about leave?", ["handbook.pdf"]),
        ('Leave in "HANDBOOK.PDF"?', ["handbook.pdf"]),
        ("What does “handbook” say about leave?", ["handbook.pdf"]),
        ("What does the handbook say about leave?", ["handbook.pdf"]),
        ("According to the handbook, how long is leave?", ["handbook.pdf"]),
        ("How long is leave in the handbook document?", ["handbook.pdf"]),
        ("How long is leave in the file called handbook?", ["handbook.pdf"]),
        ("How long is leave in staff rules.pdf?", ["handbook.pdf"]),
        ("What stands in NOTES.md?", ["deep/notes.md"]),
        ("How long is the refund in refund_policy?", ["refund_policy.txt"]),
        ("What is in annual report 2024.pdf?", ["annual report 2024.pdf"]),
        ("What is in the annual-report-2024 PDF?", ["annual report 2024.pdf"]),
        ("What is in 2024.pdf?", ["2024.pdf"]),
        ("Summarize it's [a] *name*.txt", ["it's [a] *name*.txt"]),
        ("Compare handbook.pdf and notes.md", ["handbook.pdf", "deep/notes.md"]),
        ("《员工手册》里年假几天？", ["员工手册.docx"]),
        ("《員工手冊》裡年假幾天？", ["员工手册.docx"]),
        ("员工手册.docx里年假几天？", ["员工手册.docx"]),
        ("在“员工手册”中，年假几天？", ["员工手册.docx"]),
        ("根据员工手册，年假几天？", ["员工手册.docx"]),
        ("员工手册怎么规定年假？", ["员工手册.docx"]),
        ("handbook.pdf里怎么说年假？", ["handbook.pdf"]),
        ("ｈａｎｄｂｏｏｋ．ｐｄｆ 里怎么说？", ["handbook.pdf"]),
    ],
)
def test_a_document_that_is_named_limits_the_search(question: str, sources: list[str]) -> None:
    assert named(question) == {"sources": sources}


@pytest.mark.parametrize(
    ("question", "limits"),
    [
        ("What does page 3 say?", {"pages": [3, 3]}),
        ("Leave on pages 3-5 of handbook.pdf", {"sources": ["handbook.pdf"], "pages": [3, 5]}),
        ("See p. 3–5.", {"pages": [3, 5]}),
        ("pp. 3 to 5 and 9", {"pages": [3, 9]}),
        ("on page three", {"pages": [3, 3]}),
        ("from page 3 to page 5", {"pages": [3, 5]}),
        ("第3页讲了什么？", {"pages": [3, 3]}),
        ("第 3 到 5 页和第７页", {"pages": [3, 7]}),
        ("第三页至第十二页", {"pages": [3, 12]}),
        ("第二十页", {"pages": [20, 20]}),
        ("What do the PDFs say about leave?", {"types": ["pdf"]}),
        ("What is leave in my PDF files?", {"types": ["pdf"]}),
        ("What is leave in the Word documents?", {"types": ["docx"]}),
        ("What do the Excel files say?", {"types": ["xlsx", "xls", "csv"]}),
        ("PDF 里怎么说年假？", {"types": ["pdf"]}),
        ("在 pdf 中怎么说年假？", {"types": ["pdf"]}),
        ("Word 文档里有什么？", {"types": ["docx"]}),
        ("Which leave is in documents tagged hr?", {"tags": ["HR"]}),
        ('tagged as "Year end" or HR', {"tags": ["Year end", "HR"]}),
        ("with the tag 合同", {"tags": ["合同"]}),
        ("标签为HR、合同的文档里有什么？", {"tags": ["HR", "合同"]}),
        ("带有“合同”标签的文档", {"tags": ["合同"]}),
        ("leave in files added since 2024", {"after": "2024-01-01"}),
        ("What do documents before March 2025 say?", {"before": "2025-02-28"}),
        ("documents changed after 2025-03-15", {"after": "2025-03-16"}),
        ("files uploaded until 15 March 2025", {"before": "2025-03-15"}),
        ("files updated in 2024", {"after": "2024-01-01", "before": "2024-12-31"}),
        ("reports uploaded between March 2025 and May 2025", {"after": "2025-03-01", "before": "2025-05-31"}),
        ("files uploaded last week", {"after": "2026-11-23", "before": "2026-11-29"}),
        ("files uploaded this month", {"after": "2026-12-01", "before": "2026-12-02"}),
        ("files uploaded last month", {"after": "2026-11-01", "before": "2026-11-30"}),
        ("files uploaded last year", {"after": "2025-01-01", "before": "2025-12-31"}),
        ("documents added in the last 3 days", {"after": "2026-11-29", "before": "2026-12-02"}),
        ("PDFs added yesterday", {"after": "2026-12-01", "before": "2026-12-01"}),
        ("2024年以后的文档里年假几天？", {"after": "2024-01-01"}),
        ("2024年以後的文檔裡年假幾天？", {"after": "2024-01-01"}),
        ("2024年3月上传的文件", {"after": "2024-03-01", "before": "2024-03-31"}),
        ("2025年3月15日之前更新的文件", {"before": "2025-03-14"}),
        ("上周上传的文档", {"after": "2026-11-23", "before": "2026-11-29"}),
        ("最近三天上传的文件", {"after": "2026-11-29", "before": "2026-12-02"}),
    ],
)
def test_pages_types_tags_and_days_that_are_named_limit_the_search(question: str, limits: dict[str, Any]) -> None:
    assert named(question) == limits


@pytest.mark.parametrize(
    "question",
    [
        # a name that is a word like any other
        "How do I sort a list in Python?",
        'What does "Python" mean?',
        "What is a log file?",
        "What is a file system?",
        "文件系统是什么？",
        "在机器学习中，什么是过拟合？",
        "What happened in 2024?",
        "What is in my-handbook.pdf or handbook.pdfx?",
        # a document that is not where the answer is sought
        "What is said of leave in documents other than handbook.pdf?",
        "Is anything not in handbook.pdf about leave?",
        "除了 handbook.pdf，还有哪里讲到年假？",
        "Which documents mention handbook.pdf?",
        "How does handbook.pdf differ from the travel policy?",
        "Is notes.md newer than handbook.pdf?",
        "handbook.pdf 和其他文件有什么不同？",
        # numbers that are no pages, or pages open to one side
        "How many pages are there?",
        "How do I print a 3-page document?",
        "How do I make a page 3-column layout?",
        "What comes after page 3?",
        "What is said except on page 3?",
        "第3页之后讲了什么？",
        "What is in the report on page 0?",
        # formats that are spoken of
        "How do I export in PDF format?",
        "How do I embed fonts in PDF files?",
        "PDF 中文怎么显示？",
        "In the PDF format, what is a font?",
        # tags and days
        "documents not tagged HR",
        "without the tag HR",
        "没有标签HR的文档",
        "How does HR work?",
        "Which HTML tag is HR?",
        "tagged HRM",
        "What were sales since 2024?",
        "How many reports before March 2025 name a profit?",
        "2024年以后，公司收入是多少？",
        "What do the files say of 2024?",
        "What did the files in 2024 look like?",
        "files added since 2024-13-45",
    ],
)
def test_what_is_not_surely_meant_as_a_limit_limits_nothing(question: str) -> None:
    assert named(question) == {}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024", (date(2024, 1, 1), date(2024, 12, 31))),
        ("2024-02", (date(2024, 2, 1), date(2024, 2, 29))),
        ("february 29, 2024", (date(2024, 2, 29), date(2024, 2, 29))),
        ("1st may 2025", (date(2025, 5, 1), date(2025, 5, 1))),
        ("2025年3月", (date(2025, 3, 1), date(2025, 3, 31))),
        ("2025-02-30", None),
        ("soon", None),
        ("12", None),
    ],
)
def test_a_period_has_a_first_and_a_last_day(text: str, days: tuple[date, date] | None) -> None:
    assert period(text) == days


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "page pages 第 页 3 - – to handbook .pdf “ ” 《 》 员工手册 tagged HR 标签 since 2024 年 files added in the".split()
        )
        | st.text(max_size=8),
        max_size=12,
    )
)
def test_whatever_is_asked_the_limits_are_of_what_there_is(words: list[str]) -> None:
    for question in (" ".join(words), "".join(words)):
        found = named_limits(question, DOCUMENTS, today=TODAY)
        assert set(found.sources) <= {d.source for d in DOCUMENTS}
        assert set(found.tags) <= {"HR", "合同", "Year end"}
        assert found.pages is None or 1 <= found.pages[0] <= found.pages[1]


# --- the limits of a base ---


@pytest.fixture
def shelf_of(tmp_path: Path) -> Iterator[tuple[Library, Base]]:
    """A library with a base that holds the documents above, without chunks."""
    engine = connect(tmp_path)
    library = Library(engine, folder=tmp_path)
    base = library.ensure_base("test")
    for one in DOCUMENTS:
        new = document_id(base, one.source)
        library.put(base, StoredDocument(new, base.id, one.source, "v", "ready", 1, one.report, ADDED, tags=one.tags))
        for alias in one.aliases:
            library.add_alias(base, new, alias)
    yield library, base
    engine.dispose()


def notes(book: Ledger) -> dict[str, dict[str, Any]]:
    return {note.code: note.params for note in book.notes}


def limits(
    shelf_of: tuple[Library, Base], question: str, explicit: Filter = EVERY_DOCUMENT, *, model: Any = None
) -> tuple[Filter, dict[str, dict[str, Any]]]:
    library, base = shelf_of
    with recording() as book:
        found = SelfQuery(library, model).limits(question, [base], explicit, today=TODAY)
    assert [(stage.name, stage.taken_in, stage.out) for stage in book.stages] == [("self_query", 0, 0)]
    return found, notes(book)


def test_what_is_added_is_said_in_the_words_of_the_question(shelf_of: tuple[Library, Base]) -> None:
    found, said = limits(shelf_of, "What do pages 3-5 of handbook.pdf say?")
    assert found == Filter(sources=("handbook.pdf",), pages=(3, 5))
    words = {"limits": "document handbook.pdf; page 3–5", "filter": {"sources": ["handbook.pdf"], "pages": [3, 5]}}
    assert said == {"self_query": words}
    assert limits(shelf_of, "handbook.pdf 第3页怎么说？")[1]["self_query"]["limits"] == "文档 handbook.pdf；第 3 页"
    assert limits(shelf_of, "How long is leave?") == (EVERY_DOCUMENT, {})
    whole = Filter(("a", "b"), ("pdf",), ("HR",), date(2025, 1, 1), date(2025, 1, 2), (1, 2))
    assert in_words(whole, "en") == "document a, b; type pdf; tag HR; from 2025-01-01; until 2025-01-02; page 1–2"


def test_an_explicit_field_stays_as_it_is(shelf_of: tuple[Library, Base]) -> None:
    question = "What does page 3 of handbook.pdf say?"
    found, said = limits(shelf_of, question, Filter(pages=(1, 2), types=("pdf",)))
    assert found == Filter(sources=("handbook.pdf",), types=("pdf",), pages=(1, 2))
    assert said["self_query"]["filter"] == {"sources": ["handbook.pdf"]}
    explicit = Filter(sources=("python.md",), pages=(3, 3))
    assert limits(shelf_of, question, explicit) == (explicit, {})


@pytest.mark.parametrize(
    ("question", "explicit"),
    [
        ("What does page 13 of handbook.pdf say?", EVERY_DOCUMENT),  # it has 12
        ("What does page 1 of python.md say?", EVERY_DOCUMENT),  # it has none
        ("What do the Excel files say?", EVERY_DOCUMENT),
        ("What do files added before 2024 say?", EVERY_DOCUMENT),
        ("What does handbook.pdf say?", Filter(types=("md",))),
    ],
)
def test_limits_that_leave_nothing_are_not_applied(shelf_of: tuple[Library, Base], question: str, explicit: Filter) -> None:
    found, said = limits(shelf_of, question, explicit)
    assert (found, list(said)) == (explicit, ["self_query_no_document"])


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does nobody.pdf say about leave?", ["nobody.pdf"]),
        ("In “Old Rules.docx”, how long is leave?", ["Old Rules.docx"]),
        ("根据《新员工守则.pdf》，试用期多长？", ["新员工守则.pdf"]),
        ("请问在新员工守则.docx里试用期多长？", ["新员工守则.docx"]),
        ("請問在新員工守則.docx裡試用期多長？", ["新員工守則.docx"]),
        ("Compare handbook.pdf with Other.MD, please.", ["Other.MD"]),
        ("What does annual report 2024.pdf say?", []),  # the name has blanks, and its end looks like a name
        ("What does STAFF RULES.PDF say?", []),  # a second name of handbook.pdf
        ("What is at https://example.org/nobody.pdf or mailto:me@nobody.md?", []),
        ("Does node.js run version 2.pdfx of python.md?", []),
    ],
)
def test_a_file_that_is_not_there_is_named(shelf_of: tuple[Library, Base], question: str, missing: list[str]) -> None:
    said = limits(shelf_of, question)[1]
    assert said.get("self_query_missing", {}).get("names", "") == ", ".join(missing)


# --- a model ---


@contextmanager
def model_that_says(*words: str, **failing: object) -> Iterator[tuple[ModelServer, Any]]:
    with ModelServer(words=words, **failing) as server:  # type: ignore[arg-type]
        yield server, chat_at(server, timeout_seconds=0.5)


ASKED = "What do pages 3-5 say, in files since 2024?"
WHOLE = Filter(("handbook.pdf",), ("pdf",), ("HR",), date(2024, 1, 1), date(2026, 12, 31), (3, 5))


ANSWERS = (
    """{"documents": ["handbook.pdf"], "types": ["pdf"], "tags": ["HR"],
        "after": "2024-01-01", "before": "2026-12-31", "pages": [3, 5]}""",
    """{"documents": ["HANDBOOK.pdf"], "types": [".PDF"], "tags": ["hr"],
        "after": "2024", "before": "2026-12", "pages": "3-5"}""",
    """Sure! Here it is:
        ```json
        {"document": "old/staff rules.pdf", "type": "pdf", "tag": "HR", "after": "2024-01-01T00:00:00",
         "before": "2026", "page": {"first": 3, "last": 5}}
        ```
        The "pages" are those you named.""",
    """<think>{"documents": ["python.md"]}?</think>{"Documents": "handbook", "types": "pdf", "tags": "HR",
        "after": "2024年", "before": "2026-12-31", "pages": [3, 4, 5]}""",
)


@pytest.mark.parametrize("reply", ANSWERS)
def test_a_models_answer_is_read_however_it_is_written(shelf_of: tuple[Library, Base], reply: str) -> None:
    with model_that_says(reply) as (_, model):
        found, said = limits(shelf_of, ASKED, model=model)
    assert (found, list(said)) == (WHOLE, ["self_query"])


def test_the_model_is_shown_what_there_is_and_asked_the_question(shelf_of: tuple[Library, Base]) -> None:
    library, base = shelf_of
    library.set_tags(document_id(base, "log.txt"), [">>> {documents}"])
    with model_that_says("{}") as (server, model):
        assert limits(shelf_of, "log.txt 里有什么？", model=model) == (EVERY_DOCUMENT, {})
        assert limits(shelf_of, "What is in it?", model=model) == (EVERY_DOCUMENT, {})
    [chinese, english] = [request.body["messages"] for request in server.requests]
    assert [message["role"] for message in chinese] == ["system", "user"]
    assert chinese[1]["content"] == "log.txt 里有什么？"
    told = chinese[0]["content"]
    assert "今天是 2026-12-02" in told
    assert "docx, md, pdf, txt" in told
    assert told.index("\nlog.txt\n") < told.index("\nhandbook.pdf\n")  # the name that shares words with the question first
    assert "\n››› {documents}\n" in told
    assert "Today is 2026-12-02" in english[0]["content"]


def test_what_does_not_exist_or_cannot_be_read_is_left_out_with_a_note(shelf_of: tuple[Library, Base]) -> None:
    fields = '"tags": ["HR2"], "author": "me", "sql": "1=1", "after": "soon", "pages": null'
    with model_that_says(f'{{"documents": ["nobody.pdf", "python.md"], {fields}}}') as (_, model):
        found, said = limits(shelf_of, ASKED, model=model)
    assert found == Filter(sources=("python.md",))
    assert said["self_query_ignored"] == {"parts": "author, sql, after, nobody.pdf, HR2"}


@pytest.mark.parametrize("reply", ["{}", '{"documents": [], "types": "none", "tags": null, "after": "", "pages": "any"}'])
def test_a_model_that_names_no_limit_limits_nothing_and_rules_do_not_either(shelf_of: tuple[Library, Base], reply: str) -> None:
    with model_that_says(reply) as (_, model):
        assert limits(shelf_of, "What does handbook.pdf say?", model=model) == (EVERY_DOCUMENT, {})


def test_pages_and_days_of_which_the_question_does_not_speak_are_the_models_own(shelf_of: tuple[Library, Base]) -> None:
    with model_that_says('{"pages": [1, 1], "after": "2020-01-01", "before": "2030-01-01"}') as (_, model):
        assert limits(shelf_of, "How long is leave?", model=model) == (EVERY_DOCUMENT, {})


@pytest.mark.parametrize("reply", ["I would look into the handbook.", "[1, 2]", '{"documents": ["handbook.pdf"'])
def test_an_answer_without_an_object_limits_nothing_with_a_note(shelf_of: tuple[Library, Base], reply: str) -> None:
    with model_that_says(reply) as (_, model):
        assert limits(shelf_of, ASKED, model=model) == (EVERY_DOCUMENT, {"self_query_unclear": {}})


@pytest.mark.parametrize("failure", ["unauthorized", "hang", "html", "malformed"])
def test_a_model_that_fails_limits_nothing_with_a_note(shelf_of: tuple[Library, Base], failure: str) -> None:
    with model_that_says('{"documents": ["handbook.pdf"]}', failure=failure) as (_, model):
        found, said = limits(shelf_of, ASKED, model=model)
    assert (found, list(said)) == (EVERY_DOCUMENT, ["self_query_failed"])
    assert said["self_query_failed"]["error"]


# --- the search ---

ON = {"self_query.enabled": True}


@pytest.fixture(scope="module")
def policies(make_shelf: Any, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """A base that no test may change: two documents say the same of different years, one has pages."""
    shelf: Shelf = make_shelf(tmp_path_factory.mktemp("policies"))
    shelf.add("old.txt", "The refund window is thirty days.")
    shelf.add("new.txt", "The refund window is sixty days.")
    shelf.add("python.md", "# Python\n\nPython was created by Guido van Rossum and first released in 1991.")
    pdf = make_pdf(["The refund window is ten days.", "Leave is twenty days a year."])
    assert shelf.pipeline.run(shelf.base, "contract.pdf", pdf, shelf.settings).status == "indexed"
    shelf.stores.library.set_tags(document_id(shelf.base, "new.txt"), ["Valid"])
    return shelf


@pytest.mark.parametrize(
    ("question", "sources"),
    [
        ("How long is the refund window in old.txt?", {"old.txt"}),
        ("How long is the refund window in documents tagged valid?", {"new.txt"}),
        ("How long is the refund window, as the PDFs say? What do the PDFs say?", {"contract.pdf"}),
        ("How long is the refund window in the files added today?", {"old.txt", "new.txt", "python.md", "contract.pdf"}),
    ],
)
def test_only_what_the_question_names_is_searched(policies: Shelf, question: str, sources: set[str]) -> None:
    found = policies.find(question, **ON)
    assert {context.source for context in found.contexts} == sources
    assert "self_query" in notes(found.ledger)
    assert found.as_json()["queries"] == [{"text": question, "kind": "original"}]
    assert all(s["out"] == s["in"] + s["added"] - s["dropped"] - s["merged"] for s in found.as_json()["stages"])
    off = policies.find(question)
    assert {context.source for context in off.contexts} == {"old.txt", "new.txt", "python.md", "contract.pdf"}
    assert not off.ledger.notes
    assert "self_query" not in {stage.name for stage in off.ledger.stages}


def test_a_page_is_searched_alone(shelf: Shelf) -> None:
    pages = ["The refund window is ten days. " * 9, "Leave is twenty days a year. " * 9, "Leave is asked for in writing. " * 9]
    cut = shelf.settings.override({"ingest.chunk_size": 200})
    assert shelf.pipeline.run(shelf.base, "contract.pdf", make_pdf(pages), cut).status == "indexed"
    found = shelf.find("How long is leave, on page 2 of contract.pdf?", **ON)
    assert {(context.source, context.page) for context in found.contexts} == {("contract.pdf", 2)}


@pytest.mark.parametrize("changes", [{}, {"vector_weight": 0, "evidence_threshold": 1.2}])  # weak, and nothing at all
def test_limits_are_given_up_when_only_without_them_the_question_is_answered(policies: Shelf, changes: dict[str, Any]) -> None:
    question = "Who created Python, as old.txt says?"
    found, plain = policies.find(question, **ON, **changes), policies.find(question, **changes)
    assert list(notes(found.ledger)) == ["self_query", "self_query_dropped"]
    assert plain.contexts
    assert [context.chunk_id for context in found.contexts] == [context.chunk_id for context in plain.contexts]
    assert [stage.name for stage in found.ledger.stages] == ["self_query", *(stage.name for stage in plain.ledger.stages)]
    assert found.ledger.evidence == plain.ledger.evidence


def test_limits_are_kept_when_there_is_too_little_evidence_without_them_as_well(policies: Shelf) -> None:
    found = policies.find("What does old.txt say of the moons of Jupiter?", **ON)
    assert found.ledger.evidence < policies.settings.retrieval.evidence_threshold
    assert [context.source for context in found.contexts] == ["old.txt"]
    assert "self_query_dropped" not in notes(found.ledger)


def test_explicit_limits_hold_when_those_of_the_question_are_given_up(policies: Shelf) -> None:
    changed = policies.settings.override({f"retrieval.{key}": value for key, value in ON.items()})
    explicit = Filter(types=("txt", "md"))
    found = policies.retriever.retrieve("Who created Python, as old.txt says?", policies.base, changed, limits=explicit)
    assert {context.source for context in found.contexts} == {"old.txt", "new.txt", "python.md"}
    assert "self_query_dropped" in notes(found.ledger)


def test_more_contexts_do_not_change_the_first_ones(policies: Shelf) -> None:
    question = "How long is the refund window in the files added today?"
    assert policies.sources(question, top_k=1, **ON) == policies.sources(question, top_k=3, **ON)[:1]


def test_a_model_that_is_set_up_is_asked_once(policies: Shelf) -> None:
    changed = policies.settings.override({f"retrieval.{key}": value for key, value in ON.items()})
    with model_that_says('{"documents": ["new.txt"]}') as (server, model):
        for _ in range(2):
            found = policies.retriever.retrieve("How long is the refund window?", policies.base, changed, model=model)
            assert [context.source for context in found.contexts] == ["new.txt"]
    assert len(server.requests) == 1

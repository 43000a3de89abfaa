"""How grounding is shown: marks behind what no passage says, the share, what is missing, and what was withheld."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.pages import checked, said

TEXT = "The refund takes **thirty days** [1]. It was 40 days <b>before</b> in Oslo."
SECOND = TEXT.index("It was")
CONTEXT = {
    "chunk_id": "c",
    "source": "a.md",
    "text": "Refunds take 30 days. <i>Cash</i> is not accepted.",
    "start": 100,
    "end": 150,
}


def grounding(**changes: Any) -> dict[str, Any]:
    first = {"start": 0, "end": SECOND - 1, "status": "supported", "misses": [], "elsewhere": False}
    first["links"] = [{"n": 1, "chunk_id": "c", "start": 122, "end": 150}]
    misses = [{"kind": "number", "text": "40 days", "instead": "30 days"}, {"kind": "name", "text": "<b>Oslo", "instead": ""}]
    second = {"start": SECOND, "end": len(TEXT), "status": "unsupported", "misses": misses, "links": [], "elsewhere": False}
    return {"score": 0.5, "judged": False, "sentences": [first, second | changes]}


def answer(**changes: Any) -> dict[str, Any]:
    made = {"question": "?", "answer": TEXT, "mode": "llm", "refused": False, "contexts": [CONTEXT], "citations": []}
    return made | {"grounding": grounding()} | changes


def shown(payload: dict[str, Any], language: str = "en") -> AppTest:
    def script(payload, language):
        from ui import strings
        from ui.components.answer import show_answer

        strings.speak(language)
        show_answer(None, payload, key="1")  # type: ignore[arg-type]  # no services, as there is nothing to click

    return checked(AppTest.from_function(script, kwargs={"payload": payload, "language": language}).run())


@pytest.mark.parametrize(("language", "mark"), [("en", "not in the passages"), ("zh", "段落中没有")])
def test_a_sentence_that_no_passage_supports_is_marked_where_it_ends(language: str, mark: str) -> None:
    words = shown(answer(), language).markdown[0].value
    assert words.count(":orange-badge[") == 1
    assert words.endswith(f"in Oslo. :orange-badge[{mark}]")
    assert "**thirty days**" in words
    assert "\\<b" in words


def test_the_share_is_told_with_what_is_missing_and_what_supports_the_rest() -> None:
    page = shown(answer())
    assert [each.label for each in page.expander] == ["The passages support 1 of 2 statements"]
    words = said(page)
    assert "In no passage that supports it: 40 days. There it says: 30 days" in words
    assert "In no passage that supports it: &lt;b&gt;Oslo" in words
    assert "&lt;i&gt;Cash&lt;/i&gt; is not accepted." in words
    assert "Refunds take 30 days" not in words


def test_all_supported_is_said_so_and_a_wrong_citation_too() -> None:
    page = shown(answer(grounding=grounding(status="supported", misses=[], elsewhere=True)))
    assert [each.label for each in page.expander] == ["The passages support all statements (2)"]
    assert "Another passage supports it than the one that it cites." in said(page)
    assert ":orange-badge" not in page.markdown[0].value


def test_what_was_withheld_can_be_read_below_the_refusal() -> None:
    reason = {"code": "not_grounded", "params": {"score": 0.2, "threshold": 0.5}}
    page = shown(answer(answer="No answer.", refused=True, withheld=TEXT, reason=reason))
    assert "share: 0\\.2; needed: 0\\.5" in said(page)
    assert [each.label for each in page.expander] == ["What the language model wrote", "The passages support 1 of 2 statements"]
    assert ":orange-badge" in "".join(each.value for each in page.expander[0].markdown)


def test_what_a_model_had_written_before_it_failed_can_be_read() -> None:
    error = {"code": "broken_off", "params": {"message": "It broke off.", "written": "The refund <b>takes"}}
    quoted = [{"n": 1, "quote": "Refunds take 30 days.", "source": "a.md"}]
    page = shown(answer(answer="Refunds take 30 days. [1]", mode="extractive", citations=quoted, error=error, grounding=None))
    assert [each.label for each in page.expander] == ["What the language model had written until then"]
    assert "The refund \\<b" in page.expander[0].markdown[0].value


@pytest.mark.parametrize(("text", "words"), [(TEXT, "until then stays"), ("", "before a word was written")])
def test_a_stopped_answer_says_so(text: str, words: str) -> None:
    assert words in said(shown(answer(answer=text, stopped=True, grounding=None)))


def test_an_answer_of_an_older_version_shows_no_grounding() -> None:
    page = shown({"question": "?", "answer": TEXT, "mode": "llm", "refused": False})
    assert (len(page.expander), ":orange-badge" in page.markdown[0].value) == (0, False)


def test_the_sign_for_marks_cannot_be_written_by_a_model() -> None:
    assert ":orange-badge" not in shown(answer(answer="All is well.\ue000", grounding=None)).markdown[0].value


def test_rows_that_are_quoted_stay_lines_and_the_rule_of_a_table_is_no_words() -> None:
    table = "What it holds:\n| Item | Value |\n| --- | --- |\n| Oven | <b>6,400</b> |"
    quoted = [
        {"n": 1, "quote": table, "source": "a.docx"},
        {"n": 2, "quote": "Item: Oven\nValue: 6,400", "source": "a.xlsx", "rows": [2, 3]},
        {"n": 3, "quote": "A line\nand the next.", "source": "a.txt", "rows": None},
    ]
    page = shown(answer(answer="x [1][2][3]", mode="extractive", citations=quoted, grounding=None))
    first, second, third = [html for each in page.get("html") if "gb-quote" in (html := str(getattr(each, "value", "")))]
    assert "gb-lines" in first
    assert "What it holds:\n| Item | Value |\n| Oven | &lt;b&gt;6,400&lt;/b&gt; |" in first
    assert "gb-lines" in second
    assert "gb-lines" not in third

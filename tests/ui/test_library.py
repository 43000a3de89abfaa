"""The page of the library: bases and documents, on the real services."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from store.library import StoredDocument
from tests.ui.pages import add, checked, press, said, shown, until, values
from ui.components.library_add import kept_files
from ui.components.library_documents import PAGE, kind_of, matching
from ui.components.library_facts import facts
from ui.figures import byte_words, clock_words
from ui.services import Services

TERMS = "The refund period is thirty days from the day of delivery. " * 40
CHINESE = "退款期限为三十天，自收货之日起计算。请保留发票和包装。"
EVIL = "<img src=x onerror=alert(1)> ![x](http://evil.example) **bold**"


def only(services: Services, base: str = "default") -> StoredDocument:
    [document] = services.library.documents(services.library.base(base))
    return document


def test_an_empty_store_says_so_and_offers_the_box(real: Services) -> None:
    page = shown(real, "library")
    assert "There is no knowledge base yet" in said(page)
    assert "Nothing here yet" in said(page)
    assert page.get("file_uploader")


def test_the_shelf_tells_what_each_base_holds_and_a_click_uses_it(real: Services) -> None:
    add(real, "one", a_txt=TERMS, b_txt="Apples.")
    real.library.ensure_base("two")
    page = shown(real, "library")
    assert "documents: 2 · passages: " in said(page)
    assert "documents: 0 · passages: 0 · 0 B" in said(page)
    page = press(page, f"shelf:{real.library.base('two').id}")
    assert "Documents of two" in said(page)


def test_a_document_opens_to_its_whole_report(real: Services) -> None:
    add(real, "default", gbk_txt=CHINESE.encode("gb18030"), copy_txt="Apples.", second_txt="Apples.")
    documents = {each.source: each for each in real.library.documents(real.library.base("default"))}
    page = press(shown(real, "library"), f"document:{documents['gbk.txt'].doc_id}")
    for words in (
        str(documents["gbk.txt"].report["encoding"]),
        "<dt>Language</dt><dd>中文</dd>",
        "1 stored of 1 made",
        "<dt>Garbled</dt><dd>0.0 %</dd>",
        f"{len(CHINESE) * 2} B",
    ):
        assert words in said(page)
    page = press(page, f"document:{documents['copy.txt'].doc_id}")
    assert "<dt>Also as</dt><dd>second.txt</dd>" in said(page)
    page = press(page, f"document:{documents['copy.txt'].doc_id}")
    assert "<dt>Also as</dt>" not in said(page), "a second click closes it"


def test_a_document_without_text_says_why(real: Services) -> None:
    add(real, "default", blank_txt="   ")
    page = shown(real, "library", d=only(real).doc_id)
    assert "It holds no words" in page.warning[0].value


def test_tags_are_given_found_and_refused_when_too_long(real: Services) -> None:
    add(real, "default", a_txt="Apples.", b_txt="Pears.")
    first = real.library.documents(real.library.base("default"))[0]
    page = shown(real, "library", d=first.doc_id)
    tags = page.multiselect(key=f"library_tags:{first.doc_id}")
    real.library.set_tags(first.doc_id, ["fruit"])
    page = shown(real, "library", d=first.doc_id)
    assert page.multiselect(key=f"library_tags:{first.doc_id}").value == ["fruit"]
    assert tags.value == []
    page = checked(page.text_input(key="library_search").set_value("FRUIT").run())
    assert "a.txt" in "".join(button.label.replace("\\", "") for button in page.button)
    assert "b.txt" not in "".join(button.label.replace("\\", "") for button in page.button)
    checked(page.multiselect(key=f"library_tags:{first.doc_id}").set_value([]).run())
    assert real.library.document(first.doc_id).tags == ()


def test_one_document_is_indexed_again_with_other_settings(real: Services) -> None:
    add(real, "default", a_txt=TERMS, b_txt="Apples.")
    first, second = real.library.documents(real.library.base("default"))
    page = shown(real, "library", d=first.doc_id)
    page = checked(page.selectbox(key=f"again:{first.doc_id}:ingest.chunker:en").set_value("fixed").run())
    page = checked(page.number_input(key=f"again:{first.doc_id}:ingest.chunk_size").set_value(300).run())
    page = press(page, "library_again_start")
    until(lambda: not real.reindexing.busy(first.base_id))
    now, other = real.library.documents(real.library.base("default"))
    assert now.chunks > first.chunks + 3
    assert now.report["chunker"] == "fixed"
    assert other.report == second.report
    assert "Documents indexed again: 1" in said(shown(real, "library"))


def test_all_documents_are_indexed_again_and_the_passport_says_how(real: Services) -> None:
    add(real, "default", a_txt=TERMS)
    before, base = only(real), real.library.base("default")
    page = shown(real, "library")
    assert "multilingual-e5-small" in said(page)
    page = checked(page.number_input(key=f"again:{base.id}:ingest.chunk_size").set_value(300).run())
    page = press(page, "reindex_start")
    until(lambda: not real.reindexing.busy(base.id))
    assert only(real).chunks > before.chunks
    page = shown(real, "library")
    assert "<dt>Largest passage</dt><dd>300</dd>" in said(page)
    page = press(page, "reindex_close")
    assert "Documents indexed again" not in said(page)


def test_files_are_added_with_the_settings_chosen_for_this_upload(real: Services) -> None:
    page = shown(real, "library")
    page = checked(page.selectbox(key="adding_cut:ingest.chunker:en").set_value("sentence").run())
    page = checked(page.number_input(key="adding_cut:ingest.chunk_sentences").set_value(2).run())
    page.file_uploader[0].upload("a.txt", TERMS.encode(), "text/plain")
    checked(page.run())
    until(lambda: not real.jobs.busy("default"))
    assert only(real).report["chunker"] == "sentence"
    assert only(real).chunks > 15


def test_hostile_names_and_tags_are_shown_as_text(real: Services) -> None:
    real.library.ensure_base(EVIL)
    add(real, EVIL, **{f"{EVIL}_txt": "Apples."})
    real.library.set_tags(only(real, EVIL).doc_id, [EVIL[:60]])
    page = shown(real, "library", d=only(real, EVIL).doc_id)
    assert "&lt;img src=x" in (html := "".join(values(page, "html")))
    assert "<img" not in html
    markdown = "".join([*(each.value for each in page.markdown), *(each.value for each in page.caption)])
    for words in (markdown, *(button.label for button in page.button)):
        assert "<img" not in words.replace("\\<img", "")
        assert "](http" not in words
    assert "](http" not in markdown


def test_a_long_list_is_shown_in_pages(real: Services) -> None:
    add(real, "default", **{f"d{n:03}_txt": f"Text {n}." for n in range(PAGE + 3)})
    page = shown(real, "library")
    assert sum(str(button.key).startswith("document:") for button in page.button) == PAGE
    assert f"1–{PAGE} of {PAGE + 3}" in said(page).replace("\\", "")
    page = checked(page.number_input(key="library_page").set_value(2).run())
    assert sum(str(button.key).startswith("document:") for button in page.button) == 3
    page = checked(page.text_input(key="library_search").set_value("d001").run())
    assert sum(str(button.key).startswith("document:") for button in page.button) == 1
    assert "No document fits" in said(checked(page.text_input(key="library_search").set_value("nowhere").run()))


def test_documents_are_found_by_every_word_and_by_kind(real: Services) -> None:
    add(real, "default", Terms_2024_txt="Apples.", terms_old_txt="Pears.", blank_txt=" ")
    documents = real.library.documents(real.library.base("default"))
    assert {kind_of(each) for each in documents} == {"ready", "empty"}
    assert [each.source for each in matching(documents, "2024 TERMS", "all")] == ["Terms_2024.txt"]
    assert [each.source for each in matching(documents, "", "empty")] == ["blank.txt"]
    assert matching(documents, "blank", "ready") == []


@dataclass(frozen=True)
class Sent:
    name: str


def test_what_a_system_puts_into_folders_is_left_out_and_counted() -> None:
    names = ["a/x.md", "a/.git/config", "a/.DS_Store", "a/Thumbs.db", "a\\~$draft.docx", "a/desktop.ini", "a/b.hidden.txt"]
    kept, left_out = kept_files([Sent(name) for name in names])  # type: ignore[misc]
    assert [file.name for file in kept] == ["a/x.md", "a/b.hidden.txt"]
    assert left_out == 5


def test_facts_are_escaped_and_what_is_not_known_is_left_out() -> None:
    assert facts([("<b>", "<i>"), ("none", None), ("empty", ""), ("zero", 0)]) == (
        '<dl class="gb-facts"><dt>&lt;b&gt;</dt><dd>&lt;i&gt;</dd><dt>zero</dt><dd>0</dd></dl>'
    )


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9960, "10 kB"),
        (999_600, "1.0 MB"),
        (23_400_000, "23 MB"),
        (2e15, "2000 TB"),
    ],
)
def test_bytes_are_told_in_the_unit_that_fits(count: int, words: str) -> None:
    assert byte_words(int(count)) == words


@pytest.mark.parametrize(("seconds", "words"), [(0.2, "0:00"), (7, "0:07"), (59.6, "1:00"), (750, "12:30"), (3900, "1:05:00")])
def test_time_left_is_told_as_on_a_clock(seconds: float, words: str) -> None:
    assert clock_words(seconds) == words

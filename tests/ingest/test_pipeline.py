"""Files into a base and out of it: what is there afterwards, under which names, in both legs."""

import pytest

from store.errors import EmbedderMismatch
from tests.files import make_pdf
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

REFUND = "Refund window is thirty days. Please keep the receipt."
EDITED = "Refund window is sixty days. No receipt is needed."
SHIPPING = "Shipping takes five working days within Europe."


def test_a_report_says_what_was_stored(desk):
    report = desk.add("refund.txt", REFUND)
    assert (report.status, report.reason, report.encoding, report.chars) == ("indexed", "", "utf-8", len(REFUND))
    assert report.chunks == report.chunks_stored == desk.chunks.count() == 1
    assert set(report.as_json()["seconds"]) == {"load", "chunk", "embed", "store"}
    assert desk.library.text(report.doc_id) == REFUND
    desk.check()


def test_the_same_file_twice_is_unchanged(desk, words):
    first = desk.add("refund.txt", REFUND)
    embedded = len(words.texts)
    second = desk.add("refund.txt", REFUND)
    assert (second.status, second.doc_id, second.chunks) == ("unchanged", first.doc_id, 1)
    assert len(words.texts) == embedded
    assert desk.chunks.count() == 1


def test_an_edited_file_replaces_the_old_one_in_one_commit(desk):
    desk.add("refund.txt", REFUND)
    revision = desk.chunks.revision
    report = desk.add("refund.txt", EDITED)
    assert report.status == "replaced"
    assert desk.chunks.revision == revision + 1
    assert desk.lexical("thirty") == []
    assert desk.lexical("sixty") == ["refund.txt"]
    desk.check()


def test_the_same_bytes_under_another_name_are_an_alias(desk, words):
    desk.add("refund.txt", REFUND)
    embedded = len(words.texts)
    report = desk.add("copy.txt", REFUND)
    assert (report.status, report.source, report.reason) == ("duplicate", "copy.txt", "same content as refund.txt")
    assert desk.library.find(desk.base, "copy.txt").aliases == ("copy.txt",)
    assert (desk.chunks.count(), len(words.texts)) == (1, embedded)
    assert desk.add("copy.txt", REFUND).status == "unchanged"
    desk.check()


def test_an_alias_takes_over_when_the_first_name_is_deleted(desk, words):
    for name in ("a.txt", "b.txt", "c.txt"):
        desk.add(name, REFUND)
    embedded = len(words.texts)
    assert desk.delete("a.txt")
    assert desk.names() == ["b.txt"]
    assert desk.library.find(desk.base, "b.txt").aliases == ("c.txt",)
    assert desk.library.find(desk.base, "b.txt").report["source"] == "b.txt"
    assert desk.lexical("refund") == desk.vector("refund") == ["b.txt"]
    assert len(words.texts) == embedded
    desk.check()


def test_an_alias_takes_over_when_the_first_name_gets_other_bytes(desk):
    desk.add("a.txt", REFUND)
    desk.add("b.txt", REFUND)
    revision = desk.chunks.revision
    assert desk.add("a.txt", SHIPPING).status == "replaced"
    assert desk.chunks.revision == revision + 1
    assert desk.names() == ["a.txt", "b.txt"]
    assert (desk.lexical("refund"), desk.lexical("shipping")) == (["b.txt"], ["a.txt"])
    desk.check()


def test_an_alias_with_other_bytes_is_a_document_of_its_own(desk):
    desk.add("a.txt", REFUND)
    desk.add("b.txt", REFUND)
    assert desk.add("b.txt", SHIPPING).status == "indexed"
    assert [(d.source, d.aliases) for d in desk.library.documents(desk.base)] == [("a.txt", ()), ("b.txt", ())]
    desk.check()


def test_a_file_that_becomes_the_same_as_another_is_its_alias(desk):
    desk.add("a.txt", REFUND)
    desk.add("b.txt", SHIPPING)
    assert desk.add("b.txt", REFUND).status == "duplicate"
    assert [(d.source, d.aliases) for d in desk.library.documents(desk.base)] == [("a.txt", ("b.txt",))]
    assert desk.lexical("shipping") == []
    desk.check()


def test_deleting_an_alias_leaves_the_document(desk):
    desk.add("a.txt", REFUND)
    desk.add("b.txt", REFUND)
    assert desk.delete("b.txt")
    assert desk.library.documents(desk.base)[0].aliases == ()
    assert not desk.delete("b.txt")
    desk.check()


@pytest.mark.parametrize("name", ["it's.txt", 'a"b;--.md', "x' OR 1=1 --.txt"])
def test_a_deleted_document_is_gone_from_every_leg_also_after_a_restart(desk, name):
    desk.add("other.txt", SHIPPING)
    desk.add(name, REFUND)
    assert desk.lexical("refund") == [name]
    assert desk.vector("refund")[0] == name
    assert desk.delete(name)
    for view in (desk, desk.reopened()):
        assert view.lexical("refund") == []
        assert view.vector("refund") == ["other.txt"]
        assert view.names() == ["other.txt"]
        view.check()


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/x.txt",
        "CON.txt",
        "n" * 300 + ".txt",
        "\u202egnp.exe\u202c.txt",
        "😀🎉.md",
        "a\nb.txt",
        "C:\\x\\y.txt",
        "lone\ud800.txt",
    ],
)
def test_a_hostile_name_is_only_a_name(desk, tmp_path, name):
    before = {path for path in tmp_path.rglob("*") if desk.library.folder not in path.parents}
    shown = name.replace("\ud800", "\ufffd")
    assert desk.add(name, REFUND).source == shown
    assert desk.lexical("refund") == desk.names() == [shown]
    assert {path for path in tmp_path.rglob("*") if desk.library.folder not in path.parents} == before
    desk.check()
    assert desk.delete(name)
    assert (desk.chunks.count(), desk.kept()) == (0, set())


def test_text_and_paged_files_live_in_one_base(desk):
    desk.add("plain.txt", SHIPPING)
    report = desk.add("paged.pdf", make_pdf(["First page about apples.", "", "Third page about pears and plums."]))
    assert (report.status, report.pages, report.pages_without_text) == ("indexed", 3, 1)
    pages = {c.metadata.get("page"): c.page_content for c, _ in desk.chunks.search_text("pears apples shipping", depth=9)}
    assert None in pages
    assert pages[1].startswith("First page")
    desk.check()


def test_a_chunk_names_the_page_it_begins_on(desk):
    words = ["apples", "pears", "plums", "grapes", "figs"]
    pages = [" ".join(f"Sentence {n} speaks about {word} only." for n in range(12)) for word in words]
    desk.add("fruit.pdf", make_pdf([page.replace(". ", ".\n") for page in pages]), chunk_size=300, min_chunk_size=50)
    document = desk.library.find(desk.base, "fruit.pdf")
    spans = desk.library.pages(document.doc_id)
    assert [page for page, _, _ in spans] == [1, 2, 3, 4, 5]
    found = [c.metadata for c, _ in desk.chunks.search_text(" ".join(words), depth=99)]
    assert {c["page"] for c in found} == {1, 2, 3, 4, 5}
    for chunk in found:
        assert chunk["page"] == max(page for page, start, _ in spans if start <= chunk["start"])
    desk.check()


def test_the_same_paragraph_in_two_files_is_citable_from_both(desk):
    desk.add("a.txt", f"{REFUND}\n\nThis is file A.")
    desk.add("b.txt", f"{REFUND}\n\nThat was file B.")
    assert sorted(desk.lexical("refund")) == sorted(desk.vector("refund")) == ["a.txt", "b.txt"]


def test_one_document_after_the_other_both_are_found(desk):
    desk.add("a.txt", REFUND)
    desk.add("b.txt", SHIPPING)
    view = desk.reopened()
    assert (view.lexical("refund"), view.lexical("shipping")) == (["a.txt"], ["b.txt"])


@pytest.mark.parametrize("content", [b"", b" \n\t \r\n", "\u3000\u3000\n".encode(), b"\xef\xbb\xbf"])
def test_a_file_without_text_stores_nothing_and_says_so(desk, content):
    report = desk.add("empty.txt", content)
    assert (report.status, report.reason, report.chunks_stored) == ("empty", "no text found", 0)
    assert (desk.chunks.count(), desk.names()) == (0, ["empty.txt"])
    assert (desk.add("empty.txt", content).status, desk.add("other.txt", content).status) == ("unchanged", "empty")
    desk.check()


def test_a_scanned_pdf_says_how_many_pages_have_no_text(desk):
    report = desk.add("scan.pdf", make_pdf(["", "", ""]))
    assert (report.status, report.pages, report.pages_without_text) == ("empty", 3, 3)
    assert "3 page(s)" in report.reason


def test_text_and_then_none_and_then_text_again(desk):
    for content, status, found in ((REFUND, "indexed", 1), ("", "empty", 0), (EDITED, "replaced", 1)):
        assert desk.add("a.txt", content).status == status
        assert len(desk.lexical("refund")) == found
        desk.check()


def test_nine_of_ten_files_are_indexed_when_the_fourth_is_broken(desk):
    contents = [f"Document number {n} speaks of subject{n}.".encode() for n in range(10)]
    contents[3] = b"%PDF-1.7 broken"
    names = [f"{n}.txt" if n != 3 else "3.pdf" for n in range(10)]
    reports = [desk.add(name, content) for name, content in zip(names, contents, strict=True)]
    assert [r.source for r in reports if r.status == "failed"] == ["3.pdf"]
    assert reports[3].reason.startswith("3.pdf: ")
    assert sum(r.status == "indexed" for r in reports) == desk.chunks.count() == 9
    assert all(desk.lexical(f"subject{n}") == [f"{n}.txt"] for n in range(10) if n != 3)
    desk.check()


SIMPLIFIED = "退款期限为三十天。请保留收据，并在期限内联系客服人员办理。"
TRADITIONAL = "退款期限為三十天。請保留收據，並在期限內聯絡客服人員辦理。"


@pytest.mark.parametrize(
    ("text", "written", "reported"),
    [
        (SIMPLIFIED, "gbk", "gbk"),
        (TRADITIONAL, "big5", "big5"),
        (SIMPLIFIED, "utf-16", "utf-16"),
        (SIMPLIFIED, "utf-8-sig", "utf-8"),
    ],
)
def test_the_report_names_the_encoding(desk, text, written, reported):
    report = desk.add("zh.txt", text.encode(written))
    assert report.encoding.startswith(reported)
    assert 0 < report.encoding_confidence <= 1
    assert desk.library.text(report.doc_id) == text


def test_another_embedder_is_refused_before_it_works_and_the_old_index_still_answers(desk):
    desk.add("a.txt", REFUND)
    other = WordEmbeddings(24, model="other words")
    view = desk.reopened(other)
    report = view.add("b.txt", SHIPPING)
    assert report.status == "failed"
    assert "python -m ingest reindex" in report.reason
    assert other.texts == []
    with pytest.raises(EmbedderMismatch, match=r"words \(16 dimensions\).*other words \(24\)"):
        view.stores.open(view.base)
    assert desk.vector("refund") == ["a.txt"]
    assert view.delete("a.txt")  # taking out needs no embedder
    assert desk.chunks.count() == 0


def test_a_document_in_two_bases_is_kept_until_both_have_let_it_go(desk):
    desk.add("a.txt", REFUND)
    other = Desk(desk.stores, desk.pipeline, desk.settings, name="second")
    desk.library.ensure_base("second")
    assert other.add("a.txt", REFUND).status == "indexed"
    assert desk.delete("a.txt")
    assert len(desk.kept()) == 1
    other.check()
    desk.library.delete_base("second")
    assert desk.kept() == set()
    assert not desk.library.chunk_folder(desk.base).with_name("second").exists()


def test_unicode_that_cannot_be_written_is_replaced(desk):
    report = desk.add("bad.md", "# T\n\nA lone \ud800 surrogate and a \0 byte.")
    assert report.status in ("indexed", "failed")
    desk.check()


def test_many_unchanged_files_are_recognized_at_once_and_only_those(desk, words):
    first = desk.add("a.txt", REFUND)
    desk.add("copy.txt", REFUND)
    desk.add("empty.txt", b"")
    known = desk.pipeline.known(desk.base)
    report = known.unchanged("a.txt", REFUND.encode())
    assert (report.status, report.doc_id, report.chunks) == ("unchanged", first.doc_id, 1)
    assert known.unchanged("empty.txt", b"").status == "unchanged"
    assert known.unchanged("a.txt", EDITED.encode()) is None
    copy = known.unchanged("copy.txt", REFUND.encode())
    assert (copy.status, copy.code, copy.source, copy.doc_id) == ("unchanged", "same_content", "copy.txt", first.doc_id)
    assert copy == desk.add("copy.txt", REFUND.encode()), "as the pipeline itself tells it"
    assert known.as_it_is("a.txt") == report
    assert known.unchanged("new.txt", REFUND.encode()) is None

"""A base indexed again: the old index answers until the new one is whole."""

import pytest

from ingest.reindex import Reindex
from store.errors import EmbedderMismatch, Occupied
from tests.files import make_pdf
from tests.ingest.desk import Desk
from tests.standin import WordEmbeddings

LONG = "The refund window is thirty days for every order placed online. " * 40

APPLES = "Apples on the first page."


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.add("long.txt", LONG)
    desk.add("alias.txt", LONG)
    desk.add("paged.pdf", make_pdf([APPLES, "Pears on the second page."]))
    desk.add("empty.txt", "")
    return desk


def reindexed(desk: Desk, **ingest: object) -> list[str]:
    settings = desk.settings.override({f"ingest.{key}": value for key, value in ingest.items()})
    return [report.status for report in Reindex(desk.stores, desk.base, settings).run()]


def test_other_settings_make_other_chunks_and_stand_in_the_passport(filled):
    before = filled.chunks.count()
    assert reindexed(filled, chunk_size=300) == ["empty", "indexed", "indexed"]
    assert filled.chunks.count() > before + 4
    assert filled.base.passport["ingest"]["chunk_size"] == 300
    assert filled.library.find(filled.base, "alias.txt").source == "long.txt"
    assert filled.lexical("pears") == ["paged.pdf"]
    filled.check()
    assert filled.add("long.txt", LONG).status == "unchanged"
    assert filled.add("new.txt", "Newer text.").status == "indexed"
    filled.check()


def test_another_embedder_takes_the_base_over(filled):
    other = filled.reopened(WordEmbeddings(24, model="other words"))
    with pytest.raises(EmbedderMismatch):
        other.stores.open(other.base)
    for _ in Reindex(other.stores, other.base, other.settings).run():
        assert filled.vector(APPLES)[0] == "paged.pdf"  # the old one, with the old embedder
    assert other.base.passport["embedder"]["dimension"] == 24
    assert other.vector(APPLES)[0] == "paged.pdf"
    assert other.add("new.txt", "Newer text.").status == "indexed"
    other.check()
    with pytest.raises(EmbedderMismatch):
        filled.stores.open(filled.base)


def test_a_killed_reindex_leaves_the_old_index_and_is_tidied_up(filled):
    work = Reindex(filled.stores, filled.base, filled.settings.override({"ingest.chunk_size": 300})).run()
    next(work)
    next(work)
    work.close()  # ends it where it stands, as a kill does: nothing was swapped
    filled.check()
    tables = list(filled.library.chunk_folder(filled.base).glob("*.lance"))
    assert len(tables) == 2
    again = filled.reopened()
    again.pipeline.recover(again.settings)
    assert [path.name for path in again.library.chunk_folder(again.base).glob("*.lance")] == ["chunks.lance"]
    assert reindexed(again, chunk_size=300) == ["empty", "indexed", "indexed"]
    again.check()


def test_what_is_added_replaced_and_deleted_meanwhile_is_in_the_new_index(filled):
    work = Reindex(filled.stores, filled.base, filled.settings.override({"ingest.chunk_size": 300})).run()
    for _ in range(3):
        next(work)
    filled.add("new.txt", "Something newer.")
    filled.add("paged.pdf", make_pdf(["Plums on the only page."]))
    filled.delete("long.txt")
    assert sorted(report.source for report in work) == ["alias.txt", "new.txt", "paged.pdf"]
    assert filled.base.passport["ingest"]["chunk_size"] == 300
    assert (filled.lexical("plums"), filled.lexical("pears"), filled.lexical("newer")) == (["paged.pdf"], [], ["new.txt"])
    assert set(filled.lexical("refund")) == {"alias.txt"}
    filled.check()


def test_a_document_that_fails_keeps_the_old_index(filled, monkeypatch):
    passport = filled.base.passport
    broken = filled.library.find(filled.base, "paged.pdf")
    (filled.library.folder / "files" / broken.version).write_bytes(b"%PDF-1.7 damaged")
    reports = list(Reindex(filled.stores, filled.base, filled.settings.override({"ingest.chunk_size": 300})).run())
    assert [(r.source, "the old index stays" in r.reason) for r in reports if r.status == "failed"] == [("paged.pdf", True)]
    assert filled.base.passport == passport
    filled.check()


def test_only_one_reindex_of_a_base_at_a_time_and_recovery_leaves_it_alone(filled):
    work = Reindex(filled.stores, filled.base, filled.settings).run()
    next(work)
    with pytest.raises(Occupied):
        list(Reindex(filled.stores, filled.base, filled.settings).run())
    filled.pipeline.recover(filled.settings)
    assert [report.status for report in work] == ["indexed", "indexed"]
    filled.check()


def test_a_killed_change_is_recovered_into_the_new_index(filled, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("store.library.Library.put", die)
        with pytest.raises(Killed):
            filled.add("late.txt", "Late words.")
    reindexed(filled, chunk_size=300)
    assert [report.status for report in filled.pipeline.recover(filled.settings)] == ["indexed"]
    assert filled.lexical("late") == ["late.txt"]
    filled.check()

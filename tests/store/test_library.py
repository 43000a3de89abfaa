"""Bases, documents, names and kept bytes."""

import time
from threading import Thread

import pytest
from sqlalchemy import event

from store.database import now
from store.errors import InvalidName, NotWritable, Occupied, UnknownBase, UnknownDocument
from store.library import Library, StoredDocument, document_id
from tests.standin import keep


def put(
    library: Library, base, source: str, data: bytes = b"data", *, text: str = "text", pages=(), status="ready"
) -> StoredDocument:
    version = keep(library, data)
    document = StoredDocument(document_id(base, source), base.id, source, version, status, 1, {"source": source}, now())
    library.put(base, document, text=text, pages=pages)
    return document


def test_a_base_is_made_once_and_found_by_name(library):
    base = library.ensure_base(" 知识库 \t one ")
    assert base.name == "知识库 one"
    assert library.ensure_base("知识库 one") == base == library.base("知识库 one") == library.by_id(base.id)
    assert library.bases() == [base]
    assert base.passport == {}


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\0b", "\u202eevil", "a\u200bb"])
def test_a_base_needs_a_visible_name(library, name):
    with pytest.raises(InvalidName, match="1 to 80"):
        library.ensure_base(name)


def test_an_unknown_base_lists_those_there_are(library):
    with pytest.raises(UnknownBase, match="Bases: none yet"):
        library.base("x")
    library.ensure_base("a")
    library.ensure_base("b")
    with pytest.raises(UnknownBase, match=r"'x'. Bases: a, b"):
        library.base("x")


def test_renaming_keeps_the_documents(library):
    base = library.ensure_base("a")
    document = put(library, base, "x.txt")
    renamed = library.rename_base("a", "b")
    assert (renamed.id, [d.doc_id for d in library.documents(renamed)]) == (base.id, [document.doc_id])
    assert document_id(renamed, "x.txt") == document.doc_id
    library.ensure_base("c")
    with pytest.raises(InvalidName, match="already"):
        library.rename_base("b", "c")
    assert library.rename_base("b", "b").name == "b"


def test_deleting_a_base_removes_all_that_is_only_its_own(library):
    base, other = library.ensure_base("a"), library.ensure_base("b")
    put(library, base, "x.txt", b"shared")
    put(library, base, "y.txt", b"own")
    kept = put(library, other, "x.txt", b"shared")
    library.chunk_folder(base).mkdir(parents=True)
    library.delete_base("a")
    assert library.bases() == [other]
    assert not library.chunk_folder(base).exists()
    assert [path.name for path in (library.folder / "files").iterdir()] == [kept.version]
    assert library.with_id(document_id(base, "x.txt")) is None


def test_documents_are_found_by_name_alias_and_bytes(library):
    base, other = library.ensure_base("a"), library.ensure_base("b")
    document = put(library, base, "x.txt")
    library.add_alias(base, document.doc_id, "it's an alias.txt")
    for name in ("x.txt", "it's an alias.txt"):
        assert library.find(base, name).doc_id == document.doc_id
        assert library.find(other, name) is None
    assert library.find(base, "none.txt") is None
    assert library.with_version(base, document.version).aliases == ("it's an alias.txt",)
    assert library.with_version(other, document.version) is None
    library.drop_alias(base, "it's an alias.txt")
    assert library.find(base, "it's an alias.txt") is None


def test_an_empty_document_has_no_duplicates(library):
    base = library.ensure_base("a")
    document = put(library, base, "x.txt", status="empty")
    assert library.with_version(base, document.version) is None
    assert library.documents(base, statuses=["ready"]) == []


def test_text_and_pages_are_what_was_put(library):
    base = library.ensure_base("a")
    document = put(library, base, "x.txt", text="字" * 1000, pages=[(1, 0, 500), (2, 500, 1000)])
    assert library.text(document.doc_id) == "字" * 1000
    assert library.pages(document.doc_id) == [(1, 0, 500), (2, 500, 1000)]
    put(library, base, "x.txt", text="")
    assert (library.text(document.doc_id), library.pages(document.doc_id)) == ("", [])
    library.delete_document(document.doc_id)
    for gone in (library.text, library.pages, library.document):
        with pytest.raises(UnknownDocument, match="not there any more"):
            gone(document.doc_id)


def test_bytes_are_kept_once_and_go_with_the_last_that_needs_them(library):
    base = library.ensure_base("a")
    one, two = put(library, base, "x.txt", b"same"), put(library, base, "y.txt", b"same")
    assert one.version == two.version
    library.delete_document(one.doc_id)
    assert library.files.read(two.version) == b"same"
    library.delete_document(two.doc_id)
    with pytest.raises(UnknownDocument, match="original file"):
        library.files.read(two.version)


def test_tidying_removes_what_nobody_refers_to(library):
    base = library.ensure_base("a")
    document = put(library, base, "x.txt")
    orphan = keep(library, b"orphan")
    half = library.folder / "files" / "abc.part"
    half.write_bytes(b"half")
    (library.folder / "bases" / "gone").mkdir(parents=True)
    library.chunk_folder(base).mkdir(parents=True)
    library.tidy()
    assert {path.name for path in (library.folder / "files").iterdir()} == {document.version}
    assert orphan != document.version
    assert [path.name for path in (library.folder / "bases").iterdir()] == [base.id]


def test_bytes_are_not_forgotten_while_someone_is_about_to_refer_to_them(library):
    base = library.ensure_base("a")
    version = keep(library, b"data")
    with library.files.keeping(b"data"):
        other = Thread(target=library.files.forget, args=([version],))
        other.start()
        time.sleep(0.1)
        document = StoredDocument(document_id(base, "x"), base.id, "x", version, "ready", 0, {}, now())
        library.put(base, document)
    other.join()
    assert library.files.read(version) == b"data"


def test_a_lock_is_held_against_all_others(library):
    with library.lock("x"), pytest.raises(Occupied), library.lock("x", timeout=0):
        pass
    with library.lock("x", timeout=0):
        pass


def test_looking_up_one_of_many_documents_reads_no_others(library):
    base = library.ensure_base("a")
    put(library, base, "0.txt")
    with library.engine.begin() as connection:
        row = connection.exec_driver_sql("SELECT * FROM documents").mappings().one()
        rows = [dict(row) | {"doc_id": f"d{n}", "source": f"{n}.txt", "version": f"v{n}"} for n in range(1, 2000)]
        connection.exec_driver_sql(
            f"INSERT INTO documents ({', '.join(row)}) VALUES ({', '.join(':' + name for name in row)})", rows
        )
    asked: list[tuple[str, object]] = []
    event.listen(library.engine, "before_cursor_execute", lambda _c, _k, sql, values, *_: asked.append((sql, values)))
    assert library.find(base, "7.txt").doc_id == library.with_version(base, "v7").doc_id == library.document("d7").doc_id
    assert "text" not in " ".join(sql for sql, _ in asked).replace("'text'", "")
    with library.engine.connect() as connection:
        plans = [connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values).all() for sql, values in list(asked)]
    steps = [step[3] for plan in plans for step in plan]
    assert steps
    assert [step for step in steps if step.startswith("SCAN documents") or step.endswith("(base_id=?)")] == []


def test_a_store_in_a_file_is_named(tmp_path):
    from store.database import connect

    library = Library(connect(tmp_path / "store"), folder=tmp_path / "store")
    (tmp_path / "store" / "files").write_text("in the way")
    with pytest.raises(NotWritable, match=str(tmp_path)):
        keep(library, b"data")
    library.engine.dispose()

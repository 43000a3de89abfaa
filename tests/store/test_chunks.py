"""Chunks in LanceDB: written in one commit, found by words and by vectors, filtered by any value."""

import time

import numpy as np
import pytest
from langchain_core.documents import Document

from store import arrow
from store.chunks import ChunkStore
from store.errors import InvalidFilter, InvalidVector
from store.filters import build_filter
from store.search import LOOK_AGAIN
from store.table import OPTIMIZE_EVERY, Heir
from tests.standin import WordEmbeddings
from tests.store.making import make_chunk

HOSTILE = ["it's.txt", "x' OR 1=1 --", 'a"b;--.md', "\\", "%", "知识库.txt", "😀", "a\nb", "', enabled = false --"]


def found_by(store: ChunkStore, query: str, **filter_: object) -> list[str]:
    return [str(c.id) for c, _ in store.search_text(query, depth=50, where=build_filter(filter_))]


def test_full_text_finds_chinese_words(store):
    texts = {
        "mapo": "麻婆豆腐的做法：先把豆腐切块。",
        "refund": "退款期限为三十天",
        "shanghai": "公司地址在上海",
        "egg": "鸡蛋羹操作步骤",
    }
    store.upsert([make_chunk(key, text) for key, text in texts.items()])
    assert found_by(store, "麻婆豆腐")[0] == "mapo"
    assert "refund" not in found_by(store, "麻婆豆腐")
    assert found_by(store, "退款期限") == ["refund"]


@pytest.mark.parametrize(
    ("query", "key"), [("审批流程", "po"), ("ERP", "erp"), ("erp审批", "erp"), ("refund days", "en"), ("REFUNDS", "en")]
)
def test_full_text_finds_what_others_lose(store, query, key):
    store.upsert(
        [
            make_chunk("po", "采购订单自动审批流程"),
            make_chunk("erp", "ERP审批"),
            make_chunk("en", "Refund window is thirty days."),
        ]
    )
    assert found_by(store, query)[0] == key


def test_full_text_returns_only_what_matches(store):
    store.upsert([make_chunk("a", "apples and pears"), make_chunk("b", "ships and sails")])
    assert found_by(store, "apples") == ["a"]
    assert found_by(store, "zebra") == found_by(store, "   ") == found_by(store, "？！") == []


@pytest.mark.parametrize(
    "query", ['"apples and pears"', "apples OR (pears", "apples AND NOT", "text:apples*~^", "'; DROP TABLE", "+apples -x"]
)
def test_a_query_is_words_never_syntax(store, query):
    store.upsert([make_chunk("a", "apples and pears")])
    assert found_by(store, query) == (["a"] if "apples" in query else [])


def test_what_is_written_after_the_index_was_made_is_found_before_and_after_optimizing(store):
    for number in range(3):
        store.upsert([make_chunk(f"c{number}", f"word{number} and more")])
    for _ in range(2):
        assert [found_by(store, f"word{number}") for number in range(3)] == [["c0"], ["c1"], ["c2"]]
        store.optimize()


def test_the_best_vector_comes_first_with_its_cosine(store, words):
    store.upsert([make_chunk("a", "apples and pears"), make_chunk("b", "ships and sails")])
    results = store.search_vector(words.embed_query("ships and sails"), depth=2)
    assert [c.id for c, _ in results] == ["b", "a"]
    assert results[0][1] == pytest.approx(1, abs=1e-5)
    assert results[1][1] == pytest.approx(
        np.dot(words.embed_query("ships and sails"), words.embed_query("apples and pears")), abs=1e-5
    )
    assert results[0][0].segment_vectors.shape == (1, 16)
    assert results[0][0].metadata["segments"] == [(0, 15)]


def test_upsert_replaces_and_the_last_of_a_batch_wins(store):
    store.upsert([make_chunk("a", "old"), make_chunk("a", "newer"), make_chunk("b", "other")])
    assert (store.count(), found_by(store, "newer"), found_by(store, "old")) == (2, ["a"], [])
    store.upsert([make_chunk("a", "newest")])
    assert (store.count(), found_by(store, "newer"), found_by(store, "newest")) == (2, [], ["a"])


@pytest.mark.parametrize("fresh", [True, False])
def test_a_document_is_replaced_in_one_commit(store, fresh):
    store.upsert([make_chunk("other", "other words", doc_id="e")])
    old = [make_chunk(f"o{n}", f"old{n} words", doc_id="d") for n in range(3)]
    assert store.replace_document("d", old, fresh=fresh) == 3
    revision = store.revision
    assert (
        store.replace_document("d", [make_chunk("o0", "kept words", doc_id="d"), make_chunk("n", "new words", doc_id="d")]) == 2
    )
    assert store.revision == revision + 1
    assert sorted(found_by(store, "words")) == ["n", "o0", "other"]
    assert sorted(found_by(store, "words", doc_id="d")) == ["n", "o0"]


def test_replacing_by_nothing_removes_it(store):
    store.upsert([make_chunk("a", "one", doc_id="d"), make_chunk("b", "two", doc_id="e")])
    assert store.replace_document("d", []) == 0
    assert (store.count(), store.count({"doc_id": "e"})) == (1, 1)


def test_an_heir_takes_the_old_chunks_in_the_same_commit(store):
    store.replace_document("d", [make_chunk("a", "one", doc_id="d", version="v1", source="d.txt", chunk_index=0)], fresh=True)
    heir = Heir("h", "h.txt", "v1")
    revision = store.revision
    new = [make_chunk("b", "two", doc_id="d", version="v2", source="d.txt", chunk_index=0)]
    assert store.replace_document("d", new, heir=heir) == 1
    assert store.revision == revision + 1
    assert store.replace_document("d", new, heir=heir) == 1  # again, as after a kill
    found = {c.metadata["doc_id"]: (c.page_content, c.metadata["source"]) for c, _ in store.search_text("one two", depth=9)}
    assert found == {"h": ("one", "h.txt"), "d": ("two", "d.txt")}
    assert store.count() == 2


@pytest.mark.parametrize("value", HOSTILE)
def test_any_value_is_only_a_value(store, value):
    store.upsert(
        [make_chunk("a", "same words", source=value, doc_id=value), make_chunk("b", "same words", source="b.txt", doc_id="b")]
    )
    assert found_by(store, "same", source=value) == ["a"]
    assert [d.id for d in store.similarity_search("same", filter={"source": value})] == ["a"]
    assert store.count({"source": value}) == 1
    assert found_by(store, "same", doc_id=value) == ["a"]
    store.delete_documents([value])
    assert found_by(store, "same") == ["b"]


def test_filters_of_lists_and_numbers(store):
    store.upsert([make_chunk(str(n), "same words", page=n, source=f"{n}.txt") for n in range(5)])
    assert sorted(found_by(store, "same", page=[1, 3, 99])) == ["1", "3"]
    assert found_by(store, "same", page=(2,), source=["2.txt", "3.txt"]) == ["2"]
    assert found_by(store, "same", page=[]) == []
    assert store.similarity_search("same", filter={"source": []}) == []


def test_an_unknown_field_is_named(store):
    with pytest.raises(InvalidFilter, match=r"'colour'.*source"):
        found_by(store, "x", colour="red")


def test_delete_by_ids_and_all(store):
    store.upsert([make_chunk(key, f"text {key}") for key in ("a", "b'c", "d")])
    store.delete(["b'c", "nothing"])
    assert store.count() == 2
    store.delete([])
    assert store.count() == 2
    store.delete()
    assert store.count() == 0


@pytest.mark.parametrize("bad", [np.zeros(16), np.full(16, np.nan), np.full(16, np.inf)])
def test_a_vector_that_says_nothing_is_refused(store, bad):
    bad = bad.astype(np.float32)
    for vectors in ({"vector": bad}, {"segment_vectors": bad[None]}):
        with pytest.raises(InvalidVector, match=r"zeros or of no numbers for a\.txt"):
            store.upsert([make_chunk("a", "text", source="a.txt", **vectors)])
    assert store.count() == 0


@pytest.mark.parametrize("fresh", [True, False])
def test_one_bad_vector_among_many_is_refused_before_anything_is_stored(store, monkeypatch, fresh):
    monkeypatch.setattr("store.arrow.ROWS_AT_ONCE", 2)
    store.upsert([make_chunk("old", "text", doc_id="d")])
    chunks = [make_chunk(f"c{n}", "text", doc_id="d") for n in range(5)]
    bad = make_chunk("c9", "text", doc_id="d", vector=np.zeros(16, dtype=np.float32))
    with pytest.raises(InvalidVector):
        store.replace_document("d", [*chunks, bad], fresh=fresh)
    assert [chunk.id for chunk in store.chunks_of("d")] == ["old"]
    assert store.replace_document("d", chunks, fresh=False) == 5
    assert {chunk.id for chunk in store.chunks_of("d")} == {"c0", "c1", "c2", "c3", "c4"}


def test_rows_are_made_as_they_are_read(monkeypatch):
    make, made = arrow._row, list[str]()

    def noting(chunk):
        made.append(chunk.id)
        return make(chunk)

    monkeypatch.setattr("store.arrow.ROWS_AT_ONCE", 2)
    monkeypatch.setattr("store.arrow._row", noting)
    rows = arrow.to_arrow([make_chunk(f"c{n}", "text") for n in range(5)], 16)
    assert made == []
    assert rows.read_next_batch()["id"].to_pylist() == made == ["c0", "c1"]
    assert rows.read_all()["id"].to_pylist() == ["c2", "c3", "c4"]


def test_a_vector_of_another_length_is_refused(store, tmp_path):
    store.upsert([make_chunk("a", "text")])
    with pytest.raises(InvalidVector, match="dimension 16"):
        store.upsert([make_chunk("b", "text", dimension=8)])
    with pytest.raises(InvalidVector, match="8 numbers for a base of 16"):
        ChunkStore(WordEmbeddings(8), folder=tmp_path / "chunks").similarity_search("text")
    assert store.count() == 1


def test_metadata_survives_and_promoted_fields_keep_their_types(store):
    metadata = {
        "source": "a.txt",
        "page": 3,
        "start": "not a number",
        "nested": {"知": [1, None, 2.5]},
        "doc_id": 7,
        "flag": True,
    }
    store.add_texts(["text"], [metadata], ids=["a"])
    [document] = store.get_by_ids(["a"])
    assert document == Document("text", id="a", metadata=metadata)
    assert found_by(store, "text", page=3) == ["a"]


def test_get_by_ids_keeps_the_order_and_skips_what_is_missing(store):
    store.add_texts([f"text {n}" for n in range(20)], ids=[str(n) for n in range(20)])
    assert [d.id for d in store.get_by_ids(["7", "nothing", "3", "19", "7"])] == ["7", "3", "19", "7"]
    assert store.get_by_ids([]) == []


def test_text_that_utf8_cannot_hold_is_mended(store):
    store.add_texts(["lone \ud800 one"], [{"note\udfff": "\ud800"}], ids=["a"])
    [document] = store.get_by_ids(["a"])
    assert (document.page_content, document.metadata) == ("lone \ufffd one", {"note\ufffd": "\ufffd"})


def test_mmr_prefers_what_is_different(store):
    store.upsert(
        [
            make_chunk("a", "apples pears plums"),
            make_chunk("a2", "apples pears plums figs"),
            make_chunk("b", "apples ships sails"),
        ]
    )
    near = [d.id for d in store.similarity_search("apples pears plums", k=2)]
    far = [d.id for d in store.max_marginal_relevance_search("apples pears plums", k=2, lambda_mult=0.1)]
    assert (near, far) == (["a", "a2"], ["a", "b"])
    assert store.max_marginal_relevance_search("apples", filter={"source": "none"}) == []


def test_another_handle_sees_each_commit_at_once(store, words, tmp_path):
    other = ChunkStore(words, folder=tmp_path / "chunks")
    before = other.revision
    store.upsert([make_chunk("a", "first words")])
    assert found_by(other, "first") == ["a"]
    time.sleep(LOOK_AGAIN)
    assert other.revision != before
    other.delete_documents(["x"])
    other.upsert([make_chunk("b", "second words")])
    assert sorted(found_by(store, "words")) == ["a", "b"]


def test_a_table_whose_maker_was_killed_before_its_index_gets_one(store, words, tmp_path):
    store.upsert([make_chunk("a", "apples")])
    for index in store._table.list_indices():
        store._table.drop_index(index.name)
    assert found_by(ChunkStore(words, folder=tmp_path / "chunks"), "apples") == ["a"]


def test_many_commits_are_folded_together_without_being_asked(store, monkeypatch):
    monkeypatch.setattr("store.table.OPTIMIZE_EVERY", 5)
    assert OPTIMIZE_EVERY > 5
    for number in range(12):
        store.replace_document(f"d{number}", [make_chunk(f"c{number}", f"word{number}", doc_id=f"d{number}")], fresh=True)
        store.optimize_when_due()
    assert store._table.stats()["fragment_stats"]["num_fragments"] < 5
    assert (store.count(), found_by(store, "word0"), found_by(store, "word11")) == (12, ["c0"], ["c11"])


def test_sample_texts_are_spread_over_the_base(store):
    store.upsert([make_chunk(f"{n:03}", f"text {n}") for n in range(50)])
    store.delete(["010", "049"])
    assert len(store.sample_texts(100)) == 48
    sample = store.sample_texts(10)
    assert len(set(sample)) == 10
    assert {"text 0", "text 48"} <= set(sample)
    store.delete()
    assert store.sample_texts(10) == []


def test_dropping_removes_the_table(store, words, tmp_path):
    store.upsert([make_chunk("a", "apples")])
    store.drop()
    assert ChunkStore(words, folder=tmp_path / "chunks").count() == 0

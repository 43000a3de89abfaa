"""The lexical leg: words of both languages, also inside longer Chinese words, and nothing that holds none of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from retrievers.ledger import Ledger, recording
from retrievers.lexical import LexicalRetriever
from store.filters import Conditions
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import chunk, word_shelf

TEXTS = {
    "phone": "新手机发布了",
    "hand": "手工机器",
    "order": "采购订单自动审批流程",
    "erp": "ERP审批",
    "refund": "Refund window is thirty days.",
    "the": "What is the when and the why of it?",
    "of": "我们的什么是怎么样的",
}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = word_shelf(tmp_path)
    shelf.store.upsert([chunk(key, text) for key, text in TEXTS.items()])
    return shelf


def ask(shelf: Shelf, query: str, **fields: Any) -> tuple[list[Document], Ledger]:
    leg = LexicalRetriever(hits=shelf.searched.hits, statistics=shelf.searched.statistics, **fields)
    with recording() as book:
        return leg.invoke(query), book


def keys(documents: Sequence[Document]) -> list[str]:
    return [str(document.id) for document in documents]


def notes(book: Ledger) -> dict[str, dict[str, Any]]:
    return {note.code: note.params for note in book.notes}


@pytest.mark.parametrize(("query", "only"), [("What is the refund of it?", "refund"), ("我们的审批是什么样的？", "erp")])
def test_stop_words_do_not_count_beside_others(shelf: Shelf, query: str, only: str) -> None:
    found = keys(ask(shelf, query)[0])
    assert found[0] == only
    assert not {"the", "of"} & set(found)
    assert {"the", "of"} & set(keys(ask(shelf, query, strip_stop_words=False)[0]))


@pytest.mark.parametrize(("query", "first"), [("What is it?", "the"), ("什么是怎么样的？", "of"), ("我们的", "of")])
def test_a_query_of_stop_words_alone_is_searched_for_as_it_is(shelf: Shelf, query: str, first: str) -> None:
    assert keys(ask(shelf, query)[0])[0] == first


@pytest.mark.parametrize(("query", "first"), [("审批流程", "order"), ("ERP", "erp"), ("erp审批", "erp"), ("采购订单", "order")])
def test_words_of_mixed_and_long_chinese_names(shelf: Shelf, query: str, first: str) -> None:
    assert keys(ask(shelf, query, bigrams_below=0)[0])[0] == first


def test_a_word_inside_a_longer_one_is_found_and_the_note_says_so(shelf: Shelf) -> None:
    assert ask(shelf, "手机", bigrams_below=0)[0] == []
    found, book = ask(shelf, "手机")
    assert keys(found) == ["phone"]
    assert notes(book) == {"found_inside_words": {"parts": "手机", "count": 1}}
    assert found[0].metadata["scores"]["bm25"].rank == 1
    assert found[0].metadata["scores"]["bm25"].score > 0


def test_a_query_that_matches_nothing_brings_nothing_and_says_so(shelf: Shelf) -> None:
    for query in ("zyzzyva", "飞碟"):
        found, book = ask(shelf, query)
        assert found == []
        assert notes(book) == {"no_lexical_match": {"words": query}}
        (stage,) = book.stages
        assert (stage.name, stage.added, stage.out) == ("bm25", 0, 0)


@pytest.mark.parametrize("query", ["审批", "手机发布", "refund 手机", "机手", "流动程序"])
def test_what_holds_no_word_and_no_pair_of_the_query_is_never_returned(shelf: Shelf, query: str) -> None:
    asked = set(shelf.store.tokens(query)) | {query[i : i + 2] for i in range(len(query) - 1)}
    for document in ask(shelf, query)[0]:
        text = document.page_content
        assert asked & set(shelf.store.tokens(text)) or any(pair in text for pair in asked)
    pairs_only = ask(shelf, query, bigrams_below=100)[0][len(ask(shelf, query, bigrams_below=0)[0]) :]
    assert all(any(query[i : i + 2] in d.page_content for i in range(len(query) - 1)) for d in pairs_only)


def test_scores_of_parts_stay_behind_those_of_whole_words(shelf: Shelf) -> None:
    shelf.store.upsert([chunk("students", "北京大学生前来")])
    query = "大学 学生 生前 refund"
    assert keys(ask(shelf, query, bigrams_below=0)[0]) == ["refund"]
    assert keys(ask(shelf, "大学 学生 生前")[0]) == ["students"]
    found, book = ask(shelf, query)
    assert keys(found) == ["refund", "students"]
    marks = [document.metadata["scores"]["bm25"] for document in found]
    assert [mark.rank for mark in marks] == [1, 2]
    assert marks[0].score > marks[1].score > 0
    assert notes(book)["found_inside_words"] == {"parts": "大学 学生 生前", "count": 1}


def test_of_parts_that_share_more_of_the_query_come_first(shelf: Shelf) -> None:
    shelf.store.upsert([chunk("both", "大手机套餐")])
    found, _ = ask(shelf, "手机套")
    assert keys(found) == ["both", "phone"]
    assert found[0].metadata["scores"]["bm25"].score > found[1].metadata["scores"]["bm25"].score


def test_enough_whole_words_spare_the_reading_of_every_text(shelf: Shelf) -> None:
    shelf.store.upsert([chunk(f"more{n}", f"手机 {n}") for n in range(5)])
    found, book = ask(shelf, "手机", bigrams_below=5)
    assert "phone" not in keys(found)
    assert "found_inside_words" not in notes(book)
    assert "phone" in keys(ask(shelf, "手机", bigrams_below=6)[0])


def test_depth_and_conditions_hold_for_words_and_parts(shelf: Shelf) -> None:
    shelf.store.upsert([chunk("word", "手机", doc_id="other")])
    assert keys(ask(shelf, "手机", conditions=Conditions(doc_ids=("doc phone",)))[0]) == ["phone"]
    assert keys(ask(shelf, "手机", conditions=Conditions(doc_ids=("other",)))[0]) == ["word"]
    assert keys(ask(shelf, "手机", k=1)[0]) == ["word"]
    assert ask(shelf, "手机", conditions=Conditions(doc_ids=()))[0] == []


def test_a_query_may_hold_what_a_condition_would_be_made_of(shelf: Shelf) -> None:
    shelf.store.upsert([chunk("quoted", "叫做'手机'的东西")])
    for query in ("'手机'", "手机' OR '1'='1", "手机%", "手_机"):
        assert "order" not in keys(ask(shelf, query)[0])

"""Questions in simplified or traditional characters find passages in either, which are shown as they were written."""

from pathlib import Path

import pytest

from retrievers.coverage import QuestionTerms
from retrievers.explain import Explainer
from retrievers.ledger import recording
from retrievers.lexical import LexicalRetriever
from retrievers.pairs import rank_by_pairs
from store import arrow
from store.schema import Chunk
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import chunk, word_shelf

TEXTS = {
    "traditional": "資料庫的備份在後台設定，每週執行一次。",
    "simplified": "资料库的备份在后台设定，每周执行一次。",
    "phone": "新手機發布了。",
    "japanese": "開発環境の設定はこちらです。",
    "other": "退款期限为三十天。",
}
BOTH = {"traditional", "simplified"}
ASKED = ["資料庫備份", "资料库备份", "什麼是後台設定？", "什么是后台设定？"]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return filled(tmp_path_factory.mktemp("scripts"))


def filled(folder: Path) -> Shelf:
    shelf = word_shelf(folder)
    shelf.store.upsert([chunk(key, text) for key, text in TEXTS.items()])
    return shelf


def found(shelf: Shelf, query: str, **fields: int) -> dict[str, float]:
    leg = LexicalRetriever(hits=shelf.searched.hits, statistics=shelf.searched.statistics, **fields)
    with recording():
        documents = leg.invoke(query)
    assert all(document.page_content == TEXTS[str(document.id)] for document in documents)
    return {str(document.id): document.metadata["scores"]["bm25"].score for document in documents}


@pytest.mark.parametrize("query", ASKED)
def test_either_script_finds_both_with_the_same_score(shelf: Shelf, query: str) -> None:
    scores = found(shelf, query, bigrams_below=0)
    assert set(scores) >= BOTH
    assert scores["traditional"] == pytest.approx(scores["simplified"])
    assert "other" not in scores


@pytest.mark.parametrize("query", ["手機", "手机"])
def test_a_word_within_a_longer_one_is_found_in_either_script_and_told_as_asked(shelf: Shelf, query: str) -> None:
    assert found(shelf, query, bigrams_below=0) == {}
    leg = LexicalRetriever(hits=shelf.searched.hits, statistics=shelf.searched.statistics)
    with recording() as book:
        assert [document.id for document in leg.invoke(query)] == ["phone"]
    assert [(note.code, note.params["parts"]) for note in book.notes] == [("found_inside_words", query)]


@pytest.mark.parametrize("query", ["開発環境", "開発環境はどこ"])
def test_japanese_is_found_as_before(shelf: Shelf, query: str) -> None:
    assert next(iter(found(shelf, query, bigrams_below=0))) == "japanese"


@pytest.mark.parametrize("query", ASKED)
def test_pairs_and_terms_compare_in_one_form(shelf: Shelf, query: str) -> None:
    candidates = {str(each.id): each for each in shelf.store.candidates(list(BOTH))}
    ranked = {
        str(d.id): d.metadata["scores"]["pairs"].score
        for d in rank_by_pairs(query, shelf.searched.statistics, candidates.values())
    }
    assert ranked["traditional"] == ranked["simplified"] > 0
    asked = QuestionTerms(query, shelf.searched.statistics)
    assert asked.share(TEXTS["traditional"]) == asked.share(TEXTS["simplified"]) > asked.share(TEXTS["other"])
    contexts = {context.chunk_id: context for context in shelf.find(query).contexts}
    words = contexts["traditional"].matched_terms
    assert words == contexts["simplified"].matched_terms
    assert len(words) > 1
    assert all(word in query for word in words)


@pytest.mark.parametrize(("query", "key"), [("資料庫備份", "traditional"), ("备份资料库", "simplified"), ("手機", "phone")])
def test_what_older_versions_indexed_is_found_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, key: str
) -> None:
    with monkeypatch.context() as before:
        before.setattr(arrow, "indexed_form", str)
        old = filled(tmp_path)
    assert key in found(old, query)
    assert "simplified" in found(old, "資料庫備份")  # a question in the old script finds the new one even so
    assert set(found(old, "资料库备份", bigrams_below=0)) == {"simplified"}
    old.store.upsert(old.store.whole_chunks(list(TEXTS)))  # as indexing again does
    assert set(found(old, "资料库备份", bigrams_below=0)) == BOTH


@pytest.mark.parametrize("expected", ["備份在後台設定", "备份在后台设定"])
def test_an_expected_passage_is_found_in_either_script(tmp_path: Path, expected: str) -> None:
    shelf = word_shelf(tmp_path)
    shelf.add("t.txt", TEXTS["traditional"])
    shelf.add("s.txt", TEXTS["simplified"])
    told = Explainer(shelf.retriever, shelf.stores.library, [shelf.base], shelf.settings).explain("後台", expected)
    assert {(fate.chunk.source, fate.exact) for fate in told.fates} == {("t.txt", True), ("s.txt", True)}
    assert all("后台" in fate.shared_words and fate.legs["bm25"] for fate in told.fates)
    assert {fate.chunk.text for fate in told.fates} == {TEXTS["traditional"], TEXTS["simplified"]}


def test_a_stored_chunk_comes_back_as_it_was_written(tmp_path: Path) -> None:
    shelf, text = word_shelf(tmp_path), "後台的設定"
    put: list[Chunk] = [
        chunk("plain", text, embed_text=f"標題\n{text}", metadata={"title": "標題"}),
        chunk("edited", text, embed_text="標題\n資料庫", override="資料庫"),
    ]
    shelf.store.upsert(put)
    back = {each.id: each for each in shelf.store.whole_chunks(["plain", "edited"])}
    for each in put:
        same = back[each.id]
        assert (same.text, same.embed_text, same.override, same.metadata) == (text, each.embed_text, each.override, each.metadata)
    shown = {str(each.id): each for each in shelf.store.candidates(["plain", "edited"])}
    assert shown["plain"].page_content == text
    assert shown["plain"].metadata["title"] == "標題"
    assert "embed_text_as_written" not in shown["plain"].metadata
    assert (shown["edited"].page_content, shown["edited"].metadata["original"]) == ("資料庫", text)
    assert shelf.store.chunks_of("doc edited")[0].text == "資料庫"
    assert shelf.store.rows_of("doc plain", ["embed_text"])[0]["embed_text"] == f"標題\n{text}"
    assert {str(hit.id) for hit, _ in shelf.store.search_text("资料库", depth=9)} == {"edited"}

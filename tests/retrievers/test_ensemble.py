"""The ensemble: LangChain's order for equal input, and what LangChain loses kept."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from models import ModelError
from retrievers.ensemble import ScoredEnsembleRetriever
from retrievers.ledger import recording
from retrievers.lexical import LexicalRetriever
from retrievers.vector import VectorRetriever
from settings import Fusion
from store.chunks import ChunkStore
from store.search import Found
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import chunk, word_shelf
from tests.standin import WordEmbeddings


class Ranked(BaseRetriever):
    """Gives documents in a fixed order, without scores, as a foreign retriever does."""

    names: list[str]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [Document(id=name, page_content=f"text of {name}", metadata={"key": name}) for name in self.names]


class Failing(BaseRetriever):
    """A leg whose model is down."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        raise ModelError("the model is down")


def by_rank(ranks: dict[str, int]) -> Ranked:
    return Ranked(names=sorted(ranks, key=lambda name: ranks[name]))


def ensemble(legs: Sequence[BaseRetriever], weights: list[float] | None = None, **fields: object) -> ScoredEnsembleRetriever:
    names = ["bm25", "vector", "third"][: len(legs)]
    return ScoredEnsembleRetriever(retrievers=list(legs), names=names, weights=weights or [1.0] * len(legs), **fields)


def test_worked_example_of_reciprocal_rank_fusion() -> None:
    lexical = by_rank({"D1": 3, "D2": 1, "D3": 5, "D4": 2, "D5": 4})
    vector = by_rank({"D1": 1, "D2": 4, "D3": 2, "D4": 3, "D5": 5})
    found = ensemble([lexical, vector], fusion=Fusion.RRF, c=60).invoke("q")
    scores = {document.id: round(document.metadata["scores"]["fused"].score, 5) for document in found}
    assert scores == {"D1": 0.03227, "D2": 0.03202, "D4": 0.03200, "D3": 0.03151, "D5": 0.03101}
    assert list(scores) == ["D1", "D2", "D4", "D3", "D5"]
    assert found[0].metadata["scores"]["bm25"].rank == 3
    assert found[0].metadata["scores"]["vector"].rank == 1


@settings(max_examples=60)
@given(
    st.lists(st.permutations([f"d{i}" for i in range(8)]).map(lambda names: names[:5]), min_size=1, max_size=3),
    st.lists(st.floats(0.1, 5), min_size=3, max_size=3),
    st.integers(1, 100),
)
def test_equal_input_gives_the_order_of_langchain(orders: list[list[str]], weights: list[float], c: int) -> None:
    legs, weights = [Ranked(names=order) for order in orders], weights[: len(orders)]
    theirs = EnsembleRetriever(retrievers=legs, weights=weights, c=c, id_key="key").invoke("q")
    ours = ensemble(legs, weights, fusion=Fusion.RRF, c=c).invoke("q")
    assert [d.id for d in ours] == [d.id for d in theirs]


def test_one_failing_leg_leaves_the_other_and_a_note() -> None:
    with recording() as book:
        found = ensemble([Failing(), Ranked(names=["a", "b"])]).invoke("q")
    assert [d.id for d in found] == ["a", "b"]
    assert [(note.code, note.params["leg"]) for note in book.notes] == [("leg_failed", "bm25")]


def legs_of(shelf: Shelf, k: int = 5) -> list[BaseRetriever]:
    hits = shelf.searched.hits
    return [VectorRetriever(hits=hits, k=k), LexicalRetriever(hits=hits, statistics=shelf.statistics, k=k)]


def test_an_embedder_that_fails_is_asked_once_and_words_still_find(tmp_path: Path) -> None:
    class Down(WordEmbeddings):
        asked = 0

        def embed_query(self, text: str) -> list[float]:
            self.asked += 1
            raise ModelError("the embedder is down")

    embeddings = Down(64)
    shelf = word_shelf(tmp_path, embeddings=embeddings)
    shelf.store.upsert([chunk("pan", "The iron pan")])
    with recording() as book:
        found = ensemble(legs_of(shelf)).invoke("iron pan")
    assert ([d.id for d in found], embeddings.asked) == (["pan"], 1)
    assert [(note.code, note.params["leg"]) for note in book.notes] == [("leg_failed", "bm25")]  # the first leg's name
    assert [stage.name for stage in book.stages] == ["embed_query", "bm25", "fused"]


def test_all_searches_are_begun_before_one_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf, events = word_shelf(tmp_path), list[str]()
    shelf.store.upsert([chunk("pan", "The iron pan")])
    for name in ("begin_text", "begin_vector"):
        begin = getattr(ChunkStore, name)

        def watched(*args: Any, begin: Callable[..., Found] = begin, name: str = name, **more: Any) -> Found:
            events.append(name)
            wait = begin(*args, **more)

            def waiting() -> Any:
                events.append(f"end of {name}")
                return wait()

            return waiting

        monkeypatch.setattr(ChunkStore, name, watched)
    with recording() as book:
        assert ensemble(legs_of(shelf)).invoke("iron pan")
    assert events == ["begin_text", "begin_vector", "end of begin_text", "end of begin_vector"]
    assert [stage.name for stage in book.stages] == ["embed_query", "vector", "bm25", "fused"], "in the order of the legs"


def test_a_leg_without_weight_brings_no_documents_and_says_what_was_left_out() -> None:
    with recording() as book:
        found = ensemble([Ranked(names=["a", "b"]), Ranked(names=["b", "c"])], [0.0, 1.0]).invoke("q")
    assert [d.id for d in found] == ["b", "c"]
    assert [(drop.chunk_id, drop.reason) for drop in book.drops] == [("a", "leg_without_weight")]


def test_documents_without_id_are_told_apart_by_their_text() -> None:
    class Bare(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
            return [Document("one"), Document("two")]

    assert [d.page_content for d in ensemble([Bare(), Bare()], fusion=Fusion.RRF).invoke("q")] == ["one", "two"]


@pytest.mark.parametrize("k", [1, 2])
async def test_k_is_heeded_sync_and_async(k: int) -> None:
    found = ensemble([Ranked(names=["a", "b", "c"])])
    assert len(found.invoke("q", k=k)) == k
    assert len(await found.ainvoke("q", k=k)) == k
    assert len(found.batch(["q", "r"])[1]) == 3


def test_the_same_text_in_two_files_is_found_twice(shelf: Shelf) -> None:
    text = "The lighthouse keeper writes down the wind each hour."
    shelf.add("a.txt", text + " Alpha.")
    shelf.add("b.txt", text + " Beta.")
    assert set(shelf.sources("lighthouse keeper")) == {"a.txt", "b.txt"}


def test_what_only_words_found_gets_its_vector_score_too(dishes: Shelf) -> None:
    hits = dishes.searched.hits
    legs = [LexicalRetriever(hits=hits, statistics=dishes.statistics, k=5), VectorRetriever(hits=hits, k=1)]
    found = ensemble(legs, fusion=Fusion.STANDARD).invoke("ERP")
    erp = next(document for document in found if document.metadata["source"] == "erp.txt")
    scored = VectorRetriever(hits=hits, k=50).invoke("ERP")
    whole = next(document for document in scored if document.metadata["source"] == "erp.txt")
    if "vector" in erp.metadata["scores"]:
        assert erp.metadata["scores"]["vector"].score == pytest.approx(whole.metadata["scores"]["vector"].score, abs=1e-5)
    assert sum("vector" in document.metadata["scores"] for document in found) == 1


def fused(shelf: Shelf, query: str, **fields: object) -> tuple[list[Document], dict[str, float]]:
    legs = [
        LexicalRetriever(hits=shelf.searched.hits, statistics=shelf.searched.statistics),
        VectorRetriever(hits=shelf.searched.hits),
    ]
    with recording() as book:
        found = ensemble(legs, [0.5, 0.5], statistics=shelf.searched.statistics, **fields).invoke(query)
    return found, book.weights


def test_pairs_of_characters_tell_apart_what_words_do_not(dishes: Shelf) -> None:
    found, weights = fused(dishes, "鸡蛋羹的操作步骤")
    shares = {d.metadata["source"]: d.metadata["scores"]["pairs"].score for d in found if "pairs" in d.metadata["scores"]}
    assert shares["egg.txt"] > shares["egg_more.txt"] > 0
    assert "address.txt" not in shares
    assert weights["pairs"] == weights["bm25"] / 2
    assert found[0].metadata["scores"]["pairs"].rank == 1


@pytest.mark.parametrize("fields", [{"pairs": False}, {"fusion": Fusion.RRF}, {"weights": [0.0, 1.0]}])
def test_pairs_are_counted_only_where_scores_are_summed_and_words_count(dishes: Shelf, fields: dict[str, object]) -> None:
    legs = [
        LexicalRetriever(hits=dishes.searched.hits, statistics=dishes.searched.statistics),
        VectorRetriever(hits=dishes.searched.hits),
    ]
    chosen = {"weights": [0.5, 0.5], "statistics": dishes.searched.statistics} | fields
    with recording() as book:
        found = ensemble(legs, **chosen).invoke("鸡蛋羹的操作步骤")  # type: ignore[arg-type]
    assert found
    assert not any("pairs" in document.metadata["scores"] for document in found)
    assert "pairs" not in book.weights


def test_the_less_of_a_question_words_find_the_less_they_count(dishes: Shelf) -> None:
    weights = [
        fused(dishes, query)[1]["bm25"] for query in ("refund period", "refund period elsewhere", "refund quantum chess moon")
    ]
    assert 0.5 >= weights[0] > weights[1] > weights[2] > 0
    assert fused(dishes, "refund quantum chess moon", coverage=False)[1]["bm25"] == 0.5

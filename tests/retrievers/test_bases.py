"""Several bases at once: fused by rank, the one that answers better first; one that fails leaves the others."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from retrievers import Filter, Retrieval
from retrievers import ledger as ledgers
from retrievers.bases import EVIDENCE_SCALE, BasesRetriever
from retrievers.ledger import Ledger, recording
from retrievers.queries.query import Query
from store.errors import EmbedderMismatch, StoreError
from store.library import Base
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import codes, ids, word_shelf
from tests.standin import WordEmbeddings


class Planned(BaseRetriever):
    """A base that gives documents in a fixed order with a fixed evidence, after so many further queries; or fails."""

    names: list[str]
    evidence: float = 1.0
    queries: int = 0
    fails: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        if self.fails:
            raise StoreError(f"{self.names} cannot be read")
        book = ledgers.current()
        for number in range(self.queries + 1):
            with book.asking(number), book.stage("fused") as stage:
                stage.added = len(self.names)
        book.evidence = self.evidence
        book.queries = [Query(f"{query} {n}") for n in range(self.queries)]
        found = [(number, 1) for number in range(self.queries + 1)]
        return [Document(id=name, page_content=name, metadata={"queries": list(found)}) for name in self.names]


def fused(*retrievers: Planned) -> tuple[list[Document], Ledger]:
    with recording() as book:
        names = [f"base {n}" for n in range(len(retrievers))]
        return BasesRetriever(retrievers=list(retrievers), names=names, c=60).invoke("q"), book


def keys(documents: list[Document]) -> str:
    return "".join(str(document.id) for document in documents)


def test_bases_that_answer_equally_well_take_turns() -> None:
    found, book = fused(Planned(names=["a", "b", "c"]), Planned(names=["x", "y"]))
    assert keys(found) == "axbyc"
    assert [document.metadata["base"] for document in found] == ["base 0", "base 1", "base 0", "base 1", "base 0"]
    marks = [document.metadata["scores"]["bases"] for document in found]
    assert [mark.rank for mark in marks] == [1, 2, 3, 4, 5]
    assert [mark.score for mark in marks] == pytest.approx([1 / 61, 1 / 61, 1 / 62, 1 / 62, 1 / 63])
    (stage,) = (stage for stage in book.stages if stage.name == "bases")
    assert (stage.taken_in, stage.out) == (5, 5)


def test_the_base_with_more_evidence_counts_more() -> None:
    weaker, better = Planned(names=["a", "b"], evidence=0.9 - EVIDENCE_SCALE), Planned(names=["x", "y"], evidence=0.9)
    found, book = fused(weaker, better)
    assert keys(found) == "xyab"
    assert found[2].metadata["scores"]["bases"].score == pytest.approx(math.exp(-1) / 61)
    assert book.evidence == 0.9


def test_the_list_of_one_base_stays_as_it_is() -> None:
    found, book = fused(Planned(names=["a", "b"]))
    assert keys(found) == "ab"
    assert "scores" not in found[0].metadata
    assert [(stage.name, stage.base) for stage in book.stages] == [("fused", "")]


def test_queries_are_numbered_through_all_bases() -> None:
    found, book = fused(Planned(names=["a"], queries=2), Planned(names=["x"], queries=1))
    assert [(stage.query, stage.base) for stage in book.stages if stage.name == "fused"] == [
        *((number, "base 0") for number in (0, 1, 2)),
        *((number, "base 1") for number in (0, 3)),
    ]
    assert len(book.queries) == 3
    assert {str(d.id): d.metadata["queries"] for d in found} == {"a": [(0, 1), (1, 1), (2, 1)], "x": [(0, 1), (3, 1)]}


def test_a_base_that_cannot_be_searched_is_left_out_with_a_note() -> None:
    found, book = fused(Planned(names=["a"]), Planned(names=["x"], fails=True), Planned(names=["m"]))
    assert keys(found) == "am"
    assert [(note.code, note.params["base"]) for note in book.notes] == [("base_failed", "base 1")]
    assert [document.metadata["base"] for document in found] == ["base 0", "base 2"]


def test_when_no_base_can_be_searched_the_error_is_raised() -> None:
    with pytest.raises(StoreError, match="x.* cannot be read"):
        fused(Planned(names=["x"], fails=True), Planned(names=["y"], fails=True))


@contextmanager
def two(folder: Path, **settings: Any) -> Iterator[tuple[Shelf, list[Base]]]:
    """A base of English and one of Chinese documents in one folder, both with the same sentence."""
    english, chinese = (word_shelf(folder, name, settings=settings) for name in ("english", "中文"))
    english.add("ferry.txt", "The ferry to Porto leaves at ten.")
    english.add("both.txt", "Shared words: harbour, market. 共同的句子。")
    chinese.add("退款.txt", "退款期限为三十天。")
    chinese.add("both.txt", "Shared words: harbour, market. 共同的句子。")
    yield english, [english.stores.library.base("english"), english.stores.library.base("中文")]


def ask(shelf: Shelf, bases: list[Base], question: str, **changes: Any) -> Retrieval:
    settings = shelf.settings.override({f"retrieval.{key}": value for key, value in changes.items()})
    return shelf.retriever.retrieve(question, bases, settings)


def test_each_question_is_answered_from_its_base(tmp_path: Path) -> None:
    with two(tmp_path) as (shelf, bases):
        for question, base in (("When does the ferry leave?", "english"), ("退款期限", "中文")):
            found = ask(shelf, bases, question)
            assert found.contexts[0].base == base
            assert len(set(ids(found))) == len(ids(found)) == 4
            assert {context.base for context in found.contexts} == {"english", "中文"}
            stages = found.as_json()["stages"]
            assert {s["base"] for s in stages if s["name"] == "fused"} == {"english", "中文"}
            assert [s["in"] for s in stages if s["name"] == "bases"] == [4]


def test_the_same_passage_in_two_bases_is_citable_from_both(tmp_path: Path) -> None:
    with two(tmp_path) as (shelf, bases):
        found = ask(shelf, bases, "shared harbour market", top_k=2)
        assert [(context.source, context.base) for context in found.contexts] == [("both.txt", "english"), ("both.txt", "中文")]


def test_the_order_of_the_bases_does_not_matter_for_what_is_best(tmp_path: Path) -> None:
    with two(tmp_path) as (shelf, bases):
        for question in ("ferry to Porto", "退款期限为三十天"):
            there, back = (ids(ask(shelf, order, question, top_k=1)) for order in (bases, bases[::-1]))
            assert there == back


def test_layers_work_on_what_several_bases_found(tmp_path: Path) -> None:
    with two(tmp_path) as (shelf, bases):
        layers = ("multi_query", "redundancy", "rerank", "mmr", "recency", "parent", "window", "long_context_order")
        found = ask(shelf, bases, "ferry harbour 退款", **{f"{name}.enabled": True for name in layers})
        texts = shelf.stores.library.text
        assert all(context.text == texts(context.doc_id)[context.start : context.end] for context in found.contexts)
        assert len(set(ids(found))) == len(ids(found))
        drops = [(drop.stage, drop.reason) for drop in found.ledger.drops]
        assert ("redundancy", "repeats_another") in drops, "the sentence that both have"


def test_a_base_of_another_embedder_leaves_a_note_and_the_others_answer(tmp_path: Path) -> None:
    other = word_shelf(tmp_path, "other", embeddings=WordEmbeddings(32, model="other words"))
    other.add("old.txt", "The ferry of old.")
    with two(tmp_path) as (shelf, bases):
        foreign = shelf.stores.library.base("other")
        found = ask(shelf, [foreign, *bases], "ferry")
        assert found.contexts[0].source == "ferry.txt"
        (note,) = (note for note in found.ledger.notes if note.code == "base_failed")
        assert note.params["base"] == "other"
        assert "index it again" in note.params["error"]
        with pytest.raises(EmbedderMismatch, match="other"):
            ask(shelf, [foreign], "ferry")
        assert ids(other.retriever.retrieve("ferry", foreign, other.settings)), "the old index still answers with its embedder"


@pytest.mark.parametrize("restarted", [False, True])
def test_a_damaged_base_leaves_a_note_and_the_others_answer(tmp_path: Path, restarted: bool) -> None:
    with two(tmp_path) as (shelf, bases):
        for file in (tmp_path / "bases" / bases[1].id).rglob("*.lance"):
            if file.is_file():
                file.write_bytes(b"damaged")
        asked = word_shelf(tmp_path, "english") if restarted else shelf
        for question in ("When does the ferry leave?", "共同的句子 ferry"):
            found = ask(asked, bases, question)
            assert {context.source for context in found.contexts} == {"ferry.txt", "both.txt"}
            assert {context.base for context in found.contexts} == {"english"}
            assert [note.params["base"] for note in found.ledger.notes if note.code == "base_failed"] == ["中文"]
            with pytest.raises(StoreError, match="failed|damaged"):
                ask(asked, bases[1:], question)


def test_weights_and_notes_are_those_of_their_base(tmp_path: Path) -> None:
    with two(tmp_path) as (shelf, bases):
        for order in (bases, bases[::-1]):
            found = shelf.retriever.retrieve("lighthouse harbour", order, shelf.settings).as_json()
            assert set(found["base_weights"]) == {base.name for base in bases}
            most = max(found["base_weights"].values(), key=lambda legs: legs["bases"])
            assert found["weights"] == {leg: weight for leg, weight in most.items() if leg != "bases"}
            assert most["bases"] == 1.0
            unmatched = [note["params"]["base"] for note in found["notes"] if note["code"] == "no_lexical_match"]
            assert len(unmatched) == len(set(unmatched))
            assert set(unmatched) <= {base.name for base in bases}
        alone = shelf.retriever.retrieve("lighthouse harbour", bases[0], shelf.settings).as_json()
        assert alone["base_weights"] == {}


def test_limits_hold_in_each_base(tmp_path: Path) -> None:
    with two(tmp_path) as (shelf, bases):
        found = shelf.retriever.retrieve("harbour", bases, shelf.settings, limits=Filter.parse(["source=ferry.txt"]))
        assert [context.source for context in found.contexts] == ["ferry.txt"]
        assert [note.params for note in found.ledger.notes if note.code == "no_document_fits"] == [{"base": "中文"}]
        assert "base_failed" not in codes(found)

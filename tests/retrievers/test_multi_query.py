"""Multi-query: the queries' lists fused by rank, with marks, origins and an account of each; LangChain's standard tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.callbacks import BaseCallbackHandler, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_tests.integration_tests import RetrieversIntegrationTests
from pydantic import Field

from retrievers import ledger
from retrievers.ensemble import ScoredEnsembleRetriever
from retrievers.ledger import Ledger, recording
from retrievers.lexical import LexicalRetriever
from retrievers.multi_query import MultiQuery, restricted
from retrievers.queries import Expansions, Glossary, Query, build_expansion
from retrievers.vector import VectorRetriever
from settings import load_settings
from tests.models.endpoints import chat_at
from tests.retrievers.conftest import Shelf
from tests.servers import ModelServer


class Planned(BaseRetriever):
    """Gives each query the documents planned for it, with marks of one leg, and writes an account as the ensemble does."""

    plan: dict[str, list[str]]
    leg: str = "bm25"
    drops: dict[str, list[str]] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        book = ledger.current()
        with book.stage(self.leg) as stage:
            found = [Document(id=name, page_content=f"text of {name}") for name in self.plan.get(query, [])]
            gone = [Document(id=name, page_content="") for name in self.drops.get(query, [])]
            ledger.mark(found, self.leg, [10.0 - n for n in range(len(found))])
            stage.added = len(found) + len(gone)
            book.drop(stage, gone, "leg_without_weight")
        book.weights = {self.leg: float(len(query))}
        book.note("no_lexical_match", words=query)
        book.note("leg_failed", leg=query)
        return found


def asking(*queries: Query) -> RunnableLambda[dict[str, str], list[Query]]:
    return RunnableLambda(lambda _: list(queries))


def searched(plan: dict[str, list[str]], *queries: Query, **fields: Any) -> tuple[list[Document], Ledger]:
    with recording() as book:
        return MultiQuery(retriever=Planned(plan=plan), llm_chain=asking(*queries), **fields).invoke("q"), book


def ids(documents: Sequence[Document]) -> list[str | None]:
    return [document.id for document in documents]


def test_weighted_reciprocal_ranks_by_hand() -> None:
    plan = {"q": ["a", "b", "c"], "other": ["c", "d"]}
    found, _ = searched(plan, Query("other", "paraphrase", weight=0.5), c=60)
    expected = {"c": 1 / 63 + 0.5 / 61, "a": 1 / 61, "b": 1 / 62, "d": 0.5 / 62}
    assert ids(found) == list(expected)
    scores = [document.metadata["scores"]["multi_query"] for document in found]
    assert [mark.rank for mark in scores] == [1, 2, 3, 4]
    assert [mark.score for mark in scores] == pytest.approx(list(expected.values()))


def test_each_document_knows_which_queries_found_it_at_which_rank() -> None:
    plan = {"q": ["a", "b"], "x": ["b"], "y": ["c", "b"]}
    found, _ = searched(plan, Query("x", "paraphrase", weight=0.5), Query("y", "step_back", weight=0.3))
    assert {d.id: d.metadata["queries"] for d in found} == {"a": [(0, 1)], "b": [(0, 2), (1, 1), (2, 2)], "c": [(2, 1)]}


def test_marks_are_those_of_the_query_that_counts_most_for_the_document() -> None:
    plan = {"q": ["a", "b", "c"], "x": ["c", "a"]}
    found, _ = searched(plan, Query("x", "paraphrase", weight=1.0))
    marks = {d.id: d.metadata["scores"]["bm25"].rank for d in found}
    assert marks == {"a": 1, "b": 2, "c": 1}
    light, _ = searched(plan, Query("x", "paraphrase", weight=0.5))
    assert {d.id: d.metadata["scores"]["bm25"].rank for d in light} == {"a": 1, "b": 2, "c": 3}


def test_a_shared_document_keeps_its_better_marks() -> None:
    shared = Document(id="a", page_content="the same object for every query")

    class Sharing(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
            documents = [shared] if query == "q" else [Document(id="b", page_content="b"), shared]
            ledger.mark(documents, "bm25", [1.0] * len(documents))
            return documents

    found = MultiQuery(retriever=Sharing(), llm_chain=asking(Query("x", "paraphrase", weight=0.5))).invoke("q")
    assert {d.id: d.metadata["scores"]["bm25"].rank for d in found} == {"a": 1, "b": 1}


def test_a_leg_that_the_best_query_did_not_ask_keeps_the_mark_of_another() -> None:
    vector = Planned(plan={"x": ["a"]}, leg="vector")
    plan = {"q": ["a", "b"]}
    found, _ = searched(plan, Query("x", "hyde", legs=("vector",), weight=0.5), for_legs=lambda legs: vector)
    assert {name: mark.rank for name, mark in found[0].metadata["scores"].items()} == {"bm25": 1, "vector": 1, "multi_query": 1}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_a_question_alone_gives_its_list_as_it_is(names: list[str]) -> None:
    found, book = searched({"q": names})
    assert ids(found) == names
    assert [stage.name for stage in book.stages] == ["bm25"]
    assert all("queries" not in d.metadata and "multi_query" not in d.metadata["scores"] for d in found)
    assert book.queries == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), min_size=2, max_size=5))
def test_the_account_adds_up(lists: list[list[str]]) -> None:
    queries = [Query(f"x{n}", "paraphrase", weight=0.4) for n in range(1, len(lists))]
    plan = {"q": lists[0]} | {query.text: names for query, names in zip(queries, lists[1:], strict=True)}
    found, book = searched(plan, *queries)
    last = book.stages[-1]
    assert (last.name, last.taken_in, last.out) == ("multi_query", sum(map(len, lists)), len(found))
    assert set(ids(found)) == {name for names in lists for name in names}
    assert [stage.query for stage in book.stages] == [*range(len(lists)), 0]
    assert book.queries == queries


def test_the_weights_and_the_words_shown_are_those_of_the_question() -> None:
    _, book = searched({"q": ["a"], "longer": ["a"]}, Query("longer", "paraphrase", weight=0.5))
    assert book.weights == {"bm25": 1.0}
    assert [(note.code, *note.params.values()) for note in book.notes] == [
        ("no_lexical_match", "q"),
        ("leg_failed", "q"),
        ("leg_failed", "longer"),
    ]


def test_what_one_query_dropped_and_another_found_is_merged() -> None:
    planned = Planned(plan={"q": ["a"], "x": ["b"]}, drops={"q": ["b", "z"]})
    with recording() as book:
        found = MultiQuery(retriever=planned, llm_chain=asking(Query("x", "paraphrase", weight=0.5))).invoke("q")
    assert set(ids(found)) == {"a", "b"}
    assert [drop.chunk_id for drop in book.drops] == ["z"]
    first = book.stages[0]
    assert (first.added, first.dropped, first.merged, first.out) == (3, 1, 1, 1)


@pytest.mark.parametrize("k", [1, 2])
async def test_k_is_heeded_and_what_it_cuts_is_written_down(k: int) -> None:
    fields: dict[str, Any] = {
        "retriever": Planned(plan={"q": ["a", "b"], "x": ["c"]}),
        "llm_chain": asking(Query("x", weight=0.5)),
    }
    with recording() as book:
        assert len(MultiQuery(**fields).invoke("q", k=k)) == k
    assert [drop.reason for drop in book.drops] == ["below_depth"] * (3 - k)
    assert len(MultiQuery(k=k, **fields).invoke("q")) == k
    assert len(await MultiQuery(**fields).ainvoke("q", k=k)) == k
    assert [len(one) for one in MultiQuery(**fields).batch(["q", "x"])] == [3, 1]


def test_nothing_found_is_nothing() -> None:
    assert searched({}, Query("x", weight=0.5))[0] == []


def test_callbacks_reach_retrievers_and_model(dishes: Shelf) -> None:
    class Heard(BaseCallbackHandler):
        def __init__(self) -> None:
            self.retrievers: list[str] = []
            self.models = 0

        def on_retriever_start(self, serialized: Any, query: str, *, parent_run_id: Any = None, **kwargs: Any) -> None:
            if parent_run_id:
                self.retrievers.append(query)

        def on_chat_model_start(self, *args: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
            self.models += parent_run_id is not None

    heard = Heard()
    with ModelServer(words=["几天之内可以退款"]) as server:
        chain(dishes, server, multi_query__enabled=True).invoke("退款期限", {"callbacks": [heard]})
    assert heard.models == 1
    assert {"退款期限", "几天之内可以退款"} <= set(heard.retrievers)


# --- over real documents -----------------------------------------------------------------------------------------------------


def ensemble(shelf: Shelf) -> ScoredEnsembleRetriever:
    hits = shelf.searched.hits
    legs = [LexicalRetriever(hits=hits, statistics=shelf.statistics), VectorRetriever(hits=hits)]
    return ScoredEnsembleRetriever(retrievers=legs, names=["bm25", "vector"], weights=[0.5, 0.5], statistics=shelf.statistics)


def chain(shelf: Shelf, server: ModelServer | None = None, **changes: object) -> MultiQuery:
    chosen = load_settings({f"retrieval.{name.replace('__', '.')}": value for name, value in changes.items()}, env={})
    expansion = build_expansion(
        chosen,
        model=chat_at(server) if server else None,
        statistics=shelf.statistics,
        glossary=Glossary(shelf.store),
        expansions=Expansions(),
    )
    assert expansion is not None
    return MultiQuery(retriever=ensemble(shelf), llm_chain=expansion, c=chosen.retrieval.rrf_c)


def test_a_paraphrase_finds_what_the_question_does_not(dishes: Shelf) -> None:
    legs_only_words = {"retriever": restricted(ensemble(dishes), ("bm25",))}
    alone = chain(dishes, hyde__enabled=True).model_copy(update=legs_only_words).invoke("reimbursement term")
    assert alone == []
    with ModelServer(words=["1. refund window\n2. 退款期限"]) as server, recording() as book:
        found = chain(dishes, server, multi_query__enabled=True).model_copy(update=legs_only_words).invoke("reimbursement term")
    assert {d.metadata["source"] for d in found} >= {"window.txt", "refund.txt"}
    assert [(query.text, query.kind) for query in book.queries] == [("refund window", "paraphrase"), ("退款期限", "translation")]


def test_a_query_for_one_leg_asks_that_leg_only(dishes: Shelf) -> None:
    with ModelServer(words=["Refunds are possible within thirty days."]) as server, recording() as book:
        chain(dishes, server, hyde__enabled=True).invoke("refund window")
    assert "vector" in {stage.name for stage in book.stages if stage.query == 1}
    assert "bm25" not in {stage.name for stage in book.stages if stage.query == 1}
    assert {"bm25", "vector"} <= {stage.name for stage in book.stages if stage.query == 0}
    assert [stage.name for stage in book.stages if stage.name in ("expand_query", "multi_query")] == [
        "expand_query",
        "multi_query",
    ]


def test_a_failing_model_leaves_the_list_of_the_question(dishes: Shelf) -> None:
    plain = ids(ensemble(dishes).invoke("refund window"))
    with ModelServer(failure="unauthorized") as server, recording() as book:
        found = chain(dishes, server, multi_query__enabled=True, hyde__enabled=True).invoke("refund window")
    assert ids(found) == plain
    assert [note.code for note in book.notes] == ["expansion_failed", "expansion_failed"]
    assert not {"expand_query", "multi_query"} & {stage.name for stage in book.stages}


def test_both_sides_of_a_comparison_are_found_first(shelf: Shelf) -> None:
    for topic in ("tuition", "canteen", "library", "parking", "gym", "dormitory"):
        shelf.add(
            f"{topic}.txt", f"The {topic} of the Northern campus is described here. Northern campus rules apply to the {topic}."
        )
    shelf.add("annual.txt", "Annual leave is twenty days.")
    shelf.add("sick.txt", "Sick leave is paid for six weeks.")
    found = chain(shelf, decomposition__enabled=True).invoke("What is the difference between annual leave and sick leave?")
    assert {d.metadata["source"] for d in found[:2]} == {"annual.txt", "sick.txt"}
    assert {number for d in found[:2] for number, rank in d.metadata["queries"] if rank == 1} >= {1, 2}


def test_feedback_comes_from_the_first_hits_of_the_question(shelf: Shelf) -> None:
    shelf.add("a.txt", "Kittens drink milk, says the veterinarian.")
    shelf.add("b.txt", "Kittens sleep; the veterinarian weighs them.")
    shelf.add("c.txt", "Penguins swim in the cold sea.")
    with recording() as book:
        chain(shelf, multi_query__enabled=True).model_copy(update={"retriever": restricted(ensemble(shelf), ("bm25",))}).invoke(
            "kittens"
        )
    assert [(query.kind, "veterinarian" in query.text) for query in book.queries] == [("feedback", True)]


@pytest.mark.parametrize("question", ["", "   ", "？！", "the", "\0", "a" * 2000, "和" * 2000])
def test_any_question_is_taken(dishes: Shelf, question: str) -> None:
    layers = ("multi_query", "hyde", "decomposition", "step_back", "keywords", "abbreviations")
    everything = chain(dishes, None, **{f"{layer}__enabled": True for layer in layers})
    assert isinstance(everything.invoke(question), list)


class TestMultiQuery(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _with_shelf(self, dishes: Shelf) -> None:
        self.shelf = dishes

    @property
    def retriever_constructor(self) -> Callable[..., BaseRetriever]:  # type: ignore[override]
        return MultiQuery

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        queries = (Query("退款", "part", weight=0.8), Query("公司地址", "keywords", ("bm25",), 0.3))
        return {"retriever": ensemble(self.shelf), "llm_chain": asking(*queries)}

    @property
    def retriever_query_example(self) -> str:
        return "鸡蛋羹 退款 公司地址"

"""The transformations of a question, each with a model at a real HTTP endpoint and without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import diskcache
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers.ledger import Ledger, recording
from retrievers.queries import Expansions, Glossary, Query, build_expansion
from retrievers.queries.feedback import RelevanceFeedback
from retrievers.queries.keywords import MOST, content_words
from retrievers.queries.query import OTHERS, balanced, distinct, make
from settings import load_settings
from tests.models.endpoints import chat_at
from tests.retrievers.conftest import Shelf
from tests.servers import ModelServer

QUESTION = "How long is the refund window?"
A, B, C = "Within how many days can goods be returned?", "What is the deadline for getting money back?", "退款期限是多久？"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


class Asked:
    """Expands questions over the dishes with the layers given, and remembers the ledger of the last one."""

    def __init__(self, shelf: Shelf, server: ModelServer | None = None, **llm: object) -> None:
        self.shelf, self.expansions = shelf, Expansions()
        self.glossary = Glossary(shelf.store)
        self.model = chat_at(server, **llm) if server else None
        self.url = server.base_url if server else ""
        self.book = Ledger()

    def __call__(self, question: str, **changes: object) -> list[Query]:
        settings = load_settings({f"retrieval.{name.replace('__', '.')}": value for name, value in changes.items()}, env={})
        settings = settings.override({"llm.provider": "openai", "llm.model": "talker", "llm.base_url": self.url})
        expansion = build_expansion(
            settings,
            model=self.model,
            statistics=self.shelf.statistics,
            glossary=self.glossary,
            expansions=self.expansions,
        )
        assert expansion is not None
        with recording() as self.book:
            found = expansion.invoke({"question": question})
            return expansion.complete(question, found, [d for d, _ in self.shelf.searched.hits.text("refund days", depth=5)])

    @property
    def notes(self) -> list[tuple[str, str]]:
        return [(note.code, note.params["layer"]) for note in self.book.notes]


def texts(queries: list[Query], kind: str) -> list[str]:
    return [query.text for query in queries if query.kind == kind]


def test_nothing_asked_for_is_no_expansion(dishes: Shelf) -> None:
    parts = {"statistics": dishes.statistics, "glossary": Glossary(dishes.store), "expansions": Expansions()}
    assert build_expansion(load_settings(env={}), model=None, **parts) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "written",
    [
        f"Here are 3 versions:\n1. {A}\n2. {B}\n3. {C}",
        f"1) {A}\n2) {B}\n3) {C}",
        f"1、{A}\n2、{B}\n3、{C}",
        f"- {C}\n- {A}\n- {B}",
        f"\n\n{A}\n\n{B}\n\n{C}\n\n",
        json.dumps([A, B, C]),
        f"```json\n{json.dumps([A, B, C])}\n```",
        json.dumps({"queries": [A, B], "translation": [C]}),
        f"“{A}”\n“{B}”\n「{C}」",
        f"{QUESTION}\n{A}\n{QUESTION.upper()}\n{B}\n{A}\nTranslation: {C}",
    ],
)
def test_paraphrases_and_a_translation_in_one_call(dishes: Shelf, server: ModelServer, written: str) -> None:
    server.words = [written]
    found = Asked(dishes, server)(QUESTION, multi_query__enabled=True)
    assert texts(found, "paraphrase") == [A, B]
    assert texts(found, "translation") == [C]
    assert len(found) == 3
    assert all(query.legs == () and query.weight < 1 for query in found)
    assert len(server.requests) == 1


def test_what_is_asked_of_the_model_is_in_the_language_of_the_question(dishes: Shelf, server: ModelServer) -> None:
    asked = Asked(dishes, server)
    server.words = [f"{C}\n{A}\n几天之内可以退货？"]
    found = asked("退款的时间有多长？", multi_query__enabled=True, multi_query__count=5)
    assert texts(found, "paraphrase") == [C, "几天之内可以退货？"]
    assert texts(found, "translation") == [A]
    system, human = server.requests[0].body["messages"]
    assert "5 种说法" in system["content"]
    assert "英文翻译" in system["content"]
    assert "{" not in system["content"]
    assert human["content"] == "退款的时间有多长？"


def test_count_and_translate_are_heeded(dishes: Shelf, server: ModelServer) -> None:
    server.words = [f"{A}\n{B}\n{C}"]
    found = Asked(dishes, server)(QUESTION, multi_query__enabled=True, multi_query__count=1, multi_query__translate=False)
    assert [query.text for query in found] == [A]
    assert "translated" not in server.requests[0].body["messages"][0]["content"]


@pytest.mark.parametrize("written", ["", "NONE", "Here are 3 versions:", "[]", QUESTION])
def test_a_model_that_writes_nothing_adds_nothing(dishes: Shelf, server: ModelServer, written: str) -> None:
    server.words = [written]
    on = {f"{name}__enabled": True for name in ("multi_query", "decomposition", "step_back")}
    assert Asked(dishes, server)(QUESTION, **on) == []


def test_without_a_model_multi_query_is_keywords_and_feedback_and_says_so(shelf: Shelf) -> None:
    shelf.add("refund.txt", "The refund window of the warranty is thirty days.")
    shelf.add("return.txt", "A refund needs the receipt; the warranty covers thirty days.")
    shelf.add("other.txt", "Penguins live in the south.")
    asked = Asked(shelf)
    found = asked("How long is the refund window?", multi_query__enabled=True)
    assert texts(found, "keywords") == ["long refund window"]
    [feedback] = texts(found, "feedback")
    assert feedback.startswith("long refund window ")
    assert "warranty" in feedback.split()
    assert "receipt" not in feedback.split()  # one hit alone has it
    assert {query.legs for query in found} == {("bm25",)}
    assert asked.notes == [("simpler_without_llm", "multi_query")]


def test_feedback_of_nothing_is_nothing(dishes: Shelf) -> None:
    assert RelevanceFeedback(dishes.statistics).queries(QUESTION, []) == []


def test_hyde_is_a_passage_for_the_vector_leg(dishes: Shelf, server: ModelServer) -> None:
    server.words = ["<think>let me see</think>Here is a passage:\n\nGoods may be returned\nwithin thirty days."]
    found = Asked(dishes, server)(QUESTION, hyde__enabled=True)
    assert [(q.text, q.kind, q.legs) for q in found] == [("Goods may be returned within thirty days.", "hyde", ("vector",))]


def test_what_only_a_model_can_do_says_so_without_one(dishes: Shelf) -> None:
    asked = Asked(dishes)
    assert asked(QUESTION, hyde__enabled=True, step_back__enabled=True) == []
    assert asked.notes == [("needs_llm", "hyde"), ("needs_llm", "step_back")]


def test_step_back_asks_one_more_general_question(dishes: Shelf, server: ModelServer) -> None:
    server.words = ["Step-back question: What are the terms of refunds?\nAnother one?"]
    found = Asked(dishes, server)(QUESTION, step_back__enabled=True)
    assert [(q.text, q.kind, q.legs) for q in found] == [("What are the terms of refunds?", "step_back", ())]


def test_parts_as_the_model_writes_them(dishes: Shelf, server: ModelServer) -> None:
    server.words = ["1. refund window of shop A\n2. refund window of shop B\n3. both shops"]
    found = Asked(dishes, server)("Shops A or B?", decomposition__enabled=True, decomposition__count=2)
    assert texts(found, "part") == ["refund window of shop A", "refund window of shop B"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How long is the refund window?", "long refund window"),
        ("公司的退款期限是多少？", "公司 退款期限"),
        ("请问 ERP 审批流程在哪里？", "ERP 审批流程"),
        ("What is C++?", "C++"),
        ("is", "is"),
        ("？！", ""),
    ],
)
def test_content_words(dishes: Shelf, question: str, words: str) -> None:
    assert content_words(question, dishes.statistics) == words


def test_of_a_long_question_the_rarest_words_are_kept(dishes: Shelf) -> None:
    common = "refund days window thirty"
    rare = [f"zyx{n}" for n in range(MOST - 1)]
    kept = content_words(f"{common} {' '.join(rare)}", dishes.statistics).split()
    assert len(kept) == MOST
    assert set(rare) < set(kept)


def test_keywords_with_a_model_are_those_that_it_names(dishes: Shelf, server: ModelServer) -> None:
    server.words = ["1. refund window\n2. return policy"]
    found = Asked(dishes, server)(QUESTION, keywords__enabled=True)
    assert [(q.text, q.kind, q.legs) for q in found] == [("refund window return policy", "keywords", ("bm25",))]


@pytest.mark.parametrize(("weight", "kinds"), [(0.0, {"keywords"}), (0.5, {"keywords", "hyde"}), (1.0, {"hyde"})])
def test_no_query_and_no_call_for_a_leg_without_weight(
    dishes: Shelf, server: ModelServer, weight: float, kinds: set[str]
) -> None:
    server.words = ["refund policy"]
    found = Asked(dishes, server)(QUESTION, hyde__enabled=True, keywords__enabled=True, vector_weight=weight)
    assert {query.kind for query in found} == kinds
    assert len(server.requests) == len(kinds)


@pytest.mark.parametrize("failure", ["unauthorized", "server_error", "close", "malformed", "html"])
def test_a_failing_model_leaves_a_note_for_each_layer(dishes: Shelf, server: ModelServer, failure: str) -> None:
    server.failure = failure
    asked = Asked(dishes, server, timeout_seconds=0.5)
    assert asked(QUESTION, multi_query__enabled=True, hyde__enabled=True) == []
    assert asked.notes == [("expansion_failed", "multi_query"), ("expansion_failed", "hyde")]


def test_the_model_is_asked_once_for_a_question(dishes: Shelf, server: ModelServer) -> None:
    server.words = [A]
    asked = Asked(dishes, server)
    first = asked(QUESTION, multi_query__enabled=True, hyde__enabled=True)
    assert asked(QUESTION, multi_query__enabled=True, hyde__enabled=True, top_k=3, vector_weight=0.3) == first
    assert len(server.requests) == 2
    asked("Another question?", hyde__enabled=True)
    assert len(server.requests) == 3


def test_a_failure_and_an_empty_answer_are_not_remembered(dishes: Shelf, server: ModelServer) -> None:
    asked = Asked(dishes, server, timeout_seconds=0.5)
    server.failure, server.times = "unauthorized", 1
    assert asked(QUESTION, step_back__enabled=True) == []
    server.words = [""]
    assert asked(QUESTION, step_back__enabled=True) == []
    server.words = [A]
    assert [query.text for query in asked(QUESTION, step_back__enabled=True)] == [A]


def test_calls_run_at_the_same_time(dishes: Shelf, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call waits until all three are there: one after the other, the barrier would break."""
    import threading

    from retrievers.queries.writer import QueryWriter

    barrier, write = threading.Barrier(3), QueryWriter.write

    def together(self: QueryWriter, task: str, question: str, **values: object) -> str:
        barrier.wait(timeout=10)
        return write(self, task, question, **values)

    monkeypatch.setattr(QueryWriter, "write", together)
    server.words = [A]
    found = Asked(dishes, server)(QUESTION, multi_query__enabled=True, hyde__enabled=True, step_back__enabled=True)
    assert {query.kind for query in found} == {"paraphrase"}  # the others wrote the same again


def test_expansions_on_disk_survive_and_are_never_unpickled(tmp_path: Path) -> None:
    kept = Expansions(tmp_path)
    kept.keep("model", "prompt", "问题", text="查询")
    kept.close()
    again = Expansions(tmp_path)
    assert again.get("model", "prompt", "问题") == "查询"
    assert again.get("model", "prompt问题", "") is None
    again.close()
    with diskcache.Cache(str(tmp_path)) as foreign:
        for key in foreign:
            foreign[key] = ("a", "tuple", "is pickled")
    poisoned = Expansions(tmp_path)
    assert poisoned.get("model", "prompt", "问题") is None
    poisoned.close()


def test_expansions_without_a_usable_folder_still_serve_from_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    kept = Expansions(tmp_path / "file")
    kept.keep("m", "p", "q", text="x")
    assert kept.get("m", "p", "q") == "x"
    assert kept.get("m", "p", "other") is None


def test_distinct_drops_repetitions_but_not_for_further_legs() -> None:
    asked = [
        *make("keywords", ["b"], legs=("bm25",)),
        *make("hyde", ["B."], legs=("vector",)),
        *make("step_back", ["b ", "a?", "b"]),
    ]
    assert [query.kind for query in distinct("A", asked)] == ["keywords", "hyde", "step_back"]


@given(st.lists(st.sampled_from(["paraphrase", "part", "hyde", "feedback", "step_back"]), max_size=12))
def test_others_never_outweigh_the_question(kinds: list) -> None:
    weighed = balanced([query for n, kind in enumerate(kinds) for query in make(kind, [f"q{n}"])])
    assert sum(query.weight for query in weighed if query.kind != "part") <= OTHERS + 1e-9
    assert all(0 < query.weight < 1 for query in weighed)

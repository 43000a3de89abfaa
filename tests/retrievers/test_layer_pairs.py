"""Any two layers together on one base of both languages, with a chat model and without: what holds for every retrieval,
whatever is switched on.
"""

import json
import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import pytest
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage

from retrievers import Context, Retrieval
from retrievers.ledger import Mark, Stage
from tests.retrievers.conftest import Shelf
from tests.retrievers.word_shelf import SMALL, chunk, codes, told, word_shelf

CITIES = """# Cities

## Harbour

The harbour of Lisbon opens at six. Ships from Porto arrive at noon with cork and wine. Virtual Reality (VR) tours start daily.

Customs officers inspect every ship. The harbour closes at ten in the evening when the last ferry has left.

## Market

The market sells cork, wine and fish. Prices fall in the evening. The market hall is older than the harbour.

Fish comes from the harbour at six. Wine comes by road from Porto twice a week.
"""
RULES = """# 规定

## 退款

退款期限为三十天。超过期限的订单不能退款。退款需要原始发票。

客服在两个工作日内处理退款申请。款项退回原来的账户。

## 审批

采购订单自动审批流程由系统处理。超过一万元的订单需要经理审批。

新手机发布了，审批流程也更新了。手机应用可以审批订单。
"""
SHORT = {
    "same.txt": "Ships from Porto arrive at noon with cork and wine.",
    "again.txt": "Ships from Porto arrive at noon with cork and wine!",
    "ferry.txt": "The last ferry to Porto leaves the harbour at ten in the evening.",
    "phone.txt": "虚拟现实（VR）手机下周发布，价格还没有公布。",
    "refund.txt": "Refunds are paid within thirty days. 退款在三十天内支付。",
    "cork.txt": "Cork is the bark of an oak. It is cut every nine years.",
    "oak.txt": "The oak grows slowly. Its bark protects it from fire.",
    "tea.txt": "茶叶在四月采摘。春茶的价格最高。",
    "fees.txt": "The harbour fee for ships is ten euros a day. Fees are paid at noon.",
}
QUESTIONS = ("When do ships or the ferry from Porto arrive at the harbour?", "订单审批流程和退款期限是什么？")

WRITTEN = "Arrival of the ferry in the evening\n订单退款的审批"
"""What the model writes for a question: lines in both languages."""

LAYERS: tuple[dict[str, Any], ...] = (
    *(
        {f"{name}.enabled": True}
        for name in (
            *("multi_query", "hyde", "decomposition", "step_back", "keywords", "abbreviations", "self_query"),
            *("rerank", "llm_filter", "recency", "llm_extract", "long_context_order"),
        )
    ),
    {"embeddings_filter.enabled": True, "embeddings_filter.threshold": 0.3},
    {"redundancy.enabled": True, "redundancy.threshold": 0.9},
    {"mmr.enabled": True, "mmr.depth": 6},
    {"parent.enabled": True, "parent.max_size": 200},
    {"window.enabled": True, "window.sentences": 4},
    {"token_budget.enabled": True, "token_budget.tokens": 60},
    *({f"{name}.enabled": False} for name in ("coverage", "questions", "summaries")),
    {"fusion": "min_max"},
    {"fusion": "rrf"},
    {"vector.search": "segments"},
    {"vector.search": "both"},
    {"vector.metric": "l2"},
    {"lexical.strip_stop_words": False},
    {"lexical.pairs": False},
    {"vector_weight": 0.0},
    {"vector_weight": 1.0},
    {"score_threshold": 0.25},
    {"depth": 5},
)
ASKS_A_MODEL = {
    f"{name}.enabled"
    for name in (
        *("multi_query", "hyde", "decomposition", "step_back", "keywords", "abbreviations"),
        *("self_query", "llm_filter", "llm_extract"),
    )
}
AFTER_RECALL = (
    *("embeddings_filter", "redundancy", "rerank", "llm_filter", "recency", "mmr", "threshold"),
    *("parent", "window", "top_k", "llm_extract", "long_context_order", "token_budget"),
)


class Talker(SimpleChatModel):
    """Answers each layer in the form that it asks for, always with the same words."""

    @property
    def _llm_type(self) -> str:
        return "talker"

    def _call(self, messages: list[BaseMessage], *_: Any, **__: Any) -> str:
        asked = "\n".join(str(message.content) for message in messages)
        replies = {
            '"helpful"': '{"helpful": [1, 3]}',
            '"sentences"': '{"sentences": [2]}',
            '"pages"': '{"types": ["md"]}',
        }
        return next((reply for mark, reply in replies.items() if mark in asked), WRITTEN)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = word_shelf(tmp_path_factory.mktemp("town"), settings=SMALL)
    for name, text in ({"cities.md": CITIES, "规定.md": RULES} | SHORT).items():
        shelf.add(name, text)
    parent = shelf.store.search_text("ferry", depth=1)[0][0].id
    shelf.store.upsert(
        [
            chunk(kind, "When does the last ship leave the harbour?", kind=kind, parent_id=parent)
            for kind in ("question", "summary")
        ]
    )
    assert 20 <= shelf.store.count() <= 40
    return shelf


def pairs() -> Iterator[dict[str, Any]]:
    """None, each by itself, and every two that set different keys."""
    yield {}
    yield from LAYERS
    yield from (a | b for a, b in combinations(LAYERS, 2) if not a.keys() & b.keys())


VARIANTS = tuple((question, model) for model in (None, Talker()) for question in QUESTIONS)


def check_all(shelf: Shelf, texts: dict[str, str], variants: Sequence[Sequence[int]]) -> None:
    """All that holds, for each pair with those of the variants; all pairs that fail are named."""
    failed = []
    for changes, chosen in zip(pairs(), variants, strict=True):
        for question, model in (VARIANTS[number] for number in chosen):
            try:
                _check(shelf, texts, changes, question, model)
            except AssertionError as error:
                failed.append(f"{changes} {question} {model is not None}: {str(error).splitlines()[:3]}")
    assert not failed, f"{len(failed)} of them:\n" + "\n".join(failed[:20])


def _check(shelf: Shelf, texts: dict[str, str], changes: dict[str, Any], question: str, model: Talker | None) -> None:
    few, many = (
        shelf.retriever.retrieve(
            question,
            shelf.base,
            shelf.settings.override({f"retrieval.{key}": value for key, value in (changes | {"top_k": k}).items()}),
            model=model,
        )
        for k in (3, 8)
    )
    assert len(few.contexts) <= 3
    assert len(many.contexts) <= 8
    _is_well_formed(many, texts)
    _ranks_have_no_gaps(many)
    _adds_up(many)
    first = len(few.contexts) if "token_budget.enabled" in changes else 3  # a budget leaves the best, and as many of each
    assert told(_by_rank(few)) == told(_by_rank(many)[:first])
    assert not [code for code in codes(few) if code.endswith(("_failed", "_unclear"))]
    asks = ASKS_A_MODEL & changes.keys()
    assert not asks or model is None or not {"needs_llm", "simpler_without_llm", "extract_without_llm"} & set(codes(few))


def _by_rank(found: Retrieval) -> list[Context]:
    """The contexts before they were put in another order for the model."""
    return sorted(found.contexts, key=lambda context: context.rank)


@pytest.fixture(scope="module")
def texts(town: Shelf) -> dict[str, str]:
    return {d.doc_id: town.stores.library.text(d.doc_id) for d in town.stores.library.documents(town.base)}


def test_any_two_layers_give_whole_retrievals_whose_account_adds_up_and_whose_first_stay(
    town: Shelf, texts: dict[str, str]
) -> None:
    """Here each pair has one of the two questions, with a model or without, in turn; all others are in the slow test."""
    check_all(town, texts, [(number % len(VARIANTS),) for number, _ in enumerate(pairs())])


@pytest.mark.slow
def test_any_two_layers_in_both_languages_with_a_model_and_without(town: Shelf, texts: dict[str, str]) -> None:
    every = range(len(VARIANTS))
    others = [[n for n in every if n != number % len(VARIANTS)] for number, _ in enumerate(pairs())]
    asking = [bool(ASKS_A_MODEL & changes.keys()) for changes in pairs()]
    check_all(town, texts, [more if asks else more[:1] for more, asks in zip(others, asking, strict=True)])


def test_the_windows_of_sections_do_not_depend_on_top_k(town: Shelf) -> None:
    """Here windows merge, so that the third context is a passage behind the third: its section must have grown as well."""
    changes = {"parent.enabled": True, "parent.max_size": 200, "window.enabled": True, "window.sentences": 5}
    few, many = (told(town.find("Cities ferry", **(changes | {"top_k": k})).contexts) for k in (3, 8))
    assert few == many[:3]


def test_every_layer_that_is_on_leaves_its_stage(town: Shelf) -> None:
    without_stage = {"hyde", "step_back", "self_query", "decomposition", "keywords", "abbreviations", "multi_query"}
    on = [name.removesuffix(".enabled") for layer in LAYERS for name, value in layer.items() if value is True]
    for name in sorted(set(on) - without_stage):
        stages = [stage.name for stage in town.find(QUESTIONS[0], **{f"{name}.enabled": True}).ledger.stages]
        assert name in stages
        assert name not in [stage.name for stage in town.find(QUESTIONS[0]).ledger.stages]


def _is_well_formed(found: Retrieval, texts: dict[str, str]) -> None:
    contexts = found.contexts
    assert contexts, "nothing was found"
    assert len({context.chunk_id for context in contexts}) == len(contexts)
    for context in contexts:
        assert context.text == texts[context.doc_id][context.start : context.end]
        assert 0 <= context.relevance <= 1
        assert context.segments
        assert all(context.start <= s.start < s.end <= context.end for s in context.segments)
        assert all(math.isfinite(mark.score) for mark in context.scores.values())
    json.dumps(found.as_json(), allow_nan=False)
    assert not {context.chunk_id for context in contexts} & {drop.chunk_id for drop in found.ledger.drops}


def _ranks_have_no_gaps(found: Retrieval) -> None:
    """Of one query, no two passages have the same rank in a stage; where none merged, all ranks from 1 are there."""
    book = found.ledger
    seen: list[Any] = [*found.contexts, *book.drops]
    ranks: dict[str, list[int]] = {}
    for passage in seen:
        marks: dict[str, Mark] = dict(passage.scores)
        for stage, mark in marks.items():
            ranks.setdefault(stage, []).append(mark.rank)
    of_all = ["multi_query"] if book.queries else list(ranks)
    whole = not any(stage.merged for stage in book.stages if stage.name in ("parent", "window"))
    for stage in of_all:
        assert len(set(ranks[stage])) == len(ranks[stage]), f"{stage} has a rank twice"
        assert min(ranks[stage]) >= 1
        assert not whole or sorted(ranks[stage]) == list(range(1, len(ranks[stage]) + 1)), f"{stage} has gaps"


def _adds_up(found: Retrieval) -> None:
    book = found.ledger
    told = found.as_json()["stages"]
    assert all(stage["out"] == stage["in"] + stage["added"] - stage["dropped"] - stage["merged"] for stage in told)
    assert all(min(s.taken_in, s.added, s.dropped, s.merged, s.out) >= 0 for s in book.stages)
    for name in {stage.name for stage in book.stages}:
        assert sum(s.dropped for s in book.stages if s.name == name) == sum(d.stage == name for d in book.drops), name
    fused = [_fused(book.stages, number) for number in sorted({stage.query for stage in book.stages})]
    out = sum(stage.out for stage in fused)
    if book.queries:
        (merged,) = (stage for stage in book.stages if stage.name == "multi_query")
        assert merged.taken_in == out
        out = merged.out
    for name in ("evidence", *AFTER_RECALL):
        stages = [stage for stage in book.stages if stage.name == name]
        assert len(stages) <= 1, f"{name} ran twice"
        for stage in stages:
            assert stage.taken_in == out, f"{name} takes in what the stage before it did not give"
            out = stage.out
    assert out == len(found.contexts)


def _fused(stages: list[Stage], number: int) -> Stage:
    """The fusion of a query, which takes in what its legs gave."""
    own = {stage.name: stage for stage in stages if stage.query == number and stage.name in ("bm25", "vector", "fused")}
    assert own["fused"].taken_in == sum(stage.out for name, stage in own.items() if name != "fused")
    return own["fused"]

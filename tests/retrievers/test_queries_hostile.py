"""Every kind of query that a model writes, in English and Chinese, from fixed words and from hostile ones, at a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from retrievers.ledger import recording
from retrievers.queries import Expansions, Glossary, Query, build_expansion
from settings import load_settings
from tests.models.endpoints import chat_at
from tests.retrievers.conftest import Shelf
from tests.servers import ModelServer


class Kind(NamedTuple):
    """A layer, a question, the lines of a good model, and what is searched for then: (kind, text)."""

    layer: str
    question: str
    lines: tuple[str, ...]
    queries: tuple[tuple[str, str], ...]

    @property
    def is_passage(self) -> bool:
        return self.layer == "hyde"


EN, ZH = "How long is the refund window?", "退款期限是多久？"
KINDS = [
    Kind(
        "multi_query",
        EN,
        ("Within how many days can goods be returned?", "几天之内可以退货？"),
        (("paraphrase", "Within how many days can goods be returned?"), ("translation", "几天之内可以退货？")),
    ),
    Kind(
        "multi_query",
        ZH,
        ("几天之内可以退货？", "Within how many days can goods be returned?"),
        (("paraphrase", "几天之内可以退货？"), ("translation", "Within how many days can goods be returned?")),
    ),
    Kind("hyde", EN, ("Goods may be returned within thirty days.",), (("hyde", "Goods may be returned within thirty days."),)),
    Kind("hyde", ZH, ("商品可以在三十天内退回。",), (("hyde", "商品可以在三十天内退回。"),)),
    Kind(
        "decomposition",
        "Which shop has the longer refund window, A or B?",
        ("How long is the refund window of shop A?", "How long is the refund window of shop B?"),
        (("part", "How long is the refund window of shop A?"), ("part", "How long is the refund window of shop B?")),
    ),
    Kind(
        "decomposition",
        "A 店和 B 店哪家的退款期限更长？",
        ("A 店的退款期限是多久？", "B 店的退款期限是多久？"),
        (("part", "A 店的退款期限是多久？"), ("part", "B 店的退款期限是多久？")),
    ),
    Kind("step_back", EN, ("What are the terms of refunds?",), (("step_back", "What are the terms of refunds?"),)),
    Kind("step_back", ZH, ("退款有哪些规定？",), (("step_back", "退款有哪些规定？"),)),
    Kind("keywords", EN, ("refund window", "return policy"), (("keywords", "refund window return policy"),)),
    Kind("keywords", ZH, ("退款期限", "退货规定"), (("keywords", "退款期限 退货规定"),)),
    Kind("abbreviations", "How long is VR safe?", ("VR = Virtual Reality",), (("abbreviation", "long VR safe Virtual Reality"),)),
    Kind("abbreviations", "VR 安全吗？", ("VR = 虚拟现实",), (("abbreviation", "VR 安全 虚拟现实"),)),
]
IDS = [f"{kind.layer}-{'en' if kind.question.isascii() else 'zh'}" for kind in KINDS]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def written(dishes: Shelf, server: ModelServer, kind: Kind, words: str) -> list[Query]:
    server.words = [words]
    changes = {"llm.provider": "openai", "llm.model": "talker", "llm.base_url": server.base_url}
    settings = load_settings({f"retrieval.{kind.layer}.enabled": True, **changes}, env={})
    expansion = build_expansion(
        settings,
        model=chat_at(server),
        statistics=dishes.statistics,
        glossary=Glossary(dishes.store),
        expansions=Expansions(),
    )
    assert expansion is not None
    with recording():
        found = expansion.invoke({"question": kind.question})
    assert len(server.requests) == 1
    return found


def shapes(kind: Kind) -> Iterator[str]:
    """The good words as models wrap them."""
    plain = "\n".join(kind.lines)
    zh = not kind.question.isascii()
    yield plain
    yield f"{'好的，以下是结果：' if zh else 'Sure! Here it is:'}\n\n{plain}"
    yield f"```text\n{plain}\n```"
    yield f"<think>1. {kind.question} Let me see.</think>\n{plain}"
    yield f"1. {kind.question} Let me see.\n</think>\n{plain}"
    if not kind.is_passage:
        yield "\n".join(f"{number}. {line}" for number, line in enumerate(kind.lines, start=1))
        yield "\n\n".join(f"- **{line}**" for line in kind.lines)


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_the_words_are_taken_however_they_are_wrapped(dishes: Shelf, server: ModelServer, kind: Kind) -> None:
    for words in shapes(kind):
        found = written(dishes, server, kind, words)
        assert tuple((query.kind, query.text) for query in found) == kind.queries, words
        server.requests.clear()


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
@pytest.mark.parametrize("words", ["", "\n \n", "NONE", "```\n```", "<think>And so on"])
def test_nothing_is_nothing(dishes: Shelf, server: ModelServer, kind: Kind, words: str) -> None:
    found = written(dishes, server, kind, words)
    fallback = {"keywords"} if kind.layer == "keywords" else set()  # those of the question itself
    assert {query.kind for query in found} <= fallback


@pytest.mark.parametrize("kind", KINDS, ids=IDS)
def test_ten_thousand_characters_are_no_query(dishes: Shelf, server: ModelServer, kind: Kind) -> None:
    endless = ("very long " if kind.question.isascii() else "很长的一段") * 2000
    found = written(dishes, server, kind, endless)
    assert all(len(query.text) <= 1000 for query in found)
    assert {query.kind for query in found} <= {"hyde", "keywords"}, "an imagined passage is cut, keywords are the question's own"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.layer in ("hyde", "decomposition", "step_back", "multi_query")])
def test_another_language_is_not_taken(dishes: Shelf, server: ModelServer, kind: Kind) -> None:
    other = "退款期限是三十天。\n退货需要收据。" if kind.question.isascii() else "It is thirty days.\nReturns need the receipt."
    found = written(dishes, server, kind, other)
    assert [query.kind for query in found] == (["translation"] if kind.layer == "multi_query" else [])


def test_a_part_that_is_a_name_of_the_question_is_taken(dishes: Shelf, server: ModelServer) -> None:
    kind = Kind("decomposition", "Python和Java的区别是什么？", (), ())
    assert [query.text for query in written(dishes, server, kind, "Python\nJava")] == ["Python", "Java"]

"""What calls took: counted by role as the server told it, priced only where a price is set, and how long they waited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.runnables.config import ContextThreadPoolExecutor

from models import ModelError, get_chat_model
from models.pace import limiter
from models.usage import Meter, Tokens, metering, summed
from settings import SettingsError, load_settings
from settings.models import PricesSettings
from tests.models.endpoints import SECRETS, chat_at, embeddings_at
from tests.rerank_server import RerankServer
from tests.servers import ModelServer

PRICED = PricesSettings(
    currency="CNY",
    models=[{"model": "talker", "input": 2.0, "output": 8.0}, {"model": "cheap", "input": 1, "output": 1, "cached_input": 0.25}],
)
UNPRICED = PricesSettings()


def used(meter: Meter, prices: PricesSettings = UNPRICED) -> dict[str, Any]:
    return meter.as_json(prices)


@pytest.mark.parametrize("call", [lambda model: model.invoke("hi"), lambda model: list(model.stream("hi"))])
def test_a_call_counts_with_the_tokens_that_the_server_tells(call: Callable[[Any], Any]) -> None:
    with ModelServer(words=["a", "b", "c"]) as server, metering() as meter:
        call(chat_at(server))
    told = used(meter)
    assert {name: told[name] for name in ("calls", "failed", "input_tokens", "output_tokens", "total_tokens")} == {
        "calls": 1,
        "failed": 0,
        "input_tokens": 7,
        "output_tokens": 3,
        "total_tokens": 10,
    }
    (row,) = told["by_role"]
    assert (row["role"], row["model"], row["place"]) == ("answer", "talker", server.base_url)


async def test_an_asynchronous_call_counts_too() -> None:
    with ModelServer(words=["a", "b", "c"]) as server, metering() as meter:
        model = chat_at(server)
        await model.ainvoke("hi")
        [chunk async for chunk in model.astream("hi")]
        await model.root_async_client.close()  # type: ignore[attr-defined]
    assert (used(meter)["calls"], used(meter)["output_tokens"]) == (2, 6)


def test_calls_in_other_threads_count_for_the_question_that_they_belong_to() -> None:
    with ModelServer() as server, metering() as meter, ContextThreadPoolExecutor(2) as pool:
        model = chat_at(server)
        list(pool.map(lambda _: model.invoke("hi"), range(4)))
        with metering() as other:
            model.invoke("hi")
    assert (used(meter)["calls"], used(other)["calls"]) == (4, 1)


def test_roles_and_models_are_told_apart() -> None:
    with ModelServer() as server, metering() as meter:
        chosen = {"llm.provider": "openai", "llm.model": "talker", "llm.base_url": server.base_url, "llm.rewrite.model": "cheap"}
        settings = load_settings(chosen, env={})
        for role in ("answer", "rewrite", "rewrite"):
            model = get_chat_model(settings, SECRETS, role=role)
            assert model is not None
            model.invoke("hi")
    rows = used(meter, PRICED)["by_role"]
    assert [(row["role"], row["model"], row["calls"]) for row in rows] == [("answer", "talker", 1), ("rewrite", "cheap", 2)]
    assert [row["cost"] for row in rows] == [(7 * 2 + 2 * 8) / 1e6, 2 * (7 + 2) / 1e6]


def test_a_failed_call_and_a_stopped_one_count_without_tokens() -> None:
    with ModelServer(failure="server_error") as server, metering() as meter, pytest.raises(ModelError):
        chat_at(server, timeout_seconds=0.5).invoke("hi")
    told = used(meter, PRICED)
    assert (told["calls"], told["failed"], told["uncounted"], told["cost"], told["unpriced_calls"]) == (1, 1, 1, None, 1)
    with ModelServer(words=["word "] * 500, pause=0.01) as server, metering() as meter:
        stream = chat_at(server).stream("hi")
        next(stream)
        stream.close()  # type: ignore[attr-defined]
    told = used(meter, PRICED)
    assert (told["calls"], told["failed"], told["uncounted"], told["cost"]) == (1, 0, 1, None)


def test_nothing_called_is_nothing_to_tell() -> None:
    with metering() as meter:
        pass
    assert used(meter) == {}


def test_remote_embeddings_and_rerankers_count_too(tmp_path: Any) -> None:
    from models import get_reranker

    with ModelServer() as server, RerankServer() as ranker, metering() as meter:
        embeddings_at(server).embed_query("hi")
        chosen = {"provider": "endpoint", "model": "ranker", "base_url": ranker.url}
        settings = load_settings({f"retrieval.rerank.{name}": value for name, value in chosen.items()}, env={})
        reranker = get_reranker(settings, SECRETS, cache=tmp_path)
        assert reranker is not None
        for _ in range(2):
            reranker.scores("q", ["a", "b"])
    assert [(row["role"], row["calls"]) for row in used(meter)["by_role"]] == [("embeddings", 1), ("rerank", 1)]


# --- prices ---------------------------------------------------------------------------------------------------------------------


def test_without_a_price_there_are_tokens_and_no_cost() -> None:
    meter = Meter()
    meter.count("answer", "talker-2", "http://x", tokens=Tokens(1000, 10))
    told = used(meter, PRICED)
    assert (told["cost"], told["unpriced_calls"], told["total_tokens"]) == (None, 1, 1010)


def test_tokens_that_the_server_had_read_before_have_their_own_price() -> None:
    meter = Meter()
    meter.count("answer", "cheap", "http://x", tokens=Tokens(1_000_000, 0, cached=400_000))
    told = used(meter, PRICED)
    assert (told["cost"], told["currency"], told["cached_tokens"]) == (0.7, "CNY", 400_000)
    meter = Meter()
    meter.count("answer", "talker", "http://x", tokens=Tokens(1_000_000, 0, cached=400_000))
    assert used(meter, PRICED)["cost"] == 2.0, "without a price for those, they cost as much as others"


def test_cached_tokens_are_taken_from_what_the_server_tells() -> None:
    message = AIMessageChunk(
        content="x",
        usage_metadata={"input_tokens": 9, "output_tokens": 1, "total_tokens": 10, "input_token_details": {"cache_read": 8}},
    )
    assert Tokens.of(message.usage_metadata) == (9, 1, 8)
    assert Tokens.of(None) is None


def test_the_sum_of_answers_keeps_currencies_apart() -> None:
    meter = Meter()
    meter.count("answer", "talker", "http://x", tokens=Tokens(500_000, 0))
    one = used(meter, PRICED)
    other = used(meter, PRICED.model_copy(update={"currency": "USD"}))
    total = summed([one, {}, other, one, {"input_tokens": 5}])
    assert (total["calls"], total["costs"]) == (3, {"CNY": 2.0, "USD": 1.0})
    assert summed([total, one])["costs"] == {"CNY": 3.0, "USD": 1.0}
    assert summed([{}, {}]) == {}


def test_prices_are_read_from_the_environment_and_from_a_set() -> None:
    written = '[{"model": "gpt-4.1", "input": 2, "output": 8, "cached_input": 0.5}]'
    for settings in (load_settings({"prices.models": written}, env={}), load_settings(env={"GLASSBOX_PRICES__MODELS": written})):
        price = settings.prices.of("gpt-4.1")
        assert price is not None
        assert (price.input, price.output, price.cached_input) == (2, 8, 0.5)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("cheap", "must be a list such as"),
        ('[{"model": "m", "input": -1, "output": 1}]', "greater than or equal to 0"),
        ('[{"model": "m", "input": 1}]', "output"),
        ('[{"model": "m", "input": 1, "output": 1}, {"model": "m", "input": 2, "output": 1}]', "two prices for m"),
    ],
)
def test_a_wrong_price_is_refused(written: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load_settings({"prices.models": written}, env={})


# --- the limit of calls ---------------------------------------------------------------------------------------------------------


def test_calls_wait_for_their_turn_and_say_how_long() -> None:
    for call in (lambda model: model.invoke("hi"), lambda model: list(model.stream("hi"))):
        with ModelServer() as server, metering() as meter:
            model = chat_at(server, calls_per_minute=300)
            limiter(server.base_url, "talker", 300.0).available_tokens = 0
            call(model)
        waited = used(meter)["waited_seconds"]
        assert waited > 0
        assert used(meter)["by_role"][0]["waited_seconds"] == waited


async def test_asynchronous_calls_wait_too() -> None:
    with ModelServer() as server, metering() as meter:
        model = chat_at(server, calls_per_minute=300)
        limiter(server.base_url, "talker", 300.0).available_tokens = 0
        await model.ainvoke("hi")
        await model.root_async_client.close()  # type: ignore[attr-defined]
    assert used(meter)["waited_seconds"] > 0


def test_a_call_that_waited_for_nothing_says_nothing() -> None:
    with ModelServer() as server, metering() as meter:
        chat_at(server, calls_per_minute=6000).invoke("hi")
    assert used(meter)["waited_seconds"] == 0


def test_the_limit_is_shared_by_all_who_ask_the_same_model() -> None:
    with ModelServer() as server, ModelServer() as other:
        first, second = chat_at(server, calls_per_minute=60), chat_at(server, calls_per_minute=60)
        assert first.rate_limiter is not None
        assert second.rate_limiter is not None
        assert first.rate_limiter.acquire(blocking=False)
        while first.rate_limiter.acquire(blocking=False):
            pass
        assert not second.rate_limiter.acquire(blocking=False)
        elsewhere = chat_at(other, calls_per_minute=60).rate_limiter
        assert elsewhere is not None
        assert elsewhere.acquire(blocking=False)
        assert chat_at(server).rate_limiter is None


@pytest.mark.parametrize("calls", [1, 3, 10, 60])
def test_never_more_calls_than_that_in_a_minute(calls: int) -> None:
    made = limiter(f"http://of-{calls}", "m", float(calls))
    assert made.max_bucket_size + made.requests_per_second * 60 <= max(calls, 1) + (made.max_bucket_size == 1)


@pytest.mark.parametrize(("failures", "left"), [(0, 1), (1, 0)])
def test_a_call_that_is_tried_again_takes_another_turn(failures: int, left: int) -> None:
    with ModelServer(failure="rate_limit", times=failures, retry_after="0") as server:
        chat_at(server, calls_per_minute=8).invoke("hi")
        assert limiter(server.base_url, "talker", 8.0).available_tokens == left

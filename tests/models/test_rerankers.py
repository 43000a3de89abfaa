"""Rerankers at a real server: each dialect, each failure, the cross-encoder's interface, the cache, and the check of answers."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import ModelError, ModelUnavailable, Reranker, get_reranker
from models.rerankers.base import LARGEST_SCORE, in_order
from settings import load_secrets, load_settings
from tests.rerank_server import SPOILT, STATUS, RerankServer

KEY = "rr-test-0123456789"
SECRETS = load_secrets({"COHERE_API_KEY": KEY, "RERANK_API_KEY": KEY})
QUERY = "red fox"
TEXTS = ["a blue whale", "the red fox", "a red car"]
SCORES = [0.0, 1.0, 0.5]
# What is raised, its code, and a part of what it says to do.
FAILURES = {
    "unauthorized": (ModelError, "key_refused", "in the environment or .env"),
    "forbidden": (ModelError, "key_refused", "in the environment or .env"),
    "unknown_model": (ModelError, "unknown_model", "model 'ranker' not found"),
    "too_long": (ModelError, "context_overflow", "Lower ingest.chunk_size"),
    "unprocessable": (ModelError, "refused", "422"),
    "rate_limit": (ModelUnavailable, "rate_limit", "Wait a little"),
    "no_credit": (ModelError, "no_credit", "Top it up"),
    "server_error": (ModelUnavailable, "server_error", "Try again"),
    "overloaded": (ModelUnavailable, "server_error", "Try again"),
    "hang": (ModelUnavailable, "timeout", "raise its time limit"),
    "close": (ModelUnavailable, "unreachable", "Check that it runs"),
    "malformed": (ModelError, "malformed", "retrieval.rerank.base_url"),
    "html": (ModelError, "malformed", "retrieval.rerank.base_url"),
    "nested": (ModelError, "malformed", "retrieval.rerank.base_url"),
} | dict.fromkeys(SPOILT, (ModelError, "malformed", "retrieval.rerank.base_url"))


def reranker(provider: str, *, cache: Path | None = None, secrets: Any = SECRETS, **changes: Any) -> Reranker:
    chosen = {"provider": provider, "model": "ranker", "timeout_seconds": 5} | changes
    made = get_reranker(load_settings({f"retrieval.rerank.{k}": v for k, v in chosen.items()}, env={}), secrets, cache=cache)
    assert made is not None
    return made


def test_maxsim_needs_no_model() -> None:
    assert get_reranker(load_settings({"retrieval.rerank.enabled": True}, env={})) is None


def test_cohere() -> None:
    with RerankServer("cohere") as server:
        assert reranker("cohere", base_url=server.url).scores(QUERY, TEXTS) == SCORES
        assert reranker("cohere", base_url=f"{server.url}/v2").scores(QUERY, TEXTS) == SCORES
    request = server.requests[0]
    assert (request.path, request.headers["authorization"]) == ("/v2/rerank", f"Bearer {KEY}")
    assert request.body == {"model": "ranker", "query": QUERY, "documents": TEXTS, "top_n": 3}


@pytest.mark.parametrize(
    ("kind", "base", "asked"),
    [
        ("jina", "/v1", ["/v1/rerank documents"]),
        ("jina", "/v1/rerank", ["/v1/rerank documents"]),
        ("jina", "/", ["/rerank documents", "/v1/rerank documents"]),
        ("vllm", "", ["/rerank documents"]),
        ("vllm", "/v1/", ["/v1/rerank documents"]),
        ("tei", "", ["/rerank documents", "/rerank texts"]),
        ("tei", "/rerank", ["/rerank documents", "/rerank texts"]),
        ("tei", "/v1", ["/v1/rerank documents", "/rerank documents", "/rerank texts"]),
    ],
)
def test_an_endpoint_of_each_kind_is_asked_its_own_way_and_found_out_once(kind: str, base: str, asked: list[str]) -> None:
    with RerankServer(kind) as server:
        ranker = reranker("endpoint", base_url=server.url + base)
        assert ranker.scores(QUERY, TEXTS) == SCORES
        assert ranker.scores("blue", TEXTS) == [1.0, 0.0, 0.0]
    said = [f"{r.path} {'texts' if 'texts' in r.body else 'documents'}" for r in server.requests]
    assert said == [*asked, asked[-1]]
    assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    expected = {"query": "blue", "texts": TEXTS, "truncate": True}
    assert server.requests[-1].body == (expected if kind == "tei" else {"model": "ranker", "query": "blue", "documents": TEXTS})


def test_tei_gets_no_more_texts_at_once_than_it_takes() -> None:
    texts = [f"red {n}" if n % 3 else f"red fox {n}" for n in range(70)]
    with RerankServer("tei") as server:
        scores = reranker("endpoint", base_url=server.url).scores(QUERY, texts)
    assert scores == [0.5 if n % 3 else 1.0 for n in range(70)]
    assert [len(r.body["texts"]) for r in server.requests if "texts" in r.body] == [32, 32, 6]


def test_without_a_key_and_a_model_neither_is_sent() -> None:
    with RerankServer("vllm") as server:
        reranker("endpoint", base_url=server.url, model="", secrets=None).scores(QUERY, TEXTS)
    assert "authorization" not in server.requests[0].headers
    assert "model" not in server.requests[0].body


def test_texts_that_no_server_takes_are_made_harmless() -> None:
    with RerankServer("vllm") as server:
        assert len(reranker("endpoint", base_url=server.url).scores("a\0b", ["", "x\ud800y"])) == 2
    assert server.requests[0].body == {"model": "ranker", "query": "a b", "documents": [" ", "x\ufffdy"]}


@pytest.mark.parametrize("provider", ["cohere", "endpoint"])
def test_no_texts_no_call(provider: str) -> None:
    with RerankServer() as server:
        assert reranker(provider, base_url=server.url).scores(QUERY, []) == []
        assert not server.requests


@pytest.mark.parametrize("provider", ["cohere", "endpoint"])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_names_the_place_and_the_remedy_and_never_the_key(provider: str, failure: str) -> None:
    if (provider, failure) == ("cohere", "text_index"):
        pytest.skip("its client reads the index as a number")
    kind, code, remedy = FAILURES[failure]
    started = time.monotonic()
    with RerankServer("vllm", failure=failure, retry_after="0.01") as server:
        with pytest.raises(ModelError) as found:
            reranker(provider, base_url=server.url, timeout_seconds=0.5).scores(QUERY, TEXTS)
        assert (type(found.value), found.value.code) == (kind, code)
        assert remedy in str(found.value)
        assert server.url in str(found.value)
    assert KEY not in str(found.value)
    assert "<html>" not in str(found.value)
    assert time.monotonic() - started < 4


def test_a_refused_key_is_told_by_the_name_of_its_variable() -> None:
    with RerankServer("vllm", failure="unauthorized") as server:
        for provider, variable in (("cohere", "COHERE_API_KEY"), ("endpoint", "RERANK_API_KEY")):
            with pytest.raises(ModelError, match=variable):
                reranker(provider, base_url=server.url).scores(QUERY, TEXTS)


def test_an_answer_that_comes_byte_by_byte_has_no_longer_than_one_that_does_not_come() -> None:
    with RerankServer("vllm", failure="drip") as server, pytest.raises(ModelUnavailable, match="raise its time limit"):
        reranker("endpoint", base_url=server.url, timeout_seconds=0.5).scores(QUERY, TEXTS)


@pytest.mark.parametrize(("failure", "code"), [("vast", "malformed"), ("nested_refusal", "refused")])
def test_an_answer_without_end_is_not_read(failure: str, code: str) -> None:
    with RerankServer("vllm", failure=failure) as server, pytest.raises(ModelError) as found:
        reranker("endpoint", base_url=server.url).scores(QUERY, TEXTS)
    assert found.value.code == code
    assert len(str(found.value)) < 600


@pytest.mark.parametrize("provider", ["cohere", "endpoint"])
def test_nothing_listens_at_the_address(provider: str) -> None:
    with RerankServer() as server:
        gone = server.url
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        reranker(provider, base_url=gone, timeout_seconds=0.5).scores(QUERY, TEXTS)


@pytest.mark.parametrize("address", ["no address", "127.0.0.1:80", "http://[", "ftp://127.0.0.1"])
def test_an_address_that_is_none(address: str) -> None:
    for provider in ("cohere", "endpoint"):
        with pytest.raises(ModelError):
            reranker(provider, base_url=address, timeout_seconds=0.5).scores(QUERY, TEXTS)


@pytest.mark.parametrize("provider", ["cohere", "endpoint"])
@pytest.mark.parametrize(
    ("failure", "retry_after", "requests"),
    [("rate_limit", "0.01", 2), ("server_error", "0.01", 2), ("close", None, 2), ("rate_limit", "30", 1)],
)
def test_what_may_pass_is_tried_again_within_the_time_limit(
    provider: str, failure: str, retry_after: str | None, requests: int
) -> None:
    with RerankServer("vllm", failure=failure, times=1, retry_after=retry_after) as server:
        ranker = reranker(provider, base_url=server.url)
        if requests == 1:
            with pytest.raises(ModelUnavailable):
                ranker.scores(QUERY, TEXTS)
        else:
            assert ranker.scores(QUERY, TEXTS) == SCORES
        assert len(server.requests) == requests


def test_cohere_without_a_key_is_not_called() -> None:
    with RerankServer("cohere") as server:
        with pytest.raises(ModelError, match="COHERE_API_KEY") as found:
            reranker("cohere", base_url=server.url, secrets=load_secrets({})).scores(QUERY, TEXTS)
        assert found.value.code == "no_key"
        assert not server.requests


def test_the_table_knows_every_status() -> None:
    assert set(STATUS) <= set(FAILURES)


# --- the cross-encoder ---


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A stand-in for sentence_transformers with the interface that its CrossEncoder documents."""
    module = ModuleType("sentence_transformers")
    made: list[str] = []

    class CrossEncoder:
        def __init__(self, model_name_or_path: str) -> None:
            made.append(model_name_or_path)
            if model_name_or_path == "nobody/none":
                raise OSError("nobody/none is not a local folder and not a model on the Hub")

        def predict(self, sentences: list[tuple[str, str]], *, show_progress_bar: bool | None = None) -> np.ndarray:
            assert show_progress_bar is False
            if any(text == "crash" for _, text in sentences):
                raise RuntimeError("out of memory")
            if any(text == "labels" for _, text in sentences):
                return np.zeros((len(sentences), 3), dtype=np.float32)
            return np.asarray([len(query) - len(text) for query, text in sentences], dtype=np.float32)

    module.CrossEncoder, module.made = CrossEncoder, made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return module


def test_a_cross_encoder_is_loaded_once_and_scores_pairs(package: ModuleType) -> None:
    ranker = reranker("cross_encoder", model="some/ranker")
    assert package.made == []
    assert ranker.scores("abcd", ["a", "abc"]) == [3.0, 1.0]
    assert ranker.scores("abcd", []) == []
    assert ranker.scores("ab", ["a"]) == [1.0]
    assert package.made == ["some/ranker"]


@pytest.mark.parametrize(
    ("model", "text", "code"),
    [("nobody/none", "a", "unknown_model"), ("some/ranker", "crash", "failed"), ("some/ranker", "labels", "malformed")],
)
@pytest.mark.usefixtures("package")
def test_a_cross_encoder_that_fails(model: str, text: str, code: str) -> None:
    with pytest.raises(ModelError, match=model) as found:
        reranker("cross_encoder", model=model).scores("q", [text])
    assert found.value.code == code


def test_without_the_package_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match="pip install sentence-transformers") as found:
        reranker("cross_encoder").scores("q", ["a"])
    assert found.value.code == "no_package"


# --- the cache ---


def test_a_text_is_scored_once_for_a_question_a_model_and_a_place(tmp_path: Path) -> None:
    with RerankServer("vllm") as server, RerankServer("vllm") as elsewhere:

        def scores(query: str, texts: list[str], url: str = server.url, **changes: Any) -> list[float]:
            return reranker("endpoint", cache=tmp_path, base_url=url, **changes).scores(query, texts)

        assert scores(QUERY, TEXTS) == SCORES
        assert scores(QUERY, TEXTS[::-1]) == SCORES[::-1]
        assert server.sent == TEXTS
        assert scores(QUERY, [*TEXTS, "fox", "fox"]) == [*SCORES, 0.5, 0.5]
        assert server.sent == [*TEXTS, "fox"]
        scores("blue", TEXTS[:1])
        scores(QUERY, TEXTS[:1], model="other")
        scores(QUERY, TEXTS[:1], url=elsewhere.url)
        assert server.sent == [*TEXTS, "fox", TEXTS[0], TEXTS[0]]
        assert elsewhere.sent == TEXTS[:1]


def test_a_cached_score_is_the_one_that_was_given_first(tmp_path: Path) -> None:
    texts = [f"red {n} " + "fox " * (n % 2) for n in range(9)]
    with RerankServer("vllm") as server:
        ranker = reranker("endpoint", cache=tmp_path, base_url=server.url)
        assert ranker.scores("red fox dog", texts) == ranker.scores("red fox dog", texts)
    assert len(server.sent) == 9


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with RerankServer("vllm", failure="unauthorized", times=1) as server:
        ranker = reranker("endpoint", cache=tmp_path, base_url=server.url)
        with pytest.raises(ModelError):
            ranker.scores(QUERY, TEXTS)
        assert ranker.scores(QUERY, TEXTS) == SCORES


# --- the check of what servers give ---


@given(st.lists(st.floats(-LARGEST_SCORE, LARGEST_SCORE)), st.randoms())
def test_rows_in_any_order_become_scores_in_the_order_of_the_texts(scores: list[float], random: Any) -> None:
    rows = list(enumerate(scores))
    random.shuffle(rows)
    assert in_order(rows, len(scores)) == scores


@given(st.lists(st.tuples(st.one_of(st.integers(-2, 6), st.none(), st.booleans()), st.floats()), max_size=6))
def test_rows_that_are_not_one_score_a_text_are_refused(rows: list[tuple[Any, float]]) -> None:
    whole = sorted(str(index) for index, _ in rows) == sorted(map(str, range(4))) and bool(
        np.isfinite([s for _, s in rows]).all()
    )
    if whole:
        assert len(in_order(rows, 4)) == 4
    else:
        with pytest.raises(ValueError, match="for|score"):
            in_order(rows, 4)

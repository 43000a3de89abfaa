"""Every way an endpoint fails: a ModelError that names it and the remedy, in time, and without the key."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from models import ModelError, ModelUnavailable
from settings import load_secrets, load_settings
from tests.models.endpoints import KEY, chat_at, embeddings_at
from tests.servers import CHAT_FAILURES, EMBEDDINGS_FAILURES, ModelServer

ROOT = Path(__file__).parents[2]
# What is raised, its code, and a part of what it says to do.
REFUSED = {
    "unauthorized": (ModelError, "key_refused", "Check the key"),
    "forbidden": (ModelError, "key_refused", "Check the key"),
    "unknown_model": (ModelError, "unknown_model", "base_url"),
    "too_long": (ModelError, "context_overflow", "Lower answer.max_context_chars"),
    "unprocessable": (ModelError, "refused", "422. It said: temperature: must be positive"),
    "rate_limit": (ModelUnavailable, "rate_limit", "Wait a little"),
    "no_credit": (ModelError, "no_credit", "Top it up"),
    "server_error": (ModelUnavailable, "server_error", "Try again"),
    "overloaded": (ModelUnavailable, "server_error", "Try again"),
    "hang": (ModelUnavailable, "timeout", "raise its time limit"),
    "close": (ModelUnavailable, "unreachable", "Check that it runs"),
    "malformed": (ModelError, "malformed", "Check base_url"),
    "html": (ModelError, "malformed", "Check base_url"),
    "strange": (ModelError, "malformed", "Check base_url"),
}
STREAM = REFUSED | {
    "hang_midway": (ModelUnavailable, "timeout", "raise its time limit"),
    "keep_alive": (ModelUnavailable, "timeout", "raise its time limit"),
    "close_midway": (ModelUnavailable, "broken_off", "Try again"),
    "error_midway": (ModelUnavailable, "broken_off", "The engine died"),
}
EMBEDDINGS = REFUSED | dict.fromkeys(
    ("too_few", "too_many", "uneven", "zero", "not_finite"), (ModelError, "malformed", "Try another model or server")
)
MOST_REQUESTS = 3
"""How often one call may try."""
NO_FAILURE = {"end_midway", "empty", "length", "filtered"}
"""What only the chain can tell from an answer."""


@contextmanager
def told(expected: tuple[type[ModelError], str, str], server: ModelServer) -> Iterator[None]:
    """The body fails as expected, and in time: it waited for no hanging answer to its end, and did not try again and again."""
    kind, code, remedy = expected
    with pytest.raises(ModelError) as found:
        yield
    assert (type(found.value), found.value.code) == (kind, code)
    assert remedy in str(found.value)
    assert KEY not in str(found.value)
    assert not server.outlasted.is_set()
    assert len(server.requests) <= MOST_REQUESTS


def test_the_tables_below_know_every_failure() -> None:
    assert set(CHAT_FAILURES) == set(STREAM) | NO_FAILURE
    assert set(EMBEDDINGS_FAILURES) == set(EMBEDDINGS) | {"empty"}


@pytest.mark.parametrize("failure", STREAM)
def test_a_stream_that_fails(failure: str) -> None:
    with ModelServer(words=["Hello", " world"], failure=failure) as server, told(STREAM[failure], server):
        list(chat_at(server, timeout_seconds=0.5).stream("hi"))
    assert len(server.requests) == 1


@pytest.mark.parametrize("failure", REFUSED)
def test_an_answer_in_one_piece_that_fails(failure: str) -> None:
    with ModelServer(failure=failure) as server, told(REFUSED[failure], server):
        chat_at(server, timeout_seconds=0.5).invoke("hi")
    assert len(server.requests) >= 1


@pytest.mark.parametrize("failure", ["unauthorized", "malformed", "hang_midway", "keep_alive"])
async def test_an_asynchronous_stream_that_fails(failure: str) -> None:
    with ModelServer(words=["Hello", " world"], failure=failure) as server:
        model = chat_at(server, timeout_seconds=0.5)
        with told(STREAM[failure], server):
            [chunk async for chunk in model.astream("hi")]
        assert len(server.requests) == 1


@pytest.mark.parametrize("failure", [*EMBEDDINGS, "empty"])
def test_embeddings_that_fail(failure: str) -> None:
    with ModelServer(failure=failure) as server, told(EMBEDDINGS.get(failure, REFUSED["malformed"]), server):
        embeddings_at(server, timeout_seconds=0.5).embed_documents(["hi", "ho"])
    assert len(server.requests) >= 1


def test_a_surplus_vector_of_one_batch_does_not_fill_a_gap_in_the_next() -> None:
    with ModelServer(failure="too_many", times=1) as server:
        with told(EMBEDDINGS["too_many"], server):
            embeddings_at(server, batch_size=2).embed_documents(["a", "b", "c", "d"])
        assert len(server.requests) == 1


def test_nothing_listens_at_the_address() -> None:
    with ModelServer() as server:
        gone = chat_at(server, timeout_seconds=0.5), embeddings_at(server, timeout_seconds=0.5)
    with told(REFUSED["close"], server):
        gone[0].invoke("hi")
    with told(REFUSED["close"], server):
        gone[1].embed_query("hi")
    assert server.requests == []


@pytest.mark.parametrize("failure", ["rate_limit", "server_error", "close"])
def test_what_may_pass_is_tried_again(failure: str) -> None:
    with ModelServer(failure=failure, times=1, retry_after="0.1") as server:
        assert "".join(chunk.text for chunk in chat_at(server).stream("hi")) == "Hello."
        assert len(server.requests) == 2
    with ModelServer(failure=failure, times=1, retry_after="0.1") as server:
        assert len(embeddings_at(server).embed_query("hi")) == server.dimension


@pytest.mark.parametrize(
    ("failure", "retry_after", "requests"),
    [
        ("rate_limit", "0.05", 3),
        ("rate_limit", "30", 1),  # longer than anyone waits for an answer
        ("rate_limit", "Wed, 21 Oct 2026 07:28:00 GMT", 3),
        ("unauthorized", None, 1),
        ("hang", None, 1),
    ],
)
def test_how_often_a_call_is_tried(failure: str, retry_after: str | None, requests: int) -> None:
    limit = 0.5 if failure == "hang" else 5
    with ModelServer(failure=failure, retry_after=retry_after) as server:
        with told(REFUSED[failure], server):
            chat_at(server, timeout_seconds=limit).invoke("hi")
        assert len(server.requests) == requests


def test_a_slow_stream_that_keeps_coming_is_waited_for() -> None:
    with ModelServer(words=["a"] * 8, pause=0.1) as server:
        assert "".join(chunk.text for chunk in chat_at(server, timeout_seconds=0.5).stream("hi")) == "a" * 8


def test_a_stopped_stream_lets_go_of_the_server_and_leaves_no_thread() -> None:
    with ModelServer(words=["word "] * 2000, pause=0.01) as server:
        before = threading.active_count()
        stream = chat_at(server).stream("hi")
        assert next(stream).text == "word "
        stream.close()  # type: ignore[attr-defined]
        assert server.abandoned.wait(5)
        assert threading.active_count() <= before + 1  # the server's own, about to end


def test_what_is_sent_to_a_server_that_is_not_openais() -> None:
    with ModelServer() as server:
        list(chat_at(server, max_tokens=77, temperature=0.3, model="codex-like").stream("a\0b\ud800c"))
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "codex-like",
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.3,
        "max_tokens": 77,
        "messages": [{"role": "user", "content": "a b\ufffdc"}],
    }


def test_openai_itself_gets_the_name_it_knows() -> None:
    from models import get_chat_model

    model = get_chat_model(load_settings({"llm.provider": "openai", "llm.model": "gpt-4o-mini", "llm.max_tokens": 77}, env={}))
    payload = model._get_request_payload("hi")  # type: ignore[union-attr]
    assert payload["max_completion_tokens"] == 77
    assert "max_tokens" not in payload


def test_without_a_provider_there_is_no_chat_model() -> None:
    from models import get_chat_model

    assert get_chat_model(load_settings(env={}), load_secrets({"OPENAI_API_KEY": KEY})) is None


def test_a_key_or_a_password_in_the_address_is_never_shown() -> None:
    with ModelServer(failure="unknown_model") as server:
        model = chat_at(server, base_url=server.base_url.replace("127.0.0.1", "me:hidden@127.0.0.1"))
        with pytest.raises(ModelError) as found:
            model.invoke("hi")
    assert "hidden" not in str(found.value)
    assert KEY not in repr(model) + str(model) + repr(vars(model))


# With LangSmith's variables set for another project, and a second server in its place and in OpenAI's.
ASK = """
import sys
from models import get_chat_model
from settings import load_secrets, load_settings
model = get_chat_model(load_settings({"llm.provider": "openai", "llm.model": "m", "llm.base_url": sys.argv[1]}), load_secrets())
print(model.invoke("hi").text)
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


def test_nothing_but_the_endpoint_is_spoken_to(tmp_path: Path) -> None:
    with ModelServer() as server, ModelServer() as elsewhere:
        elsewhere_url = elsewhere.base_url.removesuffix("/v1")
        environment = {
            "PYTHONPATH": str(ROOT),
            "LANGSMITH_TRACING": "true",
            "LANGCHAIN_TRACING_V2": "true",
            "LANGSMITH_API_KEY": "x",
            "LANGSMITH_ENDPOINT": elsewhere_url,
            "LANGCHAIN_ENDPOINT": elsewhere_url,
            "OPENAI_BASE_URL": elsewhere.base_url,
            "OPENAI_API_BASE": elsewhere.base_url,
            "OPENAI_API_KEY": KEY,
        }
        done = subprocess.run(
            [sys.executable, "-c", ASK, server.base_url],
            cwd=tmp_path,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "Hello.\n"), done.stderr
        assert len(server.requests) == 1
        assert elsewhere.touched == 0

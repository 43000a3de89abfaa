"""A redirect to another server is not followed, whoever calls: no text and no key goes where nobody said it would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

import httpx2
import pytest

from models import ModelError, redirects
from tests.models.endpoints import chat_at, embeddings_at
from tests.models.test_rerankers import QUERY, SCORES, TEXTS, reranker
from tests.rerank_server import RerankServer
from tests.servers import ModelServer


class _Elsewhere(BaseHTTPRequestHandler):
    told: Redirecting

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(307)
        self.send_header("Location", f"{self.told.to}{self.path.removeprefix('/old')}")
        self.send_header("Content-Length", "0")
        self.end_headers()


@dataclass
class Redirecting(ModelServer):
    """Sends every request on to another server."""

    handler: ClassVar[type[BaseHTTPRequestHandler]] = _Elsewhere
    to: str = ""


@pytest.mark.parametrize(
    "call",
    [
        lambda server: chat_at(server).invoke("hi"),
        lambda server: list(chat_at(server).stream("hi")),
        lambda server: embeddings_at(server).embed_query("hi"),
    ],
)
def test_a_model_that_moved_elsewhere_is_not_asked_there(call: Callable[[Any], object]) -> None:
    with ModelServer() as other, Redirecting(to=other.url) as server:
        with pytest.raises(ModelError, match="set base_url") as found:
            call(server)
        assert (found.value.code, other.requests) == ("redirected", [])
        assert server.url in str(found.value)
        assert other.url in str(found.value)


async def test_nor_asynchronously() -> None:
    with ModelServer() as other, Redirecting(to=other.url) as server:
        model = chat_at(server)
        with pytest.raises(ModelError, match="set base_url"):
            await model.ainvoke("hi")
        await model.root_async_client.close()  # type: ignore[attr-defined]
        assert other.requests == []


@pytest.mark.parametrize(("provider", "kind"), [("endpoint", "vllm"), ("cohere", "cohere")])
def test_nor_a_reranker(provider: str, kind: str) -> None:
    with RerankServer(kind) as other, Redirecting(to=other.url) as server:
        with pytest.raises(ModelError, match="set base_url") as found:
            reranker(provider, base_url=server.url).scores(QUERY, TEXTS)
        assert (found.value.code, other.requests) == ("redirected", [])


def test_another_place_on_the_same_server_is_asked() -> None:
    with RerankServer("vllm") as server:
        with Redirecting(to=server.url) as front:
            front.to = front.url  # it would go round in circles, were it asked there
            with pytest.raises(ModelError) as found:
                reranker("endpoint", base_url=f"{front.url}/old/rerank").scores(QUERY, TEXTS)
        assert found.value.code != "redirected"
        assert reranker("endpoint", base_url=server.url).scores(QUERY, TEXTS) == SCORES


@pytest.mark.parametrize(
    ("here", "there", "same"),
    [
        ("http://models.example/v1", "https://models.example/v1", True),
        ("https://models.example/v1", "/v2/chat", True),
        ("https://models.example/v1", "http://models.example/v1", False),
        ("https://models.example/v1", "https://models.example:8443/v1", False),
        ("https://models.example/v1", "https://models.example.evil.example/v1", False),
        ("https://models.example/v1", "//evil.example/v1", False),
    ],
)
def test_what_counts_as_the_same_server(here: str, there: str, same: bool) -> None:
    response = httpx2.Response(308, headers={"location": there}, request=httpx2.Request("POST", here))
    if same:
        redirects.check(response)
    else:
        with pytest.raises(ModelError, match="is not asked"):
            redirects.check(response)

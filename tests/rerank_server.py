"""A real HTTP server on this machine that reranks as Jina's, vLLM's, TEI's, llama.cpp's and Cohere's do, or fails as told."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from language import terms
from tests.local_server import LONGEST_HANG, LocalServer, Request

STATUS: dict[str, tuple[int, Any]] = {
    "unauthorized": (401, {"message": "invalid api token: {key}"}),
    "forbidden": (403, {"detail": "the key {key} may not do this"}),
    "unknown_model": (404, {"message": "model 'ranker' not found, said {key}"}),
    "too_long": (400, {"object": "error", "message": "This model's maximum context length is 512 tokens. {key}"}),
    "unprocessable": (422, {"detail": [{"msg": "bad request with {key}"}]}),
    "rate_limit": (429, {"message": "slow down, {key}"}),
    "no_credit": (402, {"error": {"message": "no balance for {key}"}}),
    "server_error": (500, {"error": "engine died, {key}", "error_type": "Backend"}),
    "overloaded": (503, "<html><body>busy {key}</body></html>"),
}
NO_SCORES = {
    "html": "<!doctype html><title>Welcome</title>",
    "malformed": '{"results": [',
    "nested": f'{{"results": {"[" * 100_000}{"]" * 100_000}}}',
}
SPOILT = (
    "too_few",
    "too_many",
    "twice",
    "out_of_range",
    "negative",
    "not_finite",
    "text_score",
    "text_index",
    "no_score",
    "strange",
)
PLACES = {
    "jina": ("/v1/rerank",),
    "vllm": ("/rerank", "/v1/rerank", "/v2/rerank"),
    "tei": ("/rerank",),
    "cohere": ("/v2/rerank",),
}


@dataclass
class RerankServer(LocalServer):
    """Serves POST at the places of its `kind`. A text's score is the share of the question's words that it holds.

    With `logits`, scores are on another scale. With a failure, the first `times` requests fail. Use it in a `with`.
    """

    kind: str = "jina"
    logits: bool = False
    failure: str | None = None
    times: int = 1_000_000
    retry_after: str | None = None
    requests: list[Request] = field(default_factory=list)

    @property
    def sent(self) -> list[str]:
        """Every text that was sent, in order."""
        return [text for request in self.requests for text in request.body.get("documents") or request.body.get("texts") or []]


def share(query: str, text: str) -> float:
    asked = set(terms(query))
    return len(asked & set(terms(text))) / len(asked) if asked else 0.0


class _Handler(BaseHTTPRequestHandler):
    told: RerankServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        told = self.told
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        told.requests.append(Request(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw)))
        failure = told.failure if len(told.requests) <= told.times else None
        try:
            if failure in STATUS:
                self._send(*STATUS[failure])
            elif failure == "hang":
                told.closing.wait(LONGEST_HANG)
                self.close_connection = True
            elif failure == "drip":
                self._drip()
            elif failure == "close":
                self.close_connection = True
            elif failure in NO_SCORES:
                self._send(200, NO_SCORES[failure])
            elif failure == "nested_refusal":
                self._send(422, NO_SCORES["nested"])
            elif self.path not in PLACES[told.kind]:
                self._send(404, {"detail": "Not Found"})
            else:
                self._rerank(told.requests[-1].body, failure)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _drip(self) -> None:
        """A byte ten times a second, so that no single read takes long."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        while not self.told.closing.wait(0.1):
            self.wfile.write(b" ")

    def _rerank(self, body: dict[str, Any], failure: str | None) -> None:
        tei = self.told.kind == "tei"
        texts = body.get("texts" if tei else "documents")
        if texts is None:
            self._send(422, {"error": f"missing field `{'texts' if tei else 'documents'}`", "error_type": "Validation"})
        elif tei and len(texts) > 32:
            self._send(422, {"error": f"batch size {len(texts)} > maximum allowed batch size 32", "error_type": "Validation"})
        else:
            scores = [share(body["query"], text) for text in texts]
            label = "score" if tei else "relevance_score"
            rows = [{"index": i, label: 20 * s - 10 if self.told.logits else s} for i, s in enumerate(scores)]
            rows.sort(key=lambda row: -row[label])
            spoil(rows, label, failure)
            whole = {"id": "1" * (17 * 2**20) if failure == "vast" else "1", "results": rows, "usage": {"total_tokens": 1}}
            self._send(200, {"answer": rows} if failure == "strange" else rows if tei else whole)

    def _send(self, status: int, value: Any) -> None:
        text = value if isinstance(value, str) else json.dumps(value)
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        body = text.replace("{key}", key).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.told.retry_after:
            self.send_header("Retry-After", self.told.retry_after)
        self.end_headers()
        self.wfile.write(body)


def spoil(rows: list[dict[str, Any]], label: str, failure: str | None) -> None:
    """Make the rows wrong in one way."""
    if failure == "too_few":
        rows.pop()
    elif failure == "too_many":
        rows.append({"index": len(rows), label: 0.0})
    elif failure == "twice":
        rows[-1]["index"] = rows[0]["index"]
    elif failure in ("out_of_range", "negative"):
        rows[-1]["index"] = len(rows) if failure == "out_of_range" else -1
    elif failure in ("not_finite", "text_score"):
        rows[-1][label] = float("nan") if failure == "not_finite" else "high"
    elif failure == "text_index":
        rows[-1]["index"] = "0"
    elif failure == "no_score":
        del rows[-1][label]


RerankServer.handler = _Handler

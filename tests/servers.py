"""Real HTTP servers for tests, on this machine: an OpenAI-compatible endpoint that answers with fixed words, or fails as told."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal, get_args

import numpy as np

from tests.local_server import LONGEST_HANG, LocalServer, Request

StatusFailure = Literal[
    "unauthorized",
    "forbidden",
    "unknown_model",
    "too_long",
    "unprocessable",
    "rate_limit",
    "no_credit",
    "server_error",
    "overloaded",
]
ChatFailure = Literal[
    StatusFailure,
    "hang",  # no answer at all
    "hang_midway",  # the first word, then nothing
    "keep_alive",  # the first word, then comments that keep the connection open
    "close",  # the connection is closed without an answer
    "close_midway",  # ... after the first word
    "end_midway",  # the answer ends after the first word, in good order, but without a finish_reason
    "error_midway",  # an error object after the first word
    "malformed",  # what should be JSON is not
    "strange",  # JSON of another shape
    "html",  # a page, as from a web server at a wrong address
    "empty",  # an answer without words
    "length",  # all the words, and finish_reason "length"
    "filtered",  # all the words, and finish_reason "content_filter"
]
EmbeddingsFailure = Literal[
    StatusFailure,
    "hang",
    "close",
    "malformed",
    "strange",
    "html",
    "too_few",  # a vector less than texts
    "too_many",
    "uneven",  # vectors of different lengths
    "zero",
    "not_finite",
    "empty",  # an empty list
]
CHAT_FAILURES: tuple[ChatFailure, ...] = get_args(ChatFailure)
EMBEDDINGS_FAILURES: tuple[EmbeddingsFailure, ...] = get_args(EmbeddingsFailure)
_STATUS: dict[str, tuple[int, dict[str, Any]]] = {
    "unauthorized": (401, {"message": "Incorrect API key provided: {key}.", "code": "invalid_api_key"}),
    "forbidden": (403, {"message": "Your key {key} may not use this model."}),
    "unknown_model": (404, {"message": "The model `nobody` does not exist.", "code": "model_not_found"}),
    "too_long": (400, {"message": "This model's maximum context length is 4096 tokens.", "code": "context_length_exceeded"}),
    "unprocessable": (422, {"message": "temperature: must be positive, said with {key}"}),
    "rate_limit": (429, {"message": "Rate limit reached.", "code": "rate_limit_exceeded"}),
    "no_credit": (429, {"message": "You exceeded your current quota.", "code": "insufficient_quota"}),
    "server_error": (500, {"message": "Internal server error"}),
    "overloaded": (503, {"message": "Overloaded"}),
}


@dataclass
class ModelServer(LocalServer):
    """An OpenAI-compatible server: POST /v1/chat/completions (streamed or not) and /v1/embeddings. Use it in a `with`.

    `words` are the pieces of the chat answer, in order, `then` those of all answers but the first; the vectors follow from the
    texts (`vector_of`), `scale` long. With a failure, the first `times` requests after those `spared` fail (all by default), and
    the others are answered; `pause` seconds lie before each word.
    `touched` counts connections, `abandoned` is set when a client let go of an answer, `outlasted` when a hanging answer was
    waited for to its end.
    """

    words: Sequence[str] = ("Hello", ".")
    then: Sequence[str] = ()
    dimension: int = 8
    scale: float = 1.0
    floats_only: bool = False
    failure: str | None = None
    times: int = 1_000_000
    spared: int = 0
    retry_after: str | None = None
    pause: float = 0.0
    touched: int = 0
    requests: list[Request] = field(default_factory=list)
    abandoned: threading.Event = field(default_factory=threading.Event)
    outlasted: threading.Event = field(default_factory=threading.Event)

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as base_url."""
        return f"{self.url}/v1"

    def hang(self) -> None:
        """Wait until the server is closed, but not for ever."""
        if not self.closing.wait(LONGEST_HANG):
            self.outlasted.set()

    def chat_failure(self) -> str | None:
        """How the request that just came is to fail."""
        return self.failure if self.spared < len(self.requests) <= self.spared + self.times else None


def vector_of(text: str, dimension: int) -> list[float]:
    """The unit vector that the server gives for a text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    vector = np.random.default_rng(seed).normal(size=dimension)
    return [float(x) for x in (vector / np.linalg.norm(vector)).astype(np.float32)]


class _Handler(BaseHTTPRequestHandler):
    """One request; `told` says how to answer."""

    told: ModelServer
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        """Count the connection."""
        super().setup()
        self.told.touched += 1

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer a chat or an embeddings request."""
        told = self.told
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(raw))
        told.requests.append(request)
        failure = told.chat_failure()
        try:
            if failure in _STATUS:
                self._refuse(failure)
            elif failure == "hang":
                told.hang()
                self.close_connection = True
            elif failure == "close":
                self.close_connection = True
            elif failure == "html":
                self._send(200, b"<!doctype html><title>Welcome</title>", kind="text/html")
            elif self.path == "/v1/chat/completions":
                self._chat(request.body, failure)
            elif self.path == "/v1/embeddings":
                self._embeddings(request.body, failure)
            else:
                self._send(404, b"Not Found", kind="text/plain")
        except (BrokenPipeError, ConnectionResetError):
            told.abandoned.set()
            self.close_connection = True

    def _refuse(self, failure: str) -> None:
        status, error = _STATUS[failure]
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        body = {"error": error | {"message": error["message"].replace("{key}", key)}}
        after = self.told.retry_after
        self._send(status, json.dumps(body).encode(), headers={"Retry-After": after} if after else {})

    def _send(self, status: int, body: bytes, *, kind: str = "application/json", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    # --- chat ------------------------------------------------------------------------------------------------------------------

    def _chat(self, asked: dict[str, Any], failure: str | None) -> None:
        said = self.told.then if self.told.then and len(self.told.requests) > 1 else self.told.words
        words = [] if failure == "empty" else list(said)
        reason = {"length": "length", "filtered": "content_filter"}.get(failure or "", "stop")
        if asked.get("stream"):
            self._stream(asked, words, reason, failure)
            return
        message = {"role": "assistant", "content": "".join(words)}
        whole: Any = _chat_object(asked, {"index": 0, "message": message, "finish_reason": reason}) | {"usage": _usage(words)}
        if failure == "strange":
            whole = {"choices": [{"text": "no message"}]}
        self._send(200, b'{"choices": [' if failure == "malformed" else json.dumps(whole).encode())

    def _stream(self, asked: dict[str, Any], words: Sequence[str], reason: str, failure: str | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, word in enumerate(words):
            if number == 1 and self._breaks_off(failure):
                return
            time.sleep(self.told.pause)
            self._event(_chat_object(asked, {"index": 0, "delta": {"content": word}, "finish_reason": None}))
        self._event(_chat_object(asked, {"index": 0, "delta": {}, "finish_reason": reason}))
        if asked.get("stream_options", {}).get("include_usage"):
            self._event(_chat_object(asked) | {"usage": _usage(words)})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _breaks_off(self, failure: str | None) -> bool:
        """Fail after the first word, if so told; whether that ends the answer."""
        told = self.told
        if failure == "hang_midway":
            told.hang()
        elif failure == "keep_alive":
            for _ in range(LONGEST_HANG * 50):
                if told.closing.wait(0.02):
                    break
                self._chunk(b": still working\n\n")
            else:
                told.outlasted.set()
        elif failure == "end_midway":
            self._chunk(b"")
        elif failure == "error_midway":
            self._chunk(b'data: {"error": {"message": "The engine died.", "type": "server_error"}}\n\n')
        elif failure == "malformed":
            self._chunk(b'data: {"choices": [\n\n')
        elif failure == "strange":
            self._chunk(b"data: 7\n\n")
        elif failure != "close_midway":
            return False
        self.close_connection = True
        return True

    def _event(self, value: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(value).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    # --- embeddings ------------------------------------------------------------------------------------------------------------

    def _embeddings(self, asked: dict[str, Any], failure: str | None) -> None:
        told = self.told
        texts: list[str] = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        vectors = [[told.scale * x for x in vector_of(text, told.dimension)] for text in texts]
        if failure == "too_few":
            vectors = vectors[:-1]
        elif failure == "too_many":
            vectors = [*vectors, vectors[0]]
        elif failure == "uneven":
            vectors = [*vectors[:-1], vectors[-1][:-1]]
        elif failure == "zero":
            vectors[-1] = [0.0] * told.dimension
        elif failure == "not_finite":
            vectors[-1] = [float("nan")] * told.dimension
        elif failure == "empty":
            vectors = []
        as_text = asked.get("encoding_format") == "base64" and not told.floats_only
        data = [{"object": "embedding", "index": i, "embedding": _encoded(v) if as_text else v} for i, v in enumerate(vectors)]
        whole: Any = {"object": "list", "data": data, "model": asked["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        if failure == "strange":
            whole = {"embeddings": vectors}
        self._send(200, b'{"data": [' if failure == "malformed" else json.dumps(whole).encode())


def _chat_object(asked: dict[str, Any], *choices: dict[str, Any]) -> dict[str, Any]:
    kind = "chat.completion.chunk" if asked.get("stream") else "chat.completion"
    return {"id": "chat-1", "object": kind, "created": 1, "model": asked["model"], "choices": list(choices)}


def _usage(words: Sequence[str]) -> dict[str, int]:
    return {"prompt_tokens": 7, "completion_tokens": len(words), "total_tokens": 7 + len(words)}


def _encoded(vector: Sequence[float]) -> str:
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()


ModelServer.handler = _Handler

"""The time to the first token: what Glassbox itself takes between a question and the request to the chat model.

A synthetic base, default settings, no rewriting, and a server on this machine that notes when it is asked. The questions' vectors
are given, so an embedder's time comes on top; so does the model's. Medians in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np

from benchmarks._synthetic import Collection, Prepared
from chains import Turn
from models import get_chat_model
from retrievers import Retriever
from settings import load_settings
from settings.process import collect_rarely
from store.library import Base
from store.stores import Stores, open_stores

SAID = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "noting"}
WORDS: tuple[tuple[dict[str, str], str | None], ...] = ({"role": "assistant", "content": "It is so [1]."}, None), ({}, "stop")


def main() -> None:
    """Build the base if it is not there, ask, and print."""
    call = _options()
    collection = Collection(call.chunks, call.queries)
    with _noting() as (address, asked_at):
        changes = {"llm.provider": "openai", "llm.base_url": address, "llm.model": "noting", "store.dir": str(call.store)}
        unlike = {"retrieval.evidence_threshold": 0.0, "answer.grounding.enabled": False, "answer.cache.enabled": False}
        settings = load_settings(changes | unlike, env={})  # vectors that were drawn are no evidence
        stores = open_stores(settings, Prepared(collection.questions))
        base, model = _built(collection, stores), get_chat_model(settings)
        turn = Turn(Retriever(stores), base, settings, model=model)
        collect_rarely()
        took = []
        for question in collection.questions:
            begin = time.perf_counter()
            turn.ask(question)
            took.append((asked_at[-1] - begin) * 1000)
    assert len(asked_at) == len(took), "a question was answered without the model"
    figures = {"chunks": call.chunks, "first_ms": took[0], "p50_ms": float(np.median(took[1:]))}
    figures["p90_ms"] = float(np.percentile(took[1:], 90))
    print("  ".join(f"{name} {value:.0f}" for name, value in figures.items()))
    if call.json:
        call.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def _built(collection: Collection, stores: Stores) -> Base:
    base = stores.library.ensure_base(f"synthetic {collection.size}")
    chunks = stores.open(base)
    if chunks.count() != collection.size:
        for batch in collection.chunks():
            chunks.upsert(batch)
        chunks.optimize()
    return base


@contextmanager
def _noting() -> Iterator[tuple[str, list[float]]]:
    """The address of an OpenAI-compatible server that answers at once, and the times at which it was asked."""
    asked_at: list[float] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked_at.append(time.perf_counter())
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for delta, reason in WORDS:
                told = SAID | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
                self.wfile.write(f"data: {json.dumps(told)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, format: str, *args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked_at
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m benchmarks.first_token", description=__doc__)
    options.add_argument("--chunks", type=int, default=10_000, metavar="N", help="size of the base")
    options.add_argument("--queries", type=int, default=60, metavar="N", help="how many questions are asked")
    options.add_argument(
        "--store", type=Path, default=Path("data/benchmarks/first_token"), metavar="DIR", help="where it is kept"
    )
    options.add_argument("--json", type=Path, metavar="OUT", help="write the figures there")
    return options.parse_args()


if __name__ == "__main__":
    main()

"""A chat model at a real local server whose answers follow from what it is shown, and a desk that lets it write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.enrich.report import Enriched
from ingest.enrich.run import Enrichment
from models import get_chat_model
from retrievers.hits import Hits
from retrievers.query_vectors import QueryVectors
from settings import Settings
from store.library import StoredDocument
from tests.ingest.desk import Desk
from tests.local_server import Request
from tests.models.endpoints import SECRETS
from tests.servers import ModelServer, _Handler

Reply = str | tuple[str, str]
"""What the model writes; or a failure of tests/servers.py, with what was written until then."""
NO_RETRY = {"llm.timeout_seconds": 0.9}
"""A call that failed is not tried again when half of this is shorter than the first pause."""


def shown(asked: dict[str, Any]) -> str:
    """The document's text in a request: what stands between the marks of its last message."""
    content = asked["messages"][-1]["content"]
    text = content if isinstance(content, str) else next(part["text"] for part in content if part["type"] == "text")
    match = re.search(r"<<<\n(.*)\n>>>", text, re.DOTALL)
    return match[1] if match else ""


@dataclass
class Writer(ModelServer):
    """Answers each chat request with `reply` of its body."""

    reply: Callable[[dict[str, Any]], Reply] = field(default=lambda asked: f"What is told of {shown(asked).split()[0]}?")

    @property
    def texts(self) -> list[str]:
        """What was shown in each request, sorted: several come at the same time."""
        return sorted(shown(request.body) for request in self.requests)


class _Writing(_Handler):
    told: Writer

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server looks for
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(self.path, dict(self.headers), json.loads(raw))
        self.told.requests.append(request)
        reply = self.told.reply(request.body)
        failure, words = reply if isinstance(reply, tuple) else (None, reply)
        if failure in ("rate_limit", "server_error", "unauthorized", "unknown_model", "no_credit"):
            self._refuse(failure)
        elif failure == "close":
            self.close_connection = True
        else:
            self._answer(request.body, words, failure)

    def _answer(self, asked: dict[str, Any], words: str, failure: str | None) -> None:
        reason = {"length": "length", "filtered": "content_filter"}.get(failure or "", "stop")
        message = {"role": "assistant", "content": words}
        whole = {
            "id": "chat-1",
            "object": "chat.completion",
            "created": 1,
            "model": asked["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
        self._send(200, b'{"choices": [' if failure == "malformed" else json.dumps(whole).encode())


Writer.handler = _Writing


@dataclass
class Enricher:
    """A desk with a model: `run` enriches its documents with these settings."""

    desk: Desk
    server: Writer

    def settings(self, *switched_on: str, **changes: Any) -> Settings:
        on = {f"ingest.enrich.{name}.enabled": True for name in switched_on}
        at = {"llm.provider": "openai", "llm.model": "talker", "llm.base_url": self.server.base_url} | NO_RETRY
        return self.desk.settings.override(at | on | changes)

    def enrichment(self, *switched_on: str, **changes: Any) -> Enrichment:
        settings = self.settings(*switched_on, **changes)
        return Enrichment(
            self.desk.stores,
            settings,
            get_chat_model(settings, SECRETS),
            pipeline=self.desk.pipeline,
            vision=get_chat_model(settings, SECRETS, role="vision"),
        )

    def run(self, *switched_on: str, **changes: Any) -> list[Enriched]:
        enrichment = self.enrichment(*switched_on, **changes)
        return [event for event in enrichment.run(self.desk.base, self.documents) if isinstance(event, Enriched)]

    @property
    def documents(self) -> Sequence[StoredDocument]:
        return self.desk.library.documents(self.desk.base)

    def rows(self, source: str) -> list[dict[str, Any]]:
        """What was written for a document, in the index."""
        [document] = [document for document in self.documents if document.source == source]
        return self.desk.chunks.rows_of(document.doc_id, ["kind", "text", "parent_id", "start", "end"], written=True)

    def found_by(self, question: str, kind: str = "question") -> list[str]:
        """The chunks that written rows like this question lead to, best first."""
        hits = Hits(self.desk.chunks, QueryVectors(self.desk.stores.embeddings))
        return [candidate.page_content for candidate, _ in hits.written(question, depth=10, kinds=(kind,))]

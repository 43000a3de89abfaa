"""Any server with a /rerank endpoint, by plain HTTP. Two forms are in use, and the server's answers tell which one it speaks:

- {model, query, documents} -> {results: [{index, relevance_score}]}: Jina (https://api.jina.ai/redoc), vLLM
  (https://docs.vllm.ai/en/stable/serving/openai_compatible_server/), Xinference
  (https://inference.readthedocs.io/en/latest/models/model_abilities/rerank.html), llama.cpp's server, Infinity, SiliconFlow;
  Voyage says `data` for `results`. Scores are between 0 and 1, llama.cpp's are logits.
- {query, texts} -> [{index, score}]: Text Embeddings Inference, TEI (https://huggingface.github.io/text-embeddings-inference/).
  It refuses the first form with status 422, more than 32 texts unless told otherwise, and long texts without `truncate`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from models.rerankers.base import Reranker, in_order
from models.rerankers.service import RerankService
from models.text import sendable
from models.usage import counted

TEI_BATCH = 32
LARGEST_ANSWER = 16 * 2**20
"""Bytes; the scores of 200 texts take some kilobytes, and with the texts repeated a few megabytes."""
_NOT_THIS_WAY = (404, 405, 422)
"""What a server answers at an address that it does not have, or to a request of the other form."""


@dataclass(frozen=True)
class _Way:
    """An address, and whether the texts are called `texts` there, as by TEI, or `documents`."""

    url: str
    tei: bool


class EndpointReranker(Reranker):
    """Scores of whatever scale the server's model has. The first call finds out how to ask; the key is optional."""

    def __init__(self, service: RerankService) -> None:
        self.name = f"endpoint/{service.place}/{service.model}"
        self._service = service
        self._ways = _ways(service.url)

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text. Raises ModelError."""
        if not texts:
            return []
        clean = [sendable(text) or " " for text in texts]
        with counted("rerank", self._service.model, self._service.place):
            return self._service.patiently(lambda: self._asked(sendable(query) or " ", clean))

    def _asked(self, query: str, texts: list[str]) -> list[float]:
        """The scores by the first way that the server takes, which is the only one tried from then on."""
        refused: dict[str, openai.APIStatusError] = {}
        for way in self._ways:
            if way.url in refused and refused[way.url].status_code != 422:
                continue  # there is nothing at this address, whatever the form
            try:
                scores = self._scores(way, query, texts)
            except openai.APIStatusError as error:
                if error.status_code not in _NOT_THIS_WAY:
                    raise
                refused.setdefault(way.url, error)
            else:
                self._ways = [way]
                return scores
        raise next((e for e in refused.values() if e.status_code == 422), next(iter(refused.values())))

    def _scores(self, way: _Way, query: str, texts: list[str]) -> list[float]:
        size = TEI_BATCH if way.tei else len(texts)
        scores: list[float] = []
        for batch in (texts[start : start + size] for start in range(0, len(texts), size)):
            rows = _rows(self._post(way, query, batch))
            try:
                scores += in_order(rows, len(batch))
            except ValueError as error:
                raise self._service.malformed(str(error)) from error
        return scores

    def _post(self, way: _Way, query: str, texts: list[str]) -> Any:
        body: dict[str, Any] = {"query": query} | ({"texts": texts, "truncate": True} if way.tei else {"documents": texts})
        if self._service.model and not way.tei:
            body["model"] = self._service.model
        key = self._service.key.get_secret_value()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        with self._service.http_client().stream("POST", way.url, json=body, headers=headers) as answer:
            data = self._read(answer)
        if answer.status_code >= 400:
            raise self._service.refusal(answer.status_code, answer.headers, _body(data))
        return json.loads(data)

    def _read(self, answer: httpx2.Response) -> bytes:
        """The answer's bytes. Raises ReadTimeout when they have not all come in time, of however many reads each was quick, and
        ModelError when they do not end.
        """
        begin, data = time.monotonic(), bytearray()
        for part in answer.iter_bytes():
            data += part
            if len(data) > LARGEST_ANSWER:
                raise self._service.malformed(f"more than {LARGEST_ANSWER // 2**20} MB")
            if time.monotonic() - begin > self._service.timeout_seconds:
                raise httpx2.ReadTimeout("the answer has not ended in time", request=answer.request)
        return bytes(data)


def _ways(base_url: str) -> list[_Way]:
    """The address as it was given, or /rerank under it; else with or without the /v1 that some servers have and some do not."""
    base = base_url.rstrip("/")
    if base.endswith(("/rerank", "/reranking")):
        urls = [base]
    else:
        urls = [f"{base}/rerank", f"{base.removesuffix('/v1')}/rerank" if base.endswith("/v1") else f"{base}/v1/rerank"]
    return [_Way(url, tei) for url in urls for tei in (False, True)]


def _rows(answer: Any) -> Iterator[tuple[Any, Any]]:
    """(index, score) of each result. Raises KeyError or TypeError for JSON of another shape."""
    rows = answer if isinstance(answer, list) else answer["results" if "results" in answer else "data"]
    for row in rows:
        yield row["index"], row["relevance_score" if "relevance_score" in row else "score"]


def _body(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")

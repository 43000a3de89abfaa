"""The local and the remote embedder: unit vectors for any text, batches, dimensions, and what is sent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from models import ModelError
from models.embeddings import LOCAL_DIMENSION, LONGEST_QUESTION, LocalEmbeddings
from models.remote import RemoteEmbeddings
from tests.models.endpoints import KEY, embeddings_at
from tests.servers import ModelServer, vector_of

HOSTILE = {
    "empty": "",
    "blanks": " \n\t",
    "NUL": "a\0b",
    "lone surrogate": "a\ud800b",
    "emoji": "👩‍👩‍👧‍👦",
    "right to left": "\u202eשלום",
    "special tokens": "</s><s>[CLS]<|endoftext|>",
    "long word": "x" * 1_000,
}


def unit(vectors: Any) -> bool:
    return bool(np.allclose(np.linalg.norm(np.asarray(vectors), axis=1), 1, atol=1e-4))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_any_text_has_a_unit_vector(local: LocalEmbeddings, text: str) -> None:
    vectors = [*local.embed_documents([text, "cat"]), local.embed_query(text)]
    assert [len(vector) for vector in vectors] == [LOCAL_DIMENSION] * 3
    assert unit(vectors)


def test_of_a_question_of_a_megabyte_only_the_beginning_is_embedded() -> None:
    asked: list[tuple[list[str], bool]] = []

    class Engine:
        def encode(self, texts: list[str], *, is_query: bool) -> Any:
            asked.append((texts, is_query))
            return np.ones((len(texts), LOCAL_DIMENSION), dtype=np.float32)

    embedder = LocalEmbeddings()
    vars(embedder)["_engine"] = Engine()
    embedder.embed_query("How long? " * 100_000)
    assert asked == [(["How long? " * (LONGEST_QUESTION // 10)], True)]


def test_hostile_texts_do_not_disturb_their_neighbours(local: LocalEmbeddings) -> None:
    alone = local.embed_documents(["A cat sat on the mat."])[0]
    among = local.embed_documents([*HOSTILE.values(), "A cat sat on the mat.", *["filler " * n for n in range(4)]])[len(HOSTILE)]
    assert np.dot(alone, among) > 0.999


def test_the_local_model_knows_meaning_in_both_languages(local: LocalEmbeddings) -> None:
    question = local.embed_query("How long can I return goods?")
    near, also_near, far = local.embed_documents(
        ["Refunds are possible for thirty days.", "三十天内可以退货。", "A cat sat on the mat."]
    )
    assert np.dot(question, near) > np.dot(question, far) + 0.03
    assert np.dot(question, also_near) > np.dot(question, far) + 0.03


def test_nothing_to_embed_is_nothing(local: LocalEmbeddings) -> None:
    assert local.embed_documents([]) == []
    with ModelServer() as server:
        assert embeddings_at(server).embed_documents([]) == []
        assert server.requests == []


def test_vectors_come_in_the_order_of_the_texts_batch_by_batch() -> None:
    texts = [f"text {n}" for n in range(7)]
    with ModelServer(dimension=16, scale=3.0) as server:
        vectors = embeddings_at(server, batch_size=3).embed_documents(texts)
        assert [len(request.body["input"]) for request in server.requests] == [3, 3, 1]
    assert np.allclose(vectors, [vector_of(text, 16) for text in texts], atol=1e-6)


def test_what_is_sent() -> None:
    with ModelServer() as server:
        embeddings_at(server, model="bge-m3").embed_documents(["", "a\0b\ud800c"])
    request = server.requests[0]
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["input"] == [" ", "a b\ufffdc"]
    assert request.body["model"] == "bge-m3"


def test_the_dimension_is_the_configured_one_or_asked_for_once() -> None:
    with ModelServer(dimension=12) as server:
        assert embeddings_at(server, dimension=12).dimension == 12
        assert server.requests == []
        asking = embeddings_at(server)
        assert [asking.dimension, asking.dimension] == [12, 12]
        assert len(server.requests) == 1
        assert asking.passport() == {"provider": "openai", "model": "embedder", "dimension": 12}


def test_another_dimension_than_configured_is_an_error_that_names_both() -> None:
    with (
        ModelServer(dimension=12) as server,
        pytest.raises(ModelError, match=r"12 numbers.* says 768.* 0 or to the model's own") as found,
    ):
        embeddings_at(server, dimension=768).embed_query("hello")
    assert found.value.code == "dimension"


def test_a_key_stands_in_no_representation() -> None:
    with ModelServer() as server:
        embedder = embeddings_at(server)
        embedder.embed_query("hello")
        assert isinstance(embedder, RemoteEmbeddings)
        assert server.base_url in repr(embedder)
        assert KEY not in repr(embedder) + repr(vars(embedder))

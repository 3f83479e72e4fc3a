"""Embedders that ask a server of OpenAI's protocol: a real one, which misbehaves on demand."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from haystack import Document
from haystack.utils import Secret

from components.embedders.embedding_server import EmbeddingServer, EmbeddingServerError
from components.embedders.server_document_embedder import ServerDocumentEmbedder
from components.embedders.server_text_embedder import ServerTextEmbedder
from tests.servers.embedding_server import DIMENSION, MODEL, EmbeddingServerProcess, vector


@pytest.fixture(scope="module")
def process() -> Iterator[EmbeddingServerProcess]:
    with EmbeddingServerProcess() as server:
        yield server


@pytest.fixture
def server(process: EmbeddingServerProcess) -> EmbeddingServerProcess:
    process.behave("well")
    return process


def close(rows: Any, texts: list[str]) -> bool:
    return np.allclose(np.array(rows), [vector(text) for text in texts], atol=1e-6)


def test_texts_become_unit_vectors_in_one_request(server: EmbeddingServerProcess) -> None:
    rows = EmbeddingServer(server.url, MODEL, DIMENSION).embed(["new matter", "a claim"])

    assert rows.shape == (2, DIMENSION)
    assert rows.dtype == np.float32
    assert close(rows, ["new matter", "a claim"])
    [request] = server.requests()
    assert request["model"] == MODEL
    assert request["input"] == ["new matter", "a claim"]


def test_vectors_go_where_their_index_says(server: EmbeddingServerProcess) -> None:
    server.behave("shuffled")

    rows = EmbeddingServer(server.url, MODEL, DIMENSION).embed(["one", "two", "three"])

    assert close(rows, ["one", "two", "three"])


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ({"mode": "shorter"}, "vectors of 3 numbers where the index takes 384; name the model"),
        ({"mode": "missing"}, "1 vectors for 2 texts"),
        ({"mode": "zero"}, "a vector that has no direction"),
        ({"mode": "body", "body": "<h1>Hello</h1>", "content_type": "text/html"}, "no list of vectors"),
        ({"mode": "body", "body": "<h1>Hello</h1>", "content_type": "application/json"}, "failed|no list of vectors"),
        ({"mode": "body", "body": '{"data": []}', "content_type": "application/json"}, "no list of vectors|0 vectors"),
        ({"mode": "body", "body": '{"data": 3}', "content_type": "application/json"}, "no list of vectors"),
        ({"mode": "status", "status": 400, "times": 9}, "failed: Error code: 400.*as told"),
        ({"mode": "status", "status": 503, "times": 9}, "failed: Error code: 503"),
    ],
)
def test_an_answer_that_is_no_vectors_is_an_error(
    server: EmbeddingServerProcess, behaviour: dict[str, Any], message: str
) -> None:
    server.behave(**behaviour)

    with pytest.raises(EmbeddingServerError, match=message) as caught:
        EmbeddingServer(server.url, MODEL, DIMENSION).embed(["one", "two"])

    assert server.url in str(caught.value)


def test_the_key_is_sent_and_a_wrong_one_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "right")
    key = Secret.from_env_var("A_KEY")
    with EmbeddingServerProcess(key="right") as guarded:
        EmbeddingServer(guarded.url, MODEL, DIMENSION, key).embed(["one"])
        monkeypatch.setenv("A_KEY", "wrong")
        with pytest.raises(EmbeddingServerError, match=r"401.*no valid key"):
            EmbeddingServer(guarded.url, MODEL, DIMENSION, key).embed(["one"])


@pytest.mark.parametrize("status", [429, 503])
def test_documents_wait_for_a_busy_server(server: EmbeddingServerProcess, status: int) -> None:
    server.behave("status", status=status, times=2)
    embedder = ServerDocumentEmbedder(server.url, MODEL, max_retries=3)

    [document] = embedder.run(documents=[Document(id="1", content="new matter")])["documents"]

    assert close([document.embedding], ["new matter"])
    assert len(server.requests()) == 3


def test_documents_go_in_batches_with_prefix_and_heading(server: EmbeddingServerProcess) -> None:
    embedder = ServerDocumentEmbedder(server.url, MODEL, prefix="passage: ", batch_size=2)
    documents = [Document(id=str(number), content=f"text {number}", meta={"heading_path": "A"}) for number in range(3)]

    embedded = embedder.run(documents=documents)["documents"]

    assert [request["input"] for request in server.requests()] == [
        ["passage: A\ntext 0", "passage: A\ntext 1"],
        ["passage: A\ntext 2"],
    ]
    assert [document.id for document in embedded] == ["0", "1", "2"]
    assert close([embedded[2].embedding], ["passage: A\ntext 2"])
    assert documents[0].embedding is None


def test_queries_and_passages_go_in_one_request_and_are_remembered(server: EmbeddingServerProcess) -> None:
    embedder = ServerTextEmbedder(server.url, MODEL, query_prefix="query: ", passage_prefix="passage: ")

    answer = embedder.run(texts=["one", "two"], passages=["three"])
    again = embedder.run(texts=["two", "one"])

    assert answer["degraded"] == []
    assert answer["vectors"].texts == ("one", "two", "three")
    assert close(answer["vectors"].vectors, ["query: one", "query: two", "passage: three"])
    assert close(again["vectors"].vectors, ["query: two", "query: one"])
    assert len(server.requests()) == 1


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ({"mode": "status", "status": 503, "times": 99}, "Error code: 503"),
        ({"mode": "slow", "seconds": 20}, "timed out|within 3 s"),
        ({"mode": "shorter"}, "vectors of 3 numbers"),
    ],
)
def test_a_search_goes_without_vectors_and_heals(
    server: EmbeddingServerProcess, behaviour: dict[str, Any], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = ServerTextEmbedder(server.url, MODEL, timeout=3.0)
    server.behave(**behaviour)

    answer = embedder.run(texts=["one"])

    assert answer["degraded"] == ["vector"]
    assert len(answer["vectors"]) == 0
    assert re.search(message, caplog.text)
    server.behave("well")
    assert embedder.run(texts=["one"])["degraded"] == []
    assert embedder.health() == {"model": MODEL, "url": server.url, "ready": True, "error": ""}


def test_health_tells_the_failure_and_asks_again(server: EmbeddingServerProcess) -> None:
    embedder = ServerTextEmbedder(server.url, MODEL)
    server.behave("shorter")
    embedder.warm_up()

    told = embedder.health()

    assert not told["ready"]
    assert "vectors of 3 numbers" in told["error"]
    server.behave("well")
    assert embedder.health()["ready"]


def test_a_server_that_comes_back_is_asked_again() -> None:
    with EmbeddingServerProcess() as server:
        embedder = ServerTextEmbedder(server.url, MODEL)
        server.kill()
        assert embedder.run(texts=["one"])["degraded"] == ["vector"]
        assert server.url in embedder.health()["error"]
        server.start()
        assert embedder.run(texts=["one"])["degraded"] == []


@pytest.mark.parametrize("parameters", [{"dimension": 0}, {"batch_size": 0}])
def test_numbers_below_one_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        ServerDocumentEmbedder("http://localhost/v1", MODEL, **parameters)

"""Requests to Qdrant servers that are busy, slow, dead or strict."""

import gc
import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from haystack.document_stores.errors import DocumentStoreError
from qdrant_client.models import Distance, VectorParams

from components.stores import qdrant_connection
from components.stores.qdrant_connection import CollectionMissingError, QdrantConnection
from components.stores.store_errors import StoreUnavailableError
from tests.servers.qdrant.process import QdrantServer
from tests.servers.search_api import SearchApi

DEAD = "http://127.0.0.1:9"  # the port for discarding, where nobody listens
VECTORS = VectorParams(size=2, distance=Distance.COSINE)
COUNT = (200, {"result": {"count": 3}, "status": "ok", "time": 0.1})
CERTIFICATE = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]


@pytest.fixture
def server() -> Iterator[SearchApi]:
    with SearchApi() as running:
        yield running


@pytest.fixture
def connection(server: SearchApi, monkeypatch: pytest.MonkeyPatch) -> Iterator[QdrantConnection]:
    monkeypatch.setattr(qdrant_connection, "_WRITE_WAITS", (0.01,) * 6)
    made = QdrantConnection(server.url, read_timeout=1, write_timeout=1)
    yield made
    made.close()


def refusal(status: int, message: str) -> tuple[int, Any]:
    return status, {"status": {"error": message}, "time": 0.1}


def count(connection: QdrantConnection) -> int:
    return connection.read("count", collection_name="c").count


BUSY = refusal(429, "Rate limiting exceeded: Read rate limit exceeded")


@pytest.mark.parametrize("answer", [BUSY, (500, b""), (502, b"<html>"), refusal(503, "not ready"), (504, b""), 0.0])
def test_a_busy_or_broken_server_is_asked_again(server: SearchApi, connection: QdrantConnection, answer: Any) -> None:
    server.answers = [answer, answer, COUNT]
    assert count(connection) == 3
    assert [request.path for request in server.requests] == ["/collections/c/points/count?timeout=1"] * 3


def test_reads_are_given_up_after_three_tries_and_writes_after_seven(
    server: SearchApi, connection: QdrantConnection
) -> None:
    server.answers = [BUSY]
    with pytest.raises(StoreUnavailableError, match=r"can't be used now: status 429: Rate limiting exceeded: Read"):
        count(connection)
    assert len(server.requests) == 3
    with pytest.raises(OSError, match="status 429"):
        connection.write("delete_collection", collection_name="c")
    assert len(server.requests) == 10


@pytest.mark.usefixtures("always_asked")
def test_a_slow_server_is_not_asked_again(server: SearchApi, connection: QdrantConnection) -> None:
    server.answers = [3.0]
    with pytest.raises(StoreUnavailableError, match="gave no answer within 1 s"):
        count(connection)
    server.answers = [refusal(408, "Timeout: Operation 'Count' timed out after 1s")]
    with pytest.raises(StoreUnavailableError, match="gave no answer within 1 s"):
        count(connection)
    assert len(server.requests) == 2


def test_a_write_that_is_only_noted_is_not_done(server: SearchApi, connection: QdrantConnection) -> None:
    server.answers = [(200, {"result": {"operation_id": 7, "status": "wait_timeout"}, "status": "ok", "time": 1.0})]
    with pytest.raises(StoreUnavailableError, match="hasn't made a change within 1 s: wait_timeout"):
        connection.write("delete", collection_name="c", points_selector=[1])


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (refusal(404, "Not found: Collection `c` doesn't exist!"), CollectionMissingError, "Collection `c` doesn't"),
        ((404, b"no such page"), DocumentStoreError, r"refused the request \(status 404\): no such page"),
        (refusal(400, "Wrong input: no"), DocumentStoreError, r"refused the request \(status 400\): Wrong input: no"),
        ((401, b"Must provide an API key"), DocumentStoreError, r"\(status 401\): Must provide an API key; check api_"),
        (refusal(403, "Forbidden: not yours"), DocumentStoreError, r"Forbidden: not yours; check api_key and what it"),
        ((200, b"<html>Welcome to nginx</html>"), DocumentStoreError, r"at http://127.0.0.1:\d+ is no Qdrant server"),
        ((200, {"result": {"count": "many"}}), DocumentStoreError, r"at http://127.0.0.1:\d+ is no Qdrant server"),
    ],
)
def test_a_refusal_is_told_at_once(
    server: SearchApi, connection: QdrantConnection, answer: Any, kind: type[Exception], message: str
) -> None:
    server.answers = [answer]
    with pytest.raises(DocumentStoreError, match=message) as raised:
        count(connection)
    assert type(raised.value) is kind
    assert len(server.requests) == 1


def test_a_dead_server_is_told() -> None:
    with pytest.raises(StoreUnavailableError, match=rf"the Qdrant server {DEAD} can't be used now: .*refused"):
        count(QdrantConnection(DEAD))


@pytest.mark.usefixtures("always_asked")
def test_a_hanging_server_is_told_and_works_again_later() -> None:
    with QdrantServer() as server:
        connection = QdrantConnection(server.url, read_timeout=1)
        connection.write("create_collection", collection_name="c", vectors_config=VECTORS)
        assert count(connection) == 0
        server.pause()
        with pytest.raises(StoreUnavailableError, match="gave no answer within 1 s"):
            count(connection)
        server.resume()
        assert count(connection) == 0
        connection.close()


def test_the_key_is_sent() -> None:
    with QdrantServer(api_key="a key of ours") as server:
        for key, message in ((None, "Must provide an API key"), ("wrong", "Invalid API key")):
            connection = QdrantConnection(server.url, key)
            with pytest.raises(DocumentStoreError, match=rf"{message}.*; check api_key"):
                count(connection)
            connection.close()
        connection = QdrantConnection(server.url, "a key of ours")
        with pytest.raises(CollectionMissingError):
            count(connection)
        connection.close()


def test_a_key_without_tls_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), pytest.raises(StoreUnavailableError):
        count(QdrantConnection("http://qdrant.invalid", "key"))
    assert "the API key goes to http://qdrant.invalid without TLS; use https" in caplog.messages


def test_tls(tmp_path: Path) -> None:
    pem = tmp_path / "server.pem"
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*CERTIFICATE, *names, "-keyout", pem, "-out", pem], check=True, capture_output=True)
    with SearchApi(str(pem)) as server:
        server.answers = [COUNT]
        for trusting in (
            QdrantConnection(server.url, ca_certs=str(pem)),
            QdrantConnection(server.url, verify_certs=False),
        ):
            assert count(trusting) == 3
            trusting.close()
        connection = QdrantConnection(server.url)
        with pytest.raises(DocumentStoreError, match=r"can't be trusted: .*; check ca_certs and verify_certs"):
            count(connection)
        connection.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"url": "qdrant:6333"}, "url: 'qdrant:6333' is not allowed; it must begin with http"),
        ({"url": ""}, "url: '' is not allowed"),
        ({"url": "https://me:secret@qdrant"}, r"user and password are not allowed in it \(qdrant\); give a key"),
        ({"url": DEAD, "read_timeout": 0}, "timeout: 0 is not allowed; Qdrant takes whole seconds, 1 or more"),
        ({"url": DEAD, "write_timeout": 0.5}, "timeout: 0.5 is not allowed"),
    ],
)
def test_wrong_use_says_what_is_allowed(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QdrantConnection(**arguments)


def test_a_connection_that_nobody_closed_leaves_no_socket(server: SearchApi) -> None:
    server.answers = [COUNT]
    made = QdrantConnection(server.url)
    made.itself = made  # type: ignore[attr-defined]  # as in a pipeline, whose parts name each other
    made._connected()
    gc.freeze()  # as after a warm-up: what is made before it is collected after the socket
    assert count(made) == 3
    gc.collect()
    gc.unfreeze()
    del made
    assert gc.collect()  # pytest fails the test when a socket is found open

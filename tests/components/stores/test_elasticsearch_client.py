"""Requests to servers that are busy, slow, dead or strict."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError
from haystack.utils import Secret

from components.stores.elasticsearch_bulk import BulkWriter
from components.stores.elasticsearch_client import (
    ElasticsearchClient,
    Patience,
    RequestRefusedError,
)
from components.stores.elasticsearch_document_store import ElasticsearchKeywordStore
from components.stores.store_errors import StoreUnavailableError
from tests.servers.search_api import SearchApi

PATIENCE = Patience(5.0, (0.01, 0.01))
BUSY = (429, {"error": {"type": "es_rejected_execution_exception", "reason": "queue is full"}})
DEAD = "http://127.0.0.1:9"  # the port for discarding, where nobody listens


@pytest.fixture
def server() -> Iterator[SearchApi]:
    with SearchApi() as running:
        yield running


@pytest.fixture
def client(server: SearchApi) -> Iterator[ElasticsearchClient]:
    made = ElasticsearchClient([server.url])
    yield made
    made.close()


def error(kind: str, reason: str, **more: Any) -> dict[str, Any]:
    return {"error": {"type": kind, "reason": reason, **more}}


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(server: SearchApi, client: ElasticsearchClient, status: int) -> None:
    server.answers = [(status, b"<html>busy</html>"), BUSY, (200, {"count": 3})]
    assert client.request("GET", "/x/_count", PATIENCE) == {"count": 3}
    assert [request.path for request in server.requests] == ["/x/_count"] * 3


def test_a_server_that_stays_busy_is_given_up(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [BUSY]
    with pytest.raises(StoreUnavailableError, match=r"can't be used now: status 429: .*queue is full"):
        client.request("GET", "/x/_count", PATIENCE)
    assert len(server.requests) == 3


def test_a_closed_connection_is_tried_again(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [0.0, (200, {"count": 3})]
    assert client.request("GET", "/x/_count", PATIENCE) == {"count": 3}


def test_another_node_takes_over(server: SearchApi) -> None:
    server.answers = [(200, {"count": 3})]
    client = ElasticsearchClient([DEAD, server.url, DEAD])
    for _ in range(5):
        assert client.request("GET", "/x/_count", Patience(5.0, ())) == {"count": 3}
    client.close()


def test_a_slow_server_is_left_after_the_timeout(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [3.0]
    start = monotonic()
    with pytest.raises(StoreUnavailableError, match=r"gave no answer within 0.2 s"):
        client.request("GET", "/x/_count", Patience(0.2, (0.01,)))
    assert monotonic() - start < 2
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            (400, error("parsing_exception", "unknown query")),
            r"GET /x \(status 400\): parsing_exception: unknown",
        ),
        (
            (400, error("a", "b", root_cause=[{"type": "c", "reason": "d"}])),
            r"\(status 400\): c: d",
        ),
        ((500, error("a", "b", caused_by={"type": "c", "reason": "d"})), r"\(status 500\): a: b <- c: d"),
        ((401, error("security_exception", "no key")), "no key; check api_key, username and password"),
        ((403, error("security_exception", "not yours")), "not yours; check api_key, username and password"),
        ((404, {"error": "no such thing"}), "no such thing"),
        ((404, {}), "no reason given"),
    ],
)
def test_a_refusal_is_told_at_once(server: SearchApi, client: ElasticsearchClient, answer: Any, message: str) -> None:
    server.answers = [answer]
    with pytest.raises(RequestRefusedError, match=message):
        client.request("GET", "/x", PATIENCE)
    assert len(server.requests) == 1


def test_something_else_than_a_search_server_is_named(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [(200, b"<html>Welcome to nginx</html>")]
    with pytest.raises(DocumentStoreError, match=r"http://127.0.0.1:\d+ .*JSON"):
        client.request("GET", "/x", PATIENCE)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, None),
        ({"api_key": Secret.from_token("a2V5")}, "ApiKey a2V5"),
        ({"username": Secret.from_token("kim"), "password": Secret.from_token("ä:")}, "Basic a2ltOsOkOg=="),
    ],
)
def test_a_store_tells_who_it_is(server: SearchApi, parameters: Any, expected: str | None) -> None:
    server.answers = [(404, error("index_not_found_exception", "no such index"))]
    store = ElasticsearchKeywordStore("chunks", server.url, **parameters)
    assert store.count_documents() == 0
    store.close()
    assert server.requests[0].headers.get("authorization") == expected


def test_hosts_come_from_the_environment(server: SearchApi, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers = [(404, error("index_not_found_exception", "no such index"))]
    monkeypatch.setenv("CHUNKS_URL", f"{DEAD},{server.url.replace('//', '//kim:pass@')}")
    store = ElasticsearchKeywordStore("chunks", Secret.from_env_var("CHUNKS_URL"))
    assert store.count_documents() == 0
    store.close()
    assert server.requests[0].headers["authorization"] == "Basic a2ltOnBhc3M="


def test_passwords_of_urls_are_in_no_message() -> None:
    store = ElasticsearchKeywordStore("chunks", DEAD.replace("//", "//kim:pass@"))
    with pytest.raises(OSError, match=r"the server http://127.0.0.1:9 can't be used now") as caught:
        store.count_documents()
    assert "pass" not in str(caught.value)
    store.close()


@pytest.mark.parametrize(
    "parameters",
    [
        {"api_key": "x", "username": "kim", "password": "y"},
        {"username": "kim"},
        {"password": "y"},
    ],
)
def test_half_a_login_is_refused(parameters: dict[str, str]) -> None:
    secrets: dict[str, Any] = {name: Secret.from_token(value) for name, value in parameters.items()}
    with pytest.raises(ValueError, match="give either api_key, or username and password"):
        ElasticsearchKeywordStore("chunks", **secrets).count_documents()


def test_tls(tmp_path: Path) -> None:
    key, certificate, both = tmp_path / "key.pem", tmp_path / "ca.pem", tmp_path / "both.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    with SearchApi(str(both)) as server:
        server.answers = [(404, error("index_not_found_exception", "no such index"))]
        for parameters in ({"ca_certs": str(certificate)}, {"verify_certs": False}):
            store = ElasticsearchKeywordStore("chunks", server.url, **parameters)  # type: ignore[arg-type]
            assert store.count_documents() == 0
            store.close()
        store = ElasticsearchKeywordStore("chunks", server.url)
        with pytest.raises(DocumentStoreError, match=r"can't be trusted: .*; check ca_certs and verify_certs"):
            store.count_documents()
        store.close()


def test_a_dead_server_is_told_soon(caplog: pytest.LogCaptureFixture) -> None:
    store = ElasticsearchKeywordStore("chunks", DEAD)
    start = monotonic()
    told = r"the server http://127.0.0.1:9 (can't be used now|isn't asked now, since it failed before)"
    for use in (store.count_documents, store.ids, store.version, lambda: store.search([])):
        with pytest.raises(StoreUnavailableError, match=told) as caught:
            use()
        assert isinstance(caught.value, OSError)
        assert isinstance(caught.value, DocumentStoreError)
    assert monotonic() - start < 10
    store.warm_up()
    assert "the keyword store isn't ready: the server http://127.0.0.1:9" in caplog.text
    store.close()


def items(*statuses: int) -> tuple[int, Any]:
    """The answer to a bulk request with one item for each status."""
    results = [
        {"index": {"status": status} if status < 300 else {"status": status, **error("kind", f"reason {status}")}}
        for status in statuses
    ]
    return 200, {"errors": max(statuses) > 299, "items": results}


def ids_sent(server: SearchApi) -> list[str]:
    return [" ".join(line.split(b'"')[5].decode() for line in r.body.splitlines()[::2]) for r in server.requests]


def test_items_that_were_turned_away_are_sent_again(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [items(201, 429, 201, 429), items(429, 201), items(200)]
    writer = BulkWriter(client, "/x", PATIENCE)
    for name in "abcd":
        writer.add(name, b"{}")
    writer.flush()
    writer.raise_refused()
    assert ids_sent(server) == ["a b c d", "b d", "b"]


def test_items_that_are_turned_away_for_ever_are_given_up(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [items(201, 429), items(429)]
    writer = BulkWriter(client, "/x", PATIENCE)
    writer.add("a", b"{}")
    writer.add("b", b"{}")
    with pytest.raises(StoreUnavailableError, match="too busy to write 1 documents"):
        writer.flush()


def test_requests_are_cut_by_bytes(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [items(*[201] * count) for count in (2, 1, 1, 3)]
    writer = BulkWriter(client, "/x", PATIENCE, most_bytes=100)
    for name, size in {"a": 10, "b": 10, "large": 1000, "c": 60, "d": 8, "e": 8}.items():
        writer.add(name, b"x" * size)
    writer.delete("f")
    writer.flush()
    assert ids_sent(server)[:3] == ["a b", "large", "c"]
    assert len(server.requests) == 4
    assert all(len(request.body) <= 100 for request in server.requests if b"large" not in request.body)


def test_refused_items_are_named_and_the_others_are_written(server: SearchApi, client: ElasticsearchClient) -> None:
    server.answers = [items(400, 201, *[413] * 5)]
    writer = BulkWriter(client, "/x", PATIENCE)
    for name in "abcdefg":
        writer.add(name, b"{}")
    writer.flush()
    with pytest.raises(DocumentStoreError, match=r"refused 6 of 7 documents: 'a': kind: reason 400; 'c': .*; \.\.\.$"):
        writer.raise_refused()


def test_an_index_that_is_not_ours_is_left_alone(server: SearchApi) -> None:
    layout = {"x": {"mappings": {"properties": {}}}}
    server.answers = [(200, layout)]
    store = ElasticsearchKeywordStore("chunks", server.url)
    with pytest.raises(DocumentStoreError, match=r"the index chunks on .* was not made by this store; name another"):
        store.write_documents([Document(id="1")])
    store.close()

"""What a vector store on a server does beyond what all vector stores do."""

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from haystack import Document
from haystack.core.serialization import component_to_dict
from haystack.document_stores.errors import DocumentStoreError
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret

from components.stores import qdrant_connection, qdrant_document_store
from components.stores.qdrant_document_store import QdrantDocumentStore
from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore
from components.stores.store_errors import StoreUnavailableError
from tests.components.stores.opened_stores import NewStore, ServerUrl, on_qdrant, qdrant_client
from tests.servers.qdrant.process import QdrantServer

SOURCES = ["MPEP", "35_USC", "37_CFR"]
FILTERS: list[dict[str, Any] | None] = [
    None,
    {"field": "meta.source", "operator": "==", "value": "MPEP"},
    {"field": "meta.source", "operator": "!=", "value": "MPEP"},
    {"field": "meta.year", "operator": ">=", "value": 2010},
    {"field": "meta.day", "operator": "<", "value": "2015-06-01"},
    {
        "operator": "AND",
        "conditions": [
            {"field": "meta.source", "operator": "in", "value": ["35_USC", None]},
            {"operator": "NOT", "conditions": [{"field": "meta.year", "operator": "<", "value": 2005}]},
        ],
    },
]


@pytest.fixture
def new_store(tmp_path: Path, search_server: ServerUrl) -> Iterator[NewStore]:
    with on_qdrant(tmp_path, search_server) as new:
        yield new


@pytest.fixture
def client(search_server: ServerUrl) -> Iterator[httpx.Client]:
    with qdrant_client(search_server("qdrant")) as made:
        yield made


def documents(number: int, dimension: int, prefix: str = "") -> list[Document]:
    """Made up documents; every tenth has the vector of the one before, so that they tie."""
    vectors = np.random.default_rng(7).normal(size=(number, dimension))
    vectors[9::10] = vectors[8::10]
    return [
        Document(
            id=f"{prefix}{n:04}",
            meta={"source": SOURCES[n % 3], "year": 2000 + n % 20, "day": f"{2010 + n % 10}-06-15"} if n % 7 else {},
            embedding=vector.tolist(),
        )
        for n, vector in enumerate(vectors)
    ]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"ef": 200},
        {"ef": 200, "collection_options": {"quantization": "int8"}},
        {"ef": 1, "collection_options": {"m": 0, "quantization": "int8"}},
    ],
)
def test_rankings_are_those_of_the_embedded_store(
    new_store: NewStore, tmp_path: Path, parameters: dict[str, Any]
) -> None:
    server, embedded = new_store(dimension=32, **parameters), QdrantEdgeDocumentStore(tmp_path / "v", dimension=32)
    for store in (server, embedded):
        store.write_documents(documents(500, 32))
        store.delete_where({"field": "meta.year", "operator": "==", "value": 2003})
    queries = list(np.random.default_rng(8).normal(size=(5, 32)))
    for filters in FILTERS:
        for top_k in (1, 9, 100):
            ranking = server.search_many(queries, filters, top_k)
            assert ranking == embedded.search_many(queries, filters, top_k), (filters, top_k)
        assert server.ids(filters) == embedded.ids(filters)
        assert server.filter_documents(filters) == embedded.filter_documents(filters)


def test_several_vectors_are_one_request(new_store: NewStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store = new_store(dimension=8)
    store.write_documents(documents(50, 8))
    store.warm_up()
    requests: list[httpx.Request] = []
    send = httpx.Client.send
    monkeypatch.setattr(
        httpx.Client, "send", lambda self, request, **k: requests.append(request) or send(self, request, **k)
    )
    store.search_many([[1.0] * 8, [0.5] * 8, [-1.0] * 8], None, 5)
    assert [request.url.path for request in requests] == [f"/collections/{store.collection}/points/query/batch"]


def test_a_collection_is_created_as_told(new_store: NewStore, client: httpx.Client) -> None:
    options = {"m": 8, "ef_construct": 64, "on_disk": True, "on_disk_payload": False, "quantization": "int8"}
    store = new_store(dimension=4, collection_options=options)
    store.write_documents([Document(id="1", meta={"year": 2019, "day": "2019-01-01"}, embedding=[1.0, 0.0, 0.0, 0.0])])
    info = client.get(f"/collections/{store.collection}").json()["result"]
    vectors = info["config"]["params"]["vectors"]
    assert (vectors["size"], vectors["distance"], vectors["on_disk"]) == (4, "Cosine", True)
    assert info["config"]["params"]["on_disk_payload"] is False
    assert {"m": 8, "ef_construct": 64}.items() <= info["config"]["hnsw_config"].items()
    assert info["config"]["quantization_config"]["scalar"]["type"] == "int8"
    kinds = {key: index["data_type"] for key, index in info["payload_schema"].items()}
    assert kinds == {"tokens": "keyword", '"number:year"': "float", '"date:day"': "float"}
    store.write_documents([Document(id="2", meta={"pages": 3}, embedding=[1.0, 0.0, 0.0, 0.0])])
    schema = client.get(f"/collections/{store.collection}").json()["result"]["payload_schema"]
    assert set(schema) == {*kinds, '"number:pages"'}


def test_writes_are_cut_by_bytes(new_store: NewStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant_document_store, "_MOST_BYTES", 3000)
    sizes: list[int] = []
    send = httpx.Client.send

    def noting(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        if request.method == "PUT" and request.url.path.endswith("/points"):
            sizes.append(len(request.content))
        return send(self, request, **options)

    monkeypatch.setattr(httpx.Client, "send", noting)
    store = new_store(dimension=8)
    large = Document(id="large", meta={"note": "x" * 5000}, embedding=[1.0] * 8)
    store.write_documents([*documents(20, 8), large])
    assert store.count_documents() == 21
    assert len(sizes) > 4
    assert max(sizes[:-1]) <= 3000 < sizes[-1]


def test_a_store_works_on_an_alias_that_moves_while_it_is_searched(new_store: NewStore, client: httpx.Client) -> None:
    old, new, alias = new_store("1", dimension=8), new_store("2", dimension=8), new_store("alias", dimension=8)
    old.write_documents(documents(60, 8, "old-"))
    new.write_documents(documents(60, 8, "new-"))
    _move_alias(client, alias, old)
    done, seen = threading.Event(), set()

    def search() -> None:
        while not done.is_set():
            rankings = alias.search_many([[1.0] * 8, [-1.0] * 8], None, 20)
            generations = {document_id[:3] for ranking in rankings for document_id, _ in ranking}
            assert len(generations) == 1
            assert [len(ranking) for ranking in rankings] == [20, 20]
            seen.update(generations)

    threads = [Working(search) for _ in range(2)]
    for turn in range(10):
        _move_alias(client, alias, new if turn % 2 == 0 else old)
        alias.search([1.0] * 8)
    _move_alias(client, alias, new)
    done.set()
    for thread in threads:
        thread.finish()
    assert seen <= {"old", "new"}
    assert seen
    assert {i[:3] for i in alias.ids()} == {"new"}
    alias.write_documents([Document(id="new-x", embedding=[1.0] * 8)])
    assert new.count_documents() == 61
    assert old.count_documents() == 60


def test_an_alias_that_goes_away_leaves_an_empty_store(new_store: NewStore, client: httpx.Client) -> None:
    store, alias = new_store("1", dimension=2), new_store("alias", dimension=2)
    store.write_documents([Document(id="1", embedding=[1.0, 0.0])])
    _move_alias(client, alias, store)
    assert alias.search([1.0, 0.0]) == [("1", 1.0)]
    actions = [{"delete_alias": {"alias_name": alias.collection}}]
    client.post("/collections/aliases", json={"actions": actions}).raise_for_status()
    assert alias.search([1.0, 0.0]) == []
    assert alias.count_documents() == 0
    assert store.count_documents() == 1


def test_an_alias_of_vectors_of_another_kind_is_refused(new_store: NewStore, client: httpx.Client) -> None:
    store, other, alias = new_store("1", dimension=2), new_store("2", dimension=3), new_store("alias", dimension=2)
    store.write_documents([Document(id="1", embedding=[1.0, 0.0])])
    other.write_documents([Document(id="1", embedding=[1.0, 0.0, 0.0])])
    _move_alias(client, alias, store)
    assert alias.search([1.0, 0.0]) == [("1", 1.0)]
    _move_alias(client, alias, other)
    with pytest.raises(DocumentStoreError, match="Vector dimension error: expected dim: 3, got 2"):
        alias.search([1.0, 0.0])


def test_processes_that_create_the_same_collection_both_succeed(new_store: NewStore) -> None:
    stores = [new_store(dimension=8) for _ in range(4)]
    parts = [documents(20, 8, f"{n}-") for n in range(4)]
    writers = [Working(lambda s=s, p=p: s.write_documents(p)) for s, p in zip(stores, parts, strict=True)]  # type: ignore[misc]
    for writer in writers:
        writer.finish()
    assert stores[0].count_documents() == 80


def test_what_was_acknowledged_survives_a_kill() -> None:
    with QdrantServer() as server:
        store = QdrantDocumentStore("c", server.url, 8)
        written: list[str] = []

        def write() -> None:
            for number in range(1000):
                batch = documents(10, 8, f"{number}-")
                store.write_documents(batch, DuplicatePolicy.OVERWRITE)
                store.delete_documents([batch[0].id])
                written.extend(document.id for document in batch[1:])

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(qdrant_connection, "_WRITE_WAITS", ())
            patch.setattr(qdrant_connection, "_READ_WAITS", ())
            writer = Working(write)
            while len(written) < 90:
                time.sleep(0.01)
                assert writer.is_working()
            server.kill()
            with pytest.raises(StoreUnavailableError):
                writer.finish()
        server.start()
        ids = store.ids()
        assert set(written) <= set(ids)
        assert len(ids) - len(written) in range(11)
        assert sorted(store.get_vectors(written)) == sorted(written)
        assert store.write_documents([Document(id="after", embedding=[1.0] * 8)]) == 1
        assert store.ids({"field": "meta.year", "operator": "<", "value": 2002}) == [i for i in ids if i[-4:] == "0001"]
        store.close()


@pytest.mark.usefixtures("always_asked")
def test_it_works_again_when_the_server_does(caplog: pytest.LogCaptureFixture) -> None:
    with QdrantServer() as server:
        store = QdrantDocumentStore("c", server.url, 2)
        store.write_documents([Document(id="1", embedding=[1.0, 0.0])])
        assert store.search([1.0, 0.0]) == [("1", 1.0)]
        server.kill()
        for use in (lambda: store.search([1.0, 0.0]), store.count_documents, store.ids):
            with pytest.raises(OSError, match=rf"the Qdrant server {server.url} can't be used now: "):
                use()
        store.close()
        with caplog.at_level(logging.WARNING):
            store.warm_up()
        assert "the vector store isn't ready: the Qdrant server" in caplog.text
        server.start()
        assert store.search([1.0, 0.0]) == [("1", 1.0)]
        store.close()


def test_url_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with QdrantServer(api_key="a key of ours") as server:
        monkeypatch.setenv("OUR_QDRANT", server.url)
        monkeypatch.setenv("OUR_KEY", "a key of ours")
        store = QdrantDocumentStore(
            "c", Secret.from_env_var("OUR_QDRANT"), 2, api_key=Secret.from_env_var("OUR_KEY", strict=False), ef=50
        )
        data = component_to_dict(store, "store")
        assert "a key of ours" not in str(data)
        again = QdrantDocumentStore.from_dict(component_to_dict(store, "store"))
        assert component_to_dict(again, "store") == data
        store.write_documents([Document(id="1", embedding=[1.0, 0.0])])
        assert again.ids() == ["1"]
        for used in (store, again):
            used.close()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"collection": ""}, "collection: a name is needed"),
        ({"dimension": 0}, "dimension: 0 is not allowed; it must be 1 or more"),
        ({"ef": 0}, "ef: 0 is not allowed; it must be 1 or more, or None"),
        (
            {"collection_options": {"links": 8}},
            "collection_options: 'links' is unknown; allowed are m, ef_construct, on_",
        ),
        (
            {"collection_options": {"quantization": "int4"}},
            "quantization: 'int4' is not allowed; use 'int8', 'binary' or",
        ),
    ],
)
def test_wrong_use_says_what_is_allowed(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QdrantDocumentStore(**{"collection": "c", **parameters})


class Working:
    """A thread whose exception is raised when it is waited for."""

    def __init__(self, work: Any):
        self._error: BaseException | None = None
        self._work = work
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def is_working(self) -> bool:
        return self._thread.is_alive()

    def finish(self) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error


def _move_alias(client: httpx.Client, alias: QdrantDocumentStore, target: QdrantDocumentStore) -> None:
    names = {"alias_name": alias.collection, "collection_name": target.collection}
    actions = [{"delete_alias": {"alias_name": alias.collection}}, {"create_alias": names}]
    client.post("/collections/aliases", json={"actions": actions}).raise_for_status()


def test_an_alias_is_handed_over_and_a_collection_removed(new_store: NewStore) -> None:
    first = new_store(dimension=2)
    other = QdrantDocumentStore(f"{first.collection}-g2", first.url, 2)
    alias = f"{first.collection}-alias"
    first.write_documents([Document(id="1", embedding=[1.0, 0.0])])
    other.write_documents([Document(id="2", embedding=[1.0, 0.0])])
    named = QdrantDocumentStore(alias, first.url, 2)
    try:
        for store, ids in ((first, ["1"]), (other, ["2"]), (other, ["2"]), (first, ["1"])):
            store.set_alias(alias)
            assert named.ids() == ids
        other.set_alias(alias)
    finally:
        other.remove()
    assert (other.count_documents(), named.ids(), first.ids()) == (0, [], ["1"])
    other.remove()
    for store in (other, named):
        store.close()


def test_documents_are_read_by_their_ids(new_store: NewStore) -> None:
    store = new_store(store_content=True)
    assert store.get_many(["a"]) == []
    store.write_documents(
        [Document(id=name, content=f"Text of {name}.", meta={"section": name}, embedding=[1.0, 0.0]) for name in "abc"]
    )

    found = store.get_many(["c", "none", "a", "c"])

    assert [(document.id, document.content, document.meta) for document in found] == [
        (name, f"Text of {name}.", {"section": name}) for name in "cac"
    ]


def test_an_address_that_is_not_set_is_the_servers_own_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TANSAKU_TEST_URL", raising=False)
    store = QdrantDocumentStore("chunks", Secret.from_env_var("TANSAKU_TEST_URL", strict=False), 2)
    assert store._server().url == "http://127.0.0.1:6333"

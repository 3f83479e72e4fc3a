"""The stores that the tests of this folder run on. A new store is one line in KEYWORD_STORES or VECTOR_STORES."""

import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx
from haystack.utils import Secret

from components.stores.elasticsearch_document_store import ElasticsearchKeywordStore
from components.stores.qdrant_document_store import QdrantDocumentStore
from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore
from components.stores.tantivy_document_store import TantivyDocumentStore

# Makes a store object from a name and the store's own parameters; those of one name share one index.
NewStore = Callable[..., Any]
ServerUrl = Callable[[str], str]
QDRANT_KEY = Secret.from_env_var("QDRANT_API_KEY", strict=False)
Opener = Callable[[Path, ServerUrl], AbstractContextManager[NewStore]]


def in_folder(make: Callable[..., Any]) -> Opener:
    """Indexes in a folder of the test."""

    @contextmanager
    def opened(folder: Path, url_of: ServerUrl) -> Iterator[NewStore]:
        yield lambda name="index", **parameters: make(folder / name, **parameters)

    return opened


def on_server(kind: str) -> Opener:
    """Indexes of the test's own on a server, deleted at its end."""

    @contextmanager
    def opened(folder: Path, url_of: ServerUrl) -> Iterator[NewStore]:
        prefix, url = f"test-{uuid.uuid4().hex}", url_of(kind)
        made: list[ElasticsearchKeywordStore] = []

        def new(name: str = "index", **parameters: Any) -> ElasticsearchKeywordStore:
            made.append(ElasticsearchKeywordStore(f"{prefix}-{name}", url, **parameters))
            return made[-1]

        yield new
        for store in made:
            store.close()
        for index in {store.index for store in made}:
            delete_index(url, index)

    return opened


def delete_index(url: str, index: str) -> None:
    """Delete an index, if there is one."""
    try:
        urllib.request.urlopen(urllib.request.Request(f"{url}/{index}", method="DELETE"), timeout=60).close()
    except urllib.error.HTTPError as error:
        error.close()
        assert error.code == 404


@contextmanager
def on_qdrant(folder: Path, url_of: ServerUrl) -> Iterator[NewStore]:
    """Collections of the test's own on a Qdrant server, deleted at its end."""
    prefix, url = f"test-{uuid.uuid4().hex}", url_of("qdrant")
    made: list[QdrantDocumentStore] = []

    def new(name: str = "index", dimension: int = 2, **parameters: Any) -> QdrantDocumentStore:
        made.append(QdrantDocumentStore(f"{prefix}-{name}", url, dimension, **{"api_key": QDRANT_KEY, **parameters}))
        return made[-1]

    yield new
    with qdrant_client(url) as client:
        for collection in {store.collection for store in made}:
            client.delete(f"/collections/{collection}").raise_for_status()
    for store in made:
        store.close()


@contextmanager
def in_qdrant_client(folder: Path, url_of: ServerUrl) -> Iterator[NewStore]:
    """A collection in the client's own imitation of a server."""
    yield lambda name="index", dimension=2, **parameters: QdrantDocumentStore(name, ":memory:", dimension, **parameters)


def qdrant_client(url: str) -> httpx.Client:
    """A client for a Qdrant server's REST API."""
    key = QDRANT_KEY.resolve_value()
    return httpx.Client(base_url=url, headers={"api-key": key} if key else {}, timeout=60)


KEYWORD_STORES: dict[str, Opener] = {
    "tantivy": in_folder(TantivyDocumentStore),
    "elasticsearch": on_server("elasticsearch"),
    "opensearch": on_server("opensearch"),
}
VECTOR_STORES: dict[str, Opener] = {
    "qdrant_edge": in_folder(
        lambda path, dimension=2, **parameters: QdrantEdgeDocumentStore(path, dimension, **parameters)
    ),
    "qdrant": on_qdrant,
}
STORES = {**KEYWORD_STORES, **VECTOR_STORES}
# It forgets everything when it is closed, so it is no store for all tests.
IN_MEMORY: dict[str, Opener] = {"qdrant_client": in_qdrant_client}

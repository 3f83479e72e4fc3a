"""
A vector document store on a Qdrant server.

It isn't a sub-class of Haystack's QdrantDocumentStore, of which nothing would stay: that one filters on meta as it
stands in the payload, so that null, dates and lists mean something else than in the other stores, or are refused; it
ties by the order in which the server finds points, and it takes the whole document into every hit.
"""

import json
import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from haystack import Document, default_from_dict, default_to_dict
from haystack.utils import Secret
from qdrant_client.models import (
    CreateAlias,
    CreateAliasOperation,
    DeleteAlias,
    DeleteAliasOperation,
    Filter,
    PointIdsList,
    PointStruct,
    QuantizationSearchParams,
    QueryRequest,
    Record,
    SearchParams,
)

from components.stores.batched_store import BatchState
from components.stores.pending_changes import PendingChanges
from components.stores.qdrant_collection import CollectionOptions, QdrantCollection
from components.stores.qdrant_connection import CollectionMissingError, QdrantConnection
from components.stores.qdrant_filters import number_keys, point_id
from components.stores.qdrant_server_filters import QdrantServerFilterBuilder
from components.stores.qdrant_store import DOCUMENT, ID, PAGE, QdrantStore, oversampling
from components.stores.store_errors import StoreUnavailableError
from components.stores.stored_json import document_from_json

logger = logging.getLogger(__name__)

_DEFAULT_URL = "http://127.0.0.1:6333"
_MOST_BYTES = 8_000_000  # of a request; servers take 32 MB by default
_BYTES_A_NUMBER, _BYTES_A_POINT = 22, 100  # a 32-bit float as JSON, and what stands around a payload, at most

_states: "WeakValueDictionary[tuple[Any, ...], BatchState]" = WeakValueDictionary()
_states_lock = threading.Lock()


class QdrantDocumentStore(QdrantStore[PointStruct, Filter]):
    """
    Stores documents' embeddings on a server and ranks documents by cosine similarity, as QdrantEdgeDocumentStore.

    Any number of processes may read and write; what a batch writes shows in all of them. A batch that fails halfway,
    because the server went away, is partly there: repeat it. Two processes that write the same new id at the same time
    both succeed, whatever the policy. The collection is created by the first write.

    When the server can't be reached or is busy, methods raise StoreUnavailableError, an OSError; when it refuses a
    request, DocumentStoreError.

    ```python
    store = QdrantDocumentStore("chunks", "https://qdrant:6333", 3, api_key=Secret.from_env_var("QDRANT_API_KEY"))
    store.write_documents([Document(id="1", meta={"source": "MPEP"}, embedding=[0.6, 0.8, 0.0])])
    store.search([0.0, 1.0, 0.0], {"field": "meta.source", "operator": "==", "value": "MPEP"})  # [("1", 0.8)]
    ```
    """

    def __init__(
        self,
        collection: str,
        url: str | Secret = _DEFAULT_URL,
        dimension: int = 384,
        meta_fields: list[str] | None = None,
        store_content: bool = False,
        ef: int | None = None,
        collection_options: dict[str, Any] | None = None,
        api_key: Secret | None = None,
        ca_certs: str | None = None,
        verify_certs: bool = True,
        search_timeout: int = 10,
        write_timeout: int = 60,
    ):
        """
        Create the store; nothing is connected yet.

        :param collection: The name of the collection, or of an alias that stands for one.
        :param url: The server's URL; the port is 6333 unless it names another. ":memory:" is no server but the client's
            own small imitation of one, to try things out. The default, too, where a secret that may be missing is.
        :param dimension: Length of the embeddings.
        :param meta_fields: The meta fields to store and to filter on; None for all of them.
        :param store_content: Store the documents' text too. The keyword store has it already.
        :param ef: How many candidates a search looks at in the HNSW graph, for some hundred thousand documents and
            more: among 21,000 passages, 512 found the ten best of 99 in 100 questions, 256 with m 16 those of 96. None
            to look at every document, which is exact. With m 0 and quantised copies there is no graph and any `ef`
            looks at all the copies, which found the same as exact in a half to a third of the time.
        :param collection_options: How a collection is created, as the parameters of `CollectionOptions`.
        :param api_key: The server's key.
        :param ca_certs: File of the certificate authorities that are trusted, instead of the usual ones.
        :param verify_certs: Whether the server's certificate is checked.
        :param search_timeout: Seconds that the server may take to answer a search.
        :param write_timeout: Seconds that it may take to write a few megabytes.
        :raises ValueError: If a parameter has a value that isn't allowed.
        """
        if not collection:
            raise ValueError("collection: a name is needed")
        if ef is not None and ef < 1:
            raise ValueError(f"ef: {ef!r} is not allowed; it must be 1 or more, or None to look at every document")
        self.collection = collection
        self.url = url
        self.ef = ef
        self.collection_options = collection_options
        self.api_key = api_key
        self.ca_certs = ca_certs
        self.verify_certs = verify_certs
        self.search_timeout = search_timeout
        self.write_timeout = write_timeout
        self._options = CollectionOptions.from_dict(collection_options)
        self._connection: QdrantConnection | None = None
        self._is_checked = False
        self._lock = threading.Lock()
        with _states_lock:
            state = _states.setdefault((url, collection), BatchState())
        super().__init__(dimension, meta_fields, store_content, QdrantServerFilterBuilder(meta_fields), state)

    def to_dict(self) -> dict[str, Any]:
        """
        Serialize the store.

        :returns: Its type and init parameters.
        """
        return default_to_dict(
            self,
            collection=self.collection,
            url=self.url,
            dimension=self.dimension,
            meta_fields=self.meta_fields,
            store_content=self.store_content,
            ef=self.ef,
            collection_options=self.collection_options,
            api_key=self.api_key,
            ca_certs=self.ca_certs,
            verify_certs=self.verify_certs,
            search_timeout=self.search_timeout,
            write_timeout=self.write_timeout,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "QdrantDocumentStore":
        """
        Make a store from its serialized form.

        :param data: What `to_dict` returned.
        :returns: The store.
        """
        return default_from_dict(cls, data)

    def close(self) -> None:
        """Close the connections; the store opens them again when it is used."""
        with self._lock:
            connection, self._connection = self._connection, None
        self._is_checked = False
        if connection is not None:
            connection.close()

    def warm_up(self) -> None:
        """Connect and check the collection; a server that can't be reached yet is only logged."""
        try:
            self._check()
        except StoreUnavailableError as error:
            logger.warning("the vector store isn't ready: %s", error)
        except CollectionMissingError:
            logger.info("the collection %r isn't there yet", self.collection)

    def set_alias(self, alias: str) -> None:
        """
        Let an alias stand for the store's collection, and for no other one any more, in one step.

        :param alias: Its name.
        """
        created = CreateAlias(collection_name=self.collection, alias_name=alias)
        operations = [
            DeleteAliasOperation(delete_alias=DeleteAlias(alias_name=alias)),
            CreateAliasOperation(create_alias=created),
        ]
        self._server().write("update_collection_aliases", change_aliases_operations=operations)

    def remove(self) -> None:
        """Delete the collection on the server with all that it holds, if it is there."""
        self._server().write("delete_collection", collection_name=self.collection)
        self._is_checked = False

    def count_documents(self) -> int:
        """
        Count the documents.

        :returns: Their number; 0 when there is no collection.
        """
        answer = self._read("count", exact=True)
        return answer.count if answer else 0

    def get_many(self, ids: Sequence[str]) -> list[Document]:
        """
        Get documents by their ids, without embeddings.

        :param ids: The ids.
        :returns: The documents in that order, without those that aren't there: id and the meta fields that are stored,
            and the text if it is.
        """
        points = [point_id(document_id) for document_id in dict.fromkeys(ids)]
        found = {}
        for start in range(0, len(points), PAGE):
            records = self._read("retrieve", ids=points[start : start + PAGE], with_payload=[DOCUMENT])
            found.update({str(record.id): record.payload[DOCUMENT] for record in records or ()})
        known = [point_id(document_id) for document_id in ids]
        return [document_from_json(found[point]) for point in known if point in found]

    def _server(self) -> QdrantConnection:
        with self._lock:
            if self._connection is None:
                self._connection = QdrantConnection(
                    _resolved(self.url) or _DEFAULT_URL,
                    _resolved(self.api_key),
                    self.ca_certs,
                    self.verify_certs,
                    self.search_timeout,
                    self.write_timeout,
                )
            return self._connection

    def _layout(self) -> QdrantCollection:
        return QdrantCollection(self._server(), self.collection, self.dimension, self._options)

    def _check(self) -> None:
        if not self._is_checked:
            self._layout().check()
            self._is_checked = True

    def _read(self, method: str, **arguments: Any) -> Any:
        """What the server answers, or None when there is no collection."""
        try:
            self._check()
            return self._server().read(method, collection_name=self.collection, **arguments)
        except CollectionMissingError:
            self._is_checked = False
            return None

    def _point(self, point: str, vector: np.ndarray | None, payload: dict[str, Any]) -> PointStruct:
        return PointStruct(id=point, vector={} if vector is None else vector.tolist(), payload=payload)

    def _matching_documents(self, query_filter: Filter | None) -> Iterator[str]:
        return self._scroll(query_filter, DOCUMENT)

    def _matching_ids(self, query_filter: Filter | None) -> Iterator[str]:
        return self._scroll(query_filter, ID)

    def _scroll(self, query_filter: Filter | None, key: str) -> Iterator[str]:
        """The payload's value at a key, for all points that match."""
        offset = None
        while True:
            page = self._read("scroll", scroll_filter=query_filter, limit=PAGE, offset=offset, with_payload=[key])
            records, offset = page or ([], None)
            yield from (record.payload[key] for record in records)
            if offset is None:
                return

    def _points(self, points: list[str], with_vector: bool) -> Iterator[tuple[str, Any]]:
        for start in range(0, len(points), PAGE):
            records: list[Record] | None = self._read(
                "retrieve", ids=points[start : start + PAGE], with_payload=False, with_vectors=with_vector
            )
            yield from ((str(record.id), record.vector) for record in records or ())

    def _nearest(
        self, arrays: list[np.ndarray], query_filter: Filter | None, limit: int
    ) -> list[tuple[list[str], list[float]]]:
        requests = [
            QueryRequest(
                query=array.tolist(), filter=query_filter, limit=limit, params=self._params(limit), with_payload=[ID]
            )
            for array in arrays
        ]
        answers = self._read("query_batch_points", requests=requests)
        if answers is None:
            return [([], []) for _ in arrays]
        rankings = [answer.points for answer in answers]
        return [([hit.payload[ID] for hit in hits], [hit.score for hit in hits]) for hits in rankings]

    def _params(self, limit: int) -> SearchParams:
        if self.ef is None:
            return SearchParams(exact=True)
        # without quantised copies it has no effect
        quantization = QuantizationSearchParams(rescore=True, oversampling=oversampling(limit))
        return SearchParams(hnsw_ef=self.ef, quantization=quantization)

    def _apply(self, pending: PendingChanges[PointStruct]) -> None:
        """First what is new, so that searches meanwhile find a changed source twice rather than not at all."""
        points = pending.records
        if points:
            self._layout().prepare(number_keys([point.payload or {} for point in points]))
        for batch in _batches(points, self.dimension):
            self._server().write("upsert", collection_name=self.collection, points=batch, wait=True)
        deleted = [point_id(document_id) for document_id in pending.deleted]
        for start in range(0, len(deleted), PAGE):
            selector = PointIdsList(points=[*deleted[start : start + PAGE]])
            self._server().write("delete", collection_name=self.collection, points_selector=selector, wait=True)


def _resolved(value: str | Secret | None) -> str | None:
    return value.resolve_value() if isinstance(value, Secret) else value


def _batches(points: Iterable[PointStruct], dimension: int) -> Iterator[list[PointStruct]]:
    """Points in requests of some megabytes; a larger point has one of its own."""
    batch: list[PointStruct] = []
    size = 0
    for point in points:
        needed = len(json.dumps(point.payload)) + _BYTES_A_NUMBER * dimension + _BYTES_A_POINT
        if batch and (size + needed > _MOST_BYTES or len(batch) == PAGE):
            yield batch
            batch, size = [], 0
        batch.append(point)
        size += needed
    if batch:
        yield batch

"""A vector document store in a folder: Qdrant's engine in this process, without an approximate index."""

import contextlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from haystack import default_from_dict, default_to_dict
from qdrant_edge import (
    EdgeShard,
    Filter,
    PayloadSchemaType,
    PayloadSelector,
    Point,
    QuantizationSearchParams,
    Query,
    QueryBatchRequest,
    QueryRequest,
    Record,
    ScoredPoint,
    ScrollRequest,
    SearchParams,
    UpdateOperation,
)

from components.stores.pending_changes import PendingChanges
from components.stores.qdrant_edge_filters import QdrantEdgeFilterBuilder
from components.stores.qdrant_edge_shards import VECTOR, QdrantEdgeShards
from components.stores.qdrant_filters import TOKENS, as_path, number_keys, point_id
from components.stores.qdrant_store import DOCUMENT, ID, PAGE, QdrantStore, oversampling

_MOST_WARM = 200_000
_LENGTH_ERROR = 1e-3


class QdrantEdgeDocumentStore(QdrantStore[Point, Filter]):
    """
    Stores documents' embeddings and ranks documents by cosine similarity.

    Each search looks at every embedding: first in 8 bits a number, then at the best of them (twice as many as were
    asked for, at least 400) in full, so that scores are exact.

    One process may write at a time, any number may read, and their next call sees what was committed. A commit copies
    the index (a hundred milliseconds for 15,000 embeddings), so write many documents at once or in a `batch`. Nothing
    is created on disk before the first write.

    ```python
    store = QdrantEdgeDocumentStore("index/vectors", dimension=3, meta_fields=["source"])
    store.write_documents([Document(id="1", meta={"source": "MPEP"}, embedding=[0.6, 0.8, 0.0])])
    store.search([0.0, 1.0, 0.0], {"field": "meta.source", "operator": "==", "value": "MPEP"})  # [("1", 0.8)]
    ```
    """

    def __init__(
        self,
        path: str | Path,
        dimension: int = 384,
        meta_fields: list[str] | None = None,
        store_content: bool = False,
    ):
        """
        Create the store; nothing is opened yet.

        :param path: The index's folder.
        :param dimension: Length of the embeddings.
        :param meta_fields: The meta fields to store and to filter on; None for all of them.
        :param store_content: Store the documents' text too. The keyword store has it already.
        :raises ValueError: If the dimension is below 1.
        """
        self.path = Path(path)
        self._shards = QdrantEdgeShards.at(self.path)
        filters = QdrantEdgeFilterBuilder(meta_fields)
        super().__init__(dimension, meta_fields, store_content, filters, self._shards.batch_state)

    def to_dict(self) -> dict[str, Any]:
        """
        Serialize the store.

        :returns: Its type and init parameters.
        """
        return default_to_dict(
            self,
            path=str(self.path),
            dimension=self.dimension,
            meta_fields=self.meta_fields,
            store_content=self.store_content,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "QdrantEdgeDocumentStore":
        """
        Make a store from its serialized form.

        :param data: What `to_dict` returned.
        :returns: The store.
        """
        return default_from_dict(cls, data)

    def close(self) -> None:
        """Let another process write; the store opens itself again when it is used."""
        self._shards.close()

    def warm_up(self) -> None:
        """Read ids, of 200,000 documents at most (five seconds), which the first searches would have to read."""
        shard = self._reader()
        if shard:
            self._ids_of(shard, list(islice(_records(shard, None, False), _MOST_WARM)))

    def find_damage(self) -> str:
        """
        Read all ids and embeddings of the last commit. The engine keeps no checksums; what is read has to make sense.

        :returns: What is damaged; "" when nothing is found.
        :raises Exception: What the engine raises when it can't read its files.
        """
        ids = self.ids()
        if len(ids) < self.count_documents():
            return f"{self.path}: {self.count_documents() - len(ids)} points have no document"
        for start in range(0, len(ids), PAGE):
            for document_id, vector in self.get_vectors(ids[start : start + PAGE]).items():
                if not abs(np.linalg.norm(vector) - 1) < _LENGTH_ERROR:
                    return f"{self.path}: the embedding of {document_id} is not of length 1"
        return ""

    def count_documents(self) -> int:
        """
        Count the documents.

        :returns: Their number; 0 when there is no index.
        """
        shard = self._reader()
        return self._shards.count(shard) if shard else 0

    def _reader(self) -> EdgeShard | None:
        return self._shards.reader({"dimension": self.dimension})

    def _ids_of(self, shard: EdgeShard, hits: Sequence[Record | ScoredPoint]) -> list[str]:
        known = self._shards.ids
        points = [hit.id for hit in hits]
        with contextlib.suppress(KeyError):
            return [known[point] for point in points]
        unknown = [point for point in points if point not in known]
        for record in shard.retrieve(unknown, PayloadSelector.Include([ID]), False) if unknown else ():
            known[record.id] = (record.payload or {})[ID]
        return [known[point] for point in points]

    def _point(self, point: str, vector: np.ndarray | None, payload: dict[str, Any]) -> Point:
        return Point(point, {} if vector is None else {VECTOR: vector}, payload)  # type: ignore[dict-item]  # arrays too

    def _matching_documents(self, query_filter: Filter | None) -> Iterator[str]:
        shard = self._reader()
        for record in _records(shard, query_filter, PayloadSelector.Include([DOCUMENT])) if shard else ():
            yield (record.payload or {})[DOCUMENT]

    def _matching_ids(self, query_filter: Filter | None) -> list[str]:
        shard = self._reader()
        return self._ids_of(shard, list(_records(shard, query_filter, False))) if shard else []

    def _points(self, points: list[str], with_vector: bool) -> Iterator[tuple[str, Any]]:
        shard = self._reader()
        ids: list[int | UUID | str] = [*points]
        for record in shard.retrieve(ids, False, with_vector) if shard and ids else ():
            yield str(record.id), record.vector

    def _nearest(
        self, arrays: list[np.ndarray], query_filter: Filter | None, limit: int
    ) -> list[tuple[list[str], list[float]]]:
        shard = self._reader()
        if shard is None:
            return [([], []) for _ in arrays]
        requests = [_nearest_request(array, query_filter, limit) for array in arrays]
        rankings = shard.query_batch(QueryBatchRequest(requests))
        return [(self._ids_of(shard, hits), [hit.score for hit in hits]) for hits in rankings]

    def _apply(self, pending: PendingChanges[Point]) -> None:
        points = pending.records
        keys = number_keys([point.payload or {} for point in points])
        deleted: list[int | UUID | str] = [point_id(document_id) for document_id in pending.deleted]

        def change(shard: EdgeShard) -> None:
            _index_payload(shard, keys)
            if deleted:
                shard.update(UpdateOperation.delete_points(deleted))
            for start in range(0, len(points), PAGE):
                shard.update(UpdateOperation.upsert_points(points[start : start + PAGE]))

        self._shards.commit({"dimension": self.dimension}, change)


def _records(shard: EdgeShard, query_filter: Filter | None, payload: PayloadSelector | bool) -> Iterator[Record]:
    offset = None
    while True:
        request = ScrollRequest(offset=offset, limit=PAGE, filter=query_filter, with_payload=payload)
        records, offset = shard.scroll(request)
        yield from records
        if offset is None:
            return


def _nearest_request(array: np.ndarray, query_filter: Filter | None, limit: int) -> QueryRequest:
    quantization = QuantizationSearchParams(rescore=True, oversampling=oversampling(limit))
    return QueryRequest(
        query=Query.Nearest(array),  # type: ignore[arg-type]
        filter=query_filter,
        limit=limit,
        params=SearchParams(quantization=quantization),
    )


def _index_payload(shard: EdgeShard, keys: set[str]) -> None:
    # the engine names a key in quotes when it holds more than letters, digits, "-" and "_"
    indexed = {key.strip('"') for key in shard.info().payload_schema}
    if TOKENS not in indexed:
        shard.update(UpdateOperation.create_field_index(TOKENS, PayloadSchemaType.Keyword))
    for key in sorted(keys - indexed):
        shard.update(UpdateOperation.create_field_index(as_path(key), PayloadSchemaType.Float))

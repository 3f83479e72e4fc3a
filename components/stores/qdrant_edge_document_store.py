"""A vector document store in a folder: Qdrant's engine in this process, without an approximate index."""

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
from haystack import Document, default_from_dict, default_to_dict
from qdrant_edge import (
    CountRequest,
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

from components.stores.batched_store import BatchedStore
from components.stores.filters import parse_filters
from components.stores.pending_changes import PendingChanges
from components.stores.qdrant_edge_filters import (
    NUMBER_PREFIXES,
    TOKENS,
    QdrantEdgeFilterBuilder,
    filter_payload,
    point_id,
)
from components.stores.qdrant_edge_shards import VECTOR, QdrantEdgeShards
from components.stores.ranked_hits import best, check_top_k, rounded_scores, with_all_ties
from components.stores.stored_json import document_from_json, document_to_json

Vector = Sequence[float] | np.ndarray

_DOCUMENT = "document"
_ID = "id"
_PAGE = 1000
_MOST_WARM = 200_000
_LENGTH_ERROR = 1e-3
# Candidates by 8-bit vectors: with 1.5 for each hit that was wanted the 200 best of 21,000 were the true ones, always.
_OVERSAMPLING, _FEWEST_CANDIDATES = 2.0, 400


class QdrantEdgeDocumentStore(BatchedStore[Point]):
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
        if dimension < 1:
            raise ValueError(f"dimension: {dimension!r} is not allowed; it must be 1 or more")
        self.path = Path(path)
        self.dimension = dimension
        self.meta_fields = meta_fields
        self.store_content = store_content
        self._shards = QdrantEdgeShards.at(self.path)
        self._filters = QdrantEdgeFilterBuilder(meta_fields)
        super().__init__(self._shards.batch_state)

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
        for start in range(0, len(ids), _PAGE):
            for document_id, vector in self.get_vectors(ids[start : start + _PAGE]).items():
                if not abs(np.linalg.norm(vector) - 1) < _LENGTH_ERROR:
                    return f"{self.path}: the embedding of {document_id} is not of length 1"
        return ""

    def count_documents(self) -> int:
        """
        Count the documents.

        :returns: Their number; 0 when there is no index.
        """
        shard = self._reader()
        return shard.count(CountRequest(exact=True)) if shard else 0

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """
        Get all documents that match a filter, sorted by id, without embeddings.

        :param filters: The filter; None for all documents.
        :returns: The documents: id and the meta fields that are stored, and the text if it is.
        :raises FilterError: If the filter is malformed or asks for a field that isn't stored.
        """
        query_filter, shard = self._filter(filters), self._reader()
        if shard is None:
            return []
        records = _records(shard, query_filter, PayloadSelector.Include([_DOCUMENT]))
        documents = [document_from_json((record.payload or {})[_DOCUMENT]) for record in records]
        return sorted(documents, key=lambda document: document.id)

    def ids(self, filters: Mapping[str, Any] | None = None) -> list[str]:
        """
        Get the ids of all documents that match a filter.

        :param filters: The filter; None for all documents.
        :returns: The ids, sorted.
        :raises FilterError: If the filter is malformed or asks for a field that isn't stored.
        """
        query_filter, shard = self._filter(filters), self._reader()
        if shard is None:
            return []
        return sorted(self._ids_of(shard, list(_records(shard, query_filter, False))))

    def get_vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        """
        Get embeddings, as they were normalised to length 1.

        :param ids: The documents' ids.
        :returns: id -> embedding, without documents that aren't there or have none.
        """
        shard = self._reader()
        if shard is None:
            return {}
        points = {point_id(document_id): document_id for document_id in ids}
        records = shard.retrieve(list(points), False, True)
        return {points[str(record.id)]: list(record.vector) for record in records if record.vector}  # type: ignore[arg-type]

    def search(
        self, vector: Vector, filters: Mapping[str, Any] | None = None, top_k: int = 10
    ) -> list[tuple[str, float]]:
        """
        Rank documents by their embedding's cosine similarity to a vector.

        :param vector: The query's embedding.
        :param filters: The filter, applied inside the search.
        :param top_k: How many documents at most.
        :returns: (id, similarity), best first, ties by id.
        :raises FilterError: If the filter is malformed or asks for a field that isn't stored.
        :raises ValueError: If `top_k` is below 1 or the vector has another length than the index's.
        """
        return self.search_many([vector], filters, top_k)[0]

    def search_many(
        self, vectors: Sequence[Vector], filters: Mapping[str, Any] | None = None, top_k: int = 10
    ) -> list[list[tuple[str, float]]]:
        """
        Rank documents for several vectors in one pass.

        :param vectors: The queries' embeddings.
        :param filters: The filter, applied inside the search.
        :param top_k: How many documents at most for each.
        :returns: For each vector (id, similarity), best first, ties by id.
        :raises FilterError: If the filter is malformed or asks for a field that isn't stored.
        :raises ValueError: If `top_k` is below 1 or a vector has another length than the index's.
        """
        check_top_k(top_k)
        arrays = [self._array(vector, "the query's vector") for vector in vectors]
        query_filter, shard = self._filter(filters), self._reader()
        if shard is None or not arrays:
            return [[] for _ in arrays]

        def fetch(limit: int) -> list[list[tuple[str, float]]]:
            requests = [_nearest(array, query_filter, limit) for array in arrays]
            rankings = shard.query_batch(QueryBatchRequest(requests))
            return [
                list(zip(self._ids_of(shard, hits), rounded_scores([h.score for h in hits]), strict=True))
                for hits in rankings
            ]

        return [best(hits, top_k) for hits in with_all_ties(fetch, lambda hit: hit[1], top_k)]

    def _reader(self) -> EdgeShard | None:
        return self._shards.reader({"dimension": self.dimension})

    def _filter(self, filters: Mapping[str, Any] | None) -> Filter | None:
        condition = parse_filters(filters)
        return None if condition is None else self._filters.build(condition)

    def _ids_of(self, shard: EdgeShard, hits: Sequence[Record | ScoredPoint]) -> list[str]:
        known = self._shards.ids
        points = [hit.id for hit in hits]
        with contextlib.suppress(KeyError):
            return [known[point] for point in points]
        unknown = [point for point in points if point not in known]
        for record in shard.retrieve(unknown, PayloadSelector.Include([_ID]), False) if unknown else ():
            known[record.id] = (record.payload or {})[_ID]
        return [known[point] for point in points]

    def _stored(self, ids: Collection[str]) -> set[str]:
        shard = self._reader()
        if shard is None or not ids:
            return set()
        points = {point_id(document_id): document_id for document_id in ids}
        return {points[str(record.id)] for record in shard.retrieve(list(points), False, False)}

    def _array(self, vector: Vector, what: str) -> np.ndarray:
        array = np.asarray(vector, dtype=np.float32)
        if array.shape != (self.dimension,):
            raise ValueError(f"{what} must have {self.dimension} numbers, not {'x'.join(map(str, array.shape))}")
        return array

    def _prepare(self, document: Document) -> Point:
        meta = {name: value for name, value in document.meta.items() if name != "index"}
        if self.meta_fields is not None:
            meta = {name: meta[name] for name in self.meta_fields if name in meta}
        content = document if self.store_content else Document(id=document.id)
        payload = {_ID: document.id, _DOCUMENT: document_to_json(content, meta), **filter_payload(meta)}
        vector = {}
        if document.embedding is not None:
            vector[VECTOR] = self._array(document.embedding, f"document {document.id!r}: the embedding")
        return Point(point_id(document.id), vector, payload)  # type: ignore[arg-type]  # it takes arrays too

    def _apply(self, pending: PendingChanges[Point]) -> None:
        points = pending.records
        number_keys = {key for point in points for key in point.payload or {} if key.startswith(NUMBER_PREFIXES)}
        deleted: list[int | UUID | str] = [point_id(document_id) for document_id in pending.deleted]

        def change(shard: EdgeShard) -> None:
            _index_payload(shard, number_keys)
            if deleted:
                shard.update(UpdateOperation.delete_points(deleted))
            for start in range(0, len(points), _PAGE):
                shard.update(UpdateOperation.upsert_points(points[start : start + _PAGE]))

        self._shards.commit({"dimension": self.dimension}, change)


def _records(shard: EdgeShard, query_filter: Filter | None, payload: PayloadSelector | bool) -> Iterator[Record]:
    offset = None
    while True:
        request = ScrollRequest(offset=offset, limit=_PAGE, filter=query_filter, with_payload=payload)
        records, offset = shard.scroll(request)
        yield from records
        if offset is None:
            return


def _nearest(array: np.ndarray, query_filter: Filter | None, limit: int) -> QueryRequest:
    candidates = max(int(_OVERSAMPLING * limit), _FEWEST_CANDIDATES)
    oversampling = candidates / limit
    return QueryRequest(
        query=Query.Nearest(array),  # type: ignore[arg-type]
        filter=query_filter,
        limit=limit,
        params=SearchParams(quantization=QuantizationSearchParams(rescore=True, oversampling=oversampling)),
    )


def _index_payload(shard: EdgeShard, number_keys: set[str]) -> None:
    # the engine names a key in quotes when it holds more than letters, digits, "-" and "_"
    indexed = {key.strip('"') for key in shard.info().payload_schema}
    if TOKENS not in indexed:
        shard.update(UpdateOperation.create_field_index(TOKENS, PayloadSchemaType.Keyword))
    for key in sorted(number_keys - indexed):
        shard.update(UpdateOperation.create_field_index(f'"{key}"', PayloadSchemaType.Float))

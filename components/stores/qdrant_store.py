"""What the vector stores on Qdrant's engine share, whether it runs in this process or in a server."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from haystack import Document

from components.stores.batched_store import BatchedStore, BatchState
from components.stores.filters import parse_filters
from components.stores.pending_changes import Record
from components.stores.qdrant_filters import QdrantFilterBuilder, filter_payload, point_id
from components.stores.ranked_hits import best, check_top_k, rounded_scores, with_all_ties
from components.stores.stored_json import document_from_json, document_to_json

DOCUMENT = "document"
ID = "id"
PAGE = 1000  # points read or written at a time

# Candidates by 8-bit vectors: with 1.5 for each hit that was wanted the 200 best of 21,000 were the true ones, always.
_OVERSAMPLING, _FEWEST_CANDIDATES = 2.0, 400

Vector = Sequence[float] | np.ndarray
Filter = TypeVar("Filter")


class QdrantStore(BatchedStore[Record], Generic[Record, Filter]):
    """
    Keeps each document as a point: its embedding, and a payload with the id, the document's JSON and what filters need.

    :param dimension: Length of the embeddings.
    :param meta_fields: The meta fields to store and to filter on; None for all of them.
    :param store_content: Store the documents' text too.
    :param filters: Builds the engine's filters.
    :param state: The open batch, shared by the stores on one index.
    :raises ValueError: If the dimension is below 1.
    """

    def __init__(
        self,
        dimension: int,
        meta_fields: list[str] | None,
        store_content: bool,
        filters: QdrantFilterBuilder[Filter],
        state: BatchState,
    ):
        if dimension < 1:
            raise ValueError(f"dimension: {dimension!r} is not allowed; it must be 1 or more")
        self.dimension = dimension
        self.meta_fields = meta_fields
        self.store_content = store_content
        self._filters = filters
        super().__init__(state)

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """
        Get all documents that match a filter, sorted by id, without embeddings.

        :param filters: The filter; None for all documents.
        :returns: The documents: id and the meta fields that are stored, and the text if it is.
        :raises FilterError: If the filter is malformed or asks for a field that isn't stored.
        """
        documents = [document_from_json(text) for text in self._matching_documents(self._filter(filters))]
        return sorted(documents, key=lambda document: document.id)

    def ids(self, filters: Mapping[str, Any] | None = None) -> list[str]:
        """
        Get the ids of all documents that match a filter.

        :param filters: The filter; None for all documents.
        :returns: The ids, sorted.
        :raises FilterError: If the filter is malformed or asks for a field that isn't stored.
        """
        return sorted(self._matching_ids(self._filter(filters)))

    def each_id(self) -> Iterator[str]:
        """
        Get the ids of all documents one after the other, read in pages.

        :returns: The ids, in any order.
        """
        return iter(self._matching_ids(None))

    def get_vectors(self, ids: Sequence[str]) -> dict[str, list[float]]:
        """
        Get embeddings, as they were normalised to length 1.

        :param ids: The documents' ids.
        :returns: id -> embedding, without documents that aren't there or have none.
        """
        points = {point_id(document_id): document_id for document_id in ids}
        return {points[point]: list(vector) for point, vector in self._points(list(points), True) if vector}

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
        query_filter = self._filter(filters)
        if not arrays:
            return []

        def fetch(limit: int) -> list[list[tuple[str, float]]]:
            rankings = self._nearest(arrays, query_filter, limit)
            return [list(zip(ids, rounded_scores(scores), strict=True)) for ids, scores in rankings]

        return [best(hits, top_k) for hits in with_all_ties(fetch, lambda hit: hit[1], top_k)]

    def _stored(self, ids: Iterable[str]) -> set[str]:
        points = {point_id(document_id): document_id for document_id in ids}
        return {points[point] for point, _ in self._points(list(points), False)}

    def _prepare(self, document: Document) -> Record:
        meta = {name: value for name, value in document.meta.items() if name != "index"}
        if self.meta_fields is not None:
            meta = {name: meta[name] for name in self.meta_fields if name in meta}
        content = document if self.store_content else Document(id=document.id)
        payload = {ID: document.id, DOCUMENT: document_to_json(content, meta), **filter_payload(meta)}
        vector = None
        if document.embedding is not None:
            vector = self._array(document.embedding, f"document {document.id!r}: the embedding")
        return self._point(point_id(document.id), vector, payload)

    def _filter(self, filters: Mapping[str, Any] | None) -> Filter | None:
        condition = parse_filters(filters)
        return None if condition is None else self._filters.build(condition)

    def _array(self, vector: Vector, what: str) -> np.ndarray:
        array = np.asarray(vector, dtype=np.float32)
        if array.shape != (self.dimension,):
            raise ValueError(f"{what} must have {self.dimension} numbers, not {'x'.join(map(str, array.shape))}")
        return array

    @abstractmethod
    def _point(self, point: str, vector: np.ndarray | None, payload: dict[str, Any]) -> Record:
        """The engine's record of a point."""

    @abstractmethod
    def _matching_documents(self, query_filter: Filter | None) -> Iterable[str]:
        """The JSON of the documents that match, in any order."""

    @abstractmethod
    def _matching_ids(self, query_filter: Filter | None) -> Iterable[str]:
        """The ids of the documents that match, in any order."""

    @abstractmethod
    def _points(self, points: list[str], with_vector: bool) -> Iterable[tuple[str, Any]]:
        """Those of the points that are there, with their vectors if asked for."""

    @abstractmethod
    def _nearest(
        self, arrays: list[np.ndarray], query_filter: Filter | None, limit: int
    ) -> list[tuple[list[str], list[float]]]:
        """For each vector the ids of the nearest documents and their similarity, best first."""


def oversampling(limit: int) -> float:
    """
    Tell how many candidates by quantised vectors a search compares in full.

    :param limit: How many hits are wanted.
    :returns: Candidates for each of them.
    """
    return max(int(_OVERSAMPLING * limit), _FEWEST_CANDIDATES) / limit

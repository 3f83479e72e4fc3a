"""The vector arm: nearest chunks by cosine, one ranking a query vector."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from haystack import component

from components.retrieval.ranking import Ranking
from components.retrieval.time_budget import TimeBudget
from components.retrieval.vectors import QueryVectors

logger = logging.getLogger(__name__)


class VectorStore(Protocol):
    """What the vector arm needs of a document store."""

    def search_many(
        self, vectors: Sequence[np.ndarray], filters: Mapping[str, Any] | None = None, top_k: int = 10
    ) -> list[list[tuple[str, float]]]: ...

    def count_documents(self) -> int: ...

    def warm_up(self) -> None: ...

    def to_dict(self) -> dict[str, Any]: ...


@component
class VectorRetriever:
    """
    Ranks chunks by the cosine of their vectors to each query vector.

    Usage example:

    ```python
    retriever = VectorRetriever(document_store=QdrantEdgeDocumentStore("index/vectors", dimension=384))
    retriever.run(vectors=embedder.run(texts=["new matter"])["vectors"])["rankings"]
    ```
    """

    def __init__(self, document_store: VectorStore, top_k: int = 100, timeout: float | None = None):
        """
        :param document_store: The vector store of the chunks.
        :param top_k: How many chunks a ranking holds.
        :param timeout: Seconds that a search may take before the answer goes without it; None for no limit.
        :raises ValueError: If `top_k` is below 1.
        """
        if top_k < 1:
            raise ValueError(f"top_k must be 1 or more, not {top_k!r}")
        self.document_store = document_store
        self.top_k = top_k
        self.timeout = timeout
        self._budget = TimeBudget("the vector arm", timeout)
        self._is_warmed_up = False

    def warm_up(self) -> None:
        """Let the store read what every search needs, once."""
        if not self._is_warmed_up:
            self._is_warmed_up = True
            self.document_store.warm_up()

    @component.output_types(rankings=list[Ranking], degraded=list[str])
    def run(
        self, vectors: QueryVectors, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, Any]:
        """
        Rank.

        :param vectors: The query's vectors; none when there is no embedder.
        :param filters: Haystack filters, applied inside the search.
        :param top_k: How many chunks a ranking holds, instead of the one of `__init__`.
        :returns: `rankings`, one a vector; `degraded`, ["vector"] when the store is empty or can't be
            searched, or not in time.
        """
        if not vectors.vectors:
            return {"rankings": [], "degraded": []}
        try:
            found = self._budget.run(lambda: self._nearest(vectors, filters, top_k or self.top_k))
        except (OSError, RuntimeError) as error:
            logger.warning("the vector store can't be searched: %s", error)
            found = None
        if found is None:
            return {"rankings": [], "degraded": ["vector"]}
        rankings = [Ranking(tuple(e), text) for e, text in zip(found, vectors.texts, strict=True)]
        return {"rankings": rankings, "degraded": []}

    def _nearest(
        self, vectors: QueryVectors, filters: dict[str, Any] | None, limit: int
    ) -> list[list[tuple[str, float]]] | None:
        """A ranking for each vector; None when the store is empty."""
        found = self.document_store.search_many(vectors.vectors, filters=filters, top_k=limit)
        return found if any(found) or self.document_store.count_documents() else None

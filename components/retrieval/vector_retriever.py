"""The vector arm: nearest chunks by cosine, one ranking a query vector."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from haystack import component

from components.retrieval.ranking import Ranking
from components.retrieval.time_budget import TimeBudget
from components.retrieval.vectors import QueryVectors
from components.stores.ranked_hits import best

logger = logging.getLogger(__name__)

# Languages that are compared by themselves; mixed text is read like Japanese.
_GROUPS = {"en": ("en",), "ja": ("ja", "mixed"), "ko": ("ko",)}
_SCALE, _FEWEST = 50, 20


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

    def __init__(
        self,
        document_store: VectorStore,
        top_k: int = 100,
        by_language: bool = False,
        timeout: float | None = None,
    ):
        """
        :param document_store: The vector store of the chunks.
        :param top_k: How many chunks a ranking holds.
        :param by_language: Compare cosines within each language of the index, since they are lower across languages.
            Where the index holds more than one, scores are z-scores over the best fifty of each.
        :param timeout: Seconds that a search may take before the answer goes without it; None for no limit.
        :raises ValueError: If `top_k` is below 1.
        """
        if top_k < 1:
            raise ValueError(f"top_k must be 1 or more, not {top_k!r}")
        self.document_store = document_store
        self.top_k = top_k
        self.by_language = by_language
        self._languages: tuple[int, list[str]] = (-1, [])
        self.timeout = timeout
        self._budget = TimeBudget("the vector arm", timeout)
        self._is_warmed_up = False

    def warm_up(self) -> None:
        """Let the store read what every search needs, once."""
        if not self._is_warmed_up:
            self._is_warmed_up = True
            self.document_store.warm_up()

    @component.output_types(rankings=list[Ranking], elsewhere=frozenset[str], degraded=list[str])
    def run(
        self,
        vectors: QueryVectors,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        language: str | None = None,
    ) -> dict[str, Any]:
        """
        Rank.

        :param vectors: The query's vectors; none when there is no embedder.
        :param filters: Haystack filters, applied inside the search.
        :param top_k: How many chunks a ranking holds, instead of the one of `__init__`.
        :param language: The query's language.
        :returns: `rankings`, one a vector; `elsewhere`, the chunks in other languages than the query, where languages
            are compared by themselves: its words can't be found in them; `degraded`, ["vector"] when the store is empty
            or can't be searched, or not in time.
        """
        if not vectors.vectors:
            return {"rankings": [], "elsewhere": frozenset(), "degraded": []}
        try:
            ranked = self._budget.run(lambda: self._search(vectors.vectors, filters, top_k or self.top_k, language))
        except (OSError, RuntimeError) as error:
            logger.warning("the vector store can't be searched: %s", error)
            ranked = None
        if ranked is None:
            return {"rankings": [], "elsewhere": frozenset(), "degraded": ["vector"]}
        found, elsewhere = ranked
        rankings = [Ranking(tuple(e), text) for e, text in zip(found, vectors.texts, strict=True)]
        return {"rankings": rankings, "elsewhere": elsewhere, "degraded": []}

    def _search(
        self, vectors: Sequence[np.ndarray], filters: dict[str, Any] | None, top_k: int, asked: str | None
    ) -> tuple[list[list[tuple[str, float]]], frozenset[str]] | None:
        """A ranking for each vector, and the chunks in other languages; None when the store is empty."""
        languages = self._held(vectors[0]) if self.by_language else []
        if len(languages) < 2:
            found = self.document_store.search_many(vectors, filters=filters, top_k=top_k)
            return (found, frozenset()) if any(found) or self.document_store.count_documents() else None
        merged: list[list[tuple[str, float]]] = [[] for _ in vectors]
        elsewhere: set[str] = set()
        by_language = {
            language: self.document_store.search_many(vectors, filters=_within(language, filters), top_k=top_k)
            for language in languages
        }
        for language, rankings in by_language.items():
            for place, (ranking, entries) in enumerate(zip(merged, rankings, strict=True)):
                # A few hits say nothing of how a language's cosines lie.
                scale = (
                    entries if len(entries) >= _FEWEST else [e for each in by_language.values() for e in each[place]]
                )
                ranking.extend(standard_scores(entries, scale))
                if asked and asked not in _GROUPS[language]:
                    elsewhere.update(chunk_id for chunk_id, _ in entries)
        return [best(entries, top_k) for entries in merged], frozenset(elsewhere)

    def _held(self, vector: np.ndarray) -> list[str]:
        """The languages that the store holds, asked again when its count has changed."""
        count = self.document_store.count_documents()
        if self._languages[0] != count:
            held = [
                language
                for language in _GROUPS
                if any(self.document_store.search_many([vector], filters=_within(language, None), top_k=1))
            ]
            self._languages = (count, held)
        return self._languages[1]


def standard_scores(
    entries: Sequence[tuple[str, float]], scale: Sequence[tuple[str, float]] | None = None
) -> list[tuple[str, float]]:
    """
    Scores as z-scores over the first fifty.

    How far a hit stands out among the best of its language can be compared across languages; its cosine can't.

    >>> standard_scores([("a", 0.9), ("b", 0.7)])
    [('a', 1.0), ('b', -1.0)]

    :param entries: (id, score) pairs of one language, best first.
    :param scale: The pairs whose first fifty give mean and deviation; by default the entries.
    :returns: The pairs in the same order; scores that are all the same become 0.
    """
    scores = np.array([score for _, score in (scale or entries)[:_SCALE]], dtype=float)
    mean, deviation = (scores.mean(), scores.std()) if len(scores) else (0.0, 0.0)
    if deviation < 1e-9:
        return [(chunk_id, 0.0) for chunk_id, _ in entries]
    return [(chunk_id, round(float((score - mean) / deviation), 9)) for chunk_id, score in entries]


def _within(language: str, filters: Mapping[str, Any] | None) -> dict[str, Any]:
    condition = {"field": "meta.language", "operator": "in", "value": list(_GROUPS[language])}
    return {"operator": "AND", "conditions": [condition, dict(filters)]} if filters else condition

"""Stands where the vector arm would, when the vectors of an index can't be searched."""

from typing import Any

from haystack import component

from components.retrieval.ranking import Ranking
from components.retrieval.vectors import QueryVectors


@component
class AbsentVectorRetriever:
    """
    Ranks nothing and says so; the vector store, which may be damaged, isn't opened.

    Usage example:

    ```python
    AbsentVectorRetriever().run(vectors=QueryVectors())["degraded"]  # ["vector"]
    ```
    """

    @component.output_types(rankings=list[Ranking], elsewhere=frozenset[str], degraded=list[str])
    def run(
        self,
        vectors: QueryVectors,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        language: str | None = None,
    ) -> dict[str, Any]:
        """
        Rank nothing.

        :param vectors: The query's vectors.
        :param filters: Haystack filters.
        :param top_k: How many chunks a ranking would hold.
        :param language: The query's language.
        :returns: `rankings` and `elsewhere`, which are empty, and `degraded`, ["vector"].
        """
        return {"rankings": [], "elsewhere": frozenset(), "degraded": ["vector"]}

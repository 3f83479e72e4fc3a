"""Lifts what people rated well after questions like the present one."""

import logging
from typing import Any

from haystack import component

from components.analysis.analyzed_text import AnalyzedText
from components.retrieval.ranking import Candidates
from components.retrieval.vectors import QueryVectors
from memory_components.errors import MemoryStoreError
from memory_components.rag_memory_integrator import RAGMemoryIntegrator

logger = logging.getLogger(__name__)


@component
class MemoryBooster:
    """
    Adds what past ratings say to each candidate's score: `final_score = score + memory_boost`.

    The score that comes in has the entities' boosts in it already. Boosts are bounded, see
    `memory_components.boost_rules` and `place_limits`; candidates never leave their tier, and ties are broken by id.
    When the memory can't be read, or there is no vector of the question, candidates stay as they are and `degraded`
    says "memory".

    Usage example:

    ```python
    booster = MemoryBooster(memory=RAGMemoryIntegrator(path="memory.sqlite", embedder=embedder))
    booster.run(candidates=candidates, analysis=analysis, vectors=vectors, user_id="ann")["candidates"]
    ```
    """

    def __init__(self, memory: RAGMemoryIntegrator):
        """
        :param memory: The memory.
        """
        self.memory = memory

    def warm_up(self) -> None:
        """
        Open the memory, once. One that can't be opened is logged, and tried again with each search.
        """
        try:
            self.memory.warm_up()
        except MemoryStoreError as error:
            logger.warning("searches go without memory: %s", error)

    @component.output_types(candidates=Candidates, past_sessions=dict[str, float], degraded=list[str])
    def run(
        self,
        candidates: Candidates,
        analysis: AnalyzedText,
        vectors: QueryVectors,
        user_id: str = "",
        groups: list[str] | None = None,
    ) -> dict[str, Any]:
        """
        Add the boosts.

        :param candidates: Candidates.
        :param analysis: The analysed query.
        :param vectors: The query's vectors; the one of the query itself is used.
        :param user_id: Who asks; "" for someone unknown.
        :param groups: The access groups of who asks.
        :returns: `candidates` in their new order, each with `memory_boost` and `final_score` explained;
            `past_sessions`, the sessions whose ratings acted, with the cosines of their questions; `degraded`.
        """
        if not candidates.items:
            return {"candidates": candidates, "past_sessions": {}, "degraded": []}
        vector = dict(zip(vectors.texts, vectors.vectors, strict=True)).get(analysis.text)
        if vector is None and len(vectors):
            vector = vectors.vectors[0]
        if vector is None:
            return {"candidates": _boosted(candidates, {}), "past_sessions": {}, "degraded": ["memory"]}
        try:
            found = self.memory.compute_memory_boost(
                analysis.text, vector, candidates.items, user_id, frozenset(groups or ())
            )
        except MemoryStoreError as error:
            logger.warning("this search goes without memory: %s", error)
            return {"candidates": _boosted(candidates, {}), "past_sessions": {}, "degraded": ["memory"]}
        past_sessions = dict(found.past_sessions)
        return {"candidates": _boosted(candidates, found.boosts), "past_sessions": past_sessions, "degraded": []}


def _boosted(candidates: Candidates, boosts: Any) -> Candidates:
    return Candidates.sort(
        [
            candidate.rescored(
                candidate.score + boosts.get(candidate.id, 0.0),
                memory_boost=round(boosts.get(candidate.id, 0.0), 6),
                final_score=candidate.score + boosts.get(candidate.id, 0.0),
            )
            for candidate in candidates.items
        ]
    )

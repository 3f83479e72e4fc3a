"""Tells later steps what the names in a question mean."""

import logging
from typing import Any

from haystack import component

from components.analysis.analyzed_text import AnalyzedText
from memory_components.errors import MemoryStoreError
from memory_components.rag_memory_integrator import RAGMemoryIntegrator

logger = logging.getLogger(__name__)


@component
class SemanticEnricher:
    """
    Finds concepts of the domain in a question: those become entities, though no model knows them, and the factors of
    entities that stand for a concept rise to base x (1 + confidence / 2), at most 10.

    When the memory can't be read, entities stay as they are and `degraded` says "memory".

    Usage example:

    ```python
    enricher = SemanticEnricher(memory=memory)
    enricher.run(analysis=analysis)["entities"]  # [{"text": "Kaze", "type": "PRODUCT", "concept": "カゼ", "boost": 6}]
    ```
    """

    def __init__(self, memory: RAGMemoryIntegrator, top_k: int = 5, named_only: bool = True):
        """
        :param memory: The memory.
        :param top_k: How many concepts at most.
        :param named_only: Leave out concepts that the question doesn't name; they cost an embedding.
        :raises ValueError: If `top_k` is below 1.
        """
        if top_k < 1:
            raise ValueError(f"top_k must be 1 or more, not {top_k!r}")
        self.memory = memory
        self.top_k = top_k
        self.named_only = named_only

    def warm_up(self) -> None:
        """Open the memory, once. One that can't be opened is logged, and tried again with each search."""
        try:
            self.memory.warm_up()
        except MemoryStoreError as error:
            logger.warning("searches go without concepts: %s", error)

    @component.output_types(
        entities=list[dict[str, Any]], boosts=dict[str, float], concepts=list[dict[str, Any]], degraded=list[str]
    )
    def run(self, analysis: AnalyzedText, entities: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        """
        Find concepts.

        :param analysis: The analysed query.
        :param entities: Entities that were found already, each with `text` and `type`.
        :returns: `entities`, those that came in and those of concepts, each text once; `boosts`, the enriched factor by
            entity text; `concepts` with name, definition, score and related names; `degraded`.
        """
        given = list(entities or [])
        try:
            context = self.memory.enrich_query_context(analysis.text, self.top_k, self.named_only)
        except MemoryStoreError as error:
            logger.warning("this search goes without concepts: %s", error)
            return {"entities": given, "boosts": {}, "concepts": [], "degraded": ["memory"]}
        named = {entity["text"]: dict(entity) for entity in context.entities}
        kept = [{**entity, **named.pop(entity["text"], {})} for entity in given]
        concepts = [
            {
                "concept": known.concept.name,
                "definition": known.concept.definition,
                "score": round(known.score, 6),
                "matched": known.matched,
                "related": list(known.concept.related),
            }
            for known in context.concepts
        ]
        boosts = {entity["text"]: float(entity["boost"]) for entity in context.entities}
        return {"entities": [*kept, *named.values()], "boosts": boosts, "concepts": concepts, "degraded": []}

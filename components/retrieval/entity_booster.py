"""Raises chunks that hold what the query names."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from haystack import component

from components.query.entity import (
    DATE,
    DOCUMENT_ID,
    EMAIL,
    ORG,
    PERSON,
    PRODUCT,
    PROJECT_ID,
    asked_names,
    normalized_value,
)
from components.retrieval.ranking import Candidates

logger = logging.getLogger(__name__)

FACTORS = {PROJECT_ID: 5.0, DOCUMENT_ID: 5.0, PRODUCT: 4.0, PERSON: 3.0, EMAIL: 3.0, ORG: 2.5, DATE: 2.0}
_FIELD = "meta.entities"


class EntityStore(Protocol):
    """What boosting needs of a keyword store."""

    def ids(self, filters: Mapping[str, Any] | None = None) -> list[str]: ...

    def to_dict(self) -> dict[str, Any]: ...


_GUESS = 0.6  # the score of an entity that is no more than a guess


@component
class EntityBooster:
    """
    Multiplies the scores of chunks that hold an entity of the query; the others keep theirs.

    The factor is that of the entity's type, or the one that semantic memory raised it to; of several entities that a
    chunk holds, the largest; `max_factor` at most. What was only guessed counts as far as it is sure: of what a factor
    adds, an entity with a score of 1 gets all, one of 0.7 a quarter, one of 0.6 or less nothing.

    Usage example:

    ```python
    booster = EntityBooster(document_store=TantivyDocumentStore("index/keyword"))
    entities = recognizer.run(query="EV-2024-001の進捗")["entities"]
    booster.run(candidates=candidates, entities=entities)["candidates"]
    ```
    """

    def __init__(self, document_store: EntityStore, factors: dict[str, float] | None = None, max_factor: float = 10.0):
        """
        :param document_store: The keyword store of the chunks, which have `meta["entities"]` by `EntityRecognizer`.
        :param factors: Factors by entity type; a type that isn't there raises nothing. None for PROJECT_ID and
            DOCUMENT_ID 5, PRODUCT 4, PERSON and EMAIL 3, ORG 2.5, DATE 2.
        :param max_factor: The largest factor.
        :raises ValueError: If a factor is below 1.
        """
        wrong = {name: value for name, value in {**(factors or {}), "max_factor": max_factor}.items() if value < 1}
        if wrong:
            raise ValueError(f"factors must be 1 or more, not {wrong!r}")
        self.document_store = document_store
        self.factors = factors
        self.max_factor = max_factor

    @component.output_types(candidates=Candidates, degraded=list[str])
    def run(
        self,
        candidates: Candidates,
        entities: list[dict[str, Any]] | None = None,
        boosts: dict[str, float] | None = None,
    ) -> dict[str, Any]:
        """
        Boost.

        :param candidates: Candidates.
        :param entities: The query's entities, with `type` and `value`, or `concept` or `text` in place of the value.
        :param boosts: Raised factors by the entities' texts.
        :returns: `candidates` in their new order, with `entity_boost` and `final_score` explained; `degraded`,
            ["keyword"] when the store can't be asked and they keep their scores.
        """
        factors = self._factors(entities or [], boosts or {})
        try:
            held = self._held([candidate.id for candidate in candidates.items], factors)
        except OSError as error:
            # without the names: a log never tells what was searched for
            logger.warning("the keyword store can't be asked for what the query names: %s", error)
            return {"candidates": candidates, "degraded": ["keyword"]}
        boosted = []
        for candidate in candidates.items:
            factor = held.get(candidate.id, 1.0)
            score = candidate.score * factor
            boosted.append(candidate.rescored(score, entity_boost=round(factor, 6), final_score=round(score, 6)))
        return {"candidates": Candidates.sort(boosted), "degraded": []}

    def _factors(self, entities: Sequence[Mapping[str, Any]], boosts: Mapping[str, float]) -> dict[str, float]:
        """The factor of each "TYPE:value" that a chunk may hold."""
        by_type = FACTORS if self.factors is None else self.factors
        found: dict[str, float] = {}
        for entity in entities:
            type_ = str(entity["type"])
            sure = max(float(entity.get("score", 1.0)) - _GUESS, 0.0) / (1 - _GUESS)
            own = 1 + (by_type.get(type_, 1.0) - 1) * sure
            factor = min(max(own, boosts.get(entity["text"], 1.0)), self.max_factor)
            value = entity.get("value") or normalized_value(type_, entity.get("concept") or entity["text"])
            for name in asked_names(type_, value):
                found[name] = max(factor, found.get(name, 1.0))
        return {name: factor for name, factor in found.items() if factor > 1}

    def _held(self, ids: list[str], factors: Mapping[str, float]) -> dict[str, float]:
        """The factor of each chunk that holds an entity: one question a factor, the largest first."""
        found: dict[str, float] = {}
        for factor in sorted(set(factors.values()), reverse=True):
            rest = [name for name in ids if name not in found]
            if not rest:
                break
            names = [name for name, own in factors.items() if own == factor]
            conditions = [
                {"field": "id", "operator": "in", "value": rest},
                {"field": _FIELD, "operator": "in", "value": names},
            ]
            holding = self.document_store.ids({"operator": "AND", "conditions": conditions})
            found.update(dict.fromkeys(holding, factor))
        return found

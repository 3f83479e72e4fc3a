"""Metadata filters as Qdrant Edge filters."""

from collections.abc import Callable
from uuid import UUID

from qdrant_edge import FieldCondition, Filter, HasIdCondition, MatchAny, RangeFloat

from components.stores.qdrant_filters import TOKENS, QdrantFilterBuilder

_CONNECTIVES: dict[str, Callable[[list[Filter]], Filter]] = {
    "AND": lambda filters: Filter(must=list(filters)),
    "OR": lambda filters: Filter(should=list(filters)),
    "NOT": lambda filters: Filter(must_not=list(filters)),
}


class QdrantEdgeFilterBuilder(QdrantFilterBuilder[Filter]):
    """Builds filters for the engine in this process."""

    def has_id(self, points: set[str]) -> Filter:
        ids: set[int | UUID | str] = {*points}
        return Filter(must=[HasIdCondition(ids)])

    def has_token(self, tokens: list[str]) -> Filter:
        return Filter(must=[FieldCondition(TOKENS, match=MatchAny(tokens))])

    def in_range(self, path: str, bounds: dict[str, float]) -> Filter:
        return Filter(must=[FieldCondition(path, range=RangeFloat(**bounds))])

    def logic(self, operator: str, queries: list[Filter]) -> Filter:
        return _CONNECTIVES[operator](queries)

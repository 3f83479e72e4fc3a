"""Metadata filters as a Qdrant server takes them."""

from qdrant_client.models import FieldCondition, Filter, HasIdCondition, MatchAny
from qdrant_client.models import Range as Bounds

from components.stores.qdrant_filters import TOKENS, QdrantFilterBuilder

_CONNECTIVES = {"AND": "must", "OR": "should", "NOT": "must_not"}


class QdrantServerFilterBuilder(QdrantFilterBuilder[Filter]):
    """Builds filters for a server."""

    def has_id(self, points: set[str]) -> Filter:
        return Filter(must=[HasIdCondition(has_id=sorted(points))])

    def has_token(self, tokens: list[str]) -> Filter:
        return Filter(must=[FieldCondition(key=TOKENS, match=MatchAny(any=tokens))])

    def in_range(self, path: str, bounds: dict[str, float]) -> Filter:
        return Filter(must=[FieldCondition(key=path, range=Bounds(**bounds))])

    def logic(self, operator: str, queries: list[Filter]) -> Filter:
        return Filter.model_validate({_CONNECTIVES[operator]: queries})

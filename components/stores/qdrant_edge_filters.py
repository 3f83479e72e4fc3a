"""Metadata filters as Qdrant Edge filters: filter tokens for equality, numbers for ranges."""

from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, UUID, uuid5

from haystack.errors import FilterError
from qdrant_edge import FieldCondition, Filter, HasIdCondition, MatchAny, RangeFloat

from components.stores.filter_tokens import present_token, value_token
from components.stores.filters import ID_FIELD, AnyOf, FilterBuilder, Range, date_number, field_values

TOKENS = "tokens"
NUMBER_PREFIXES = ("number:", "date:")
_BOUNDS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


def point_id(document_id: str) -> str:
    """
    The point of a document, since Qdrant takes only numbers and UUIDs as ids.

    :param document_id: The document's id.
    :returns: A UUID.
    """
    return str(uuid5(NAMESPACE_URL, document_id))


def filter_payload(meta: Mapping[str, Any]) -> dict[str, Any]:
    """
    The part of a point's payload that filters look at.

    :param meta: The document's meta.
    :returns: `tokens`, and a list of numbers for each field that holds some.
    """
    payload: dict[str, Any] = {TOKENS: []}
    for field, values in field_values(meta).items():
        payload[TOKENS].append(present_token(field))
        payload[TOKENS].extend(value_token(field, value) for value in values)
        numbers = [value for value in values if type(value) is float]
        dates = [number for value in values if (number := date_number(value)) is not None]
        if numbers:
            payload[number_key(field, is_date=False)] = numbers
        if dates:
            payload[number_key(field, is_date=True)] = dates
    return payload


def number_key(field: str, is_date: bool) -> str:
    """
    The payload key of a field's numbers.

    :param field: The field.
    :param is_date: Whether the numbers are dates.
    :returns: The key, which holds nothing that would be read as a path.
    """
    return f"{NUMBER_PREFIXES[is_date]}{quote(field, safe='').replace('.', '%2E')}"


class QdrantEdgeFilterBuilder(FilterBuilder[Filter]):
    """
    Builds Qdrant filters from parsed filters.

    :param meta_fields: The fields that were stored; None for all.
    """

    def __init__(self, meta_fields: Collection[str] | None):
        self._meta_fields = meta_fields
        self._connectives: dict[str, Callable[[list[Filter]], Filter]] = {
            "AND": lambda filters: Filter(must=list(filters)),
            "OR": lambda filters: Filter(should=list(filters)),
            "NOT": lambda filters: Filter(must_not=list(filters)),
        }

    def any_of(self, condition: AnyOf) -> Filter:
        if condition.field == ID_FIELD:
            points: set[int | UUID | str] = {point_id(value) for value in condition.values if isinstance(value, str)}
            return Filter(must=[HasIdCondition(points)])
        self._check(condition.field)
        tokens = [value_token(condition.field, value) for value in condition.values if value is not None]
        held = FieldCondition(TOKENS, match=MatchAny(tokens))
        if None not in condition.values:
            return Filter(must=[held])
        present = FieldCondition(TOKENS, match=MatchAny([present_token(condition.field)]))
        return Filter(should=[held, Filter(must_not=[present])])

    def range(self, condition: Range) -> Filter:
        self._check(condition.field)
        key = f'"{number_key(condition.field, condition.is_date)}"'
        bound = RangeFloat(**{_BOUNDS[condition.operator]: condition.bound})
        return Filter(must=[FieldCondition(key, range=bound)])

    def logic(self, operator: str, queries: list[Filter]) -> Filter:
        return self._connectives[operator](queries)

    def _check(self, field: str) -> None:
        if self._meta_fields is not None and field.partition(".")[0] not in self._meta_fields:
            allowed = ", ".join(sorted(self._meta_fields)) or "none"
            raise FilterError(f"the vector store doesn't hold the field {field!r}; it holds: id, {allowed}")

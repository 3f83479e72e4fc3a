"""
Metadata filters for Qdrant's engine, in this process or in a server: filter tokens for equality, numbers for ranges.
"""

from abc import abstractmethod
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from haystack.errors import FilterError

from components.stores.filter_tokens import present_token, value_token
from components.stores.filters import ID_FIELD, AnyOf, FilterBuilder, Query, Range, date_number, field_values

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


def number_keys(payloads: Collection[Mapping[str, Any]]) -> set[str]:
    """
    The payload keys that hold numbers, and so need an index for ranges.

    :param payloads: Payloads of points.
    :returns: The keys.
    """
    return {key for payload in payloads for key in payload if key.startswith(NUMBER_PREFIXES)}


def as_path(key: str) -> str:
    """
    Name a payload key as the engine wants it: in quotes when it holds more than letters, digits, "-" and "_".

    :param key: What `number_key` returned.
    :returns: The path.
    """
    return f'"{key}"'


class QdrantFilterBuilder(FilterBuilder[Query]):
    """
    Builds Qdrant filters from parsed filters, of the classes that the engine or the server's client has for them.

    :param meta_fields: The fields that were stored; None for all.
    """

    def __init__(self, meta_fields: Collection[str] | None):
        self._meta_fields = meta_fields

    def any_of(self, condition: AnyOf) -> Query:
        if condition.field == ID_FIELD:
            return self.has_id({point_id(value) for value in condition.values if isinstance(value, str)})
        self._check(condition.field)
        held = self.has_token([value_token(condition.field, v) for v in condition.values if v is not None])
        if None not in condition.values:
            return held
        absent = self.logic("NOT", [self.has_token([present_token(condition.field)])])
        return self.logic("OR", [held, absent])

    def range(self, condition: Range) -> Query:
        self._check(condition.field)
        path = as_path(number_key(condition.field, condition.is_date))
        return self.in_range(path, {_BOUNDS[condition.operator]: condition.bound})

    @abstractmethod
    def has_id(self, points: set[str]) -> Query:
        """The filter for "it is one of these points"."""

    @abstractmethod
    def has_token(self, tokens: list[str]) -> Query:
        """The filter for "it holds one of these filter tokens"."""

    @abstractmethod
    def in_range(self, path: str, bounds: dict[str, float]) -> Query:
        """The filter for "it holds a number within these bounds": lt, lte, gt or gte."""

    def _check(self, field: str) -> None:
        if self._meta_fields is not None and field.partition(".")[0] not in self._meta_fields:
            allowed = ", ".join(sorted(self._meta_fields)) or "none"
            raise FilterError(f"the vector store doesn't hold the field {field!r}; it holds: id, {allowed}")

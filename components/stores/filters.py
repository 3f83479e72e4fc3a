"""
The one meaning of Haystack's metadata filters that all our stores share.

`parse_filters` checks a filter and turns it into a small tree of conditions, each store turns the tree into its own
query with `FilterBuilder`, and `matches` evaluates it in Python. What a filter means:

- A field is `meta.<name>` (a dot enters a nested dictionary), a bare `<name>` (the same), or `id`.
- A field that is missing, None or an empty list is null; `==` None asks for that.
- A field that holds a list matches when one of its elements does: `==` on a list means "contains".
- `!=` and `not in` are the exact opposites of `==` and `in`, so they match where the field is null.
- Strings, numbers and bools never equal each other; 2 equals 2.0. Numbers are compared as 64-bit floats.
- `<`, `<=`, `>`, `>=` take a number, or a date: an ISO 8601 string, a `date` or a `datetime` (UTC where it names no
  zone). A stored value of the other type doesn't match, and a bound of None matches nothing.
- NOT is the opposite of AND over its conditions.
"""

import math
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Generic, TypeVar

from haystack.errors import FilterError

Scalar = str | float | bool
Query = TypeVar("Query")

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
CONNECTIVES = ("AND", "OR", "NOT")
MAX_DEPTH = 32
ID_FIELD = "<id>"  # the document's own id, which meta may hold another of

_ORDERINGS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NOT_FILTERABLE = ("content", "blob", "embedding", "sparse_embedding", "score", "meta")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d(:\d\d(:\d\d([.,]\d+)?)?)?(Z|[+-]\d\d(:?\d\d)?)?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field holds one of the values; None among them asks for a field that is null."""

    field: str
    values: tuple[Scalar | None, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The field holds a number (a date when `is_date`, as microseconds since 1970) on that side of the bound."""

    field: str
    operator: str
    bound: float
    is_date: bool


@dataclass(frozen=True, slots=True)
class Logic:
    """AND or OR over conditions, or NOT over one."""

    operator: str
    conditions: tuple["Condition", ...]


Condition = AnyOf | Range | Logic


class FilterBuilder(ABC, Generic[Query]):
    """Builds a store's own query from the conditions of a parsed filter: one method a kind of condition."""

    @abstractmethod
    def any_of(self, condition: AnyOf) -> Query:
        """The query for "the field holds one of these values"."""

    @abstractmethod
    def range(self, condition: Range) -> Query:
        """The query for "the field holds a value on that side of the bound"."""

    @abstractmethod
    def logic(self, operator: str, queries: list[Query]) -> Query:
        """AND or OR over queries, or NOT over one."""

    def build(self, condition: Condition) -> Query:
        """
        Build the query for a parsed filter.

        :param condition: What `parse_filters` returned.
        :returns: The store's query.
        """
        if isinstance(condition, AnyOf):
            return self.any_of(condition)
        if isinstance(condition, Range):
            return self.range(condition)
        return self.logic(condition.operator, [self.build(inner) for inner in condition.conditions])


def parse_filters(filters: Mapping[str, Any] | None) -> Condition | None:
    """
    Check a Haystack filter and turn it into a tree of conditions.

    ```python
    parse_filters({"field": "meta.source", "operator": "!=", "value": "MPEP"})
    # Logic("NOT", (AnyOf("source", ("MPEP",)),))
    ```

    :param filters: The filter; None or an empty one for no restriction.
    :returns: The condition, or None for no restriction.
    :raises FilterError: If the filter is malformed; the message names the field, the operator and what is allowed.
    """
    return _parse(filters, 1) if filters else None


def matches(meta: Mapping[str, Any], filters: Mapping[str, Any] | None, document_id: str = "") -> bool:
    """
    Tell whether a document matches a filter, without any store.

    :param meta: The document's meta.
    :param filters: The filter; None or an empty one matches everything.
    :param document_id: The document's id, for filters on `id`.
    :returns: Whether it matches.
    :raises FilterError: If the filter is malformed.
    """
    condition = parse_filters(filters)
    return condition is None or _holds({**field_values(meta), ID_FIELD: [document_id]}, condition)


def field_values(meta: Mapping[str, Any]) -> dict[str, list[Scalar]]:
    """
    What each field of a document holds, as filters see it.

    :param meta: The document's meta.
    :returns: Dotted field name -> its values; fields that are null are left out, and so are values of other types.
    """
    values: dict[str, list[Scalar]] = {}
    for field, value in _flatten(meta, ""):
        if isinstance(value, list | tuple | set | frozenset):
            scalars = [scalar for item in value if (scalar := _scalar(item)) is not None]
        else:
            scalars = [] if (scalar := _scalar(value)) is None else [scalar]
        if scalars:
            values.setdefault(field, []).extend(scalars)
    return values


def date_number(value: Scalar) -> float | None:
    """
    A date as a number that sorts like it.

    :param value: A field's value.
    :returns: Microseconds since 1970 in UTC, or None when the value isn't an ISO 8601 date.
    """
    if not isinstance(value, str) or not _ISO_DATE.fullmatch(value):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    difference = moment - _EPOCH
    return float((difference.days * 86_400 + difference.seconds) * 1_000_000 + difference.microseconds)


def _flatten(meta: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in meta.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _scalar(value: Any) -> Scalar | None:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        with suppress(OverflowError):
            return float(value) if math.isfinite(value) else None
    if isinstance(value, date):
        return value.isoformat()
    return None


def _holds(values: Mapping[str, list[Scalar]], condition: Condition) -> bool:
    if isinstance(condition, AnyOf):
        held = values.get(condition.field)
        if held is None:
            return None in condition.values
        # bool is an int in Python, so types are compared too
        return any(type(a) is type(b) and a == b for a in held for b in condition.values)
    if isinstance(condition, Range):
        compare = _ORDERINGS[condition.operator]
        held = values.get(condition.field, [])
        numbers = [date_number(value) for value in held] if condition.is_date else [v for v in held if type(v) is float]
        return any(number is not None and compare(number, condition.bound) for number in numbers)
    results = (_holds(values, inner) for inner in condition.conditions)
    return any(results) if condition.operator == "OR" else all(results) is (condition.operator == "AND")


def _parse(filters: Any, depth: int) -> Condition:
    if depth > MAX_DEPTH:
        raise FilterError(f"the filter is nested deeper than {MAX_DEPTH} levels")
    if not isinstance(filters, Mapping):
        raise FilterError(f"a filter must be a dictionary, not {filters!r}")
    if "field" in filters:
        return _parse_comparison(filters)
    if "operator" not in filters:
        raise FilterError(f"'operator' is missing in the filter {dict(filters)!r}")
    name, conditions = filters["operator"], filters.get("conditions")
    if name in COMPARISONS:
        raise FilterError(f"'field' is missing in the filter {dict(filters)!r}")
    if name not in CONNECTIVES:
        raise FilterError(f"unknown operator {name!r}; allowed are {', '.join((*CONNECTIVES, *COMPARISONS))}")
    if not isinstance(conditions, list | tuple) or not conditions:
        raise FilterError(f"{name} needs 'conditions', a list of at least one filter, not {conditions!r}")
    parsed = tuple(_parse(inner, depth + 1) for inner in conditions)
    if name != "NOT":
        return Logic(name, parsed)
    return Logic("NOT", (parsed[0] if len(parsed) == 1 else Logic("AND", parsed),))


def _parse_comparison(filters: Mapping[str, Any]) -> Condition:
    field = filters["field"]
    if not isinstance(field, str) or not field.removeprefix("meta.") or field in _NOT_FILTERABLE:
        raise FilterError(f"can't filter on the field {field!r}; allowed are 'id' and 'meta.<name>'")
    for key in ("operator", "value"):
        if key not in filters:
            raise FilterError(f"{key!r} is missing in the filter on {field!r}")
    name, value = filters["operator"], filters["value"]
    if name not in COMPARISONS:
        raise FilterError(f"unknown operator {name!r} for the field {field!r}; allowed are {', '.join(COMPARISONS)}")
    if field == "id" and name in _ORDERINGS:
        raise FilterError(f"unknown operator {name!r} for the field 'id'; allowed are ==, !=, in, not in")
    where = f"{field} {name}"
    field = ID_FIELD if field == "id" else field.removeprefix("meta.")
    if name in _ORDERINGS:
        return _parse_range(where, field, name, value)
    if name in ("in", "not in"):
        if not isinstance(value, list):
            raise FilterError(f"{where}: the value must be a list, not {value!r}")
        condition: Condition = AnyOf(field, tuple(_operand(where, item) for item in value))
    else:
        condition = AnyOf(field, (_operand(where, value),))
    return condition if name in ("==", "in") else Logic("NOT", (condition,))


def _operand(where: str, value: Any) -> Scalar | None:
    scalar = _scalar(value)
    if scalar is None and value is not None:
        raise FilterError(f"{where}: {value!r} is not allowed; compare with a string, number, bool, date or None")
    return scalar


def _parse_range(where: str, field: str, name: str, value: Any) -> Condition:
    if value is None:
        return AnyOf(field, ())
    bound = _scalar(value)
    moment = date_number(bound) if bound is not None else None
    if moment is not None:
        return Range(field, name, moment, is_date=True)
    if not isinstance(bound, float):
        raise FilterError(f"{where}: {value!r} is not allowed; compare with a number or an ISO 8601 date")
    return Range(field, name, bound, is_date=False)

"""
Metadata filters for Tantivy: every value of every field becomes one exact token in the field `_filters`, and filters
become queries over those tokens, so that any meta field can be filtered on without being declared.
"""

import hashlib
import re
import struct
from collections.abc import Callable, Mapping
from typing import Any

from tantivy import Occur, Query, Schema

from components.stores.filters import (
    ID_FIELD,
    AnyOf,
    FilterBuilder,
    Range,
    Scalar,
    date_number,
    field_values,
)

FILTER_FIELD = "_filters"
_SEPARATOR = "\x1f"
_LONGEST_STRING = 256
_DIGITS = "0123456789abcdef"


def filter_tokens(document_id: str, meta: Mapping[str, Any]) -> list[str]:
    """
    The tokens that make a document filterable.

    :param document_id: The document's id.
    :param meta: The document's meta.
    :returns: One token for each value, one more for each date, and one for each field that isn't null.
    """
    tokens = [_value_token(ID_FIELD, document_id), _present_token(ID_FIELD)]
    for field, values in field_values(meta).items():
        tokens.append(_present_token(field))
        for value in values:
            tokens.append(_value_token(field, value))
            number = date_number(value)
            if number is not None:
                tokens.append(_number_token(field, number, is_date=True))
    return tokens


class TantivyFilterBuilder(FilterBuilder[Query]):
    """
    Builds Tantivy queries from parsed filters.

    :param schema: The index's schema.
    """

    def __init__(self, schema: Schema):
        self._schema = schema
        self._connectives: dict[str, Callable[[list[Query]], Query]] = {"AND": _all, "OR": _any, "NOT": _none}

    def any_of(self, condition: AnyOf) -> Query:
        tokens = [_value_token(condition.field, value) for value in condition.values if value is not None]
        queries = [self._token(token) for token in tokens]
        if None in condition.values:
            queries.append(_none([self._token(_present_token(condition.field))]))
        return _any(queries)

    def range(self, condition: Range) -> Query:
        kind = _number_kind(condition.is_date)
        pattern = _hex_range(_sortable_hex(condition.bound), condition.operator)
        if not pattern:
            return Query.empty_query()
        start = re.escape(f"{condition.field}{_SEPARATOR}{kind}")
        return Query.regex_query(self._schema, FILTER_FIELD, start + pattern)

    def logic(self, operator: str, queries: list[Query]) -> Query:
        return self._connectives[operator](queries)

    def _token(self, token: str) -> Query:
        return Query.term_query(self._schema, FILTER_FIELD, token, "basic")


def _all(queries: list[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def _any(queries: list[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries]) if queries else Query.empty_query()


def _none(queries: list[Query]) -> Query:
    excluded = [(Occur.MustNot, query) for query in queries]
    return Query.boolean_query([(Occur.Must, Query.all_query()), *excluded])


def _present_token(field: str) -> str:
    return f"{field}{_SEPARATOR}e"


def _value_token(field: str, value: Scalar) -> str:
    if isinstance(value, bool):
        return f"{field}{_SEPARATOR}b{int(value)}"
    if isinstance(value, float):
        return _number_token(field, value, is_date=False)
    if len(value) > _LONGEST_STRING:
        # a token may not grow without bound, and filters only ever compare strings for equality
        return f"{field}{_SEPARATOR}h{hashlib.blake2b(value.encode(), digest_size=16).hexdigest()}"
    return f"{field}{_SEPARATOR}s{value}"


def _number_token(field: str, number: float, is_date: bool) -> str:
    return f"{field}{_SEPARATOR}{_number_kind(is_date)}{_sortable_hex(number)}"


def _number_kind(is_date: bool) -> str:
    return "d" if is_date else "n"


def _sortable_hex(number: float) -> str:
    """Sixteen hexadecimal digits that sort as text as the numbers do."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))  # + 0.0 makes -0.0 equal 0.0
    bits = bits ^ 0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else bits | 0x8000_0000_0000_0000
    return f"{bits:016x}"


def _hex_range(bound: str, operator: str) -> str:
    """A regular expression for all hexadecimal numbers of the bound's length that lie on that side of it."""
    above = operator in (">", ">=")
    pattern = bound[-1] if operator in ("<=", ">=") else ""
    for position in range(len(bound) - 1, -1, -1):
        # numbers that leave the bound's digits here; numbers that follow them further
        value = int(bound[position], 16)
        leaving = _DIGITS[value + 1 :] if above else _DIGITS[:value]
        following = bound[position] + pattern if position < len(bound) - 1 and pattern else pattern
        pattern = "|".join(part for part in (f"[{leaving}]" if leaving else "", following) if part)
        pattern = f"({pattern})" if "|" in pattern else pattern
    return f"{pattern}[{_DIGITS}]*" if pattern else ""

"""Metadata filters as Tantivy queries over filter tokens."""

import re
from collections.abc import Callable

from tantivy import Occur, Query, Schema

from components.stores.filter_tokens import number_prefix, present_token, sortable_hex, value_token
from components.stores.filters import ID_FIELD, AnyOf, FilterBuilder, Range

_DIGITS = "0123456789abcdef"


class TantivyFilterBuilder(FilterBuilder[Query]):
    """
    Builds Tantivy queries from parsed filters.

    :param schema: The index's schema.
    :param id_field: The index's field for document ids.
    :param token_field: Its field for filter tokens.
    """

    def __init__(self, schema: Schema, id_field: str, token_field: str):
        self._schema = schema
        self._id_field = id_field
        self._token_field = token_field
        self._connectives: dict[str, Callable[[list[Query]], Query]] = {"AND": _all, "OR": _any, "NOT": _none}

    def any_of(self, condition: AnyOf) -> Query:
        values = [value for value in condition.values if value is not None]
        if condition.field == ID_FIELD:
            return _any([self._term(self._id_field, value) for value in values if isinstance(value, str)])
        queries = [self._term(self._token_field, value_token(condition.field, value)) for value in values]
        if None in condition.values:
            queries.append(_none([self._term(self._token_field, present_token(condition.field))]))
        return _any(queries)

    def range(self, condition: Range) -> Query:
        pattern = _hex_range(sortable_hex(condition.bound), condition.operator)
        prefix = re.escape(number_prefix(condition.field, condition.is_date))
        return Query.regex_query(self._schema, self._token_field, prefix + pattern)

    def logic(self, operator: str, queries: list[Query]) -> Query:
        return self._connectives[operator](queries)

    def _term(self, field: str, term: str) -> Query:
        return Query.term_query(self._schema, field, term, "basic")


def _all(queries: list[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def _any(queries: list[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries]) if queries else Query.empty_query()


def _none(queries: list[Query]) -> Query:
    excluded = [(Occur.MustNot, query) for query in queries]
    return Query.boolean_query([(Occur.Must, Query.all_query()), *excluded])


def _hex_range(bound: str, operator: str) -> str:
    """
    A regular expression for all hexadecimal numbers of the bound's length that lie on that side of it.

    The bound of a finite number is never all zeros or all ones, so there always are some.
    """
    above = operator in (">", ">=")
    pattern = bound[-1] if operator in ("<=", ">=") else ""
    for position in range(len(bound) - 1, -1, -1):
        # numbers that leave the bound's digits here; numbers that follow them further
        value = int(bound[position], 16)
        leaving = _DIGITS[value + 1 :] if above else _DIGITS[:value]
        following = bound[position] + pattern if position < len(bound) - 1 and pattern else pattern
        pattern = "|".join(part for part in (f"[{leaving}]" if leaving else "", following) if part)
        pattern = f"({pattern})" if "|" in pattern else pattern
    return f"{pattern}[{_DIGITS}]*"

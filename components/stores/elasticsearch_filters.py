"""
Metadata filters as Elasticsearch queries over filter tokens.

All meta fields of a document are tokens of one keyword field, as in the Tantivy store, and not fields of the index's
mapping: so a filter means the same in every store (2 is no "2", a list holds each of its elements, null is null), any
field can be filtered on without declaring it, and no document is refused because a field was a number before. Numbers
and dates are tokens that sort as text as they do as numbers, so ranges are range queries over tokens.
"""

from itertools import islice
from typing import Any

from components.stores.filter_tokens import number_prefix, present_token, sortable_hex, value_token
from components.stores.filters import ID_FIELD, AnyOf, FilterBuilder, Range

Query = dict[str, Any]

ID = "id"
FILTERS = "filters"

_MOST_TERMS = 50_000  # the server takes 65,536 in one query
_AFTER_HEX = "g"


class ElasticsearchFilterBuilder(FilterBuilder[Query]):
    """
    Builds Elasticsearch queries from parsed filters.

    ```python
    ElasticsearchFilterBuilder().build(parse_filters({"field": "id", "operator": "in", "value": ["1", "2"]}))
    # {"terms": {"id": ["1", "2"]}}
    ```
    """

    def any_of(self, condition: AnyOf) -> Query:
        values = [value for value in condition.values if value is not None]
        if condition.field == ID_FIELD:
            return terms_query(ID, [value for value in values if isinstance(value, str)])
        query = terms_query(FILTERS, [value_token(condition.field, value) for value in values])
        if None not in condition.values:
            return query
        null = _bool("must_not", [{"term": {FILTERS: present_token(condition.field)}}])
        return _bool("should", [query, null]) if values else null

    def range(self, condition: Range) -> Query:
        prefix = number_prefix(condition.field, condition.is_date)
        bound = prefix + sortable_hex(condition.bound)
        # One token has to lie between both ends, so that those of other fields and types are never in between.
        ends = {
            ">": {"gt": bound, "lt": prefix + _AFTER_HEX},
            ">=": {"gte": bound, "lt": prefix + _AFTER_HEX},
            "<": {"gte": prefix, "lt": bound},
            "<=": {"gte": prefix, "lte": bound},
        }
        return {"range": {FILTERS: ends[condition.operator]}}

    def logic(self, operator: str, queries: list[Query]) -> Query:
        if operator == "NOT":
            return _negated(queries[0])
        return _all(queries) if operator == "AND" else _any(queries)


def terms_query(field: str, values: list[str]) -> Query:
    """
    Documents that hold one of some terms.

    :param field: A keyword field of the index.
    :param values: The terms, any number of them.
    :returns: The query.
    """
    if not values:
        return {"match_none": {}}
    rest = iter(values)
    queries: list[Query] = []
    while part := list(islice(rest, _MOST_TERMS)):
        queries.append({"terms": {field: part}})
    return queries[0] if len(queries) == 1 else _bool("should", queries)


def depth(query: Query) -> int:
    """
    How many levels of connectives a query has.

    :param query: A query that the builder made.
    :returns: The number; 0 for a single comparison.
    """
    inner = [part for parts in query.get("bool", {}).values() for part in parts]
    return 1 + max(map(depth, inner)) if inner else 0


def _bool(occur: str, queries: list[Query]) -> Query:
    return {"bool": {occur: queries}}


# What can be said in one level is, since servers take 20 or 30 levels only: AND and NOT within AND, OR within OR, and
# NOT within NOT.
def _all(queries: list[Query]) -> Query:
    merged: dict[str, list[Query]] = {}
    for query in queries:
        inner = query.get("bool", {})
        parts = inner if inner and "should" not in inner else {"filter": [query]}
        for occur, some in parts.items():
            merged.setdefault(occur, []).extend(some)
    return {"bool": merged}


def _any(queries: list[Query]) -> Query:
    merged: list[Query] = []
    for query in queries:
        merged += query.get("bool", {}).get("should", [query])
    return _bool("should", merged)


def _negated(query: Query) -> Query:
    inner = query.get("bool", {})
    if list(inner) == ["must_not"] and len(inner["must_not"]) == 1:
        return inner["must_not"][0]
    return _bool("must_not", [query])

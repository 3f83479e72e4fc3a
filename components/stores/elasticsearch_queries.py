"""Searches of the keyword store as the JSON that Elasticsearch and OpenSearch take."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from haystack.errors import FilterError

from components.stores.elasticsearch_filters import ID, ElasticsearchFilterBuilder, depth, terms_query
from components.stores.filters import Condition
from components.stores.term_clause import Phrase

Query = dict[str, Any]
Weights = Mapping[tuple[str, str], float]

TEXT = "text"  # the object that holds the text fields, so that their names never meet ours


_MOST_LEVELS = 28  # Elasticsearch takes 30, one of them for what a filter is put into


def text_path(field: str) -> str:
    """
    Where a text field is in the index.

    :param field: The text field.
    :returns: Its path.
    """
    return f"{TEXT}.{field}"


def search_query(weights: Weights, phrases: Sequence[Phrase] = (), condition: Condition | None = None) -> Query | None:
    """
    Documents with at least one of the terms, or with all phrases when there are some.

    :param weights: (text field, term) -> weight; the terms make the score.
    :param phrases: (text field, tokens in a row); they make the score only when there are no terms.
    :param condition: The parsed filter; it adds no score.
    :returns: The query, or None when nothing is asked for.
    """
    exact = [_phrase_query(field, tokens) for field, tokens in phrases]
    if not weights and not exact:
        return None
    clauses: dict[str, Any] = {"filter": [] if condition is None else [filter_query(condition)]}
    if not weights:
        clauses["must"] = exact
    else:
        clauses |= {"should": _term_queries(weights), "minimum_should_match": 0 if exact else 1}
        clauses["filter"] += exact
    return {"bool": {name: value for name, value in clauses.items() if value != []}}


def score_query(ids: Sequence[str], weights: Weights) -> Query:
    """
    Documents that were chosen before, which needn't match what they are scored by.

    :param ids: The documents' ids.
    :param weights: (text field, term) -> weight.
    :returns: The query.
    """
    return {"bool": {"filter": [id_query(ids)], "should": _term_queries(weights), "minimum_should_match": 1}}


def filter_query(condition: Condition | None) -> Query:
    """
    The documents that match a filter.

    :param condition: The parsed filter; None for all documents.
    :returns: The query.
    :raises FilterError: If it nests AND and OR deeper than a server takes.
    """
    if condition is None:
        return {"match_all": {}}
    query = ElasticsearchFilterBuilder().build(condition)
    if depth(query) > _MOST_LEVELS:
        raise FilterError(f"the filter nests AND and OR deeper than {_MOST_LEVELS} levels, which the server takes")
    return query


def id_query(ids: Iterable[str]) -> Query:
    """
    The documents with some ids.

    :param ids: The ids.
    :returns: The query.
    """
    return terms_query(ID, list(ids))


def frequency_search(field: str, terms: Sequence[str]) -> dict[str, Any]:
    """
    A search that counts the documents with each term.

    :param field: The text field.
    :param terms: The terms; a server takes 1,024.
    :returns: The body; `aggregations.terms.buckets` of the answer has one `doc_count` a term, in their order.
    """
    filters = [{"term": {text_path(field): term}} for term in terms]
    return {"size": 0, "track_total_hits": False, "aggs": {"terms": {"filters": {"filters": filters}}}}


def _term_queries(weights: Weights) -> list[Query]:
    return [{"term": {text_path(field): {"value": term, "boost": weight}}} for (field, term), weight in weights.items()]


def _phrase_query(field: str, tokens: Sequence[str]) -> Query:
    if len(tokens) == 1:
        [query] = _term_queries({(field, tokens[0]): 1.0})
        return query
    phrase = {"query": " ".join(tokens), "analyzer": "whitespace"}
    return {"match_phrase": {text_path(field): phrase}}

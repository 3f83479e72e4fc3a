"""Searches and filters as the JSON that is sent."""

from itertools import chain
from typing import Any

import pytest

from components.stores.elasticsearch_filters import ElasticsearchFilterBuilder, terms_query
from components.stores.elasticsearch_queries import score_query, search_query
from components.stores.filters import parse_filters

CLAIM = {"term": {"text.words": {"value": "claim", "boost": 2.0}}}
TITLE = {"term": {"text.title": {"value": "claim", "boost": 0.5}}}
PHRASE = {"match_phrase": {"text.words": {"query": "written description", "analyzer": "whitespace"}}}
WEIGHTS = {("words", "claim"): 2.0, ("title", "claim"): 0.5}
PHRASES = [("words", ["written", "description"])]
MANUAL = {"field": "meta.kind", "operator": "==", "value": "manual"}
IS_MANUAL = {"terms": {"filters": ["kind\x1fsmanual"]}}
NULL = {"bool": {"must_not": [{"term": {"filters": "kind\x1fe"}}]}}


@pytest.mark.parametrize(
    ("weights", "phrases", "filters", "expected"),
    [
        ({}, [], MANUAL, None),
        (WEIGHTS, [], None, {"should": [CLAIM, TITLE], "minimum_should_match": 1}),
        (WEIGHTS, [], MANUAL, {"filter": [IS_MANUAL], "should": [CLAIM, TITLE], "minimum_should_match": 1}),
        (WEIGHTS, PHRASES, None, {"filter": [PHRASE], "should": [CLAIM, TITLE], "minimum_should_match": 0}),
        ({}, PHRASES, MANUAL, {"filter": [IS_MANUAL], "must": [PHRASE]}),
        ({}, [("words", ["claim"])], None, {"must": [{"term": {"text.words": {"value": "claim", "boost": 1.0}}}]}),
    ],
)
def test_search_query(weights: Any, phrases: Any, filters: Any, expected: Any) -> None:
    query = search_query(weights, phrases, parse_filters(filters))
    assert query == (None if expected is None else {"bool": expected})


def test_score_query() -> None:
    assert score_query(["1", "2"], WEIGHTS) == {
        "bool": {"filter": [{"terms": {"id": ["1", "2"]}}], "should": [CLAIM, TITLE], "minimum_should_match": 1}
    }


@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("id", "in", ["1", "2"], {"terms": {"id": ["1", "2"]}}),
        ("id", "==", 1, {"match_none": {}}),
        ("meta.kind", "==", "manual", IS_MANUAL),
        ("meta.kind", "in", ["a", 0.0], {"terms": {"filters": ["kind\x1fsa", "kind\x1fn8000000000000000"]}}),
        ("meta.kind", "in", [], {"match_none": {}}),
        ("meta.kind", "==", None, NULL),
        ("meta.kind", "in", [None, "manual"], {"bool": {"should": [IS_MANUAL, NULL]}}),
        ("meta.kind", "!=", "manual", {"bool": {"must_not": [IS_MANUAL]}}),
        ("meta.kind", "!=", None, {"term": {"filters": "kind\x1fe"}}),
        # a range ends where the field's tokens of that type end
        ("meta.year", ">", 0, {"range": {"filters": {"gt": "year\x1fn8000000000000000", "lt": "year\x1fng"}}}),
        ("meta.year", ">=", 0, {"range": {"filters": {"gte": "year\x1fn8000000000000000", "lt": "year\x1fng"}}}),
        ("meta.year", "<", 0, {"range": {"filters": {"gte": "year\x1fn", "lt": "year\x1fn8000000000000000"}}}),
        (
            "meta.day",
            "<=",
            "1970-01-01",
            {"range": {"filters": {"gte": "day\x1fd", "lte": "day\x1fd8000000000000000"}}},
        ),
    ],
)
def test_comparisons(field: str, operator: str, value: Any, expected: dict[str, Any]) -> None:
    condition = parse_filters({"field": field, "operator": operator, "value": value})
    assert condition is not None
    assert ElasticsearchFilterBuilder().build(condition) == expected


OTHER = {"field": "meta.kind", "operator": "==", "value": "rule"}
IS_OTHER = {"terms": {"filters": ["kind\x1fsrule"]}}


def logic(operator: str, *conditions: Any) -> dict[str, Any]:
    return {"operator": operator, "conditions": list(conditions)}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (logic("AND", MANUAL, OTHER), {"filter": [IS_MANUAL, IS_OTHER]}),
        (logic("OR", MANUAL, OTHER), {"should": [IS_MANUAL, IS_OTHER]}),
        (logic("NOT", MANUAL, OTHER), {"must_not": [{"bool": {"filter": [IS_MANUAL, IS_OTHER]}}]}),
        # what fits on one level
        (logic("AND", logic("AND", MANUAL, OTHER), MANUAL), {"filter": [IS_MANUAL, IS_OTHER, IS_MANUAL]}),
        (logic("AND", MANUAL, logic("NOT", OTHER)), {"filter": [IS_MANUAL], "must_not": [IS_OTHER]}),
        (logic("AND", logic("NOT", MANUAL), logic("NOT", OTHER)), {"must_not": [IS_MANUAL, IS_OTHER]}),
        (logic("OR", logic("OR", MANUAL, OTHER), MANUAL), {"should": [IS_MANUAL, IS_OTHER, IS_MANUAL]}),
        (logic("NOT", logic("NOT", logic("OR", MANUAL, OTHER))), {"should": [IS_MANUAL, IS_OTHER]}),
        # and what doesn't
        (logic("AND", logic("OR", MANUAL, OTHER)), {"filter": [{"bool": {"should": [IS_MANUAL, IS_OTHER]}}]}),
        (logic("OR", logic("NOT", MANUAL)), {"should": [{"bool": {"must_not": [IS_MANUAL]}}]}),
    ],
)
def test_connectives(filters: Any, expected: dict[str, Any]) -> None:
    condition = parse_filters(filters)
    assert condition is not None
    assert ElasticsearchFilterBuilder().build(condition) == {"bool": expected}


def test_more_values_than_a_query_takes_are_split() -> None:
    values = [str(number) for number in range(120_000)]
    parts = [clause["terms"]["id"] for clause in terms_query("id", values)["bool"]["should"]]
    assert [len(part) for part in parts] == [50_000, 50_000, 20_000]
    assert list(chain(*parts)) == values

"""What a search over company documents takes."""

from typing import Any

import pytest

from pipelines.errors import ArgumentError
from pipelines.rag_arguments import check_filters, check_language, check_query, check_top_k

FIELDS = ["department", "project_id"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", r"Query is too short \(min 2 characters\)"),
        (" 休 ", r"Query is too short \(min 2 characters\)"),
        ("\u200b\u200b\u200b", r"Query is too short \(min 2 characters\)"),
        ("休" * 10_001, r"Query is too long \(max 10,000 characters\)"),
        (None, "query: null is not allowed"),
    ],
)
def test_queries_that_are_refused(query: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as raised:
        check_query(query)
    assert raised.value.argument == "query"


def test_queries() -> None:
    assert check_query("　休み ") == "休み"


@pytest.mark.parametrize("top_k", [0, 51, True, "5", None, 2.0])
def test_top_k_that_is_refused(top_k: Any) -> None:
    with pytest.raises(ArgumentError, match=r"top_k: .* it must be an integer from 1 to 50"):
        check_top_k(top_k)


def test_languages() -> None:
    assert check_language("auto") == "auto"
    with pytest.raises(ArgumentError, match="language: 'fr' is not allowed; it must be one of auto, ja, en, ko, mixed"):
        check_language("fr")


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"field": "meta.salary", "operator": "==", "value": 1}, "there is no field 'meta.salary' to filter by"),
        ({"field": "department", "operator": "==", "value": "x"}, "there is no field 'department' to filter by"),
        ({"field": "meta.department", "operator": "~", "value": "x"}, "filters: .*'~'"),
        (["meta.department"], "filters: .* is not allowed"),
        (
            {
                "operator": "NOT",
                "conditions": [
                    {"field": "meta.department", "operator": "==", "value": "a"},
                    {"field": "meta.pay", "operator": "==", "value": "a"},
                ],
            },
            "there is no field 'meta.pay'",
        ),
    ],
)
def test_filters_that_are_refused(filters: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as raised:
        check_filters(filters, FIELDS)
    assert raised.value.argument == "filters"


def test_filters() -> None:
    filters = {"field": "meta.department", "operator": "==", "value": "営業部"}

    assert check_filters(filters, FIELDS) == filters
    assert check_filters(None, FIELDS) is None
    assert check_filters({}, FIELDS) is None

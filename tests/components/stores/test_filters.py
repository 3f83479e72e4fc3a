"""What filters mean: one table for the plain evaluator and for every store."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.errors import FilterError

from components.stores.filters import COMPARISONS, MAX_DEPTH, matches, parse_filters
from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore
from tests.components.stores.opened_stores import IN_MEMORY, STORES, ServerUrl

DOCUMENTS = {
    "a": {"kind": "manual", "year": 2019, "score": 0.5, "day": "2019-07-21", "law": True, "tags": ["x", "y"]},
    "b": {"kind": "statute", "year": 2020, "score": 2, "day": "2020-01-01T12:00:00+09:00", "law": False, "tags": ["y"]},
    "c": {"kind": "manual", "year": -5, "score": -1.5, "day": "1969-12-31T23:59:59.5Z", "tags": []},
    "d": {"kind": None, "year": "2019", "day": "yesterday", "person": {"name": "Kim", "born": 1970}},
    "e": {"kind": ["manual", "rule"], "year": [1, 3000], "day": ["2020-06-01", "n/a"], "tags": "x", "law": 1},
    "f": {"kind": 'a "b" (c): d\x1f.*', 'we.ird k"ey': "v", "long": "k" * 5000, "score": 0},
    "g": {},
}

SAMPLES = [Document(id=i, content=i, meta=meta, embedding=[1.0, 0.0]) for i, meta in DOCUMENTS.items()]

Matching = Callable[[dict[str, Any] | None], list[str]]


@pytest.fixture(scope="module", params=["evaluator", *STORES, *IN_MEMORY])
def matching(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, search_server: ServerUrl
) -> Iterator[Matching]:
    if request.param == "evaluator":
        yield lambda filters: [d.id for d in SAMPLES if matches(d.meta, filters, d.id)]
        return
    with {**STORES, **IN_MEMORY}[request.param](tmp_path_factory.mktemp(request.param), search_server) as new:
        store = new()
        store.write_documents(SAMPLES)
        yield store.ids


def f(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def logic(operator: str, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {"operator": operator, "conditions": list(conditions)}


CASES: list[tuple[dict[str, Any] | None, str]] = [
    (None, "abcdefg"),
    ({}, "abcdefg"),
    # equality of strings; a list holds each of its elements; a missing field differs from everything
    (f("meta.kind", "==", "manual"), "ace"),
    (f("kind", "==", "manual"), "ace"),
    (f("meta.kind", "!=", "manual"), "bdfg"),
    (f("meta.kind", "==", "Manual"), ""),
    (f("meta.tags", "==", "x"), "ae"),
    (f("meta.tags", "!=", "x"), "bcdfg"),
    (f("meta.kind", "==", 'a "b" (c): d\x1f.*'), "f"),
    (f('meta.we.ird k"ey', "==", "v"), "f"),
    (f("meta.long", "==", "k" * 5000), "f"),
    (f("meta.long", "==", "k" * 4999), ""),
    # numbers, strings and bools never equal each other
    (f("meta.year", "==", 2019), "a"),
    (f("meta.year", "==", "2019"), "d"),
    (f("meta.score", "==", 2.0), "b"),
    (f("meta.score", "==", -0.0), "f"),
    (f("meta.law", "==", True), "a"),
    (f("meta.law", "==", 1), "e"),
    (f("meta.law", "==", False), "b"),
    (f("meta.law", "!=", True), "bcdefg"),
    # null: missing, None or an empty list
    (f("meta.kind", "==", None), "dg"),
    (f("meta.kind", "!=", None), "abcef"),
    (f("meta.tags", "==", None), "cdfg"),
    (f("meta.nothing", "==", None), "abcdefg"),
    (f("meta.nothing", "!=", None), ""),
    # in, not in
    (f("meta.kind", "in", ["statute", "rule"]), "be"),
    (f("meta.kind", "not in", ["statute", "rule"]), "acdfg"),
    (f("meta.year", "in", [2019, "2019", 3000]), "ade"),
    (f("meta.law", "in", [True, None]), "acdfg"),
    (f("meta.law", "not in", [True, None]), "be"),
    (f("meta.law", "in", [1, True]), "ae"),
    (f("meta.kind", "in", []), ""),
    (f("meta.kind", "not in", []), "abcdefg"),
    # numbers in order
    (f("meta.year", ">", 2019), "be"),
    (f("meta.year", ">=", 2019), "abe"),
    (f("meta.year", "<", 2019), "ce"),
    (f("meta.year", "<=", 2019), "ace"),
    (f("meta.score", ">", -1.5), "abf"),
    (f("meta.score", ">=", -1.5), "abcf"),
    (f("meta.score", "<", 0), "c"),
    (f("meta.score", "<=", 0), "cf"),
    (f("meta.year", ">", None), ""),
    (f("meta.law", ">=", 0), "e"),
    # dates in order, in UTC where they name no zone; the string itself for equality
    (f("meta.day", ">", "2020-01-01"), "be"),
    (f("meta.day", ">", "2020-01-01T03:00:00Z"), "e"),
    (f("meta.day", ">=", "2020-01-01T03:00:00Z"), "be"),
    (f("meta.day", "<", "1970-01-01"), "c"),
    (f("meta.day", "<=", "1969-12-31T23:59:59.499Z"), ""),
    (f("meta.day", "<=", date(2019, 7, 21)), "ac"),
    (f("meta.day", "<", datetime(2020, 1, 1, 3, 0, 1, tzinfo=UTC)), "abc"),
    (f("meta.day", "==", "2019-07-21"), "a"),
    (f("meta.day", "==", date(2019, 7, 21)), "a"),
    (f("meta.day", "==", "2020-01-01T03:00:00Z"), ""),
    (f("meta.kind", ">", "2020-01-01"), ""),
    (f("meta.year", ">", "2018-01-01"), ""),
    # nested dictionaries and ids
    (f("meta.person.name", "==", "Kim"), "d"),
    (f("meta.person.born", "<", 1971), "d"),
    (f("meta.person.name", "==", None), "abcefg"),
    (f("id", "==", "c"), "c"),
    (f("id", "in", ["a", "c", "z"]), "ac"),
    (f("id", "not in", ["a", "c", "z"]), "bdefg"),
    (f("meta.id", "==", "c"), ""),
    # logic
    (logic("AND", f("meta.kind", "==", "manual"), f("meta.year", ">", 0)), "ae"),
    (logic("OR", f("meta.kind", "==", "statute"), f("meta.year", "<", 0)), "bc"),
    (logic("NOT", f("meta.kind", "==", "manual"), f("meta.year", ">", 0)), "bcdfg"),
    (logic("NOT", f("meta.kind", "==", "manual")), "bdfg"),
    (logic("NOT", logic("NOT", f("meta.kind", "==", "manual"))), "ace"),
    (logic("AND", f("meta.kind", "!=", "manual"), f("meta.law", "!=", False)), "dfg"),
    (
        logic("OR", f("meta.kind", "==", None), logic("AND", f("meta.tags", "==", "x"), f("meta.tags", "==", "y"))),
        "adg",
    ),
    (logic("AND", logic("OR", f("id", "==", "a"), f("id", "==", "b")), logic("NOT", f("meta.law", "==", True))), "b"),
]


@pytest.mark.parametrize(("filters", "expected"), CASES, ids=[str(filters)[:70] for filters, _ in CASES])
def test_matches(matching: Matching, filters: dict[str, Any] | None, expected: str) -> None:
    assert matching(filters) == list(expected)


def test_every_operator_on_every_field_and_value_means_what_the_evaluator_says(matching: Matching) -> None:
    fields = ["kind", "year", "score", "day", "law", "tags", "person.born", "long"]
    words = ["manual", "x", "2019", True, False]
    ordered = [2019, 2, 0, -5, 0.5, 1970.0, None, "2020-06-01", "1969-12-31T23:59:59.5"]
    checked = 0
    for field, operator, value in product(fields, COMPARISONS, words + ordered):
        filters = f(f"meta.{field}", operator, [value, "y", 3000] if operator in ("in", "not in") else value)
        try:
            parse_filters(filters)
        except FilterError:
            continue
        expected = [document.id for document in SAMPLES if matches(document.meta, filters)]
        assert matching(filters) == expected, filters
        assert matching(logic("NOT", filters)) == [i for i in DOCUMENTS if i not in expected], filters
        checked += 1
    assert checked == len(fields) * 4 * (len(words + ordered) + len(ordered))


NESTED: dict[str, Any] = f("meta.kind", "==", "x")
for _ in range(MAX_DEPTH):
    NESTED = logic("NOT", NESTED)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (f("meta.kind", "=", "x"), "unknown operator '=' for the field 'meta.kind'; allowed are ==, !=, <"),
        (f("meta.kind", "like", "x"), "unknown operator 'like' for the field 'meta.kind'"),
        (logic("XOR", f("meta.kind", "==", "x")), "unknown operator 'XOR'; allowed are AND, OR, NOT"),
        ({"operator": "==", "value": "x"}, "'field' is missing"),
        ({"field": "meta.kind", "value": "x"}, "'operator' is missing in the filter on 'meta.kind'"),
        ({"field": "meta.kind", "operator": "=="}, "'value' is missing in the filter on 'meta.kind'"),
        ({"conditions": []}, "'operator' is missing"),
        (logic("AND"), "AND needs 'conditions'"),
        ({"operator": "OR", "conditions": "x"}, "OR needs 'conditions'"),
        (logic("AND", "meta.kind == x"), "a filter must be a dictionary"),  # type: ignore[arg-type]
        (f("content", "==", "x"), "can't filter on the field 'content'"),
        (f("meta.", "==", "x"), "can't filter on the field 'meta.'"),
        (f("id", ">", 5), "unknown operator '>' for the field 'id'"),
        (f("meta.year", ">", "1"), "meta.year >: '1' is not allowed; compare with a number or an ISO 8601 date"),
        (f("meta.year", ">", "2019-02-30"), "'2019-02-30' is not allowed"),
        (f("meta.year", "<=", [1]), r"meta.year <=: \[1\] is not allowed"),
        (f("meta.year", ">", True), "True is not allowed"),
        (f("meta.year", ">", float("nan")), "nan is not allowed"),
        (f("meta.year", "==", float("inf")), "inf is not allowed"),
        (f("meta.kind", "in", "x"), "meta.kind in: the value must be a list, not 'x'"),
        (f("meta.kind", "not in", ("x",)), "meta.kind not in: the value must be a list"),
        (f("meta.kind", "==", ["x"]), r"meta.kind ==: \['x'\] is not allowed"),
        (f("meta.kind", "in", [{}]), "meta.kind in: {} is not allowed"),
        (NESTED, "nested deeper than 32 levels"),
    ],
)
def test_a_bad_filter_is_refused(matching: Matching, filters: dict[str, Any], message: str) -> None:
    with pytest.raises(FilterError, match=message):
        matching(filters)


def test_a_field_that_the_vector_store_does_not_keep_is_refused(tmp_path: Path) -> None:
    store = QdrantEdgeDocumentStore(tmp_path / "index", dimension=2, meta_fields=["kind", "person"])
    store.write_documents(SAMPLES)
    assert store.ids(f("meta.kind", "==", "manual")) == ["a", "c", "e"]
    assert store.ids(f("meta.person.name", "==", "Kim")) == ["d"]
    with pytest.raises(FilterError, match=r"doesn't hold the field 'year'; it holds: id, kind, person"):
        store.ids(f("meta.year", ">", 2000))

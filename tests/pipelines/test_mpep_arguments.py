"""The arguments of search_mpep: what is allowed, and what is said of the others."""

import json
from typing import Any

import pytest

from pipelines.errors import ArgumentError
from pipelines.mpep import MpepSearch
from pipelines.settings import Settings


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": "ab"}, "query: 'ab' is not allowed; it must be a text of 3 to 10,000 characters"),
        ({"query": "  ab \n"}, r"query: '  ab \\n' is not allowed"),
        ({"query": ""}, "query: '' is not allowed"),
        ({"query": " \t "}, r"query: ' \\t ' is not allowed"),
        ({"query": "a\u200b\u200b"}, "query: 'a' is not allowed"),
        ({"query": "x" * 10_001}, "it must be a text of 3 to 10,000 characters"),
        ({"query": "\u200b\u200d\u2060\ufeff"}, "it must be a text of 3 to 10,000 characters"),
        ({"query": None}, "query: null is not allowed"),
        ({"query": 123}, "query: 123 is not allowed"),
        ({"top_k": 0}, "top_k: 0 is not allowed; it must be an integer from 1 to 20"),
        ({"top_k": -1}, "top_k: -1 is not allowed"),
        ({"top_k": True}, "top_k: true is not allowed"),
        ({"top_k": "5"}, "top_k: '5' is not allowed"),
        ({"top_k": 5.0}, r"top_k: 5\.0 is not allowed"),
        ({"top_k": None}, "top_k: null is not allowed"),
        ({"retrieve_k": 0}, "retrieve_k: 0 is not allowed"),
        ({"retrieve_k": "9"}, "retrieve_k: '9' is not allowed"),
        ({"retrieve_k": False}, "retrieve_k: false is not allowed"),
        (
            {"source_filter": "mpep"},
            "source_filter: 'mpep' is not allowed; it must be one of MPEP, 35_USC, 37_CFR, SUB",
        ),
        ({"source_filter": ""}, "source_filter: '' is not allowed"),
        ({"source_filter": ["MPEP"]}, "source_filter: .* is not allowed"),
        ({"is_statute": "true"}, "is_statute: 'true' is not allowed; it must be true or false"),
        ({"is_regulation": 1}, "is_regulation: 1 is not allowed"),
        ({"is_update": 0}, "is_update: 0 is not allowed"),
    ],
)
def test_arguments_of_search(search: MpepSearch, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as raised:
        search.search(**{"query": "new matter", **arguments})

    assert raised.value.argument == next(iter(arguments))
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("half", ["\ud800", "\udfff"])
def test_halves_of_surrogate_pairs_are_replaced(search: MpepSearch, half: str) -> None:
    answer = search.search(f"new matter {half}")

    assert answer["query"] == "new matter \ufffd"
    assert json.dumps(answer, ensure_ascii=False).encode()
    with pytest.raises(ArgumentError, match="section_number"):
        search.section(half)


def test_arguments_at_their_limits(search: MpepSearch) -> None:
    claim = ("A jar comprising a lid, wherein the lid closes the jar. " * 200)[:10_000]

    assert len(claim) == 10_000
    assert len(search.search(f"  {claim.strip().ljust(10_000, 'x')}  ", top_k=2)["results"]) == 2
    assert search.search(" lid ")["query"] == "lid"
    assert len(search.search("claim", top_k=20)["results"]) == 20
    assert len(search.search("claim", top_k=21)["results"]) == 20
    assert len(search.search("claim", top_k=1)["results"]) == 1
    # Never below top_k, never above 100.
    assert len(search.search("claim", top_k=10, retrieve_k=1)["results"]) == 10
    assert len(search.search("claim", top_k=10, retrieve_k=100_000)["results"]) == 10


def test_wrong_arguments_are_named_before_a_missing_index(tmp_path: Any) -> None:
    search = MpepSearch(settings=Settings(data_dir=tmp_path))

    with pytest.raises(ArgumentError, match="top_k"):
        search.search("new matter", top_k=0)
    with pytest.raises(ArgumentError, match="section_number"):
        search.section("")

"""search_mpep over an index of the samples: what is found, in which order and with what."""

from typing import Any

import pytest

from pipelines.mpep import MpepSearch
from pipelines.mpep_arguments import build_filters

QUESTIONS = [
    "how may the time for reply be extended",
    "when may new matter be added to the description",
    "machine learning mental process",
    "608.01(o)",
    "MPEP 2106",
    "35 usc 112(b) indefinite claims",
    '"new matter" in the drawings',
]
HIT = {
    *("rank", "source", "section", "file", "page", "has_statute", "has_mpep_ref", "has_rule_ref", "is_statute"),
    *("is_regulation", "is_update", "relevance_score", "text", "id", "title", "breadcrumb", "url", "revision"),
    *("highlights", "scores", "kind"),
}
FILTERS = ("source_filter", "is_statute", "is_regulation", "is_update")
NOTICE = {"doc_type", "fr_citation", "effective_date"}


def ids(answer: dict[str, Any]) -> list[str]:
    return [hit["id"] for hit in answer["results"]]


def test_docstring_example(search: MpepSearch) -> None:
    assert len(search.search("when may new matter be added", top_k=3)["results"]) == 3
    assert search.section("608.01(o)")["total_chunks"] == 2


@pytest.mark.parametrize("query", QUESTIONS)
def test_an_answer(search: MpepSearch, query: str) -> None:
    answer = search.search(query, top_k=10)

    hits = answer["results"]
    assert (answer["query"], answer["degraded"]) == (query, [])
    assert answer["corpus"]["name"] == "us-patent-law"
    assert answer["corpus"]["editions"]["uslm_xml"] == ["through Pub. L. 119-1"]
    assert answer["corpus"]["editions"]["federal_register"] == ["published 2031-01-20"]
    assert answer["execution_time_ms"] > 0
    # Three passages hold the quoted words.
    assert [hit["rank"] for hit in hits] == list(range(1, 4 if '"' in query else 11))
    assert len({hit["id"] for hit in hits}) == len(hits)
    relevance = [hit["relevance_score"] for hit in hits]
    assert relevance == sorted(relevance, reverse=True)
    assert all(0 <= score <= 1 for score in relevance)
    for hit in hits:
        assert set(hit) - {"overrides", "rescinded_by"} == (HIT | NOTICE if hit["is_update"] else HIT)
        assert all(0 <= start < end <= len(hit["text"]) for start, end in hit["highlights"])
        assert hit["highlights"] == sorted(hit["highlights"])


@pytest.mark.parametrize("query", QUESTIONS)
def test_fewer_results_are_the_first_of_more(search: MpepSearch, query: str) -> None:
    ten = ids(search.search(query, top_k=10))

    assert ids(search.search(query, top_k=5)) == ten[:5]
    assert ids(search.search(query, top_k=10, retrieve_k=100)) == ten
    assert ids(search.search(query, top_k=10)) == ten


def test_highlights_point_at_what_matched(search: MpepSearch) -> None:
    [hit] = search.search("how may the time for reply be extended", source_filter="37_CFR", top_k=1)["results"]

    marked = {hit["text"][start:end].lower() for start, end in hit["highlights"]}
    assert hit["section"] == "1.136"
    assert marked
    assert all(any(part in words for part in ("time", "repl", "exten")) for words in marked)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("608.01(o)", ["MPEP-608.01(o)#1", "MPEP-608.01(o)#2"]),
        ("MPEP § 608.01(o)", ["MPEP-608.01(o)#1", "MPEP-608.01(o)#2"]),
        ("MPEP 608.01 (o)", ["MPEP-608.01(o)#1", "MPEP-608.01(o)#2"]),
        ("６０８．０１（ｏ）", ["MPEP-608.01(o)#1", "MPEP-608.01(o)#2"]),
        ("what is 35 U.S.C. 103", ["35USC-103#1"]),
        ("103", ["MPEP-103#1", "35USC-103#1"]),
        ("rule 1.136", ["37CFR-1.136#1"]),
        ("２１０７", ["MPEP-2107#1"]),
        ("¶ 7.44", ["MPEP-608.01(o)#2"]),
        ("2030-90011", ["FR-2030-90011#1", "FR-2030-90011#2", "FR-2030-90011#3"]),
        ("95 FR 99011", ["FR-2030-90011#1", "FR-2030-90011#2", "FR-2030-90011#3"]),
        ("35 U.S.C. 981", ["35USC-981#1", "35USC-981#2", "35USC-981#3"]),
        ("pre-AIA 35 U.S.C. 981", ["35USC-981-preAIA#1"]),
        ("MPEP 123", ["MPEP-122-129#1"]),
        ("135", ["35USC-135#1"]),
        # Lists and ranges: the first chunk of each before the second of any.
        ("608.01(o) and 2107", ["MPEP-608.01(o)#1", "MPEP-2107#1", "MPEP-608.01(o)#2"]),
        ("§§ 2106-2107", ["MPEP-2106#1", "MPEP-2107#1", "MPEP-2106#2"]),
        ("37 CFR 1.75 to 1.77", ["37CFR-1.75#1", "37CFR-1.77#1"]),
        ("35 U.S.C. 102-103", ["35USC-102#1", "35USC-103#1", "35USC-102#2"]),
        ("2030-90011 and 2031-90007", ["FR-2030-90011#1", "FR-2031-90007#1"]),
    ],
)
def test_exact_numbers_come_first(search: MpepSearch, query: str, first: list[str]) -> None:
    hits = search.search(query, top_k=10)["results"]

    assert [hit["id"] for hit in hits[: len(first)]] == first
    assert all(hit["relevance_score"] == 1 for hit in hits[: len(first)])


def test_a_number_never_matches_another(search: MpepSearch) -> None:
    named = search.search("2106", top_k=2)["results"]

    assert {hit["section"] for hit in named} == {"2106"}
    assert search.search("MPEP 2106", top_k=20)["results"][0]["section"] == "2106"


def test_updates_stand_in_front_of_what_they_override(search: MpepSearch) -> None:
    hits = search.search("MPEP 2106.04(a)(2)", top_k=5)["results"]

    assert [hit["id"] for hit in hits[:4]] == [
        "MPEP-2106.04(a)(2)#1",
        "MPEP-2106.04(a)(2)#2",
        "FR-2031-90007#1",
        "FR-2030-90011#2",
    ]
    assert "mpep:2106.04(a)(2)" in hits[2]["overrides"]
    assert (hits[2]["doc_type"], hits[2]["fr_citation"], hits[2]["effective_date"]) == (
        "Notice",
        "96 FR 90107",
        "2031-01-20",
    )
    question = search.search("how may the time for reply be extended", top_k=2)["results"]
    assert [hit["id"] for hit in question] == ["FR-2030-90200#1", "37CFR-1.136#1"]
    assert question[0]["effective_date"] is None


def test_updates_honour_the_filter(search: MpepSearch) -> None:
    hits = search.search("MPEP 2106.04(a)(2)", top_k=10, is_update=False)["results"]

    assert not any(hit["is_update"] for hit in hits)
    assert hits[0]["section"] == "2106.04(a)(2)"


@pytest.mark.parametrize(
    ("filters", "expected", "count"),
    [
        ({"source_filter": "MPEP"}, {"source": "MPEP"}, 20),
        ({"source_filter": "35_USC"}, {"source": "35_USC"}, 20),
        ({"source_filter": "37_CFR"}, {"source": "37_CFR"}, 17),
        ({"source_filter": "SUBSEQUENT"}, {"source": "SUBSEQUENT", "is_update": True}, 9),
        ({"is_statute": True}, {"source": "35_USC", "is_statute": True}, 20),
        ({"is_statute": False}, {"is_statute": False}, 20),
        ({"is_regulation": True}, {"source": "37_CFR", "is_regulation": True}, 17),
        ({"is_regulation": False}, {"is_regulation": False}, 20),
        ({"is_update": True}, {"source": "SUBSEQUENT"}, 9),
        ({"is_update": False, "is_statute": False, "is_regulation": False}, {"source": "MPEP"}, 20),
        ({"source_filter": "MPEP", "is_update": True}, {}, 0),
    ],
)
def test_filters_apply_before_ranking(
    search: MpepSearch, filters: dict[str, Any], expected: dict[str, Any], count: int
) -> None:
    # With vectors every chunk that passes the filter is a candidate, however few words it shares with the query.
    hits = search.search("abstract ideas of the claims", top_k=20, **filters)["results"]

    assert len(hits) == count
    chunks = search.stores()["keyword"].ids(build_filters(*map(filters.get, FILTERS)))
    assert count == min(len(chunks), 20)
    assert {hit["id"] for hit in hits} <= set(chunks)
    assert all(hit[name] == value for hit in hits for name, value in expected.items())


def test_notes_of_statutes_are_found_beside_their_text(search: MpepSearch) -> None:
    notes = search.search("amendments to section", top_k=20, source_filter="35_USC", is_statute=False)["results"]
    texts = search.search("amendments to section", top_k=20, is_statute=True)["results"]

    assert {hit["kind"] for hit in notes} == {"note"}
    assert {hit["id"] for hit in notes} == {"35USC-102#3", "35USC-112#2", "35USC-981#1", "35USC-981#3"}
    assert {hit["kind"] for hit in texts} == {"text"}


def test_quoted_phrases_are_required(search: MpepSearch) -> None:
    hits = search.search('"a person of ordinary skill in its field"', top_k=5)["results"]

    assert [hit["id"] for hit in hits] == ["35USC-103#1"]
    assert search.search('"skill of ordinary person"')["results"] == []

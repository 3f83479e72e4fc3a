"""search_mpep and get_mpep_section over an index of the samples."""

import json
import re
import shutil
from typing import Any

import pytest

from pipelines.errors import ArgumentError, IndexDamagedError, IndexMissingError, TansakuError
from pipelines.manifest import Manifest
from pipelines.mpep import MpepSearch
from pipelines.mpep_answers import as_hits
from pipelines.mpep_arguments import build_filters
from pipelines.settings import Settings

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
METADATA = {
    *("source", "file", "page", "section", "has_statute", "has_mpep_ref", "has_rule_ref"),
    *("is_statute", "is_regulation", "is_update"),
}
FILTERS = ("source_filter", "is_statute", "is_regulation", "is_update")
TO_2107 = ["2107", "2107.01", "2107.02"]
NOTICE = {"doc_type", "fr_citation", "effective_date"}


@pytest.fixture(scope="module")
def search(sample_index: Any) -> MpepSearch:
    return sample_index.search()


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
    assert answer["execution_time_ms"] > 0
    # Three passages hold the quoted words.
    assert [hit["rank"] for hit in hits] == list(range(1, 4 if '"' in query else 11))
    assert len({hit["id"] for hit in hits}) == len(hits)
    relevance = [hit["relevance_score"] for hit in hits]
    assert relevance == sorted(relevance, reverse=True)
    assert all(0 <= score <= 1 for score in relevance)
    for hit in hits:
        assert set(hit) - {"overrides"} == (HIT | NOTICE if hit["is_update"] else HIT)
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": "ab"}, "query: 'ab' is not allowed; it must be a text of 3 to 10,000 characters"),
        ({"query": "  ab \n"}, "query: 'ab' is not allowed"),
        ({"query": ""}, "query: '' is not allowed"),
        ({"query": " \t\n\u3000 "}, "query: '' is not allowed"),
        ({"query": "x" * 10_001}, "it must be a text of 3 to 10,000 characters"),
        ({"query": None}, "query: None is not allowed"),
        ({"query": 123}, "query: 123 is not allowed"),
        ({"top_k": 0}, "top_k: 0 is not allowed; it must be an integer of 1 or more"),
        ({"top_k": -1}, "top_k: -1 is not allowed"),
        ({"top_k": True}, "top_k: True is not allowed"),
        ({"top_k": "5"}, "top_k: '5' is not allowed"),
        ({"top_k": 5.0}, r"top_k: 5\.0 is not allowed"),
        ({"top_k": None}, "top_k: None is not allowed"),
        ({"retrieve_k": 0}, "retrieve_k: 0 is not allowed"),
        ({"retrieve_k": "9"}, "retrieve_k: '9' is not allowed"),
        ({"retrieve_k": False}, "retrieve_k: False is not allowed"),
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


def test_without_an_index(sample_index: Any, tmp_path: Any) -> None:
    search = MpepSearch(str(sample_index.profile), Settings(data_dir=tmp_path))

    for call in (lambda: search.search("new matter"), lambda: search.section("2106"), search.warm_up):
        with pytest.raises(IndexMissingError, match="tansaku index us-patent-law PATH"):
            call()
    assert search.health()["ready"] is False
    assert "tansaku index us-patent-law" in search.health()["detail"]


def test_wrong_arguments_are_named_before_a_missing_index(tmp_path: Any) -> None:
    search = MpepSearch(settings=Settings(data_dir=tmp_path))

    with pytest.raises(ArgumentError, match="top_k"):
        search.search("new matter", top_k=0)
    with pytest.raises(ArgumentError, match="section_number"):
        search.section("")


def test_without_vectors_the_keywords_answer_and_say_so(keyword_index: Any) -> None:
    search = keyword_index.search()

    answer = search.search("when is the time for reply extended", top_k=3)

    assert answer["degraded"] == ["vector"]
    assert len(answer["results"]) == 3
    scores = [hit["scores"] for hit in answer["results"] if hit["scores"].get("fused_score") is not None]
    assert scores
    assert all(score["vector_rank"] is None and score["keyword_rank"] >= 1 for score in scores)
    assert search.search("608.01(o)")["results"][0]["section"] == "608.01(o)"
    health = search.health()
    assert (health["ready"], health["degraded"], health["stores"]["vector"]) == (True, ["vector"], 0)


def test_a_lost_keyword_store_is_no_empty_answer(keyword_index: Any) -> None:
    shutil.rmtree(keyword_index.data_dir / "indexes/us-patent-law/keyword")
    search = keyword_index.search()

    for call in (lambda: search.search("new matter"), lambda: search.section("2106")):
        with pytest.raises(IndexMissingError, match="tansaku index us-patent-law PATH"):
            call()
    assert search.health()["ready"] is False


def test_a_damaged_manifest_says_what_to_do(tmp_path: Any) -> None:
    settings = Settings(data_dir=tmp_path)
    folder = settings.index_dir("us-patent-law")
    folder.mkdir(parents=True)
    (folder / "manifest.sqlite").write_bytes(b"no database at all " * 300)

    with pytest.raises(
        TansakuError, match=r"damaged .*manifest.sqlite: file is not a database.*tansaku doctor us-patent-law --repair"
    ):
        MpepSearch(settings=settings).search("new matter")


def test_an_embedder_that_can_not_be_loaded_shows_in_health(sample_index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    search = sample_index.search()
    broken = {"ready": False, "error": "the model is damaged"}
    monkeypatch.setattr(
        type(search._index().ready_pipeline().get_component("embedder")), "health", lambda self: broken, raising=False
    )

    health = search.health()

    assert (health["ready"], health["embedder"], health["degraded"]) == (True, broken, ["vector"])
    assert health["detail"] == "the model is damaged"


def copied(sample_data: Any, folder: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A copy of the samples' index that may be changed."""
    shutil.copytree(sample_data.data_dir, folder)
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(folder))
    return type(sample_data)(folder, sample_data.profile)


def test_vectors_by_another_recipe_are_not_searched_until_they_are_made_anew(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = copied(sample_data, tmp_path / "data", monkeypatch)
    search = index.search()
    assert search.search("time for reply", top_k=1)["degraded"] == []

    manifest = Manifest(tmp_path / "data/indexes/us-patent-law/manifest.sqlite")
    recipe = json.loads(manifest.fact("embedder"))
    manifest.set_fact("embedder", json.dumps({**recipe, "recipe": "words, version 0"}))
    answer, health = search.search("time for reply", top_k=1), search.health()

    reason = "the index's vectors are by another recipe (words, version 0)"
    assert (answer["degraded"], answer["results"][0]["scores"]["vector_rank"]) == (["vector"], None)
    assert (health["ready"], health["degraded"]) == (True, ["vector"])
    assert health["detail"].startswith(reason) and "tansaku index us-patent-law --resume" in health["detail"]

    manifest.set_fact("embedder", json.dumps(recipe))
    manifest.close()
    assert search.search("time for reply", top_k=1)["degraded"] == []


@pytest.mark.parametrize("store", ["keyword", "parents"])
def test_damaged_files_of_a_keyword_store_are_named(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    copied(sample_data, tmp_path / "data", monkeypatch)
    broken = max((tmp_path / "data/indexes/us-patent-law" / store).glob("*.store"), key=lambda f: f.stat().st_size)
    broken.write_bytes(b"\xff" * broken.stat().st_size)
    search = MpepSearch()

    message = f"is damaged \\({store}: .*{broken.name}.*mend it with: tansaku doctor us-patent-law --repair"
    for call in (search.warm_up, lambda: search.search("time for reply"), search.health):
        with pytest.raises(IndexDamagedError, match=message):
            call()


@pytest.mark.parametrize(
    "file", ["current.json", "snapshots/*/edge_config.json", "snapshots/*/segments/*/segment.json"]
)
def test_a_damaged_vector_store_costs_the_vectors_alone(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    index = copied(sample_data, tmp_path / "data", monkeypatch)
    for path in (tmp_path / "data/indexes/us-patent-law/vectors").glob(file):
        path.write_text("{")
    search = index.search()

    answer, health = search.search("time for reply", top_k=3), search.health()

    assert (answer["degraded"], len(answer["results"])) == (["vector"], 3)
    assert (health["ready"], health["degraded"], health["stores"]["vector"]) == (True, ["vector"], 0)
    assert "damaged (vector: " in health["detail"]
    assert health["detail"].endswith("mend it with: tansaku doctor us-patent-law --repair")


def test_without_vectors_no_embedder_is_loaded(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(sample_data, tmp_path / "data", monkeypatch)
    with Manifest(tmp_path / "data/indexes/us-patent-law/manifest.sqlite") as manifest:
        manifest.change("UPDATE chunks SET vector_text = NULL")
    steps: list[str] = []
    search = MpepSearch(progress=lambda step, done, total: steps.append(step))

    assert search.search("time for reply", top_k=1)["degraded"] == ["vector"]
    assert search.section("608.01")["total_chunks"] > 1
    assert steps == []
    assert "the index has no vectors yet" in search.vector_problem()


def test_loading_an_embedder_is_reported(sample_data: Any) -> None:
    steps: list[tuple[str, int]] = []
    search = MpepSearch(progress=lambda step, done, total: steps.append((step, done)))

    search.section("608.01")
    assert steps == []
    search.search("time for reply", top_k=1)
    assert steps == [("loading the embedder", 0), ("loading the embedder", 1)]


def test_health(search: MpepSearch) -> None:
    health = search.health()

    assert (health["ready"], health["degraded"], health["pipelines"]) == (True, [], {"mpep_query": "ready"})
    assert health["stores"]["keyword"] == health["stores"]["vector"] == health["corpus"]["chunks"] > 100


def sections(answer: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(chunk["metadata"]["section"] for chunk in answer["chunks"]))


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("608.01(o)", ["608.01(o)"]),
        ("MPEP § 608.01(o)", ["608.01(o)"]),
        ("608.01 (o)", ["608.01(o)"]),
        (" ６０８．０１（ｏ） ", ["608.01(o)"]),
        (
            "608.01",
            ["608.01", "608.01(a)", "608.01(b)", "608.01(i)", "608.01(n)", "608.01(o)", "608.01(p)"],
        ),
        ("MPEP 2106.04", ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ("2106.04.", ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ('"2106.04"', ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ("§ 2107", ["2107", "2107.01", "2107.02"]),
        ("100", ["101", "103", "103.01", "106", "106.01", "120", "122-129"]),
        ("1000", ["1002", "1002.02(c)"]),
        ("MPEP chapter 700", ["706", "706.02", "706.03", "706.03(a)", "706.07", "706.07(a)"]),
        ("125", ["122-129"]),
        ("122-129", ["122-129"]),
        ("103", ["103", "103.01"]),
        ("35 U.S.C. 103", ["103"]),
        ("112", ["112"]),
        ("37 CFR 1.136", ["1.136"]),
        ("1.136", ["1.136"]),
        ("rule 1.136", ["1.136"]),
        ("Rule 136", ["1.136"]),
        ("USC 103", ["103"]),
        ("608.01o", ["608.01(o)"]),
        ("MPEP-608.01(o)#2", ["608.01(o)"]),
        ("¶ 7.44", ["608.01(o)"]),
        ("form paragraph 7.44", ["608.01(o)"]),
        ("2030-90011", ["2030-90011"]),
    ],
)
def test_a_section_in_document_order(search: MpepSearch, number: str, expected: list[str]) -> None:
    answer = search.section(number)

    assert set(answer) == {"section", "total_chunks", "chunks"}
    assert answer["section"] == number.strip()
    assert answer["total_chunks"] == len(answer["chunks"])
    assert sections(answer)[: len(expected)] == expected
    if "chapter" not in number:
        assert sections(answer) == expected
    for chunk in answer["chunks"]:
        assert set(chunk) == {"text", "metadata"}
        assert set(chunk["metadata"]) == (METADATA | NOTICE if chunk["metadata"]["is_update"] else METADATA)
        assert chunk["text"]


def test_chunks_are_in_order_and_counted_beyond_the_limit(search: MpepSearch) -> None:
    whole = search.section("2100")
    start = search.section("2100", max_chunks=3)

    assert whole["total_chunks"] == start["total_chunks"] == len(whole["chunks"]) > 30
    assert start["chunks"] == whole["chunks"][:3]
    places = [(c["metadata"]["section"], c["metadata"]["page"]) for c in whole["chunks"]]
    assert len(set(places)) == len(places)
    assert {c["metadata"]["section"][:2] for c in whole["chunks"]} == {"21"}
    for section in {section for section, _ in places}:
        pages = [page for name, page in places if name == section]
        assert pages == list(range(1, len(pages) + 1))


def test_a_section_without_text_has_its_title(search: MpepSearch) -> None:
    answer = search.section("122")

    assert answer["total_chunks"] == 1
    assert answer["chunks"][0]["text"] == "122-129 [Reserved]"


@pytest.mark.parametrize(
    "asked",
    [
        "35 U.S.C. 981 (pre-AIA)",
        "35 U.S.C. 981 (pre-aia)",
        "35 U.S.C. 981 (PRE‐AIA)",
        "pre-AIA 35 U.S.C. 981",
        "Pre-AIA 35 USC § 981",
        "35 U.S.C. 981 pre-AIA",
        "35 U.S.C. 981, pre-AIA",
    ],
)
def test_former_law_is_given_only_when_asked_for(search: MpepSearch, asked: str) -> None:
    former = search.section(asked)
    current = search.section("35 U.S.C. 981")

    assert (former["total_chunks"], current["total_chunks"]) == (1, 3)
    assert former["chunks"][0] not in current["chunks"]


def test_what_exists_in_a_variant_alone_is_given_without_it(search: MpepSearch) -> None:
    assert search.section("35 U.S.C. 982") == {**search.section("35 U.S.C. 982 (note)"), "section": "35 U.S.C. 982"}


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        # Lists, in document order however they are given.
        ("608.01(o) and 2107.01", ["608.01(o)", "2107.01"]),
        ("MPEP 2107.01, 608.01(o)", ["608.01(o)", "2107.01"]),
        ("101, 103 and 2107.02", ["101", "103", "103.01", "2107.02"]),
        ("37 CFR 1.75 and MPEP 608.01(o)", ["608.01(o)", "1.75"]),
        ("2030-90011 and 2031-90007", ["2030-90011", "2031-90007"]),
        ("35 U.S.C. 102 and 103", ["102", "103"]),
        # Ranges, with all that is printed between the ends and the parts of the last.
        ("§§ 2106.04-2107", ["2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)", "2106.05", *TO_2107]),
        ("2106.05-2107", ["2106.05", *TO_2107]),
        ("MPEP §§ 2106.03–2106.04", ["2106.03", "2106.04", "2106.04(a)", "2106.04(a)(2)", "2106.04(d)"]),
        ("608.01(n) through 608.01(p)", ["608.01(n)", "608.01(o)", "608.01(p)"]),
        ("706-706.03(a)", ["706", "706.02", "706.03", "706.03(a)"]),
        ("37 CFR 1.75 to 1.97", ["1.75", "1.77", "1.81", "1.97"]),
        ("1.75-1.77", ["1.75", "1.77"]),
        ("35 U.S.C. 102-112", ["102", "103", "111", "112"]),
        ("110-112", ["111", "112"]),
        ("104 to 125", ["106", "106.01", "120", "122-129"]),
        ("125-200", ["122-129", "211", "211.01", "211.01(a)", "211.01(b)"]),
        ("37 CFR 1.75-1.77 and MPEP 2107.01-2107.02", ["2107.01", "2107.02", "1.75", "1.77"]),
    ],
)
def test_several_sections_in_document_order(search: MpepSearch, number: str, expected: list[str]) -> None:
    answer = search.section(number)

    assert sections(answer) == expected
    assert answer["total_chunks"] == len(answer["chunks"])
    assert "missing" not in answer
    first = search.section(number, max_chunks=1)
    assert (first["total_chunks"], first["chunks"]) == (answer["total_chunks"], answer["chunks"][:1])


def test_a_variant_holds_for_all_numbers(search: MpepSearch) -> None:
    former = search.section("pre-AIA 35 U.S.C. 980-981")

    assert former["chunks"] == search.section("35 U.S.C. 981 (pre-AIA)")["chunks"]


@pytest.mark.parametrize(
    ("number", "expected", "missing"),
    [
        ("608.01(o), 9999 and 37 CFR 1.999", ["608.01(o)"], ["9999", "37 CFR 1.999"]),
        ("2107.01 and 9998-9999", ["2107.01"], ["9998-9999"]),
        ("¶¶ 7.44 and 9.99", ["608.01(o)"], ["9.99"]),
    ],
)
def test_what_of_a_list_is_missing_is_named(
    search: MpepSearch, number: str, expected: list[str], missing: list[str]
) -> None:
    answer = search.section(number)

    assert (sections(answer), answer["missing"]) == (expected, missing)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("2107-2106", "section_number: '2107 to 2106' is not allowed; it must be a range of one kind from its lower"),
        ("MPEP 2107-2106", "'2107 to 2106' is not allowed; it must be a range"),
        ("35 U.S.C. 114-112", "'114 to 112' is not allowed; it must be a range"),
        ("MPEP 2106 to 37 CFR 1.75", "'2106 to 1.75' is not allowed; it must be a range"),
        ("¶¶ 7.44-7.46", "'7.44 to 7.46' is not allowed; it must be a range"),
        ("100-9999999", "'100-9999999' is not allowed; it must be a section number such as"),
        ("MPEP 100-9999999", "'MPEP 100-9999999' is not allowed; it must be a section number such as"),
        ("2024-01-15", "'2024-01-15' is not allowed; it must be a section number such as"),
        ("6,123,456", "'6,123,456' is not allowed; it must be a section number such as"),
        ("571-272-1000", "'571-272-1000' is not allowed; it must be a section number such as"),
        (", ".join(map(str, range(101, 122))), "at most 20 numbers or ranges at a time"),
    ],
)
def test_lists_and_ranges_that_can_not_be_given(search: MpepSearch, number: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        search.section(number)


@pytest.mark.parametrize(
    "number",
    [
        "9999",
        "9998 and 9999",
        "9990-9999",
        "2024-1234",
        "608.01(z)",
    ],
)
def test_unknown_sections(search: MpepSearch, number: str) -> None:
    assert search.section(number) == {"error": f"No content found for MPEP section {number}"}


@pytest.mark.parametrize("number", ["35 U.S.C. 399", "37 CFR 1.999", "35 USC 398 and 399", "¶ 9.99", "2099-99999"])
def test_what_can_be_no_section_of_the_mpep_is_not_called_one(search: MpepSearch, number: str) -> None:
    assert search.section(number) == {"error": f"No content found for {number}"}


@pytest.mark.parametrize(
    ("number", "shown"),
    [("", "''"), ("  ", "'  '"), ("claims", "'claims'"), ("§", "'§'"), ("1" * 201, "11"), (None, "None"), (608, "608")],
)
def test_malformed_sections_say_what_is_right(search: MpepSearch, number: Any, shown: str) -> None:
    with pytest.raises(ArgumentError, match=r'it must be a section number such as "608\.01\(o\)"') as raised:
        search.section(number)

    assert shown in str(raised.value)


@pytest.mark.parametrize("max_chunks", [0, -1, True, "5", 1.5, 1001])
def test_max_chunks(search: MpepSearch, max_chunks: Any) -> None:
    with pytest.raises(ArgumentError, match="max_chunks"):
        search.section("2106", max_chunks=max_chunks)
    assert search.section("2106", max_chunks=1000)["total_chunks"] > 1


def test_relevance_never_rises_and_names_count_1() -> None:
    from haystack import Document

    documents = [
        Document(id=str(n), content="x", score=score, meta={"tier": tier, "scores": {"rerank_score": rerank}})
        for n, (score, tier, rerank) in enumerate(
            [(0.2, 0, None), (0.3, 2, None), (1.7, 2, None), (0.9, 2, 0.4), (None, 2, None), (-0.5, 2, None)]
        )
    ]

    assert [hit["relevance_score"] for hit in as_hits(documents)] == [1, 1, 1, 0.4, 0, 0]

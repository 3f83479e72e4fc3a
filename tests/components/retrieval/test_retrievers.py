"""The keyword arm, the vector arm and the loader on small stores."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from haystack import Document, Pipeline

from components.analysis.english import analyze_english
from components.analysis.english_normalizer import EnglishNormalizer
from components.retrieval.keyword_retriever import KeywordRetriever
from components.retrieval.ranking import Candidate, Candidates, Results
from components.retrieval.result_loader import ResultLoader
from components.retrieval.vector_retriever import VectorRetriever
from components.retrieval.vectors import QueryVectors
from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore
from components.stores.tantivy_document_store import TantivyDocumentStore
from components.stores.term_clause import TermClause

TEXTS = {
    "A#1": "The jar has a lid of glass.",
    "A#2": "Corks close bottles. Jars keep jam.",
    "B#1": "The lid of the jar is round.",
    "C#1": "Nothing of that kind; see 35 U.S.C. 112(b).",
}
FIELDS = {"words": 1.0, "stems": 0.5}


@pytest.fixture
def store(tmp_path: Path) -> TantivyDocumentStore:
    store = TantivyDocumentStore(tmp_path / "keyword")
    chunks = [Document(id=i, content=t, meta={"is_update": i == "B#1"}) for i, t in TEXTS.items()]
    store.write_documents(EnglishNormalizer().run(documents=chunks)["documents"])
    return store


@pytest.fixture
def parents(tmp_path: Path) -> TantivyDocumentStore:
    store = TantivyDocumentStore(tmp_path / "parents")
    records = [Document(id=name, content=f"{TEXTS.get(name + '#1')} {TEXTS.get(name + '#2', '')}") for name in "ABC"]
    store.write_documents(EnglishNormalizer().run(documents=[], records=records)["records"])
    return store


@pytest.fixture
def vectors(tmp_path: Path) -> QdrantEdgeDocumentStore:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=2)
    places = {"A#1": [1.0, 0.0], "A#2": [0.6, 0.8], "B#1": [0.0, 1.0]}
    store.write_documents(
        [Document(id=i, meta={"is_update": i == "B#1"}, embedding=vector) for i, vector in places.items()]
    )
    return store


UPDATES = {"field": "meta.is_update", "operator": "==", "value": True}
OTHERS = {"field": "meta.is_update", "operator": "==", "value": False}


def ranked(retriever: KeywordRetriever, query: str, **inputs: Any) -> list[str]:
    [ranking] = retriever.run(analysis=analyze_english(query, query=True), **inputs)["rankings"]
    assert ranking.query == query
    return [name for name, _ in ranking.entries]


def test_scores_are_the_weighted_fields_and_the_whole_record(
    store: TantivyDocumentStore, parents: TantivyDocumentStore
) -> None:
    retriever = KeywordRetriever(store, FIELDS, parent_store=parents, parent_fields={"stems": 2.0})

    answer = retriever.run(analysis=analyze_english("glass lids", query=True))

    # "lids" is no word of any text, but its stem is.
    chunk = store.score(
        list(TEXTS), [TermClause("words", "glass"), TermClause("stems", "glass", 0.5), TermClause("stems", "lid", 0.5)]
    )
    whole = parents.score(["A", "B"], [TermClause("stems", "glass", 2.0), TermClause("stems", "lid", 2.0)])
    assert dict(answer["rankings"][0].entries) == pytest.approx(
        {"A#1": chunk["A#1"] + whole["A"], "B#1": chunk["B#1"] + whole["B"]}
    )
    assert (answer["required"], answer["degraded"]) == (None, [])
    assert chunk["A#1"] > chunk["B#1"] > 0 == chunk["A#2"]


def test_a_strong_record_lifts_its_weaker_chunks(store: TantivyDocumentStore, parents: TantivyDocumentStore) -> None:
    def scores(**parameters: Any) -> dict[str, float]:
        retriever = KeywordRetriever(store, FIELDS, **parameters)
        return dict(retriever.run(analysis=analyze_english("lids corks", query=True))["rankings"][0].entries)

    alone, beside = scores(), scores(parent_store=parents, parent_fields={"stems": 3.0})

    # Both have a lid and the same length, but only the record of A has corks, too.
    assert alone["A#1"] == alone["B#1"]
    assert beside["A#1"] > beside["B#1"] > alone["B#1"]


def test_top_k(store: TantivyDocumentStore, parents: TantivyDocumentStore) -> None:
    retriever = KeywordRetriever(store, FIELDS, parent_store=parents, parent_fields={"stems": 3.0}, top_k=2)

    assert len(ranked(retriever, "jar")) == 2
    assert ranked(retriever, "jar", top_k=1) == ranked(retriever, "jar")[:1]


@pytest.mark.parametrize(
    ("query", "found", "required"),
    [
        ('"lid of the jar"', ["B#1"], ["B#1"]),
        ('"jar has a lid"', ["A#1"], ["A#1"]),
        ('"the jar" lid', ["A#1", "B#1"], ["A#1", "B#1"]),
        ('"the jar" round', ["B#1", "A#1"], ["A#1", "B#1"]),
        ('"lid jar"', [], []),
        ('"the jar" "of glass"', ["A#1"], ["A#1"]),
        ('"see 35 usc 112(b)"', ["C#1"], ["C#1"]),
        ('"jars"', ["A#2"], ["A#2"]),
        ('"of the"', ["B#1"], ["B#1"]),
    ],
)
def test_quoted_phrases_are_required_as_they_stand(
    store: TantivyDocumentStore, query: str, found: list[str], required: list[str]
) -> None:
    answer = KeywordRetriever(store, FIELDS).run(analysis=analyze_english(query, query=True))

    assert sorted(name for name, _ in answer["rankings"][0].entries) == sorted(found)
    assert answer["rankings"][0].entries[:1] == () or answer["rankings"][0].entries[0][0] == found[0]
    assert answer["required"] == frozenset(required)


@pytest.mark.parametrize(
    ("filters", "found"), [(UPDATES, ["B#1"]), (OTHERS, ["A#1", "A#2"]), (None, ["A#1", "B#1", "A#2"])]
)
def test_filters_apply_inside(store: TantivyDocumentStore, filters: dict | None, found: list[str]) -> None:
    retriever = KeywordRetriever(store, FIELDS)

    assert sorted(ranked(retriever, "jar lid", filters=filters)) == sorted(found)
    assert len(ranked(retriever, "jar lid", filters=filters, top_k=1)) == 1
    answer = retriever.run(analysis=analyze_english('"the jar"', query=True), filters=filters)
    assert answer["required"] == {name for name in found if name in ("A#1", "B#1")}


@pytest.mark.parametrize("query", ["the of and", "unheard", "§ …"])
def test_queries_that_match_nothing(store: TantivyDocumentStore, query: str) -> None:
    assert ranked(KeywordRetriever(store, FIELDS), query) == []


def test_of_a_long_query_the_rarest_terms_are_searched(store: TantivyDocumentStore) -> None:
    retriever = KeywordRetriever(store, {"stems": 1.0}, max_terms=1)

    # "jar" stands in three texts, "cork" in one; "unheard" in none.
    assert ranked(retriever, "jar cork unheard") == ["A#2"]


def test_fields_are_searched_with_the_stream_that_is_named(tmp_path: Path) -> None:
    store = TantivyDocumentStore(tmp_path / "titles")
    store.write_documents([Document(id="t", meta={"index": {"title": "lids", "title_stems": "lid"}})])

    assert ranked(KeywordRetriever(store, {"title": 1.0}, streams={"title": "words"}), "lids") == ["t"]
    assert ranked(KeywordRetriever(store, {"title": 1.0}, streams={"title": "stems"}), "lids") == []
    assert ranked(KeywordRetriever(store, {"title_stems": 1.0}, streams={"title_stems": "stems"}), "lids") == ["t"]


def test_a_store_that_cant_be_read_shows_in_degraded(
    store: TantivyDocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(store, "search", fail)

    answer = KeywordRetriever(store, FIELDS).run(analysis=analyze_english("jar", query=True))

    assert answer == {"rankings": [], "required": None, "degraded": ["keyword"]}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fields": {"words": 0}}, "the weight of field 'words' must be above 0, not 0"),
        ({"fields": {}}, "at least one field"),
        ({"fields": FIELDS, "top_k": 0}, "1 or more"),
        ({"fields": FIELDS, "max_terms": 0}, "1 or more"),
        ({"fields": FIELDS, "parent_fields": {"stems": 1}}, "go together"),
        ({"fields": FIELDS, "parent_fields": {"stems": -1}}, "'stems' must be above 0"),
    ],
)
def test_wrong_keyword_parameters(store: TantivyDocumentStore, parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        KeywordRetriever(document_store=store, **parameters)


def test_one_ranking_for_each_vector(vectors: QdrantEdgeDocumentStore) -> None:
    query = QueryVectors((np.array([1, 0], np.float32), np.array([0, 1], np.float32)), ("q", "guess"))

    answer = VectorRetriever(vectors, top_k=2).run(vectors=query)

    assert [(r.query, r.entries) for r in answer["rankings"]] == [
        ("q", (("A#1", 1.0), ("A#2", 0.6))),
        ("guess", (("B#1", 1.0), ("A#2", 0.8))),
    ]
    assert answer["degraded"] == []
    filtered = VectorRetriever(vectors).run(vectors=query, filters=UPDATES, top_k=1)
    assert [r.entries for r in filtered["rankings"]] == [(("B#1", 0.0),), (("B#1", 1.0),)]


def test_the_vector_arm_without_vectors(vectors: QdrantEdgeDocumentStore, tmp_path: Path) -> None:
    query = QueryVectors((np.array([1, 0], np.float32),), ("q",))
    nothing = {"field": "meta.is_update", "operator": "==", "value": "no such value"}

    assert VectorRetriever(vectors).run(vectors=QueryVectors()) == {
        "rankings": [],
        "elsewhere": frozenset(),
        "degraded": [],
    }
    assert VectorRetriever(vectors).run(vectors=query, filters=nothing)["degraded"] == []
    empty = QdrantEdgeDocumentStore(tmp_path / "empty", dimension=2)
    assert VectorRetriever(empty).run(vectors=query) == {
        "rankings": [],
        "elsewhere": frozenset(),
        "degraded": ["vector"],
    }


def test_a_vector_store_that_cant_be_read(vectors: QdrantEdgeDocumentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("broken segment")

    monkeypatch.setattr(vectors, "search_many", fail)

    answer = VectorRetriever(vectors).run(vectors=QueryVectors((np.zeros(2),), ("q",)))

    assert answer == {"rankings": [], "elsewhere": frozenset(), "degraded": ["vector"]}


def test_the_loader_gives_the_best_candidates_with_tier_and_scores(store: TantivyDocumentStore) -> None:
    candidates = Candidates(
        (
            Candidate("B#1", 0.9, 1, {"keyword_rank": 1}),
            Candidate("gone#1", 0.8),
            Candidate("A#1", 0.7, 2, {"vector_rank": 1}),
            Candidate("A#2", 0.6),
            Candidate("C#1", 0.5),
        )
    )
    loader = ResultLoader(store, top_k=3)

    documents = loader.run(candidates=candidates)["results"].documents

    assert [(d.id, d.score, d.content, d.meta["tier"], d.meta["scores"]) for d in documents] == [
        ("B#1", 0.9, TEXTS["B#1"], 1, {"keyword_rank": 1}),
        ("A#1", 0.7, TEXTS["A#1"], 2, {"vector_rank": 1}),
        ("A#2", 0.6, TEXTS["A#2"], 2, {}),
    ]
    assert documents[0].meta["is_update"] is True
    assert [d.id for d in loader.run(candidates=candidates, top_k=1)["results"].documents] == ["B#1"]
    assert [d.id for d in loader.run(candidates=candidates, top_k=9)["results"].documents] == [
        "B#1",
        "A#1",
        "A#2",
        "C#1",
    ]
    assert loader.run(candidates=Candidates()) == {"results": Results(), "degraded": []}


@pytest.mark.parametrize("component", [ResultLoader, VectorRetriever])
def test_top_k_below_one(store: TantivyDocumentStore, component: type) -> None:
    with pytest.raises(ValueError, match="top_k must be 1 or more, not 0"):
        component(store, top_k=0)


def test_serialization(
    store: TantivyDocumentStore, vectors: QdrantEdgeDocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("keyword", KeywordRetriever(store, FIELDS, parent_store=store, parent_fields={"stems": 2}))
    pipeline.add_component("vector", VectorRetriever(vectors, top_k=7))
    pipeline.add_component("loader", ResultLoader(store, top_k=9))

    loaded = Pipeline.loads(pipeline.dumps())

    keyword, vector = loaded.get_component("keyword"), loaded.get_component("vector")
    assert (keyword.fields, keyword.parent_fields, vector.top_k) == (FIELDS, {"stems": 2}, 7)
    assert (keyword.document_store.path, vector.document_store.dimension) == (store.path, 2)
    assert loaded.get_component("loader").top_k == 9
    assert ranked(keyword, '"lid of the jar"') == ["B#1"]

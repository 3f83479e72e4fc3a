"""Vectors of an index of several languages."""

from pathlib import Path

import numpy as np
import pytest
from haystack import Document

from components.retrieval.convex_joiner import ConvexJoiner
from components.retrieval.ranking import Ranking
from components.retrieval.vector_retriever import VectorRetriever, standard_scores
from components.retrieval.vectors import QueryVectors
from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([], []), ([0.5], [0.0]), ([0.9, 0.7], [1.0, -1.0]), ([0.5, 0.5, 0.5], [0.0, 0.0, 0.0])],
)
def test_standard_scores(scores: list[float], expected: list[float]) -> None:
    entries = [(str(place), score) for place, score in enumerate(scores)]

    assert [score for _, score in standard_scores(entries)] == pytest.approx(expected)


def _vector(cosine: float) -> list[float]:
    return [cosine, float(np.sqrt(1 - cosine**2))]


@pytest.mark.parametrize(
    ("by_language", "first"),
    # What stands out most among its own language, or the largest cosine.
    [(True, ["ja-0", "en-0"]), (False, ["en-0", "en-1"])],
)
def test_languages_are_compared_by_what_stands_out(tmp_path: Path, by_language: bool, first: list[str]) -> None:
    cosines = {"en": [0.90, 0.89, *[0.88] * 20], "ja": [0.80, *[0.70] * 20], "ko": [0.1]}
    store = QdrantEdgeDocumentStore(tmp_path, dimension=2, meta_fields=["language"])
    store.write_documents(
        [
            Document(id=f"{language}-{place}", content="x", embedding=_vector(cosine), meta={"language": language})
            for language, found in cosines.items()
            for place, cosine in enumerate(found)
        ]
    )

    retriever = VectorRetriever(store, by_language=by_language)
    query = QueryVectors((np.array([1.0, 0.0], dtype=np.float32),), ("q",))
    answer = retriever.run(vectors=query)

    assert [chunk_id for chunk_id, _ in answer["rankings"][0].entries[:2]] == first
    told = retriever.run(vectors=query, language="ja")["elsewhere"]
    assert told == (frozenset([*(f"en-{place}" for place in range(22)), "ko-0"]) if by_language else frozenset())
    only = {"field": "meta.language", "operator": "==", "value": "en"}
    filtered = retriever.run(vectors=query, filters=only)["rankings"][0].entries
    assert sorted(chunk_id for chunk_id, _ in filtered) == sorted(f"en-{place}" for place in range(22))


def test_what_words_cant_find_is_left_to_the_vectors() -> None:
    keyword = [Ranking((("a", 8.0), ("b", 4.0)))]
    vector = [Ranking((("c", 3.0), ("a", 2.0), ("b", 1.0)))]
    joiner = ConvexJoiner(weights={"keyword": 1.0, "vector": 1.0})

    def scores(elsewhere: frozenset[str]) -> dict[str, float]:
        items = joiner.run(keyword=keyword, vector=vector, elsewhere=elsewhere)["candidates"].items
        return {candidate.id: candidate.score for candidate in items}

    assert scores(frozenset()) == pytest.approx({"a": 0.75, "c": 0.5, "b": 0.0})
    # One of the three is elsewhere, so words count 2/3: a has (2/3 + 1/2) / (5/3), c its vector's 1 alone.
    assert scores(frozenset({"c"})) == pytest.approx({"c": 1.0, "a": 0.7, "b": 0.0})
    # What was found by words all the same keeps them.
    assert scores(frozenset({"a"})) == pytest.approx({"a": 0.7, "c": 0.6, "b": 0.0})

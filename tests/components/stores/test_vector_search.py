"""Ranking and payload of every vector store."""

from typing import Any

import numpy as np
import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from components.stores.qdrant_store import QdrantStore
from tests.components.stores.opened_stores import NewStore

# Qdrant's client says so of its imitation of a server
pytestmark = pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")

VECTORS = {"a": [1.0, 0.0, 0.0], "b": [0.6, 0.8, 0.0], "c": [0.0, 3.0, 4.0], "d": [-1.0, 0.0, 0.0]}


@pytest.fixture
def store(new_vector_store: NewStore) -> QdrantStore:
    store = new_vector_store(dimension=3)
    documents = [Document(id=i, content="text", meta={"vowel": i == "a"}, embedding=v) for i, v in VECTORS.items()]
    store.write_documents([*documents, Document(id="none", meta={"vowel": False})])
    return store


def test_scores_are_cosines(store: QdrantStore) -> None:
    assert store.search([2.0, 0.0, 0.0]) == [("a", 1.0), ("b", 0.6), ("c", 0.0), ("d", -1.0)]
    assert store.search(np.array([0.0, 1.0, 0.0]), top_k=2) == [("b", 0.8), ("c", 0.6)]


def test_many_vectors_are_searched_as_one_would_be(store: QdrantStore) -> None:
    vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    filters = {"field": "meta.vowel", "operator": "==", "value": False}
    assert store.search_many(vectors, filters, 2) == [store.search(vector, filters, 2) for vector in vectors]
    assert store.search_many(vectors, filters, 2)[0] == [("b", 0.6), ("c", 0.0)]
    assert store.search_many([]) == []


def test_a_filter_to_a_few_of_many_still_fills_top_k(new_vector_store: NewStore) -> None:
    store = new_vector_store(dimension=2)
    best = [Document(id=f"best-{n}", meta={"source": "MPEP"}, embedding=[1.0, n / 1000]) for n in range(300)]
    few = [Document(id=f"few-{n}", meta={"source": "37_CFR"}, embedding=[-1.0, n / 1000]) for n in range(5)]
    store.write_documents([*best, *few])
    ranking = store.search([1.0, 0.0], {"field": "meta.source", "operator": "==", "value": "37_CFR"}, 5)
    assert sorted(i for i, _ in ranking) == [f"few-{n}" for n in range(5)]


def test_ties_are_broken_by_id_also_where_the_ranking_is_cut(new_vector_store: NewStore) -> None:
    store = new_vector_store(dimension=2)
    store.write_documents([Document(id=f"{n:03}", embedding=[0.6, 0.8]) for n in reversed(range(200))])
    for top_k in (1, 7, 150):
        assert [i for i, _ in store.search([1.0, 0.0], top_k=top_k)] == [f"{n:03}" for n in range(top_k)]


def test_vectors_are_kept_in_unit_length(store: QdrantStore) -> None:
    vectors = store.get_vectors(["c", "none", "unknown", "b"])
    assert sorted(vectors) == ["b", "c"]
    assert vectors["c"] == pytest.approx([0.0, 0.6, 0.8])


def test_text_is_stored_only_on_request(new_vector_store: NewStore, store: QdrantStore) -> None:
    vowel = {"field": "meta.vowel", "operator": "==", "value": True}
    assert store.filter_documents(vowel) == [Document(id="a", meta={"vowel": True})]
    full = new_vector_store("full", dimension=3, meta_fields=["x", "y"], store_content=True)
    full.write_documents([Document(id="1", content="text", meta={"x": 1, "z": 2}, embedding=[1.0, 0.0, 0.0])])
    assert full.filter_documents() == [Document(id="1", content="text", meta={"x": 1})]


def test_overwriting_replaces_vector_and_payload(store: QdrantStore) -> None:
    store.write_documents([Document(id="a", meta={"new": 5}, embedding=[0.0, 0.0, 1.0])], DuplicatePolicy.OVERWRITE)
    assert store.search([0.0, 0.0, 1.0], top_k=1) == [("a", 1.0)]
    assert store.ids({"field": "meta.vowel", "operator": "==", "value": True}) == []
    assert store.ids({"field": "meta.new", "operator": "<", "value": 6}) == ["a"]
    assert store.count_documents() == 5


def test_it_works_on_after_half_of_it_was_deleted(new_vector_store: NewStore) -> None:
    store = new_vector_store(dimension=2)
    documents = [Document(id=str(n), meta={"half": n % 2}, embedding=[2400 - n, n]) for n in range(2400)]
    store.write_documents(documents)
    assert store.delete_where({"field": "meta.half", "operator": "==", "value": 0}) == 1200
    assert store.count_documents() == 1200
    assert store.search([0.0, 1.0], top_k=1)[0][0] == "2399"
    assert len(store.ids({"field": "meta.half", "operator": ">", "value": 0.5})) == 1200


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.search([1.0, 2.0]), "the query's vector must have 3 numbers, not 2"),
        (lambda s: s.search([[1.0, 2.0, 3.0]]), "the query's vector must have 3 numbers, not 1x3"),
        (lambda s: s.search([1.0, 2.0, 3.0], top_k=0), "top_k: 0 is not allowed"),
        (
            lambda s: s.write_documents([Document(id="1", embedding=[1.0])]),
            "document '1': the embedding must have 3 numbers, not 1",
        ),
    ],
)
def test_wrong_use_says_what_is_allowed(store: QdrantStore, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(store)

"""Ranking, payload and files of the vector store."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError
from haystack.document_stores.types import DuplicatePolicy

from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore

VECTORS = {"a": [1.0, 0.0, 0.0], "b": [0.6, 0.8, 0.0], "c": [0.0, 3.0, 4.0], "d": [-1.0, 0.0, 0.0]}


@pytest.fixture
def store(tmp_path: Path) -> QdrantEdgeDocumentStore:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=3)
    documents = [Document(id=i, content="text", meta={"vowel": i == "a"}, embedding=v) for i, v in VECTORS.items()]
    store.write_documents([*documents, Document(id="none", meta={"vowel": False})])
    return store


def test_scores_are_cosines(store: QdrantEdgeDocumentStore) -> None:
    assert store.search([2.0, 0.0, 0.0]) == [("a", 1.0), ("b", 0.6), ("c", 0.0), ("d", -1.0)]
    assert store.search(np.array([0.0, 1.0, 0.0]), top_k=2) == [("b", 0.8), ("c", 0.6)]


def test_many_vectors_are_searched_as_one_would_be(store: QdrantEdgeDocumentStore) -> None:
    vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    filters = {"field": "meta.vowel", "operator": "==", "value": False}
    assert store.search_many(vectors, filters, 2) == [store.search(vector, filters, 2) for vector in vectors]
    assert store.search_many(vectors, filters, 2)[0] == [("b", 0.6), ("c", 0.0)]
    assert store.search_many([]) == []


def test_a_filter_to_a_few_of_many_still_fills_top_k(tmp_path: Path) -> None:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=2)
    best = [Document(id=f"best-{n}", meta={"source": "MPEP"}, embedding=[1.0, n / 1000]) for n in range(300)]
    few = [Document(id=f"few-{n}", meta={"source": "37_CFR"}, embedding=[-1.0, n / 1000]) for n in range(5)]
    store.write_documents([*best, *few])
    ranking = store.search([1.0, 0.0], {"field": "meta.source", "operator": "==", "value": "37_CFR"}, 5)
    assert sorted(i for i, _ in ranking) == [f"few-{n}" for n in range(5)]


def test_ties_are_broken_by_id_also_where_the_ranking_is_cut(tmp_path: Path) -> None:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=2)
    store.write_documents([Document(id=f"{n:03}", embedding=[0.6, 0.8]) for n in reversed(range(200))])
    for top_k in (1, 7, 150):
        assert [i for i, _ in store.search([1.0, 0.0], top_k=top_k)] == [f"{n:03}" for n in range(top_k)]


def test_vectors_are_kept_in_unit_length(store: QdrantEdgeDocumentStore) -> None:
    vectors = store.get_vectors(["c", "none", "unknown", "b"])
    assert sorted(vectors) == ["b", "c"]
    assert vectors["c"] == pytest.approx([0.0, 0.6, 0.8])


def test_text_is_stored_only_on_request(tmp_path: Path, store: QdrantEdgeDocumentStore) -> None:
    vowel = {"field": "meta.vowel", "operator": "==", "value": True}
    assert store.filter_documents(vowel) == [Document(id="a", meta={"vowel": True})]
    full = QdrantEdgeDocumentStore(tmp_path / "full", dimension=3, meta_fields=["x", "y"], store_content=True)
    full.write_documents([Document(id="1", content="text", meta={"x": 1, "z": 2}, embedding=[1.0, 0.0, 0.0])])
    assert full.filter_documents() == [Document(id="1", content="text", meta={"x": 1})]


def test_overwriting_replaces_vector_and_payload(store: QdrantEdgeDocumentStore) -> None:
    store.write_documents([Document(id="a", meta={"new": 5}, embedding=[0.0, 0.0, 1.0])], DuplicatePolicy.OVERWRITE)
    assert store.search([0.0, 0.0, 1.0], top_k=1) == [("a", 1.0)]
    assert store.ids({"field": "meta.vowel", "operator": "==", "value": True}) == []
    assert store.ids({"field": "meta.new", "operator": "<", "value": 6}) == ["a"]
    assert store.count_documents() == 5


def test_it_works_on_after_half_of_it_was_deleted(tmp_path: Path) -> None:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=2)
    documents = [Document(id=str(n), meta={"half": n % 2}, embedding=[2400 - n, n]) for n in range(2400)]
    store.write_documents(documents)
    assert store.delete_where({"field": "meta.half", "operator": "==", "value": 0}) == 1200
    assert store.count_documents() == 1200
    assert store.search([0.0, 1.0], top_k=1)[0][0] == "2399"
    assert len(store.ids({"field": "meta.half", "operator": ">", "value": 0.5})) == 1200


def test_only_two_snapshots_are_kept_and_leftovers_removed(store: QdrantEdgeDocumentStore) -> None:
    snapshots = store.path / "snapshots"
    for number in range(2):
        store.write_documents([Document(id=str(number))])
    assert sorted(folder.name for folder in snapshots.iterdir()) == ["2", "3"]
    store.close()
    assert not (store.path / "live").exists()
    (snapshots / "4.tmp").mkdir()
    (snapshots / "9").mkdir()
    store.write_documents([Document(id="x")])
    assert sorted(folder.name for folder in snapshots.iterdir()) == ["3", "4"]
    assert json.loads((store.path / "current.json").read_text())["snapshot"] == 4
    assert store.count_documents() == 8


def test_a_failing_write_leaves_the_store_as_it_was(
    store: QdrantEdgeDocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("components.stores.qdrant_edge_shards.copy_tree", fail)
        with pytest.raises(OSError, match="no space left"):
            store.write_documents([Document(id="x")])
    assert store.count_documents() == 5
    store.write_documents([Document(id="y")])
    assert store.ids() == ["a", "b", "c", "d", "none", "y"]


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
        (lambda s: QdrantEdgeDocumentStore("x", dimension=0), "dimension: 0 is not allowed"),
    ],
)
def test_wrong_use_says_what_is_allowed(store: QdrantEdgeDocumentStore, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(store)


def test_a_broken_index_is_named(store: QdrantEdgeDocumentStore) -> None:
    (store.path / "current.json").write_text('{"snapshot": 77, "settings": {"dimension": 3}}', encoding="utf-8")
    with pytest.raises(DocumentStoreError, match=r"the vector index .* can't be opened"):
        store.count_documents()

"""The vector store's folder."""

import json
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError

from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore


@pytest.fixture
def store(tmp_path: Path) -> QdrantEdgeDocumentStore:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=3)
    store.write_documents([Document(id=i, embedding=[1.0, 0.0, 0.0]) for i in ("a", "b", "c", "d", "none")])
    return store


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


def test_a_broken_index_is_named(store: QdrantEdgeDocumentStore) -> None:
    (store.path / "current.json").write_text('{"snapshot": 77, "settings": {"dimension": 3}}', encoding="utf-8")
    with pytest.raises(DocumentStoreError, match=r"the vector index .* can't be opened"):
        store.count_documents()


def test_a_dimension_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="dimension: 0 is not allowed; it must be 1 or more"):
        QdrantEdgeDocumentStore("x", dimension=0)

"""Both embedded stores tell whether their files are as they were written."""

from collections.abc import Callable
from pathlib import Path

import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError

from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore
from components.stores.tantivy_document_store import TantivyDocumentStore

DOCUMENTS = [
    Document(id=str(n), content="claim " * n, meta={"order": n, "index": {"words": "claim " * n}}, embedding=[0.6, 0.8])
    for n in range(1, 30)
]


def flip(path: Path) -> None:
    """Change one bit."""
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5])


@pytest.fixture
def keyword(tmp_path: Path) -> TantivyDocumentStore:
    store = TantivyDocumentStore(tmp_path / "keyword", text_fields=["words"])
    store.write_documents(DOCUMENTS)
    store.delete_documents(["3"])
    store.close()
    return store


@pytest.mark.parametrize("spoil", [flip, cut, Path.unlink])
@pytest.mark.parametrize("suffix", ["store", "term", "idx", "pos", "fast", "fieldnorm", "del"])
def test_any_change_of_a_segment_shows(keyword: TantivyDocumentStore, spoil: Callable[..., None], suffix: str) -> None:
    assert keyword.find_damage() == ""
    [file] = keyword.path.glob(f"*.{suffix}")

    spoil(file)

    assert keyword.find_damage() == f"{keyword.path}: damaged or missing: {file.name}"


def test_an_index_that_cannot_be_read_shows(keyword: TantivyDocumentStore) -> None:
    cut(keyword.path / "meta.json")

    assert keyword.find_damage() == f"{keyword.path}: damaged or missing: meta.json"


def test_a_store_without_files_is_sound(tmp_path: Path) -> None:
    assert TantivyDocumentStore(tmp_path / "keyword").find_damage() == ""
    assert QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=2).find_damage() == ""


def test_embeddings_that_make_no_sense_show(tmp_path: Path) -> None:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=2)
    store.write_documents(DOCUMENTS)
    store.close()
    assert store.find_damage() == ""
    [file] = store.path.glob("snapshots/*/segments/*/vector_storage/vectors/chunk_0.mmap")
    data = bytearray(file.read_bytes())
    data[:80] = bytes(80)
    file.write_bytes(data)

    assert "is not of length 1" in QdrantEdgeDocumentStore(store.path, dimension=2).find_damage()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"snapshot": "x", "settings": {}}', "\xff"])
def test_a_damaged_pointer_names_the_file(tmp_path: Path, text: str) -> None:
    store = QdrantEdgeDocumentStore(tmp_path / "vectors", dimension=2)
    store.write_documents(DOCUMENTS)
    store.close()
    (store.path / "current.json").write_text(text, encoding="latin-1")

    with pytest.raises(DocumentStoreError, match=r"vectors can't be opened: .*current.json is damaged"):
        store.count_documents()

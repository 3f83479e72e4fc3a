"""What the Tantivy store does on disk."""

from pathlib import Path

import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError
from haystack.document_stores.types import DuplicatePolicy

from components.stores.tantivy_document_store import TantivyDocumentStore

DOCUMENT = Document(id="a", content="Claim", meta={"order": 97, "index": {"words": "claim"}})


@pytest.fixture
def store(tmp_path: Path) -> TantivyDocumentStore:
    store = TantivyDocumentStore(tmp_path / "keyword")
    store.write_documents([DOCUMENT])
    return store


def test_rewriting_the_same_document_changes_nothing_on_disk(store: TantivyDocumentStore) -> None:
    state = (store.path / "meta.json").read_bytes()
    assert store.write_documents([DOCUMENT], DuplicatePolicy.OVERWRITE) == 1
    assert (store.path / "meta.json").read_bytes() == state


def test_a_broken_index_is_named(store: TantivyDocumentStore) -> None:
    (store.path / "meta.json").write_text("{", encoding="utf-8")
    with pytest.raises(DocumentStoreError, match=r"the keyword index .* can't be opened"):
        store.count_documents()

"""What all stores do alike: batches, duplicates, settings, threads."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.core.serialization import component_to_dict
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy

from components.stores.qdrant_store import QdrantStore
from components.stores.term_clause import TermClause
from tests.components.stores.opened_stores import NewStore

OVERWRITE = DuplicatePolicy.OVERWRITE


@pytest.fixture
def store(new_store: NewStore) -> Any:
    return new_store()


def doc(document_id: str, origin: str = "a", order: int = 0) -> Document:
    meta = {"origin": origin, "order": order, "index": {"words": "claim"}}
    return Document(id=document_id, content="A claim.", meta=meta, embedding=[0.6, 0.8])


def origin_is(origin: str) -> dict[str, Any]:
    return {"field": "meta.origin", "operator": "==", "value": origin}


def found(store: Any) -> list[str]:
    if isinstance(store, QdrantStore):
        return [i for i, _ in store.search([0.6, 0.8], top_k=100)]
    return [i for i, _ in store.search([TermClause("words", "claim")], top_k=100)]


def test_reading_a_missing_index_finds_nothing_and_creates_nothing(store: Any, folder: Path) -> None:
    assert store.count_documents() == 0
    assert store.filter_documents() == []
    assert store.ids(origin_is("a")) == []
    assert found(store) == []
    store.delete_documents(["x"])
    assert store.delete_where(origin_is("a")) == 0
    assert store.write_documents([]) == 0
    assert not folder.exists()


def test_it_reopens_what_was_written(new_store: NewStore, store: Any) -> None:
    assert store.write_documents([doc("1"), doc("2", "b"), doc("3", "b")]) == 3
    store.close()
    del store
    again = new_store()
    assert again.ids() == ["1", "2", "3"]
    assert again.delete_where(origin_is("b")) == 2
    assert again.write_documents([doc("4")]) == 1
    assert again.ids() == found(again) == ["1", "4"]


def test_it_is_serialized_with_its_parameters(store: Any) -> None:
    data = component_to_dict(store, "store")
    again = type(store).from_dict(component_to_dict(store, "store"))
    assert again.to_dict() == data
    store.write_documents([doc("1")])
    assert again.ids() == ["1"]


def test_a_batch_is_one_commit(new_store: NewStore, store: Any) -> None:
    store.write_documents([doc("1"), doc("2"), doc("3", "b")])
    other = new_store()
    with store.batch():
        assert store.delete_where(origin_is("a")) == 2
        store.write_documents([doc("2", "c"), doc("4", "c"), doc("5", "c")])
        with store.batch():
            other.delete_documents(["4", "unknown"])
        assert store.delete_where(origin_is("a")) == 0
        assert store.delete_where({"field": "id", "operator": "==", "value": "5"}) == 1
        assert store.ids() == ["1", "2", "3"]
    assert store.ids() == other.ids() == ["2", "3"]
    assert store.ids(origin_is("c")) == ["2"]


def test_an_exception_in_a_batch_leaves_the_store_as_it_was(store: Any) -> None:
    store.write_documents([doc("1")])
    with pytest.raises(KeyError), store.batch():
        store.delete_documents(["1"])
        store.write_documents([doc("2")])
        raise KeyError
    assert store.ids() == ["1"]
    store.write_documents([doc("3")])
    assert store.ids() == ["1", "3"]


def test_duplicates_in_a_batch(store: Any) -> None:
    store.write_documents([doc("1")])
    with store.batch():
        with pytest.raises(DuplicateDocumentError, match="'1'"):
            store.write_documents([doc("0"), doc("1")])
        assert store.write_documents([doc("1"), doc("2"), doc("2")], DuplicatePolicy.SKIP) == 1
        store.delete_documents(["1"])
        assert store.write_documents([doc("1", "b")], DuplicatePolicy.FAIL) == 1
        with pytest.raises(DuplicateDocumentError, match="'2'"):
            store.write_documents([doc("2")])
    assert store.ids() == ["1", "2"]
    assert store.ids(origin_is("b")) == ["1"]


def test_meta_that_cannot_be_stored_is_refused_and_nothing_is_written(store: Any) -> None:
    with pytest.raises(ValueError, match="document '2': its meta can't be stored: object is not a JSON type"):
        store.write_documents([doc("1"), Document(id="2", meta={"x": object()})])
    assert store.count_documents() == 0


def test_an_index_with_other_settings_is_refused(new_store: NewStore, store: Any) -> None:
    store.write_documents([doc("1")])
    store.close()
    other = new_store(dimension=3) if isinstance(store, QdrantStore) else new_store(text_fields=["words", "stems"])
    for use in (other.count_documents, lambda: other.write_documents([Document(id="9")], OVERWRITE)):
        with pytest.raises(DocumentStoreError, match=r"other settings .*build the index again"):
            use()
    assert store.ids() == ["1"]


def test_threads_search_while_another_writes(store: Any) -> None:
    store.write_documents([doc("0")])
    done = threading.Event()

    def read() -> int:
        rounds = 0
        while not done.is_set() or rounds == 0:
            ids = found(store)
            assert ids == [str(i) for i in range(len(ids))]
            rounds += 1
        return rounds

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        for number in range(1, 6):
            store.write_documents([doc(str(number))])
        done.set()
        assert all(reader.result() > 0 for reader in readers)
    assert found(store) == ["0", "1", "2", "3", "4", "5"]

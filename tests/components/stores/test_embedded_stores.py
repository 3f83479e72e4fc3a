"""What both embedded stores do alike: batches, several processes, crashes, threads."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.core.serialization import component_to_dict
from haystack.document_stores.errors import DocumentStoreError, DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy

from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore
from components.stores.tantivy_document_store import TantivyDocumentStore
from components.stores.term_clause import TermClause

ROOT = Path(__file__).parents[3]
OVERWRITE = DuplicatePolicy.OVERWRITE

Store = TantivyDocumentStore | QdrantEdgeDocumentStore


def keyword_store(path: Path) -> TantivyDocumentStore:
    return TantivyDocumentStore(path, text_fields=["words"])


def vector_store(path: Path) -> QdrantEdgeDocumentStore:
    return QdrantEdgeDocumentStore(path, dimension=2)


STORES: dict[str, Callable[[Path], Store]] = {"tantivy": keyword_store, "qdrant_edge": vector_store}


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "index"


@pytest.fixture
def store(kind: str, path: Path) -> Store:
    return STORES[kind](path)


def doc(document_id: str, origin: str = "a", order: int = 0) -> Document:
    meta = {"origin": origin, "order": order, "index": {"words": "claim"}}
    return Document(id=document_id, content="A claim.", meta=meta, embedding=[0.6, 0.8])


def origin_is(origin: str) -> dict[str, Any]:
    return {"field": "meta.origin", "operator": "==", "value": origin}


def found(store: Store) -> list[str]:
    if isinstance(store, TantivyDocumentStore):
        return [i for i, _ in store.search([TermClause("words", "claim")], top_k=100)]
    return [i for i, _ in store.search([0.6, 0.8], top_k=100)]


def run_python(code: str, *arguments: str) -> subprocess.Popen[str]:
    prelude = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]
from test_embedded_stores import *
store = STORES[sys.argv[1]](Path(sys.argv[2]))
"""
    environment = {**os.environ, "HAYSTACK_TELEMETRY_ENABLED": "False"}
    return subprocess.Popen(
        [sys.executable, "-c", prelude + code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.__exit__(None, None, None)  # closes the pipes and waits


def test_reading_a_missing_index_finds_nothing_and_creates_nothing(store: Store, path: Path) -> None:
    assert store.count_documents() == 0
    assert store.filter_documents() == []
    assert store.ids(origin_is("a")) == []
    assert found(store) == []
    store.delete_documents(["x"])
    assert store.delete_where(origin_is("a")) == 0
    assert store.write_documents([]) == 0
    assert not path.parent.exists()


def test_it_reopens_what_was_written(kind: str, store: Store, path: Path) -> None:
    assert store.write_documents([doc("1"), doc("2", "b"), doc("3", "b")]) == 3
    store.close()
    del store
    again = STORES[kind](path)
    assert again.ids() == ["1", "2", "3"]
    assert again.delete_where(origin_is("b")) == 2
    assert again.write_documents([doc("4")]) == 1
    assert again.ids() == found(again) == ["1", "4"]


def test_it_is_serialized_with_its_parameters(kind: str, store: Store, path: Path) -> None:
    data = component_to_dict(store, "store")
    assert data["init_parameters"]["path"] == str(path)
    assert type(store).from_dict(data).to_dict() == data


def test_a_batch_is_one_commit(kind: str, store: Store, path: Path) -> None:
    store.write_documents([doc("1"), doc("2"), doc("3", "b")])
    other = STORES[kind](path)
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


def test_an_exception_in_a_batch_leaves_the_store_as_it_was(store: Store) -> None:
    store.write_documents([doc("1")])
    with pytest.raises(KeyError), store.batch():
        store.delete_documents(["1"])
        store.write_documents([doc("2")])
        raise KeyError
    assert store.ids() == ["1"]
    store.write_documents([doc("3")])
    assert store.ids() == ["1", "3"]


def test_duplicates_in_a_batch(store: Store) -> None:
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


def test_meta_that_cannot_be_stored_is_refused_and_nothing_is_written(store: Store) -> None:
    with pytest.raises(ValueError, match="document '2': its meta can't be stored: object is not a JSON type"):
        store.write_documents([doc("1"), Document(id="2", meta={"x": object()})])
    assert store.count_documents() == 0


def test_an_index_with_other_settings_is_refused(kind: str, store: Store, path: Path) -> None:
    store.write_documents([doc("1")])
    store.close()
    others: dict[str, Store] = {
        "tantivy": TantivyDocumentStore(path, text_fields=["words", "stems"]),
        "qdrant_edge": QdrantEdgeDocumentStore(path, dimension=3),
    }
    for use in (others[kind].count_documents, lambda: others[kind].write_documents([Document(id="9")], OVERWRITE)):
        with pytest.raises(DocumentStoreError, match=r"other settings .*remove that folder and build the index again"):
            use()
    assert store.ids() == ["1"]


def test_threads_search_while_another_writes(store: Store) -> None:
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


def test_other_processes_see_commits_and_may_not_write_meanwhile(
    kind: str, store: Store, path: Path, processes: list[subprocess.Popen[str]]
) -> None:
    code = "for line in sys.stdin: store.write_documents([doc(line.strip())]); print(len(store.ids()), flush=True)"
    writer = run_python(code, kind, str(path))
    processes.append(writer)
    assert writer.stdin and writer.stdout
    for number in (1, 2, 3):
        print(number, file=writer.stdin, flush=True)
        assert writer.stdout.readline() == f"{number}\n"
        assert store.ids() == found(store) == [str(i + 1) for i in range(number)]
    with pytest.raises(DocumentStoreError, match=r"another process is writing the \w+ index"):
        store.write_documents([doc("9")])
    assert store.count_documents() == 3
    writer.stdin.close()
    assert writer.wait() == 0
    store.write_documents([doc("9")])
    assert store.count_documents() == 4


def test_a_reader_process_follows_the_writer(
    kind: str, store: Store, path: Path, processes: list[subprocess.Popen[str]]
) -> None:
    reader = run_python("for line in sys.stdin: print(*found(store), flush=True)", kind, str(path))
    processes.append(reader)
    assert reader.stdin and reader.stdout
    expected: list[str] = []
    for number in range(4):
        print("read", file=reader.stdin, flush=True)
        assert reader.stdout.readline().split() == expected
        store.write_documents([doc(str(number))])
        expected.append(str(number))


@pytest.mark.parametrize("commits", [1, 3])
def test_a_killed_writer_loses_nothing_committed(
    kind: str, store: Store, path: Path, processes: list[subprocess.Popen[str]], commits: int
) -> None:
    # each commit replaces documents of the one before and adds 20; a torn one would show in the count
    code = """
for number in range(1000):
    with store.batch():
        store.delete_where(origin_is(str(number - 1)))
        store.write_documents([doc(f"{number}-{i}", str(number), i) for i in range(20)])
        store.write_documents([doc(f"kept-{number}", "kept")])
    print(number, flush=True)
"""
    writer = run_python(code, kind, str(path))
    processes.append(writer)
    assert writer.stdout
    for number in range(commits):
        assert writer.stdout.readline() == f"{number}\n"
    writer.send_signal(signal.SIGKILL)
    committed = [commits - 1, *map(int, writer.communicate()[0].split())][-1]
    kept = len(store.ids(origin_is("kept"))) - 1
    assert kept in (committed, committed + 1)
    assert store.ids({"field": "meta.origin", "operator": "!=", "value": "kept"}) == sorted(
        f"{kept}-{i}" for i in range(20)
    )
    assert store.write_documents([doc("after")]) == 1
    assert store.count_documents() == 20 + kept + 1 + 1

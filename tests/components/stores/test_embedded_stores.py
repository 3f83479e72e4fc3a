"""What both embedded stores do alike with several processes and after crashes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.errors import DocumentStoreError

from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore
from components.stores.tantivy_document_store import TantivyDocumentStore
from components.stores.term_clause import TermClause

ROOT = Path(__file__).parents[3]

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

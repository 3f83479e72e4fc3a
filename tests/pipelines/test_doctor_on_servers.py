"""The doctor over an index on servers: a page at a time, it finds what differs and puts it right."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from cli.output import DONE, FAILED
from pipelines.corpora import get_corpus
from pipelines.doctor import Doctor, Findings
from pipelines.index_stores import open_stores
from pipelines.indexing import IndexRun
from pipelines.loading import resolve
from pipelines.settings import Settings
from tests.cli.test_index_commands import run
from tests.conftest import allow_word_embedders
from tests.pipelines.cluster_samples import CLUSTERS, ClusterIndex, Place, cluster_samples

CORPUS = get_corpus("us-patent-law")
STRAYS = ["stray 1", "stray 2", "stray 3"]
STORES = ["keyword", "parents", "vector"]


@pytest.fixture(scope="module", params=CLUSTERS)
def servers(
    request: pytest.FixtureRequest,
    search_server: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ClusterIndex]:
    kind = request.param
    place = Place(kind, search_server(kind), search_server("qdrant"), tmp_path_factory.mktemp(kind))
    with cluster_samples(place) as index:
        yield index


@pytest.fixture
def cluster(servers: ClusterIndex, monkeypatch: pytest.MonkeyPatch) -> ClusterIndex:
    """Read in pages that are much smaller than the samples."""
    allow_word_embedders(monkeypatch)
    monkeypatch.setattr("pipelines.id_comparison.PAGE", 7)
    monkeypatch.setattr("components.stores.qdrant_document_store.PAGE", 10)
    return servers


def settings_of(index: ClusterIndex) -> Settings:
    return Settings(data_dir=index.data_dir, index_prefix=index.prefix)


def examine(index: ClusterIndex) -> Findings:
    return Doctor(CORPUS, settings_of(index), str(index.profile)).examine()


def stores_of(index: ClusterIndex) -> dict[str, Any]:
    return open_stores(resolve(CORPUS.indexing, str(index.profile), settings_of(index)))


def damage(index: ClusterIndex, name: str) -> list[str]:
    """Delete every ninth document of a store and write strays; tells what was deleted."""
    store = stores_of(index)[name]
    deleted = store.ids()[::9]
    store.delete_documents(deleted)
    embedding = [1.0] + [0.0] * 383
    strays = [Document(id=name, content="Stray", embedding=embedding, meta={"order": 1}) for name in STRAYS]
    store.write_documents(strays, DuplicatePolicy.OVERWRITE)
    store.close()
    return deleted


@pytest.mark.parametrize("name", STORES)
def test_what_differs_is_named_and_mended(name: str, cluster: ClusterIndex) -> None:
    sound = {each: store.ids() for each, store in stores_of(cluster).items()}
    deleted = damage(cluster, name)

    found = examine(cluster).stores

    assert {each for each, store in found.items() if store.differs} == {name}
    assert (found[name].missing, found[name].unknown) == (deleted, STRAYS)
    assert (found[name].missing_count, found[name].unknown_count) == (len(deleted), len(STRAYS))

    left = Doctor(CORPUS, settings_of(cluster), str(cluster.profile)).repair()
    assert left.stores[name].unknown == []
    IndexRun(CORPUS, settings_of(cluster), str(cluster.profile)).run()

    assert examine(cluster).ok
    assert {each: store.ids() for each, store in stores_of(cluster).items()} == sound


def test_the_command_repairs_all_stores_at_once(cluster: ClusterIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(cluster.data_dir))
    monkeypatch.setenv("TANSAKU_INDEX_PREFIX", cluster.prefix)
    deleted = {name: damage(cluster, name) for name in STORES}
    command = ("doctor", "us-patent-law", "--profile", str(cluster.profile), "--json")

    code, output, _ = run(*command)

    found = json.loads(output)["stores"]
    assert code == FAILED
    assert {name: found[name]["missing"] for name in STORES} == deleted
    code, output, _ = run(*command, "--repair")
    assert (code, json.loads(output)["ok"]) == (DONE, True)


def test_of_many_that_differ_some_are_named(cluster: ClusterIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.doctor._MOST_NAMED", 4)
    deleted = damage(cluster, "vector")

    found = examine(cluster).stores["vector"]

    assert (len(found.missing), found.missing_count) == (4, len(deleted))
    Doctor(CORPUS, settings_of(cluster), str(cluster.profile)).repair()
    IndexRun(CORPUS, settings_of(cluster), str(cluster.profile)).run()
    assert examine(cluster).ok


def test_a_server_that_is_down_is_named(cluster: ClusterIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(cluster.data_dir))
    monkeypatch.setenv("TANSAKU_INDEX_PREFIX", cluster.prefix)
    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:9")

    code, _, errors = run("doctor", "us-patent-law", "--profile", str(cluster.profile))

    assert code == FAILED
    assert "the index can't be examined: " in errors
    assert "http://127.0.0.1:9" in errors
    assert "try again when the server answers" in errors

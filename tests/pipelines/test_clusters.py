"""The same pipelines over servers give the same answers as over embedded stores."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from components.stores.elasticsearch_client import ElasticsearchClient
from pipelines.corpora import get_corpus
from pipelines.doctor import Doctor
from pipelines.errors import ConfigError, IndexMissingError
from pipelines.extras import require_extras
from pipelines.settings import Settings
from tests.conftest import SampleIndex, index_sources
from tests.pipelines.cluster_samples import CLUSTERS, CORPORA, QUESTIONS, ClusterIndex, Place, cluster_samples


@pytest.fixture(scope="module", params=CLUSTERS)
def cluster(
    request: pytest.FixtureRequest,
    search_server: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ClusterIndex]:
    """The samples on each pair of servers in turn."""
    kind = request.param
    folder = tmp_path_factory.mktemp(kind)
    place = Place(kind, search_server(kind), search_server("qdrant"), folder)
    with cluster_samples(place, list(CORPORA)) as index:
        yield index


@pytest.fixture(scope="module")
def embedded_index(sample_index: SampleIndex, tmp_path_factory: pytest.TempPathFactory) -> SampleIndex:
    """The same samples in embedded stores."""
    index = SampleIndex(tmp_path_factory.mktemp("embedded"), sample_index.profile)
    for corpus, sources in CORPORA.items():
        index_sources(corpus, Settings(data_dir=index.data_dir), index.profile, sources)
    return index


@pytest.mark.parametrize("pipeline", QUESTIONS)
def test_answers_are_those_of_embedded_stores(
    pipeline: str, cluster: ClusterIndex, embedded_index: SampleIndex
) -> None:
    corpus, ask, questions = QUESTIONS[pipeline]
    on_servers, embedded = cluster.search(corpus), embedded_index.search(corpus)

    assert [ask(on_servers, question) for question in questions] == [ask(embedded, question) for question in questions]


def test_doctor_and_health_find_all_in_order(cluster: ClusterIndex) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*,word_embedders")
        assert Doctor(get_corpus("us-patent-law"), cluster.settings(), str(cluster.profile)).examine().ok

    health = cluster.search().health()
    assert health["ready"]
    assert health["degraded"] == []
    assert health["stores"]["keyword"] == health["stores"]["vector"] == health["corpus"]["chunks"]


def test_what_a_server_lost_is_no_empty_answer_and_is_found_when_it_is_back(cluster: ClusterIndex) -> None:
    lost = replace(cluster, prefix=f"{cluster.prefix}-lost")
    search, whole = lost.search(), cluster.search()
    for call in (lambda: search.search("new matter"), lambda: search.section("2106")):
        with pytest.raises(IndexMissingError, match="tansaku index us-patent-law PATH"):
            call()

    for name, store in whole.stores().items():
        kept = getattr(store, "collection" if name == "vector" else "index")
        store.set_alias(kept.replace(cluster.prefix, lost.prefix))

    assert search.search("new matter")["results"] == whole.search("new matter")["results"]
    assert search.section("2106") == whole.section("2106")


def test_a_search_that_finds_something_counts_nothing(cluster: ClusterIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    search = cluster.search()
    search.search("new matter")
    asked: list[str] = []
    request = ElasticsearchClient.request

    def noted(client: ElasticsearchClient, method: str, path: str, *others: Any, **options: Any) -> dict[str, Any]:
        asked.append(path.rpartition("/")[2])
        return request(client, method, path, *others, **options)

    monkeypatch.setattr(ElasticsearchClient, "request", noted)
    assert search.search("may new matter be added to the specification by amendment")["degraded"] == []
    search.section("2106")

    assert asked
    assert "_count" not in asked


def test_indexing_again_changes_nothing(cluster: ClusterIndex) -> None:
    search = cluster.search()
    store = search.stores()["parents"]
    before = store.version()

    assert cluster.search().info() == search.info()
    assert store.version() is before


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipelines.extras.find_spec", lambda name: None)
    store = {"type": "components.stores.qdrant_document_store.QdrantDocumentStore", "init_parameters": {}}
    with pytest.raises(ConfigError, match=r"needs the package qdrant_client.*pip install .*\[cluster\]"):
        require_extras({"components": {"writer": {"init_parameters": {"document_store": store}}}})

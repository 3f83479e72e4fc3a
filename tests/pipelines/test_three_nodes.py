"""A cluster of three Elasticsearch nodes, of which one dies while it is searched: answers stay whole."""

import json
import urllib.request
from collections.abc import Iterator
from functools import partial

import pytest

from benchmarks.load import Load, Question, mixed
from tests.pipelines.cluster_samples import ClusterIndex, Place, cluster_samples, questions
from tests.servers.qdrant.process import QdrantServer
from tests.servers.search_server import SearchServer

_PATIENCE = 120
_ANSWERS = 30


@pytest.fixture(scope="module")
def nodes() -> Iterator[SearchServer]:
    """The cluster."""
    with SearchServer("elasticsearch", nodes=3) as server:
        yield server


@pytest.fixture
def cluster(nodes: SearchServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterIndex]:
    """The samples on it, each index with one replica, as is usual."""
    with QdrantServer() as qdrant, pytest.MonkeyPatch.context() as patch:
        patch.delenv("QDRANT_API_KEY", raising=False)
        place = Place("elasticsearch", nodes.url, qdrant.url, tmp_path_factory.mktemp("nodes"))
        with cluster_samples(place) as index:
            yield index


def wait_until_green(url: str) -> None:
    """Wait until every replica is at work."""
    with urllib.request.urlopen(f"{url}/_cluster/health?wait_for_status=green&timeout={_PATIENCE}s") as answer:
        assert json.load(answer)["status"] == "green"


def test_answers_stay_whole_whichever_node_is_killed(nodes: SearchServer, cluster: ClusterIndex) -> None:
    search = cluster.search()
    asked = [Question("questions", text, partial(search.search, text)) for text in [*questions()[:5], "608.01(o)"]]
    first = nodes.url.partition(",")[0]
    with Load(asked, threads=3) as load:
        for node in range(3):
            wait_until_green(first)
            nodes.kill(node)
            answered = len(load.answers)
            assert load.wait_for(lambda answer, least=answered + _ANSWERS: len(load.answers) > least, _PATIENCE)
            nodes.start(node)

    assert load.errors() == {}
    assert load.degraded() == {}
    assert mixed(load.answers) == []

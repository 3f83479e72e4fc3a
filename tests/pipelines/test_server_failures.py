"""Searches over servers that die, hang and come back while they are asked."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from benchmarks.load import Load, Question, mixed
from pipelines.errors import ConfigError, StoreDownError
from pipelines.settings import Settings
from pipelines.store_outage import refuse_without, required_parts
from tests.pipelines.cluster_samples import ClusterIndex, Place, cluster_samples, questions
from tests.servers.postgres_server import PostgresServer
from tests.servers.qdrant.process import QdrantServer
from tests.servers.search_server import SearchServer

QUESTION = "may new matter be added to the specification by amendment"
_HEALED_SECONDS = 10
_PATIENCE = 60


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, Any]]:
    """Servers of these tests' own, to kill."""
    with SearchServer("elasticsearch") as search_server, QdrantServer() as qdrant, PostgresServer() as postgres:
        yield {"keyword": search_server, "vector": qdrant, "manifest": postgres}


@pytest.fixture(scope="module")
def cluster(servers: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterIndex]:
    """The samples on them."""
    urls = [servers[name].url for name in ("keyword", "vector", "manifest")]
    place = Place("elasticsearch", urls[0], urls[1], tmp_path_factory.mktemp("cluster"), urls[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("QDRANT_API_KEY", raising=False)
        with cluster_samples(place) as index:
            yield index


@contextmanager
def down(server: Any) -> Iterator[None]:
    """The server is killed before the block and started again after it."""
    server.kill()
    try:
        yield
    finally:
        server.start()


@contextmanager
def hanging(server: QdrantServer) -> Iterator[None]:
    """The server takes connections and answers nothing while the block runs."""
    server.pause()
    try:
        yield
    finally:
        server.resume()


def healed(ask: Callable[[], dict[str, Any]]) -> bool:
    """Whether answers are whole again in time."""
    end = time.monotonic() + _HEALED_SECONDS
    while ask()["degraded"]:
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


@pytest.mark.parametrize("arm", ["keyword", "vector"])
def test_answers_go_on_without_a_server_that_was_killed(
    arm: str, cluster: ClusterIndex, servers: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    search = cluster.search()
    whole = search.search(QUESTION)
    assert whole["degraded"] == []

    with down(servers[arm]):
        answers = [search.search(QUESTION) for _ in range(4)]
        health = search.health()

    assert [answer["degraded"] for answer in answers] == [[arm]] * 4
    assert all(hit["text"] and hit["section"] for answer in answers for hit in answer["results"])
    assert all(len(answer["results"]) == 5 for answer in answers)
    assert (health["ready"], health["degraded"]) == (True, [arm])
    assert f"an answer was made without: {arm}" in caplog.text
    assert healed(lambda: search.search(QUESTION))
    assert search.search(QUESTION)["results"] == whole["results"]
    assert search.health()["degraded"] == []


def asked(search: Any) -> list[Question]:
    """Questions for a load."""
    return [Question("questions", text, partial(search.search, text)) for text in [*questions()[:5], "608.01(o)"]]


@pytest.mark.parametrize("arm", ["keyword", "vector"])
def test_no_answer_is_lost_under_load_when_a_server_is_killed(
    arm: str, cluster: ClusterIndex, servers: dict[str, Any]
) -> None:
    search = cluster.search()
    with Load(asked(search), threads=3) as load:
        assert load.wait_for(lambda answer: not answer.error, _PATIENCE)
        with down(servers[arm]):
            assert load.wait_for(lambda answer: answer.degraded == (arm,), _PATIENCE)
        assert load.wait_for(lambda answer: not answer.error and not answer.degraded, _HEALED_SECONDS)

    assert load.errors() == {}
    assert set(load.degraded()) == {arm}
    assert all(answer.hits for answer in load.answers)
    assert mixed(load.answers) == []


def test_answers_stay_whole_under_load_when_the_manifests_database_is_killed(
    cluster: ClusterIndex, servers: dict[str, Any]
) -> None:
    search = cluster.search()
    with Load(asked(search), threads=3) as load:
        assert load.wait_for(lambda answer: not answer.error, _PATIENCE)
        with down(servers["manifest"]):
            assert load.wait_for(lambda answer: "can't be used" in search.health().get("detail", ""), _PATIENCE)
        assert load.wait_for(lambda answer: "detail" not in search.health(), _HEALED_SECONDS)

    assert load.errors() == {}
    assert load.degraded() == {}
    assert mixed(load.answers) == []


def test_answers_go_on_without_a_server_that_hangs(cluster: ClusterIndex, servers: dict[str, Any]) -> None:
    search = cluster.hurried("vector").search()

    with hanging(servers["vector"]):
        answer = search.search(QUESTION)

    assert answer["degraded"] == ["vector"]
    assert healed(lambda: search.search(QUESTION))


def test_a_process_that_starts_without_a_server_answers_and_heals(
    cluster: ClusterIndex, servers: dict[str, Any]
) -> None:
    with down(servers["keyword"]):
        search = cluster.search()
        assert search.search(QUESTION)["degraded"] == ["keyword"]

    assert healed(lambda: search.search(QUESTION))


def test_without_both_servers_there_is_no_answer(cluster: ClusterIndex, servers: dict[str, Any]) -> None:
    search = cluster.hurried("vector").search()
    with down(servers["keyword"]), hanging(servers["vector"]):
        with pytest.raises(StoreDownError, match="can't do without keyword"):
            search.search(QUESTION)
        assert not search.health()["ready"]
    assert healed(search.health)


def test_sections_need_the_keyword_server(cluster: ClusterIndex, servers: dict[str, Any]) -> None:
    search = cluster.search()
    with down(servers["keyword"]), pytest.raises(StoreDownError, match="keyword"):
        search.section("608.01(o)")
    assert healed(search.health)
    assert search.section("608.01(o)")["chunks"]


@pytest.mark.parametrize("arm", ["keyword", "vector"])
def test_production_gives_no_answer_without_a_required_server(
    arm: str, cluster: ClusterIndex, servers: dict[str, Any]
) -> None:
    search = cluster.search(env="production")
    with down(servers[arm]):
        with pytest.raises(StoreDownError, match=f"can't do without {arm}"):
            search.search(QUESTION)
        health = search.health()
    assert (health["ready"], health["degraded"]) == (False, [arm])
    assert healed(search.health)  # this process asks the server again, for whoever comes next


def test_a_server_that_never_answers_is_no_keyword_arm(cluster: ClusterIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("ELASTICSEARCH_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert cluster.hurried("keyword").search().search(QUESTION)["degraded"] == ["keyword"]


@pytest.mark.parametrize(
    ("required", "degraded", "silent", "refused"),
    [
        ([], ["vector"], [], []),
        ([], ["keyword", "vector"], ["keyword_retriever", "vector_retriever"], ["keyword", "vector"]),
        ([], ["keyword", "vector"], ["vector_retriever"], []),
        (["keyword"], ["vector"], [], []),
        (["vector"], ["vector"], [], ["vector"]),
        (["keyword", "vector"], ["keyword"], [], ["keyword"]),
    ],
)
def test_which_answers_are_refused(
    required: list[str], degraded: list[str], silent: list[str], refused: list[str]
) -> None:
    outputs = {name: {"degraded": [name.partition("_")[0]]} for name in silent}
    parts: list[str] = []
    try:
        refuse_without(required, outputs, degraded)
    except StoreDownError as error:
        parts = error.parts
    assert parts == refused


def test_what_is_required_counts_in_production_alone() -> None:
    names = {"require": ["vector"]}
    assert required_parts(names, Settings(env="development")) == frozenset()
    assert required_parts(names, Settings(env="production")) == {"vector"}
    with pytest.raises(ConfigError, match="must be a list of keyword, vector, reranker"):
        required_parts({"require": ["elasticsearch"]}, Settings())

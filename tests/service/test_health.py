"""How a service starts, gets ready, breaks and recovers."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pipelines.corpora import get_corpus
from pipelines.errors import ArgumentError, IndexDamagedError, IndexMissingError, TansakuError
from pipelines.generations import chosen_manifest
from pipelines.manifest import Manifest
from pipelines.settings import Settings
from service.runtime import _lacks_samples, served_corpora
from service.settings import ServiceSettings

CORPUS = "us-patent-law"
SEARCH = "/search_mpep/run"


def test_until_it_is_ready_it_says_so(serve, stand_in, until_ready):
    stand_in.released.clear()
    client = serve(lambda: stand_in)

    starting = client.get("/health")
    refused = client.post(SEARCH, json={"query": "abc"})
    live = client.get("/health/live")
    stand_in.released.set()
    until_ready(client)

    assert (starting.status_code, starting.json()["status"]) == (503, "starting")
    assert refused.status_code == 503
    assert refused.json() == {"error": "the service is starting (GET /health says when it is ready)"}
    assert (live.status_code, live.json()) == (200, {"status": "alive"})
    ready = client.get("/health").json()
    assert ready["status"] == "ready"
    assert (ready["pipelines"], ready["stores"]) == ({"mpep_query": "ready"}, {"us-patent-law": {"keyword": 7}})
    assert {"tansaku", "haystack-ai", "hayhooks"} <= set(ready["versions"])


def test_head_answers_like_get_without_a_body(serve, stand_in, until_ready):
    stand_in.released.clear()
    client = serve(lambda: stand_in)
    starting = client.head("/health")
    stand_in.released.set()
    until_ready(client)

    assert (starting.status_code, starting.content) == (503, b"")
    for path in ("/health", "/health/live"):
        ready = client.head(path)
        assert (ready.status_code, ready.content) == (200, b"")
        assert ready.headers["content-length"] == client.get(path).headers["content-length"]
    assert client.post("/health").json() == {"error": "POST is not allowed at /health; use GET"}
    assert list(client.get("/openapi.json").json()["paths"]["/health"]) == ["get"]


def test_it_answers_while_searches_take_all_threads(serve, stand_in, until_ready):
    client = serve(lambda: stand_in)
    until_ready(client)
    stand_in.released.clear()
    with ThreadPoolExecutor(60) as callers:
        answers = [callers.submit(client.post, SEARCH, json={"query": "wait"}) for _ in range(60)]
        for _ in range(40):  # as many as the server has threads
            assert stand_in.waiting.acquire(timeout=60)
        healthy = client.get("/health")
        stand_in.released.set()

    assert healthy.status_code == 200
    assert {answer.result().status_code for answer in answers} == {200}


def wait_until_failed(client) -> dict[str, Any]:
    for _ in range(500):
        answer = client.get("/health")
        if answer.json()["status"] == "failed":
            assert answer.status_code == 503
            return answer.json()
        threading.Event().wait(0.01)
    raise AssertionError(client.get("/health").text)


def test_a_start_that_fails_shows_why(serve):
    def build():
        raise TansakuError("there is no profile 'cloud'")

    client = serve(build)

    assert wait_until_failed(client)["detail"] == "there is no profile 'cloud'"
    assert client.post(SEARCH, json={"query": "abc"}).status_code == 503
    assert client.get("/health/live").status_code == 200


def test_a_defect_at_the_start_stays_in_the_log(serve, caplog):
    def build():
        raise RuntimeError("at /srv/secret")

    client = serve(build)

    assert wait_until_failed(client)["detail"] == "the start failed; the log has the details"
    assert "at /srv/secret" in caplog.text


def test_parts_that_are_not_ready_make_it_fail(serve, stand_in):
    stand_in.health = lambda: {"ready": False, "stores": {"keyword": "gone"}}
    client = serve(lambda: stand_in)

    assert wait_until_failed(client)["stores"] == {"us-patent-law": {"keyword": "gone"}}


def test_a_health_check_that_breaks_is_a_failure(serve, stand_in, caplog):
    def health():
        raise OSError("at /srv/secret")

    stand_in.health = health
    client = serve(lambda: stand_in)

    assert wait_until_failed(client)["detail"] == "the health check failed; the log has the details"


def test_a_missing_index_shows_the_command_and_is_used_as_soon_as_it_is_there(
    serve, stand_in, monkeypatch, until_ready
):
    monkeypatch.setattr("service.runtime.RETRY_SECONDS", 0.01)
    indexed = threading.Event()

    def warm_up():
        if not indexed.is_set():
            raise IndexMissingError("us-patent-law")

    stand_in.warm_up = warm_up
    client = serve(lambda: stand_in)
    detail = wait_until_failed(client)["detail"]
    refused = client.post(SEARCH, json={"query": "abc"})
    indexed.set()
    until_ready(client)

    assert detail == "there is no index for us-patent-law yet; build it with: tansaku index us-patent-law PATH..."
    assert (refused.status_code, detail in refused.json()["error"]) == (503, True)


class Indexing:
    """Stands for a `tansaku index` process."""

    commands: list[list[str]]
    may_end: threading.Event
    code = 0

    def __init__(self, command, **options):
        self.commands.append(command)

    def wait(self) -> int:
        self.may_end.wait()
        return self.code

    def poll(self) -> int:
        return self.code


@pytest.fixture
def indexing(monkeypatch, tmp_path) -> type[Indexing]:
    """Puts the stand-in in place of the process, and an empty data folder in place of the user's."""
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("service.runtime.subprocess.Popen", Indexing)
    Indexing.commands, Indexing.may_end, Indexing.code = [], threading.Event(), 0
    return Indexing


def test_a_service_serves_what_has_an_index(tmp_path, monkeypatch):
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path))

    assert served_corpora(ServiceSettings()) == [CORPUS]
    assert served_corpora(ServiceSettings(corpora=f" {CORPUS} ,")) == [CORPUS]
    with pytest.raises(ArgumentError, match="corpus: 'law' is not allowed; it must be one of us-patent-law"):
        served_corpora(ServiceSettings(corpora="law"))


def test_an_empty_index_is_filled_with_the_samples_first(serve, stand_in, indexing, until_ready):
    client = serve(lambda: stand_in, samples=True)
    while not indexing.commands:
        threading.Event().wait(0.01)
    busy = client.get("/health")
    indexing.may_end.set()
    until_ready(client)

    assert (busy.status_code, busy.json()["status"]) == (503, "starting")
    assert busy.json()["detail"] == "the index is empty, so the project's samples are being indexed first"
    assert indexing.commands[0][3:5] == ["index", "us-patent-law"]
    assert indexing.commands[0][5].endswith("us_patent_law")


def test_samples_left_unfinished_are_searched_while_they_are_finished(serve, stand_in, indexing, until_ready, caplog):
    place = chosen_manifest(Settings(), CORPUS)
    place.parent.mkdir(parents=True)
    with Manifest(place) as manifest:
        manifest.change("INSERT INTO roots VALUES ('samples', ?)", str(get_corpus(CORPUS).samples))
        manifest.change("INSERT INTO chunks VALUES ('A#1', 'A', 'o', 't', 'm', NULL, NULL)")
    with caplog.at_level("INFO"):
        until_ready(serve(lambda: stand_in, samples=True))

    assert indexing.commands[0][3:5] == ["index", "us-patent-law"]
    assert not indexing.may_end.is_set()
    assert "the samples of us-patent-law were not indexed to the end" in caplog.text
    indexing.may_end.set()


def test_samples_that_cant_be_indexed_leave_the_reason_in_the_log(serve, stand_in, indexing, until_ready, caplog):
    indexing.code = 1
    indexing.may_end.set()
    until_ready(serve(lambda: stand_in, samples=True))

    assert "the samples could not be indexed: exit code 1" in caplog.text


@pytest.mark.parametrize(
    ("root", "state", "due"),
    [("samples", "done", False), ("samples", "pending", True), ("mine", "pending", False), ("mine", "done", False)],
)
def test_samples_are_indexed_again_only_to_finish_them(tmp_path, root, state, due):
    samples, place = tmp_path / "samples", tmp_path / "manifest.sqlite"
    with Manifest(place) as manifest:
        manifest.change("INSERT INTO roots VALUES (?, ?)", root, str(tmp_path / root))
        manifest.change("INSERT INTO sources (origin, file, name, digest, state) VALUES ('o', 'f', 'n', 'd', ?)", state)
        manifest.change("INSERT INTO chunks VALUES ('A#1', 'A', 'o', 't', 'm', 't', 'm')")

    assert _lacks_samples(place, CORPUS, samples) is due
    assert _lacks_samples(tmp_path / "nothing.sqlite", CORPUS, samples) is True


def test_a_damaged_index_is_told_with_the_command_that_mends_it(serve, stand_in, until_ready):
    damaged = IndexDamagedError("us-patent-law", {"keyword": "meta.json"})
    client = serve(lambda: stand_in)
    until_ready(client)

    def fail(*_, **__):
        raise RuntimeError("component failed") from damaged

    def broken_health():
        raise damaged

    stand_in.search, stand_in.health = fail, broken_health
    refused, health = client.post(SEARCH, json={"query": "abc"}), client.get("/health")

    message = str(damaged)
    assert message.endswith("is damaged (keyword: meta.json); mend it with: tansaku doctor us-patent-law --repair")
    assert (refused.status_code, refused.json()) == (503, {"error": message})
    assert (health.status_code, health.json()["status"], health.json()["detail"]) == (503, "failed", message)


def test_a_damaged_manifest_is_left_to_the_doctor_and_not_filled_with_samples(tmp_path):
    (tmp_path / "manifest.sqlite").write_bytes(b"no database at all " * 300)

    assert _lacks_samples(tmp_path / "manifest.sqlite", CORPUS, tmp_path / "samples") is False

"""How a service starts, gets ready, breaks and recovers."""

import threading
from typing import Any

from pipelines.errors import IndexMissingError, TansakuError

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
    assert refused.json() == {"error": "the service is starting; GET /health says when it is ready"}
    assert (live.status_code, live.json()) == (200, {"status": "alive"})
    ready = client.get("/health").json()
    assert ready["status"] == "ready"
    assert (ready["pipelines"], ready["stores"]) == (["mpep_query"], {"keyword": 7})
    assert {"tansaku", "haystack-ai", "hayhooks"} <= set(ready["versions"])


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

    assert wait_until_failed(client)["stores"] == {"keyword": "gone"}


def test_a_health_check_that_breaks_is_a_failure(serve, stand_in, caplog):
    def health():
        raise OSError("at /srv/secret")

    stand_in.health = health
    client = serve(lambda: stand_in)

    assert wait_until_failed(client)["detail"] == "the health check failed; the log has the details"


def test_without_samples_a_missing_index_shows_the_command(serve, stand_in):
    def raise_missing(*arguments: Any, **named: Any):
        raise IndexMissingError("us-patent-law")

    stand_in.warm_up = raise_missing
    stand_in.health = raise_missing
    client = serve(lambda: stand_in, samples=False)

    assert "tansaku index us-patent-law PATH..." in wait_until_failed(client)["detail"]


def test_an_empty_index_is_filled_with_the_samples_first(serve, stand_in, monkeypatch, until_ready):
    commands, indexed = [], threading.Event()

    class Indexing:
        def __init__(self, command, **options):
            commands.append(command)

        def wait(self) -> int:
            indexed.wait()
            return 0

        def poll(self) -> int:
            return 0

    def warm_up():
        if not indexed.is_set():
            raise IndexMissingError("us-patent-law")

    monkeypatch.setattr("service.runtime.subprocess.Popen", Indexing)
    stand_in.warm_up = warm_up
    client = serve(lambda: stand_in)
    while not commands:
        threading.Event().wait(0.01)
    busy = client.get("/health")
    indexed.set()
    until_ready(client)

    assert busy.status_code == 503
    assert busy.json()["detail"] == "the index is empty, so the project's samples are being indexed first"
    assert commands[0][3:5] == ["index", "us-patent-law"]
    assert commands[0][5].endswith("us_patent_law")

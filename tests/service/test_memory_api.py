"""Ratings and the memory over real HTTP, by two service processes on one database."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipelines.memory import MemoryService, MemoryUnavailableError
from pipelines.settings import Settings
from tests.service.conftest import StandIn, running

PROJECT = Path(__file__).parents[2]
QUESTION = "when is leave granted in summer"
SERVER = """
import sys
import uvicorn
from service.app import create_app
from service.settings import ServiceSettings
from tests.service.conftest import StandIn
app = create_app(ServiceSettings(samples=False), {"company-docs": StandIn})
config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", port=0)
server = uvicorn.Server(config)
real_startup = server.startup
async def startup(sockets=None):
    await real_startup(sockets)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
server.startup = startup
server.run()
"""


class Place:
    """Where the memory of some processes is: settings, environment and the memory itself, for the search side."""

    def __init__(self, folder: Path, url: str | None):
        self.profile = folder / "words.yaml"
        self.settings = Settings(data_dir=folder, profile=str(self.profile))
        (folder / "terms.yaml").write_text("Kaze: {definition: a quiet fan, type: PRODUCT}\n", encoding="utf-8")
        (folder / "memory_config.yaml").write_text("semantic: {vocabulary: terms.yaml}\n", encoding="utf-8")
        embedder = {"type": "tests.memory_components.word_embedder.OneWordEmbedder"}
        memory = {
            "path": str(folder / "memory.sqlite"),
            "config": str(folder / "memory_config.yaml"),
            "embedder": embedder,
            "database_url": {"type": "env_var", "env_vars": ["TANSAKU_DATABASE_URL"], "strict": False},
        }
        spec = {"type": "memory_components.rag_memory_integrator.RAGMemoryIntegrator", "init_parameters": memory}
        self.profile.write_text(json.dumps({"memory": spec, "embedder": {"query": embedder}}), encoding="utf-8")
        self.environment = {
            "TANSAKU_DATA_DIR": str(folder),
            "TANSAKU_PROFILE": str(self.profile),
            "TANSAKU_DATABASE_URL": url or "",
            "HAYSTACK_DESERIALIZATION_ALLOWLIST": "components.*,memory_components.*,tests.*",
            "HAYSTACK_TELEMETRY_ENABLED": "False",
        }


BOTH = pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    url = request.getfixturevalue("postgres_url") if getattr(request, "param", "") == "postgres" else None
    found = Place(tmp_path, url)
    for name, value in found.environment.items():
        monkeypatch.setenv(name, value)
    if url is None:
        monkeypatch.delenv("TANSAKU_DATABASE_URL")
    return found


@pytest.fixture
def memory(place: Place) -> Iterator[Any]:
    """The memory as the search of a third process uses it."""
    service = MemoryService(str(place.profile), place.settings)
    yield service.memory
    service.close()


Process = tuple[httpx.Client, "subprocess.Popen[str]"]


@pytest.fixture
def start(place: Place) -> Iterator[Callable[[], Process]]:
    """Starts service processes."""
    with ExitStack() as stack:

        def started() -> Process:
            process = subprocess.Popen(
                [sys.executable, "-c", SERVER],
                stdout=subprocess.PIPE,
                text=True,
                cwd=PROJECT,
                env={**os.environ, **place.environment},
            )
            assert process.stdout
            stack.callback(process.stdout.close)
            stack.callback(process.wait)
            stack.callback(process.kill)
            url = f"http://127.0.0.1:{process.stdout.readline().strip()}"
            return stack.enter_context(httpx.Client(base_url=url, timeout=60, trust_env=False)), process

        yield started


def searched(memory: Any, user: str = "", *shown: str) -> str:
    from memory_components.records import Shown
    from tests.memory_components.word_embedder import words_vector

    results = [Shown(name, rank, 1 / rank) for rank, name in enumerate(shown or ("HR-7#1", "HR-8#1", "IT-1#2"), 1)]
    found: str = memory.record_search_session(QUESTION, results, words_vector(QUESTION), user).id
    return found


def order(memory: Any, user: str, scores: dict[str, float]) -> list[str]:
    from components.retrieval.ranking import Candidate
    from tests.memory_components.word_embedder import words_vector

    candidates = [Candidate(name, score) for name, score in scores.items()]
    boosts = memory.compute_memory_boost(QUESTION, words_vector(QUESTION), candidates, user).boosts
    return sorted(scores, key=lambda name: (-scores[name] - boosts.get(name, 0), name))


def rate(client: httpx.Client, session: str, rating: int = 5, **values: Any) -> httpx.Response:
    return client.post("/api/v2/rag/feedback", json={"session_id": session, "rating": rating, **values})


@BOTH
def test_the_rules_hold_over_two_processes(start: Callable[[], Process], memory: Any) -> None:
    (one, _), (other, _) = start(), start()
    scores = {f"D-{n}#1": 0.9 - n / 1000 for n in range(12)}
    names = list(scores)

    # Yesterday's five stars lift the right document: by all of it for the rater, by one place for others.
    session = searched(memory, "ann", *names)
    first = rate(one, session, doc_id="D-5#1", comment="just right")
    again = rate(other, session, doc_id="D-5#1", comment="just right")
    assert first.status_code == 200
    assert first.json() == again.json()
    assert first.json().keys() == {"status", "feedback_id", "memory_id", "importance", "recorded_at"}
    assert order(memory, "ann", scores)[0] == "D-5#1"
    assert order(memory, "zoe", scores).index("D-5#1") == 4

    # Three people lift by three places; the same person again by none.
    for user, client in (("bob", one), ("cem", other), ("cem", one)):
        assert rate(client, searched(memory, user, *names), doc_id="D-5#1").status_code == 200
    before = order(memory, "zoe", scores)
    assert before.index("D-5#1") == 2

    # Ten hostile sessions move nothing by more than one place, and are taken back at once.
    for number in range(10):
        hostile = searched(memory, "eve", *names)
        for doc, stars in (("D-5#1", 1), ("D-11#1", 5), ("D-10#1", 5)):
            assert rate((one, other)[number % 2], hostile, stars, doc_id=doc).status_code == 200
    after = order(memory, "zoe", scores)
    assert max(abs(after.index(name) - place) for place, name in enumerate(before)) <= 1
    revoked = one.post("/api/memory/revoke", json={"user_id": "eve", "since": 0})
    assert revoked.json() == {"status": "ok", "revoked": 30}
    assert order(memory, "zoe", scores) == before

    stats = other.get("/api/memory/stats").json()
    assert (stats["ratings"], stats["revoked_ratings"], stats["users"]) == (4, 30, 3)


@pytest.fixture
def client(place: Place) -> Iterator[httpx.Client]:
    """A service in this process."""
    with running(StandIn, corpus="company-docs", profile=str(place.profile)) as client:
        yield client


@pytest.mark.parametrize(
    ("change", "status", "code", "message"),
    [
        ({"session_id": "none"}, 404, "SESSION_NOT_FOUND", "there is no session 'none' that takes ratings"),
        ({"doc_id": "HR-9#1"}, 422, "DOCUMENT_NOT_SHOWN", "doc_id: 'HR-9#1' was not among the results"),
        ({"rating": 0}, 422, "INVALID_REQUEST", "rating: Input should be greater than or equal to 1"),
        ({"rating": 6}, 422, "INVALID_REQUEST", "rating: Input should be less than or equal to 5"),
        ({"rating": "5"}, 422, "INVALID_REQUEST", "rating: Input should be a valid integer"),
        ({"rating": None}, 422, "INVALID_REQUEST", "rating: Input should be a valid integer"),
        ({"rating": 5.0}, 422, "INVALID_REQUEST", "rating: Input should be a valid integer"),
        ({"rating": True}, 422, "INVALID_REQUEST", "rating: Input should be a valid integer"),
        ({"rating": float("nan")}, 422, "INVALID_REQUEST", "rating: Input should be a valid integer"),
        ({"rating": [5]}, 422, "INVALID_REQUEST", "rating: Input should be a valid integer"),
        ({"rating": -(10**400)}, 422, "INVALID_REQUEST", "rating: "),
        ({"comment": "x" * 900_000}, 422, "INVALID_REQUEST", "comment: String should have at most 10000 characters"),
        ({"comment": "a\0"}, 422, "INVALID_REQUEST", "comment: "),
        ({"user_id": "ann\u200b"}, 422, "NAME_MALFORMED", "holds characters that can't be seen"),
        ({"user_id": "an\x1bn"}, 422, "NAME_MALFORMED", "holds characters that can't be seen"),
        ({"user_id": "x" * 257}, 422, "INVALID_REQUEST", "user_id: String should have at most 256 characters"),
        ({"session_id": ""}, 422, "INVALID_REQUEST", "session_id: "),
        ({"session_id": 5}, 422, "INVALID_REQUEST", "session_id: "),
        ({"stars": 5}, 422, "INVALID_REQUEST", "stars: Extra inputs are not permitted"),
        ({"user_id": "bob"}, 422, "USER_MISMATCH", "user_id: 'bob' did not make that search"),
        ({"comment": "\ud800"}, 422, "INVALID_REQUEST", "comment: "),
    ],
)
def test_ratings_that_are_refused(
    client: httpx.Client, memory: Any, change: dict[str, Any], status: int, code: str, message: str
) -> None:
    body = json.dumps({"session_id": searched(memory, "ann"), "rating": 5, **change})

    answer = client.post("/api/v2/rag/feedback", content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["status"], answer.json()["code"]) == (status, "error", code)
    assert message in answer.json()["message"]
    assert isinstance(answer.json()["details"], dict)


def test_a_body_of_a_million_bytes(client: httpx.Client, memory: Any) -> None:
    answer = rate(client, searched(memory, "ann"), comment="x" * 1_000_000)

    assert (answer.status_code, answer.json()["code"]) == (413, "BODY_TOO_LARGE")
    assert answer.json()["message"] == "the body is larger than 1,000,000 bytes"
    assert memory.store.episodes.count() == 0


def test_a_session_that_expired(place: Place, memory: Any, client: httpx.Client) -> None:
    from sqlalchemy import update

    from memory_components.tables import sessions

    session = searched(memory, "ann")
    with memory.store.database.write() as connection:
        connection.execute(update(sessions).values(expires_at=time.time() - 1))

    answer = rate(client, session)

    assert (answer.status_code, answer.json()["code"]) == (404, "SESSION_NOT_FOUND")
    assert client.get(f"/api/memory/explain/{session}").status_code == 200


def test_a_body_that_is_no_json(client: httpx.Client) -> None:
    answer = client.post("/api/v2/rag/feedback", content=b"{", headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (422, "INVALID_REQUEST")


def test_an_answer_is_explained_without_names(client: httpx.Client, memory: Any) -> None:
    from memory_components.records import Shown

    rated = searched(memory, "ann")
    rate(client, rated, doc_id="HR-8#1", comment="private")
    shown = [Shown("HR-8#1", 1, 0.6, 0.1)]
    session = memory.record_search_session(QUESTION, shown, None, "bob", past_sessions={rated: 0.97}).id

    why = client.get(f"/api/memory/explain/{session}")
    whole = client.get(f"/api/memory/sessions/{session}").json()

    assert why.status_code == 200
    assert why.json()["results"] == [{"doc_id": "HR-8#1", "rank": 1, "score": 0.6, "memory_boost": 0.1}]
    assert why.json()["past_sessions_used"][0]["ratings"][0]["doc_id"] == "HR-8#1"
    assert not any(secret in why.text for secret in ("ann", "private", rated))
    assert whole["past_sessions_used"][0]["ratings"][0]["user_id"] == "ann"
    assert whole["log"][0]["kind"] == "boost"
    assert client.get("/api/memory/explain/none").json()["code"] == "SESSION_NOT_FOUND"


def test_episodes(client: httpx.Client) -> None:
    body = {"context": QUESTION, "outcome": {"note": "found"}, "reward": 0.5, "groups": ["hr"]}
    kept = client.post("/api/memory/episodic/store", json=body).json()
    place = f"/api/memory/episodic/{kept['memory_id']}"

    found = client.post("/api/memory/episodic/retrieve", json={"query": "leave in summer"}).json()["memories"]
    # Three words of six: 3 / sqrt(18).
    assert [(m["memory_id"], m["similarity"]) for m in found] == [(kept["memory_id"], pytest.approx(0.707107))]
    assert client.get("/api/memory/episodic?limit=5").json()["total"] == 1
    assert client.patch(place, json={"importance": 0.9}).status_code == 200
    shown = client.get(place).json()
    assert (shown["importance"], shown["outcome"], shown["groups"], shown["ratings"]) == (
        0.9,
        {"note": "found"},
        ["hr"],
        [],
    )
    assert client.patch(place, json={}).json()["code"] == "INVALID_REQUEST"
    assert client.delete(place).status_code == 200
    assert [client.request(method, place, json=body).json()["code"] for method, body in (
        ("GET", None), ("DELETE", None), ("PATCH", {"importance": 0.9}),
    )] == ["MEMORY_NOT_FOUND"] * 3  # fmt: skip


def test_concepts_and_ties(client: httpx.Client) -> None:
    body = {"concept": "EV-2024/1", "definition": "the battery", "related_concepts": ["Kaze"], "aliases": ["nb"]}
    assert client.post("/api/memory/semantic/store", json=body).json() == {"status": "ok", "concept": "EV-2024/1"}
    episode = client.post("/api/memory/episodic/store", json={"context": "tests of nb"}).json()["memory_id"]

    found = client.post("/api/memory/semantic/retrieve", json={"query": "NB and kaze"}).json()["concepts"]
    assert [(concept["concept"], concept["matched"]) for concept in found] == [("EV-2024/1", "NB"), ("Kaze", "kaze")]
    shown = client.get("/api/memory/semantic/EV-2024/1").json()
    assert (shown["near"], shown["origin"]) == (["Kaze"], "api")
    assert client.get("/api/memory/semantic").json()["total"] == 2
    tied = client.post("/api/memory/associate", json={"query_context": "nb tests"}).json()["associations"]
    assert [(tie["episode_id"], tie["concept"]) for tie in tied] == [(episode, "EV-2024/1")]
    tie = {"episode_id": episode, "concept": "Kaze", "strength": 0.25}
    assert client.post("/api/memory/associate", json=tie).json()["associations"] == [tie]
    assert client.get(f"/api/memory/episodic/{episode}").json()["concepts"]["Kaze"] == 0.25
    answers = [
        client.post("/api/memory/associate", json=wrong).json()["code"]
        for wrong in ({}, {"episode_id": "none", "concept": "Kaze"}, {"episode_id": episode, "concept": "none"})
    ]
    assert answers == ["INVALID_REQUEST", "MEMORY_NOT_FOUND", "CONCEPT_NOT_FOUND"]
    assert client.delete("/api/memory/semantic/EV-2024/1").status_code == 200
    assert client.get("/api/memory/semantic/EV-2024/1").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "message"),
    [
        ("POST", "episodic/store", {"context": "x", "outcome": {"a": "\ud800"}}, "VALUE_NOT_STORABLE", "outcome: it "),
        ("POST", "episodic/store", {"context": "x", "outcome": {"a": [float("inf")]}}, "VALUE_NOT_STORABLE", "number"),
        ("POST", "episodic/store", {"context": "x", "action": {"a\0": 1}}, "VALUE_NOT_STORABLE", "action: it holds a"),
        ("PATCH", "episodic/e1", {"outcome": {"a": {"b": float("nan")}}}, "VALUE_NOT_STORABLE", "outcome: it holds"),
        ("POST", "episodic/store", {"context": "x", "groups": ["g"] * 101}, "INVALID_REQUEST", "at most 100 items"),
        ("POST", "episodic/store", {"context": " "}, "CONTEXT_EMPTY", "context: it is empty"),
        ("POST", "semantic/store", {"concept": " \u3000", "definition": "x"}, "NAME_EMPTY", "concept: "),
        ("POST", "semantic/store", {"concept": "a\u200b", "definition": "x"}, "NAME_MALFORMED", "concept: "),
        ("POST", "semantic/store", {"concept": "a", "definition": "x", "aliases": [""]}, "NAME_EMPTY", "aliases: "),
        (
            "POST",
            "semantic/store",
            {"concept": "a", "definition": "x", "related_concepts": ["b\n"]},
            "NAME_MALFORMED",
            "related_concepts: ",
        ),
        ("GET", f"episodic?offset={10**23}", None, "INVALID_REQUEST", "offset: "),
        ("GET", "episodic?offset=-1", None, "INVALID_REQUEST", "offset: "),
        ("GET", "episodic?limit=0", None, "INVALID_REQUEST", "limit: "),
    ],
)
def test_what_the_memory_does_not_take_in(
    client: httpx.Client, method: str, path: str, body: Any, code: str, message: str
) -> None:
    client.post("/api/memory/import", content=json.dumps(EPISODE))
    before = client.get("/api/memory/export").text
    content, headers = None if body is None else json.dumps(body), {"Content-Type": "application/json"}

    answer = client.request(method, f"/api/memory/{path}", content=content, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert message in answer.json()["message"]
    assert client.get("/api/memory/export").text == before


@pytest.mark.parametrize(
    ("method", "path", "status", "code", "message"),
    [
        ("GET", "/api/nowhere", 404, "NOT_FOUND", "there is nothing at /api/nowhere"),
        ("PUT", "/api/memory/stats", 405, "METHOD_NOT_ALLOWED", "PUT is not allowed at /api/memory/stats; use GET"),
    ],
)
def test_what_no_route_answers_has_the_form_of_other_errors(
    client: httpx.Client, method: str, path: str, status: int, code: str, message: str
) -> None:
    answer = client.request(method, path)

    assert answer.status_code == status
    assert answer.json().keys() == {"status", "code", "message", "details"}
    assert (answer.json()["status"], answer.json()["code"]) == ("error", code)
    assert message in answer.json()["message"]


def test_blanks_around_names_are_not_kept(client: httpx.Client) -> None:
    body = {"concept": " Hayate\u3000", "definition": "a fan", "aliases": [" HY ", "HY"], "related_concepts": ["Kaze "]}

    assert client.post("/api/memory/semantic/store", json=body).json()["concept"] == "Hayate"

    shown = client.get("/api/memory/semantic/Hayate").json()
    assert (shown["aliases"], shown["related_concepts"]) == (["HY"], ["Kaze"])


def test_export_delete_and_import(client: httpx.Client, memory: Any) -> None:
    feedback = rate(client, searched(memory, "ann"), doc_id="HR-8#1").json()
    episode = f"/api/memory/episodic/{feedback['memory_id']}"
    tie = {"episode_id": feedback["memory_id"], "concept": "Kaze", "strength": 0.5}
    client.post("/api/memory/associate", json=tie)
    exported = client.get("/api/memory/export")
    assert exported.headers["content-type"].startswith("application/x-ndjson")
    assert [json.loads(line)["kind"] for line in exported.text.splitlines()] == [
        "episode",
        "concept",
        "rating",
        "association",
    ]
    before = client.get(episode).json()

    client.delete(episode)
    for _ in range(2):
        answer = client.post("/api/memory/import", content=exported.content)
        assert answer.json()["imported"] == {"episode": 1, "concept": 1, "rating": 1, "association": 1}
    assert client.get(episode).json() == before
    assert order(memory, "ann", {"HR-7#1": 0.9, "HR-8#1": 0.8})[0] == "HR-8#1"

    assert client.delete(f"/api/memory/ratings/{feedback['feedback_id']}").status_code == 200
    assert order(memory, "ann", {"HR-7#1": 0.9, "HR-8#1": 0.8})[0] == "HR-7#1"
    assert client.delete(f"/api/memory/ratings/{feedback['feedback_id']}").json()["code"] == "FEEDBACK_NOT_FOUND"
    wrong = client.post("/api/memory/import", content=b'\n{"kind": "dream"}\n')
    assert (wrong.status_code, wrong.json()["details"]) == (422, {"line": 2})


EPISODE = {"kind": "episode", "id": "e1", "context": QUESTION, "created_at": 1.9e9}
RATING = {
    "kind": "rating", "id": "r1", "episode_id": "e1", "user_id": "ann", "document_id": "HR-7#1",
    "weights": {"HR-7#1": 1.0}, "rating": 5, "rated_at": 1.9e9,
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "Expecting property name"),
        ("[]", "should be"),
        ("[" * 100_000, "recursion"),
        (b"\xff", "Expecting value"),
        ({"kind": "dream"}, "dream"),
        ({}, "discriminator"),
        ({**EPISODE, "id": ""}, "id: "),
        ({**EPISODE, "mood": "good"}, "mood: Extra inputs"),
        ({**EPISODE, "reward": float("nan")}, "reward: "),
        ({**EPISODE, "importance": 7}, "importance: "),
        ({**EPISODE, "created_at": float("inf")}, "created_at: "),
        ({**EPISODE, "context": "a\0"}, "zero character"),
        ({**EPISODE, "outcome": {"note": ["\ud800"]}}, "half of a surrogate pair"),
        ({**EPISODE, "action": {"note": [float("inf")]}}, "a number that is none or infinite"),
        ({**EPISODE, "vector": "AAAA"}, "vector: it isn't one of 384 numbers"),
        ({**EPISODE, "vector": "%"}, "base64"),
        ({**RATING, "rating": "5"}, "rating: "),
        ({**RATING, "rating": True}, "rating: "),
        ({**RATING, "rating": 6}, "rating: "),
        ({**RATING, "weights": {"HR-7#1": 1e9}}, "weights.HR-7#1: "),
        ({**RATING, "episode_id": "none"}, "episode 'none' is neither there nor in a line before"),
        ({"kind": "association", "episode_id": "e1", "concept": "x", "strength": 0.5}, "concept 'x' is neither"),
    ],
)
def test_of_an_import_with_a_wrong_line_nothing_is_taken_in(client: httpx.Client, line: Any, reason: str) -> None:
    wrong = line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
    body = b"\n".join([json.dumps(EPISODE).encode(), json.dumps(RATING).encode(), b"", wrong])

    answer = client.post("/api/memory/import", content=body)

    assert (answer.status_code, answer.json()["code"], answer.json()["details"]) == (422, "LINE_MALFORMED", {"line": 4})
    assert reason in answer.json()["message"]
    assert "line 4 is none that `tansaku memory export` writes" in answer.json()["message"]
    assert client.get("/api/memory/stats").json()["episodes"] == 0


def test_an_import_that_contradicts_what_is_there(client: httpx.Client) -> None:
    client.post("/api/memory/import", content="\n".join(map(json.dumps, [EPISODE, RATING])))
    body = "\n".join(map(json.dumps, [{**EPISODE, "id": "e2"}, {**RATING, "id": "r2"}]))

    answer = client.post("/api/memory/import", content=body)

    assert (answer.status_code, answer.json()["code"]) == (422, "RECORDS_CONTRADICT")
    assert client.get("/api/memory/stats").json()["episodes"] == 1


def test_an_import_may_be_larger_than_other_bodies(client: httpx.Client) -> None:
    lines = [json.dumps({**EPISODE, "id": f"e{n}", "action": {"note": "x" * 30_000}}) for n in range(50)]

    assert client.post("/api/memory/import", content="\n".join(lines)).json()["imported"] == {"episode": 50}


@BOTH
def test_exports_during_ratings_and_imports_can_be_taken_in(
    start: Callable[[], Process], memory: Any, tmp_path: Path
) -> None:
    from memory_components.exchange import import_lines
    from memory_components.rag_memory_integrator import RAGMemoryIntegrator

    (one, _), (other, _) = start(), start()
    sessions = [searched(memory, f"u{number}") for number in range(30)]
    lines = [json.dumps({**EPISODE, "id": f"e{n}"}) for n in range(100)]
    lines += [json.dumps({**RATING, "id": f"r{n}", "episode_id": f"e{n}"}) for n in range(100)]

    with ThreadPoolExecutor(8) as pool:
        rated = [pool.submit(rate, one, session, doc_id="HR-8#1") for session in sessions]
        taken = [pool.submit(one.post, "/api/memory/import", content="\n".join(lines)) for _ in range(2)]
        exports = [pool.submit(other.get, "/api/memory/export") for _ in range(10)]

    assert [answer.result().status_code for answer in (*rated, *taken)] == [200] * 32
    for number, export in enumerate(exports):
        copy = RAGMemoryIntegrator(str(tmp_path / f"copy{number}.sqlite"), memory.embedder)
        counts = import_lines(copy, export.result().text.split("\n"))
        # An import is in it whole or not at all.
        imported = [e for e, _ in copy.episodic.retrieve_memories(QUESTION, 1000) if e.id.startswith("e")]
        assert len(imported) in (0, 100)
        assert counts.get("rating", 0) <= counts.get("episode", 0)
        copy.close()
    assert one.get("/api/memory/stats").json()["ratings"] == 130


def test_one_deleted_and_taken_in_again_is_there_for_a_process_that_saw_neither(
    client: httpx.Client, memory: Any
) -> None:
    feedback = rate(client, searched(memory, "ann"), doc_id="HR-8#1").json()
    scores = {"HR-7#1": 0.9, "HR-8#1": 0.8}
    assert order(memory, "ann", scores)[0] == "HR-8#1"
    exported = client.get("/api/memory/export").content

    client.delete(f"/api/memory/ratings/{feedback['feedback_id']}")
    client.post("/api/memory/import", content=exported)

    assert order(memory, "ann", scores)[0] == "HR-8#1"


def test_forgetting_can_be_tried_first(client: httpx.Client) -> None:
    kept = client.post("/api/memory/episodic/store", json={"context": "x", "importance": 0.1}).json()["memory_id"]

    trial = client.post("/api/memory/forget", json={}).json()
    assert (trial["dry_run"], trial["forget"]) == (True, [kept])
    assert client.post("/api/memory/forget", json={"dry_run": False}).json()["forget"] == [kept]
    assert client.get("/api/memory/stats").json()["episodes"] == 0


@BOTH
def test_what_was_answered_survives_kill_9_during_200_ratings(
    start: Callable[[], Process], memory: Any, place: Place
) -> None:
    client, process = start()
    sessions = [searched(memory, f"u{number}") for number in range(200)]
    rate(client, searched(memory, "first"))  # the memory is open from here on
    answered: dict[str, str] = {}

    def give(session: str) -> None:
        try:
            answer = rate(client, session, doc_id="HR-8#1")
        except httpx.HTTPError:
            return
        if answer.status_code == 200:
            answered[session] = answer.json()["feedback_id"]
        if len(answered) == 60:
            process.send_signal(signal.SIGKILL)

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(give, sessions))

    kept = [rating.id for rating in memory.store.ratings.of_episodes(sessions)]
    assert 60 <= len(answered) < 200
    assert len(kept) == len(set(kept))
    assert set(answered.values()) <= set(kept)
    # Started again, it takes what was lost, and counts nothing twice.
    survivor, _ = start()
    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(lambda session: rate(survivor, session, doc_id="HR-8#1").status_code, sessions))
    assert codes == [200] * 200
    assert len(memory.store.ratings.of_episodes(sessions)) == 200


def test_a_database_that_is_down(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_DATABASE_URL", "postgresql://tansaku:secret@127.0.0.1:1/none")

    answer = rate(client, "any")

    health = client.get("/health")
    assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
    assert (health.json()["memory"]["status"], health.json()["degraded"]) == ("failed", ["memory"])
    assert "secret" not in answer.text + health.text


def test_a_search_goes_on_while_another_process_holds_the_memory(place: Place) -> None:
    service = MemoryService(str(place.profile), place.settings, seconds=2.0)
    hit = {"id": "HR-7#1", "rank": 1, "score": 0.9, "memory_boost": 0.0}
    assert service.memory.health()["error"] == ""
    holder = sqlite3.connect(place.settings.data_dir / "memory.sqlite", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    begun = time.monotonic()
    with pytest.raises(MemoryUnavailableError, match="the memory of answers gave no answer: not done within 2 s"):
        service.keep_answer(QUESTION, [hit])
    health = service.health()
    took = time.monotonic() - begun
    holder.execute("ROLLBACK")
    holder.close()

    assert took < 20  # SQLite itself would wait for thirty seconds
    assert (health["status"], "not done within 2 s" in health["detail"]) == ("failed", True)
    assert service.keep_answer(QUESTION, [hit])
    assert service.health()["status"] == "ready"
    service.close()


def test_a_rating_is_refused_when_the_file_is_gone(place: Place, client: httpx.Client, memory: Any) -> None:
    session = searched(memory, "ann")
    assert rate(client, session).status_code == 200
    file = place.settings.data_dir / "memory.sqlite"
    file.rename(file.with_name("away"))

    refused, health = rate(client, session, 4), client.get("/health").json()
    file.with_name("away").rename(file)
    taken = rate(client, session, 4)

    assert (refused.status_code, refused.json()["code"]) == (503, "UNAVAILABLE")
    assert (health["memory"]["status"], health["degraded"]) == ("failed", ["memory"])
    assert "its file is gone; put it back" in health["memory"]["detail"]
    assert taken.status_code == 200


def test_time_is_told_with_its_zone(client: httpx.Client, memory: Any) -> None:
    recorded = rate(client, searched(memory)).json()["recorded_at"]

    from datetime import datetime

    assert abs(datetime.fromisoformat(recorded).timestamp() - time.time()) < 60

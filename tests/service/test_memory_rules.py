"""The rules of the boost over real HTTP: two service processes, each with an index of its own, on one PostgreSQL."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from pipelines.corpora import get_corpus
from pipelines.indexing import IndexRun
from pipelines.settings import Settings
from tests.conftest import new_database
from tests.service.conftest import wait_until_ready

PROJECT = Path(__file__).parents[2]
QUESTION = "when is the office closed in summer"
DAY = 86400
SUBJECTS = (
    "the doors",
    "the lifts",
    "the canteen",
    "the car park",
    "the library",
    "the gym",
    "the post room",
    "heating",
)
SERVER = """
import uvicorn
from pipelines.memory import MemoryService
from pipelines.rag import RagSearch
from service.app import create_app
from service.settings import ServiceSettings
app = create_app(ServiceSettings(samples=False), {"company-docs": lambda: RagSearch(memory=MemoryService())})
config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", port=0)
server = uvicorn.Server(config)
real_startup = server.startup
async def startup(sockets=None):
    await real_startup(sockets)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
server.startup = startup
server.run()
"""
Start = Callable[..., httpx.Client]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory, postgres_server: str) -> Iterator[Start]:
    """Starts a service process with a copy of one index, and what `memory_config.yaml` says."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "docs").mkdir()
    for number, subject in enumerate(SUBJECTS):
        text = f"# Summer hours of {subject}\n\nThe office is closed in summer; {subject} too, for {number + 2} days."
        (folder / "docs" / f"{number}.md").write_text(text, encoding="utf-8")
    with ExitStack() as stack:
        url = stack.enter_context(new_database(postgres_server))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*,memory_components.*")
        patch.setenv("TANSAKU_DATABASE_URL", url)  # that of the manifest, too
        first = Settings(data_dir=folder / "first")
        report = IndexRun(get_corpus("company-docs"), first, workers=1).run([folder / "docs"])
        assert (report.failures, report.vectors) == ([], report.chunks)
        count = 0

        def started(**config: Any) -> httpx.Client:
            nonlocal count
            count += 1
            data = folder / f"data{count}"
            shutil.copytree(folder / "first", data)
            (data / "memory_config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
            profile = yaml.safe_load((PROJECT / "pipelines/yaml/profiles/embedded.yaml").read_text(encoding="utf-8"))
            profile["memory"]["init_parameters"]["config"] = str(data / "memory_config.yaml")
            (data / "profile.yaml").write_text(yaml.safe_dump(profile), encoding="utf-8")
            named = {"DATA_DIR": str(data), "PROFILE": str(data / "profile.yaml"), "DATABASE_URL": url}
            process = subprocess.Popen(
                [sys.executable, "-c", SERVER],
                stdout=subprocess.PIPE,
                text=True,
                cwd=PROJECT,
                env={**os.environ, **{f"TANSAKU_{name}": value for name, value in named.items()}},
            )
            assert process.stdout
            stack.callback(process.stdout.close)
            stack.callback(process.wait)
            stack.callback(process.kill)
            place = f"http://127.0.0.1:{process.stdout.readline().strip()}"
            client = stack.enter_context(httpx.Client(base_url=place, timeout=120, trust_env=False))
            wait_until_ready(client, seconds=120)
            return client

        yield started


@pytest.fixture(scope="module")
def services(start: Start) -> tuple[httpx.Client, httpx.Client]:
    return start(), start()


@pytest.fixture
def clients(services: tuple[httpx.Client, httpx.Client]) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Two services whose memory is empty."""
    yield services
    for line in services[0].get("/api/memory/episodic?limit=1000").json()["memories"]:
        assert services[0].delete(f"/api/memory/episodic/{line['memory_id']}").status_code == 200


def ask(client: httpx.Client, user: str = "", query: str = QUESTION) -> dict[str, Any]:
    answer = client.post("/api/v2/rag/search", json={"query": query, "user_id": user, "top_k": 8})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def order(client: httpx.Client, user: str = "", query: str = QUESTION) -> list[str]:
    return [hit["id"] for hit in ask(client, user, query)["results"]]


def boosts(client: httpx.Client, user: str = "", query: str = QUESTION) -> dict[str, float]:
    return {hit["id"]: hit["memory_boost"] for hit in ask(client, user, query)["results"] if hit["memory_boost"]}


def rate(
    client: httpx.Client, user: str, stars: int, doc_id: str | None = None, query: str = QUESTION
) -> dict[str, Any]:
    """A search and a rating of it."""
    body = {"session_id": ask(client, user, query)["session_id"], "rating": stars, "doc_id": doc_id}
    answer = client.post("/api/v2/rag/feedback", json=body)
    assert answer.status_code == 200, answer.text
    kept: dict[str, Any] = answer.json()
    return kept


Clients = tuple[httpx.Client, httpx.Client]


def test_1_a_rating_is_about_the_document_that_it_names_or_about_all(clients: Clients) -> None:
    one, other = clients
    shown = order(one)

    rate(one, "ann", 5, shown[0])
    assert boosts(other, "ann") == {shown[0]: pytest.approx(0.2, abs=1e-5)}
    rate(one, "bob", 5)
    found = boosts(other, "bob")
    # Ann's, as of another, on the first; bob's own by 1/rank on all.
    assert found == pytest.approx(
        {name: min(0.2 / rank + 0.1 * (rank == 1), 0.3) for rank, name in enumerate(shown, start=1)}, abs=1e-5
    )


def test_2_stars_lift_or_take_away_within_0_and_03(clients: Clients, start: Start) -> None:
    one, other = clients
    best = order(one)[0]

    for stars, own in ((5, 0.2), (4, 0.1), (3, 0.0), (2, 0.0), (1, 0.0)):
        rate(one, "ann", stars, best)
        assert boosts(other, "ann").get(best, 0.0) == pytest.approx(own, abs=1e-5)
    for user in ("bob", "cem", "dan", "eli", "fay"):
        rate(one, user, 5, best)
    # Five lift by 0.3 at most; ann's one star takes 0.1 away from that.
    assert boosts(other, "zoe")[best] == pytest.approx(0.2, abs=1e-5)
    rate(other, "ann", 5, best)
    assert boosts(one, "zoe")[best] == pytest.approx(0.3, abs=1e-5)


def test_2_demotion_is_a_setting(clients: Clients, start: Start) -> None:
    one, other = clients
    last = order(one)[-1]

    for user in ("ann", "bob", "cem", "dan"):
        rate(one, user, 1, last)

    assert boosts(other, "zoe") == {}
    assert boosts(start(boost={"allow_demotion": True}), "zoe") == {last: pytest.approx(-0.3, abs=1e-5)}


def test_3_one_vote_a_user_document_and_group_of_questions_and_the_last_one(clients: Clients) -> None:
    one, other = clients
    best = order(one)[0]

    session = ask(one, "ann")["session_id"]
    body = {"session_id": session, "rating": 5, "doc_id": best, "comment": "right"}
    answers = [client.post("/api/v2/rag/feedback", json=body).json() for client in (one, other, one)]
    assert answers[0] == answers[1] == answers[2]
    assert one.get("/api/memory/stats").json()["ratings"] == 1
    for client in (other, one, other):
        rate(client, "ann", 5, best)
    assert boosts(one, "zoe") == {best: pytest.approx(0.1, abs=1e-5)}
    rate(one, "ann", 3, best)
    assert boosts(other, "zoe") == boosts(other, "ann") == {}


def test_4_the_full_boost_needs_three_users(clients: Clients) -> None:
    one, other = clients
    best = order(one)[0]

    for user, for_zoe in (("ann", 0.1), ("ann", 0.1), ("bob", 0.2), ("bob", 0.2), ("cem", 0.3), ("dan", 0.3)):
        rate(one, user, 5, best)
        assert boosts(other, "zoe") == {best: pytest.approx(for_zoe, abs=1e-5)}
    rate(one, "solo", 5, best, "how do I order paper for the printer")
    assert boosts(other, "solo", "how do I order paper for the printer") == {best: pytest.approx(0.2, abs=1e-5)}


def test_5_ten_hostile_sessions_move_by_one_place_at_most_and_are_taken_back(clients: Clients) -> None:
    one, other = clients
    plain = order(one)
    rate(one, "ann", 5, plain[3])
    rate(other, "bob", 5, plain[3])
    before = order(other, "zoe")
    begun = time.time()

    for number in range(10):
        for place, doc in enumerate(plain):
            # Down with the better half and up with the other; some of it the other way round, now and then.
            rate(clients[number % 2], "eve", 1 if (place < 4) != (number % 4 == 3) else 5, doc)
        for user in ("zoe", ""):
            after = order(other, user)
            assert max(abs(after.index(doc) - place) for place, doc in enumerate(before)) <= 1
    revoked = other.post("/api/memory/revoke", json={"user_id": "eve", "since": begun})

    assert revoked.json() == {"status": "ok", "revoked": 80}
    assert order(one, "zoe") == order(other, "zoe") == before


@pytest.mark.parametrize(
    ("rated", "asked", "acts"),
    [
        ("お盆休みの予定", "お盆休みはいつですか", True),
        ("お盆休みの予定", "経費精算の締め切りはいつ", False),
        ("EV-2024-001の進捗", "ＥＶ‐２０２４‐００１の進捗", True),
        ("EV-2024-001の進捗", "EV-2024-002の進捗", False),
        ("EV-2024-001の進捗", "進捗", False),
    ],
)
def test_6_only_like_questions_with_the_same_identifiers(clients: Clients, rated: str, asked: str, acts: bool) -> None:
    one, other = clients
    best = order(other, "", asked)[0]

    rate(one, "ann", 5, best, rated)

    assert bool(boosts(other, "zoe", asked)) is acts


def test_7_age_halves_the_effect_every_90_days(clients: Clients) -> None:
    one, other = clients
    best = order(one)[0]
    rate(one, "ann", 4, best)
    rate(one, "bob", 5, best)
    lines = [json.loads(line) for line in one.get("/api/memory/export").text.splitlines()]

    for days, expected in ((90, 0.05 + 0.1), (180, 0.025 + 0.05)):
        for line in one.get("/api/memory/episodic?limit=1000").json()["memories"]:
            one.delete(f"/api/memory/episodic/{line['memory_id']}")
        older = [
            {**line, "rated_at": line["rated_at"] - days * DAY} if line["kind"] == "rating" else line for line in lines
        ]
        taken = one.post("/api/memory/import", content="\n".join(map(json.dumps, older)))
        assert taken.json()["imported"]["rating"] == 2
        for user in ("zoe", "ann"):  # ann's own by now adds less than the limit of one for others
            assert boosts(other, user) == {best: pytest.approx(expected, abs=1e-4)}


def test_8_each_answer_shows_what_the_memory_did(clients: Clients) -> None:
    one, other = clients
    untouched = ask(other, "zoe")
    best = untouched["results"][0]["id"]
    assert untouched["memory_context"]["past_sessions_used"] == 0
    assert {(hit["memory_boost"], hit["source"]) for hit in untouched["results"]} == {(0.0, "rrf")}
    first = rate(one, "ann", 5, best)
    second = rate(other, "bob", 4, best)

    answer = ask(one, "zoe")
    why = other.get(f"/api/memory/explain/{answer['session_id']}").json()

    assert answer["memory_context"]["past_sessions_used"] == 2
    hit = answer["results"][0]
    assert (hit["id"], hit["source"]) == (best, "rrf+memory")
    assert hit["memory_boost"] == pytest.approx(0.1 + 0.1, abs=1e-5)
    assert hit["score"] == pytest.approx(untouched["results"][0]["score"] + hit["memory_boost"], abs=1e-5)
    assert why["results"][0] == {
        "doc_id": best,
        "rank": 1,
        "score": pytest.approx(hit["score"]),
        "memory_boost": pytest.approx(hit["memory_boost"]),
    }
    told = [rating for used in why["past_sessions_used"] for rating in used["ratings"]]
    assert sorted((rating["doc_id"], rating["rating"]) for rating in told) == [(best, 4), (best, 5)]
    assert all(used["similarity"] == pytest.approx(1, abs=1e-4) for used in why["past_sessions_used"])
    whole = one.get(f"/api/memory/sessions/{answer['session_id']}").json()
    assert {used["session_id"] for used in whole["past_sessions_used"]} == {first["memory_id"], second["memory_id"]}

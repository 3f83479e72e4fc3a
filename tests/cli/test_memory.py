"""`tansaku memory` on a memory of its own."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from cli.main import app
from pipelines.memory import MemoryService
from tests.service.test_memory_api import Place, searched

Run = Callable[..., Result]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    found = Place(tmp_path, None)
    for name, value in found.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TANSAKU_DATABASE_URL")
    return found


@pytest.fixture
def memory(place: Place) -> Iterator[Any]:
    service = MemoryService(str(place.profile), place.settings)
    yield service.memory
    service.close()


@pytest.fixture
def run(memory: Any) -> Run:
    """Runs `tansaku memory` with some arguments."""

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["memory", *arguments])

    return invoke


@pytest.fixture
def rated(memory: Any) -> str:
    """A session that ann gave five stars."""
    session = searched(memory, "ann")
    memory.record_feedback(session, 5, "HR-8#1", "just right")
    return session


def test_stats(run: Run, rated: str) -> None:
    found = json.loads(run("stats", "--json").stdout)

    assert (found["sessions"], found["episodes"], found["ratings"], found["concepts"]) == (1, 1, 1, 1)
    assert found["ratings_by_stars"] == {"1": 0, "2": 0, "3": 0, "4": 0, "5": 1}
    assert re.search(r"^episodes: 1$", run("stats").stdout, re.MULTILINE)


def test_list(run: Run, rated: str) -> None:
    assert run("list").stdout.startswith(f"{rated}  +1.00 ")
    assert run("list", "--concepts").stdout == "Kaze  a quiet fan\n"
    assert json.loads(run("list", "--json", "--offset", "1").stdout) == []


def test_show(run: Run, rated: str) -> None:
    found = json.loads(run("show", rated, "--json").stdout)

    assert found["ratings"][0]["comment"] == "just right"
    assert found["session"]["user_id"] == "ann"
    assert "definition: a quiet fan" in run("show", "Kaze").stdout
    unknown = run("show", "nothing")
    assert (unknown.exit_code, unknown.stderr) == (
        2,
        "error: name: 'nothing' is not allowed; it must be the id of an episode or session, or the name of a concept\n",
    )


def test_revoke(run: Run, memory: Any, rated: str) -> None:
    later = time.strftime("%Y-%m-%dT%H:%M", time.localtime(time.time() + 7200))

    assert run("revoke", "--user", "ann", "--since", later).stdout == "0 ratings of ann taken back\n"
    assert run("revoke", "--user", "ann").stdout == "1 rating of ann taken back\n"
    assert json.loads(run("revoke", "--user", "ann", "--json").stdout)["revoked"] == 0
    assert memory.store.ratings.of_episodes([rated])[0].revoked_at is not None
    wrong = run("revoke", "--user", "ann", "--since", "yesterday")
    assert (wrong.exit_code, "a date or a time such as 2026-04-01" in wrong.stderr) == (2, True)


def test_forget(run: Run, memory: Any, rated: str) -> None:
    weak = memory.episodic.store_experience("lunch", {}, {}, 0.0, importance=0.1).id

    assert run("forget").stdout.endswith(f"1 episode would be deleted\n  {weak}\n")
    assert json.loads(run("forget", "--yes", "--json").stdout)["forget"] == [weak]
    assert run("forget", "--episode", rated).stdout.endswith(f"  {rated}\n")
    assert memory.store.episodes.count() == 1
    run("forget", "--episode", rated, "--yes")
    assert memory.store.episodes.count() == 0
    gone = run("forget", "--episode", rated, "--yes")
    assert (gone.exit_code, f"episode: {rated!r} is not allowed; it must be the id of an episode" in gone.stderr) == (
        2,
        True,
    )


def test_export_and_import(run: Run, memory: Any, rated: str, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"

    assert run("export", str(file)).stdout == f"3 lines written to {file}\n"
    assert json.loads(run("export", str(file), "--json").stdout) == {"file": str(file), "lines": 3}
    run("forget", "--episode", rated, "--yes")
    assert json.loads(run("import", str(file), "--json").stdout) == {"episode": 1, "concept": 1, "rating": 1}
    assert len(memory.store.ratings.of_episodes([rated])) == 1
    assert "can't be written" in run("export", str(tmp_path / "none" / "memory.jsonl")).stderr
    assert "can't be read" in run("import", str(tmp_path / "none.jsonl")).stderr
    assert [path.name for path in tmp_path.glob(".*.part")] == []
    file.write_text("{}\n", encoding="utf-8")
    wrong = run("import", str(file))
    assert (wrong.exit_code, "line 1 is none that `tansaku memory export` writes" in wrong.stderr) == (1, True)


@pytest.mark.parametrize("command", ["stats", "list", "show", "forget", "revoke", "export", "import"])
def test_help_has_an_example(run: Run, command: str) -> None:
    told = run(command, "--help")

    assert told.exit_code == 0
    assert f"tansaku memory {command}" in told.stdout
    assert "--json" in told.stdout


@pytest.mark.parametrize(
    "arguments", [("dream",), ("show",), ("list", "--limit", "0"), ("revoke",), ("export",), ("stats", "--wrong")]
)
def test_wrong_use(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_without_a_memory_in_the_profile(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none.yaml").write_text("stores: {}\n", encoding="utf-8")

    answer = run("stats", "--profile", str(tmp_path / "none.yaml"))

    assert (answer.exit_code, "defines no memory; write `memory:`" in answer.stderr) == (1, True)


def test_a_wrong_vocabulary(run: Run, place: Place, tmp_path: Path, memory: Any) -> None:
    memory.close()
    (tmp_path / "terms.yaml").write_text("Kaze: {}\n", encoding="utf-8")
    other = Place(tmp_path, None)
    other.profile.write_text(other.profile.read_text().replace("memory.sqlite", "other.sqlite"), encoding="utf-8")
    (tmp_path / "terms.yaml").write_text("Kaze: {}\n", encoding="utf-8")

    answer = run("stats")

    assert (answer.exit_code, "terms.yaml:1: Kaze: `definition:` is missing" in answer.stderr) == (1, True)

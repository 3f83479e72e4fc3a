"""An index run that is killed again and again, then finished, leaves the index of an undisturbed run."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from notes_corpus import HERE, Notes

from pipelines.doctor import Doctor
from pipelines.manifest import read_index_info
from pipelines.vector_state import VectorState

PROJECT = HERE.parents[1]


def run_and_kill(notes: Notes, commit: int, moment: str) -> int:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PROJECT), str(HERE)]),
        "NOTES_PROFILE": notes.settings.profile,
    }
    if url := notes.settings.database_url:
        environment["NOTES_DATABASE_URL"] = url.get_secret_value()
    command = [sys.executable, str(HERE / "killed_run.py"), str(notes.sources.parent), str(commit), moment]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def fill(notes: Notes, second: bool) -> None:
    """The sources at first, and after changes of every sort."""
    notes.write("a.txt", "notes 10 u", "N1: Apples. Ants", *(["N2: Bees"] if second else []))
    notes.write("b.txt", "notes 20 u", "N2: Dates", *([] if second else ["N1: Figs"]))
    notes.write("c.txt", "notes 10 v" if second else "notes 10 u", "N3: Grapes. Geese")
    notes.write("d.txt", "notes 10 u", "N4: Hens. Herons. Herbs", "N5: Eels")
    if second:
        notes.write("f.txt", "notes 30 u", "N5: Cats", "N6: Dogs")
        (notes.sources / "e.txt").unlink()
    else:
        notes.write("e.txt", "notes 20 u", "N4: Hazel", "N7: Elms")


@pytest.mark.parametrize("seed", [1])
def test_killed_runs_lose_nothing(notes_everywhere: Notes, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    killed, calm = notes_everywhere, Notes(tmp_path / "calm")
    kills = 0
    for second in (False, True):
        fill(killed, second)
        fill(calm, second)
        for _ in range(5):
            kills += run_and_kill(killed, chance.randint(2, 6), chance.choice(["before", "after"])) != 0
        calm.run()
    killed.run()

    assert kills >= 8
    assert Doctor(killed.corpus, killed.settings).examine().ok
    assert killed.state() == calm.state()


def test_a_source_restored_after_a_kill_gets_its_old_content_back(notes_anywhere: Notes, tmp_path: Path) -> None:
    """The new version reached the stores, the manifest still knows the old one: it must not pass for unchanged."""
    killed, calm = notes_anywhere, Notes(tmp_path / "calm")
    for notes in (killed, calm):
        notes.write("a.txt", "notes 10", "N1: Apples", "N2: Ants")
        notes.write("b.txt", "notes 20", "N3: Bees")
        notes.run()
    killed.write("b.txt", "notes 20", "N1: Stolen", "N4: New")
    # The commits: begin, keyword, parents, finish.
    assert run_and_kill(killed, 4, "before") == -signal.SIGKILL
    assert killed.texts()["N1#1"] == "Stolen"
    killed.write("b.txt", "notes 20", "N3: Bees")

    killed.run()

    assert killed.state() == calm.state()


@pytest.mark.parametrize(("commit", "moment"), [(1, "after"), (2, "after"), (4, "after"), (5, "after")])
def test_vectors_of_replaced_text_are_not_searched_after_a_kill(tmp_path: Path, commit: int, moment: str) -> None:
    notes = Notes(tmp_path)
    notes.write("a.txt", "notes 10", "N1: Apples", "N2: Bees")
    notes.run()
    notes.write("a.txt", "notes 10", "N1: Apricots", "N2: Bees")
    # The commits: begin, keyword, parents, finish, vectors out, the same noted.
    assert run_and_kill(notes, commit, moment) == -signal.SIGKILL

    info = read_index_info(notes.manifest, "notes")
    assert info.outdated_vectors == 1
    problem = VectorState("notes", "embedded", notes.settings).problem(info)
    assert problem.startswith("the vectors of replaced text are still in the index")
    found = Doctor(notes.corpus, notes.settings).examine().stores["vector"].unknown
    assert found == (["N1#1"] if commit < 5 else [])

    assert notes.run(vectors=False).vectors == 1
    assert notes.store("vector").ids() == ["N2#1"]
    assert Doctor(notes.corpus, notes.settings).examine().ok


def test_a_vector_that_was_not_noted_before_a_kill_goes_with_its_text(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.write("a.txt", "notes 10", "N1: Apples")
    # The commits: begin, keyword, parents, finish, the vector, the same noted.
    assert run_and_kill(notes, 6, "before") == -signal.SIGKILL
    assert notes.store("vector").ids() == ["N1#1"]
    assert Doctor(notes.corpus, notes.settings).examine().ok
    notes.write("a.txt", "notes 10", "N1: Apricots")

    notes.run(vectors=False)

    assert notes.store("vector").ids() == []


def test_a_source_that_goes_after_a_kill_leaves_nothing_behind(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.write("a.txt", "notes 10", "N1: Apples")
    notes.run()
    path = notes.write("b.txt", "notes 20", "N1: Stolen", "N2: New")
    assert run_and_kill(notes, 4, "before") == -signal.SIGKILL
    assert notes.texts() == {"N1#1": "Stolen", "N2#1": "New"}
    path.unlink()

    notes.run()

    assert notes.texts() == {"N1#1": "Apples"}
    assert notes.store("vector").ids() == ["N1#1"]

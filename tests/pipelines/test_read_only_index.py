"""An index in a folder that can't be written is searched all the same."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from notes_corpus import HERE, Notes

# To the superuser a folder is closed only without these rights.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


@pytest.fixture
def closed(notes: Notes) -> Iterator[Notes]:
    notes.write("a.txt", "notes 10", "N1: Apples. Ants", "N2: Hedgehogs")
    notes.run()
    places = [notes.folder, *(path for path in notes.folder.rglob("*") if path.is_dir())]
    yield notes
    for place in places:
        if place.exists():
            place.chmod(0o755)


def close(notes: Notes) -> None:
    for place in [*notes.folder.rglob("*"), notes.folder]:
        place.chmod(0o555 if place.is_dir() else 0o444)


def searched(notes: Notes, temporary: Path) -> Any:
    temporary.mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parents[1]), str(HERE)])}
    command = [*UNPRIVILEGED, sys.executable, str(HERE / "read_only_index.py"), str(notes.sources.parent)]
    environment["TMPDIR"] = str(temporary)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(temporary.iterdir()) == [], "copies go with the process"
    return json.loads(done.stdout)


def test_a_read_only_index_is_searched(closed: Notes, tmp_path: Path) -> None:
    close(closed)

    assert searched(closed, tmp_path / "temporary") == {
        "chunks": 3,
        "texts": {"N1#1": "Apples", "N1#2": "Ants", "N2#1": "Hedgehogs"},
        "found": "N1#1",
        "nearest": "N2#1",
        "parents": ["N1", "N2"],
        "is_sound": True,
    }


def test_an_index_that_a_run_left_half_written_is_refused(closed: Notes, tmp_path: Path) -> None:
    (closed.folder / "manifest.sqlite-wal").write_bytes(b"what was not taken over")
    close(closed)

    answer = searched(closed, tmp_path / "temporary")

    assert answer == f"{closed.folder} is read-only, and an index run there was stopped or is at work; finish it first"

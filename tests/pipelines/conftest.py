"""Makes the stand-in corpus of notes importable, also for the processes that a run starts."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))
os.environ["HAYSTACK_DESERIALIZATION_ALLOWLIST"] = "note_components"


@pytest.fixture
def notes(tmp_path: Path) -> "object":
    from notes_corpus import Notes

    return Notes(tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def notes_anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> "object":
    """An index of notes with its manifest in either database."""
    from notes_corpus import Notes

    return Notes(tmp_path, request.getfixturevalue("postgres_url") if request.param == "postgresql" else None)


@pytest.fixture(scope="module")
def search(sample_index: Any) -> Any:
    """A search over the samples that is ready."""
    return sample_index.search()

"""Makes the stand-in corpus of notes importable, also for the processes that a run starts."""

import os
import sys
import uuid
from collections.abc import Iterator
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


@pytest.fixture(params=["sqlite", "postgresql", "servers"])
def notes_everywhere(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator["object"]:
    """An index of notes with its manifest in either database, or with everything on servers."""
    from notes_corpus import Notes

    from pipelines.loading import open_store

    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    if request.param != "servers":
        yield Notes(tmp_path, url)
        return
    url_of = request.getfixturevalue("search_server")
    monkeypatch.setenv("ELASTICSEARCH_URL", url_of("elasticsearch"))
    monkeypatch.setenv("QDRANT_URL", url_of("qdrant"))
    monkeypatch.setenv("TANSAKU_INDEX_PREFIX", f"test-{uuid.uuid4().hex}")
    notes = Notes(tmp_path, url, "cluster")
    yield notes
    for generation in (1, 2):
        for name in ("keyword", "parents", "vector"):
            store = open_store(name, "notes", settings=notes.settings.of_generation(generation))
            store.remove()
            store.close()


@pytest.fixture(scope="module")
def search(sample_index: Any) -> Any:
    """A search over the samples that is ready."""
    return sample_index.search()

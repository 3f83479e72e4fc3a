"""A memory in each database."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_components.memory_store import MemoryStore


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a new memory is."""
    if request.param == "sqlite":
        return tmp_path / "memory.sqlite"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def open_store() -> Iterator[Callable[[Path | str], MemoryStore]]:
    """Opens memories as processes of their own would; all are closed at the end."""
    stores: list[MemoryStore] = []

    def opened(place: Path | str) -> MemoryStore:
        stores.append(MemoryStore(place))
        return stores[-1]

    yield opened
    for store in stores:
        store.close()


@pytest.fixture
def store(place: Path | str, open_store: Callable[[Path | str], MemoryStore]) -> MemoryStore:
    return open_store(place)

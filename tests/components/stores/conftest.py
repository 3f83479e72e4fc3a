"""Stores of every kind, with an index for each test or for all tests of a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from components.stores.circuit_breaker import CircuitBreaker
from tests.components.stores.opened_stores import IN_MEMORY, KEYWORD_STORES, STORES, VECTOR_STORES, NewStore, ServerUrl


@pytest.fixture(params=STORES)
def new_store(request: pytest.FixtureRequest, tmp_path: Path, search_server: ServerUrl) -> Iterator[NewStore]:
    """Makes stores of one kind, each kind in turn."""
    with STORES[request.param](tmp_path / "folder", search_server) as new:
        yield new


@pytest.fixture(params=KEYWORD_STORES)
def new_keyword_store(request: pytest.FixtureRequest, tmp_path: Path, search_server: ServerUrl) -> Iterator[NewStore]:
    """Makes keyword stores of one kind, each kind in turn."""
    with KEYWORD_STORES[request.param](tmp_path, search_server) as new:
        yield new


@pytest.fixture(scope="module", params=KEYWORD_STORES)
def shared_keyword_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, search_server: ServerUrl
) -> Iterator[NewStore]:
    """Makes keyword stores of one kind that all tests of a module read."""
    with KEYWORD_STORES[request.param](tmp_path_factory.mktemp(request.param), search_server) as new:
        yield new


@pytest.fixture(params=[*VECTOR_STORES, *IN_MEMORY])
def new_vector_store(request: pytest.FixtureRequest, tmp_path: Path, search_server: ServerUrl) -> Iterator[NewStore]:
    """Makes vector stores of one kind, each kind in turn."""
    with {**VECTOR_STORES, **IN_MEMORY}[request.param](tmp_path, search_server) as new:
        yield new


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the stores of a test are, if they are in a folder."""
    return tmp_path / "folder"


@pytest.fixture
def always_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers are asked again at once after they failed."""
    monkeypatch.setattr(CircuitBreaker, "_check", lambda self: None)

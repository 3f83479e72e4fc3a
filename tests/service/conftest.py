"""A real HTTP server on a free loopback port, over a stand-in for the search."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from pipelines.errors import ArgumentError, IndexMissingError, StoreDownError
from pipelines.mpep import check_count, check_query
from service.app import create_app
from service.settings import ServiceSettings

KEYS = "search:reader-key-0123456789,admin:owner-key-0123456789"


class StandIn:
    """Answers like the real search, from nothing; some queries make it fail."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.released.set()
        self.waiting = threading.Semaphore(0)

    def warm_up(self) -> None:
        self.released.wait()

    def search(self, query: str, **arguments: Any) -> dict[str, Any]:
        query = check_query(query)
        check_count("top_k", arguments["top_k"], 20)
        if query == "wait":
            self.waiting.release()
            self.released.wait()
        if query == "no index":
            raise IndexMissingError("us-patent-law")
        if query == "no store":
            raise StoreDownError(["keyword"], "connection refused")
        if query == "a defect":
            raise RuntimeError(f"tokens of {query!r} at /srv/secret")
        if query == "wrapped":
            # Haystack wraps what a component raises in an error of its own.
            raise RuntimeError("component failed") from ArgumentError("top_k", 3, "an integer from 4 to 5")
        return {"query": query, "arguments": arguments, "results": []}

    def section(self, section_number: str, max_chunks: int = 50) -> dict[str, Any]:
        if section_number == "9999":
            return {"error": "No content found for MPEP section 9999"}
        return {"section": section_number, "total_chunks": max_chunks, "chunks": []}

    def health(self) -> dict[str, Any]:
        return {"pipelines": {"mpep_query": "ready"}, "stores": {"keyword": 7}}


Serve = Callable[..., httpx.Client]


@contextmanager
def running(build: Callable[[], Any], corpus: str = "us-patent-law", **settings: Any) -> Iterator[httpx.Client]:
    """Serve on a free port while the block runs; gives a client of the server."""
    app = create_app(ServiceSettings(**{"samples": False, **settings}), {corpus: build})
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # callers wait from now on, while the server starts
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with httpx.Client(
                base_url=f"http://127.0.0.1:{listener.getsockname()[1]}",
                timeout=120,
                trust_env=False,
                limits=httpx.Limits(max_connections=100),
            ) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


def wait_until_ready(client: httpx.Client, headers: dict[str, str] | None = None, seconds: float = 60) -> None:
    """Ask for the health until it is good."""
    deadline = time.monotonic() + seconds
    while client.get("/health", headers=headers).status_code != 200:
        assert time.monotonic() < deadline, client.get("/health", headers=headers).text
        time.sleep(0.02)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers that end with the test: `serve(build, api_keys=...)` gives a client."""
    with ExitStack() as stack:

        def start(build: Callable[[], Any] = StandIn, **settings: Any) -> httpx.Client:
            return stack.enter_context(running(build, **settings))

        yield start


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    """A server without keys, ready, shared by a module's tests."""
    with running(StandIn) as client:
        wait_until_ready(client)
        yield client


@pytest.fixture
def stand_in() -> StandIn:
    """A search that is ready at once; `released.clear()` makes its start wait."""
    return StandIn()


@pytest.fixture
def until_ready() -> Callable[..., None]:
    """Waits for a server's health."""
    return wait_until_ready


@pytest.fixture
def keys() -> str:
    """What TANSAKU_API_KEYS may hold."""
    return KEYS

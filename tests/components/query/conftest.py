"""A language model's endpoint, as a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

SERVER = Path(__file__).parents[2] / "servers" / "openai_server.py"


class Endpoint:
    """A running server and what it is told to do."""

    def __init__(self, port: int):
        self.url = f"http://127.0.0.1:{port}"

    def answers(self, mode: str, **options: Any) -> None:
        """Set what it does from now on."""
        httpx.post(f"{self.url}/control", json={"mode": mode, **options}).raise_for_status()

    def requests(self) -> list[dict[str, Any]]:
        """The requests since it was last told what to do."""
        return httpx.get(f"{self.url}/control").json()


@pytest.fixture(scope="session")
def endpoint_process() -> Iterator[Endpoint]:
    """The server, for all tests of the folder."""
    with subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Endpoint(int(process.stdout.readline()))
        process.kill()


@pytest.fixture
def endpoint(endpoint_process: Endpoint) -> Endpoint:
    """The server, well behaved."""
    endpoint_process.answers("text")
    return endpoint_process

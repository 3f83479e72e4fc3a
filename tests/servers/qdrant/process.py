"""
A Qdrant server for tests, as a process of its own on loopback: the REST API by Qdrant Edge, the server's own engine.

No package registry holds the server itself, so this one answers the requests that the project makes as it does.
Requests that it takes no part in, such as snapshots and clusters, aren't there.

    python -m tests.servers.qdrant.process FOLDER [PORT]

It prints its URL when it is ready, keeps its data in the folder, wants the key that QDRANT_API_KEY holds, and stops
when its standard input ends, so that no server outlives a test run, however that ends.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import TracebackType

import uvicorn

from tests.servers.qdrant.api import build_app

ROOT = Path(__file__).parents[3]


class QdrantServer:
    """
    A server in the hands of a test.

        with QdrantServer() as server:
            ...               # server.url
            server.kill()     # as a crash would
            server.start()    # on the same port, with its data

    :param api_key: The key that it wants.
    """

    def __init__(self, api_key: str = ""):
        self.url = ""
        self._port = 0
        self._api_key = api_key
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "QdrantServer":
        self._folder = Path(tempfile.mkdtemp(prefix="tansaku-qdrant-"))
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        shutil.rmtree(self._folder)

    def start(self) -> None:
        """Start it and wait until it is ready."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.servers.qdrant.process", str(self._folder), str(self._port)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "QDRANT_API_KEY": self._api_key},
            # The terminal's Ctrl-C is for the tests: the server ends after those that use it.
            start_new_session=True,
        )
        assert self._process.stdout
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError("the Qdrant server for tests stopped; its log is above")
        self._port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """Kill it as a crash would."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.__exit__(None, None, None)  # closes the pipes and waits

    def pause(self) -> None:
        """Let it hang: it takes connections and answers nothing."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        assert self._process
        self._process.send_signal(signal.SIGCONT)


def main(folder: Path, port: int) -> None:
    """
    Serve until the standard input ends.

    :param folder: Where the data is.
    :param port: The port; 0 for a free one.
    """
    app = build_app(folder, os.environ.get("QDRANT_API_KEY"))
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", timeout_keep_alive=60))

    def stop_with_parent() -> None:
        sys.stdin.read()
        os._exit(0)

    threading.Thread(target=stop_with_parent, daemon=True).start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    server.run(sockets=[listener])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)

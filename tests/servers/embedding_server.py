"""
An embedding server for tests, as a process of its own: OpenAI's protocol, vectors from a hash of each text's words.

    python tests/servers/embedding_server.py 18499

It listens on that port of the loopback address, any for 0, prints the port when it does, and stops when its standard
input ends. Texts that share words have vectors that lie near each other. `POST /control` with `{"mode": "...", ...}`
sets what it does from then on and forgets the requests so far; `GET /control` tells those that came since. It wants the
key that EMBEDDING_SERVER_KEY holds.

| mode      | what the next answers are                                                         |
|-----------|-----------------------------------------------------------------------------------|
| well      | vectors                                                                           |
| status    | an error with status `status`, `times` times, then vectors                        |
| slow      | vectors after `seconds`                                                           |
| shorter   | vectors of three numbers                                                          |
| missing   | one vector too few                                                                |
| shuffled  | vectors in another order, each with its `index`                                   |
| body      | `body` as it is, with `content_type`                                              |
| zero      | vectors without a direction                                                       |
"""

import hashlib
import json
import math
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import httpx

DIMENSION = 384
MODEL = "hash-of-words"


class EmbeddingServerProcess:
    """
    The server in the hands of a test.

        with EmbeddingServerProcess() as server:
            server.behave("status", status=503, times=2)
            ...                   # server.url
            server.requests()     # what came since

    :param key: The key that it wants.
    """

    def __init__(self, key: str = ""):
        self.url = ""
        self._key = key
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "EmbeddingServerProcess":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, at the same port as before."""
        environment = {**os.environ, "EMBEDDING_SERVER_KEY": self._key}
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(self._port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
        assert self._process.stdout
        self._port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self._port}/v1"

    def kill(self) -> None:
        """Kill it as a crash would, if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.__exit__(None, None, None)
            self._process = None

    def behave(self, mode: str, **options: Any) -> None:
        """Set what it does from now on."""
        httpx.post(f"http://127.0.0.1:{self._port}/control", json={"mode": mode, **options}).raise_for_status()

    def requests(self) -> list[dict[str, Any]]:
        """The requests since `behave`, each with its `model`, `input` and `key`."""
        return httpx.get(f"http://127.0.0.1:{self._port}/control").json()


def vector(text: str) -> list[float]:
    """A unit vector of a text: the sum of a random one for each of its words."""
    total = [0.0] * DIMENSION
    for word in text.lower().split():
        bits = hashlib.shake_256(word.encode()).digest(DIMENSION)
        total = [number + byte - 127.5 for number, byte in zip(total, bits, strict=True)]
    length = math.sqrt(sum(number * number for number in total)) or 1.0
    return [number / length for number in total]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: dict[str, Any] = {"mode": "well"}
    received: list[dict[str, Any]] = []
    lock = threading.Lock()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        with self.lock:
            self._answer(200, self.received)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/control":
            with self.lock:
                self.state.clear()
                self.state.update(body)
                self.received.clear()
            self._answer(200, {})
        elif self.path != "/v1/embeddings":
            self._answer(404, {"error": {"message": "no such path"}})
        elif self.headers.get("Authorization") not in (f"Bearer {key}" for key in (_key(), _key() or "none")):
            self._answer(401, {"error": {"message": "no valid key"}})
        else:
            with self.lock:
                self.received.append({**body, "key": self.headers["Authorization"]})
                now = dict(self.state)
                if now["mode"] == "status":
                    self.state["times"] -= 1
                    now["mode"] = "status" if now["times"] > 0 else "well"
            self._embed(body["input"], now)

    def _embed(self, texts: list[str], now: dict[str, Any]) -> None:
        mode = now["mode"]
        if mode == "status":
            self._answer(now["status"], {"error": {"message": "as told"}})
            return
        if mode == "body":
            self._send(200, now["body"].encode(), now["content_type"])
            return
        if mode == "slow":
            time.sleep(now["seconds"])
        vectors = [[0.0] * DIMENSION if mode == "zero" else vector(text) for text in texts]
        data = [
            {"object": "embedding", "index": place, "embedding": numbers[:3] if mode == "shorter" else numbers}
            for place, numbers in enumerate(vectors)
        ]
        if mode == "missing":
            data.pop()
        if mode == "shuffled":
            data.reverse()
        self._answer(200, {"object": "list", "model": MODEL, "data": data})

    def _answer(self, status: int, body: Any) -> None:
        self._send(status, json.dumps(body).encode(), "application/json")

    def _send(self, status: int, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what is tested here."""


def _key() -> str:
    return os.environ.get("EMBEDDING_SERVER_KEY", "")


if __name__ == "__main__":
    server = _Server(("127.0.0.1", int(sys.argv[1])), _Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()

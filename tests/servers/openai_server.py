"""
An HTTP server that speaks OpenAI's chat completions protocol and misbehaves on demand.

    python tests/servers/openai_server.py

It prints its port as the first line. `POST /control` with `{"mode": "...", ...}` sets what it does from then on and
forgets the requests so far; `GET /control` tells the requests that came since.

| mode      | what the next answers are                                             |
|-----------|-----------------------------------------------------------------------|
| text      | a completion whose content is `text` (null is possible)               |
| status    | an error with status `status`                                         |
| hang      | nothing for `seconds`, then `text`                                    |
| drip      | `text`, one byte of the answer every tenth of a second                |
| reset     | the connection is closed without an answer                            |
| body      | `body` as it is, with `content_type`                                  |
| cut       | half of the body that its header promises                             |
"""

import json
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

state: dict[str, Any] = {"mode": "text", "text": ""}
requests: list[dict[str, Any]] = []
lock = threading.Lock()


def completion(text: str | None) -> bytes:
    """The body of a completion."""
    message = {"role": "assistant", "content": text}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    return json.dumps(body).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        with lock:
            self.answer(200, json.dumps(requests).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/control":
            with lock:
                state.clear()
                state.update({"text": "", **body})
                requests.clear()
            self.answer(200, b"{}")
            return
        if self.path != "/v1/chat/completions":
            self.answer(404, b'{"error": {"message": "no such path"}}')
            return
        with lock:
            requests.append(body)
            now = dict(state)
        getattr(self, f"do_{now['mode']}")(now)

    def do_text(self, now: dict[str, Any]) -> None:
        self.answer(200, completion(now["text"]))

    def do_status(self, now: dict[str, Any]) -> None:
        self.answer(now["status"], json.dumps({"error": {"message": "as told", "type": "test"}}).encode())

    def do_hang(self, now: dict[str, Any]) -> None:
        time.sleep(now["seconds"])
        self.do_text(now)

    def do_drip(self, now: dict[str, Any]) -> None:
        body = completion(now["text"])
        self.head(200, len(body), "application/json")
        for byte in body:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.1)

    def do_reset(self, now: dict[str, Any]) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def do_body(self, now: dict[str, Any]) -> None:
        self.answer(200, now["body"].encode(), now.get("content_type", "application/json"))

    def do_cut(self, now: dict[str, Any]) -> None:
        body = completion(now["text"])
        self.head(200, len(body), "application/json")
        self.wfile.write(body[: len(body) // 2])
        self.close_connection = True

    def answer(self, status: int, body: bytes, content_type: str = "application/json") -> None:
        self.head(status, len(body), content_type)
        self.wfile.write(body)

    def head(self, status: int, length: int, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(length))
        self.end_headers()


class Server(ThreadingHTTPServer):
    """Says nothing when a client goes away."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what is tested here."""


if __name__ == "__main__":
    server = Server(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()

"""
An HTTP server that answers as a search server would, one prepared answer after the other, in a thread of the test's
own process.

    with SearchApi() as server:
        server.answers = [(429, {"error": "busy"}), (200, {"count": 3})]
        ...                       # server.url, server.requests

An answer is (status, JSON or bytes), or the seconds to wait before the connection is closed without one. The last
answer is repeated.
"""

import json
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple


class Request(NamedTuple):
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class SearchApi:
    """
    The server and what it answers.

    :param certificate: PEM file with key and certificate, to speak TLS.
    """

    def __init__(self, certificate: str | None = None) -> None:
        self.answers: list[Any] = []
        self.requests: list[Request] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

            def answer(self) -> None:
                owner.answer(self)

            do_GET = do_POST = do_PUT = do_DELETE = answer

        self._server = Server(("127.0.0.1", 0), Handler)
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._scheme = "https"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "SearchApi":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append(Request(handler.command, handler.path, headers, body))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not isinstance(answer, tuple):
            time.sleep(answer)
            handler.close_connection = True
            return
        status, content = answer
        kind = "text/html" if isinstance(content, bytes) else "application/json"
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)


class Server(ThreadingHTTPServer):
    """Says nothing when a client goes away."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that gave up is what is tested here."""

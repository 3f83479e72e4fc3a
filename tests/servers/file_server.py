"""
An HTTP server of files that misbehaves on demand, in a thread of the test's own process.

    with FileServer() as server:
        server.files["/a.xml"] = b"..."
        server.faults["/a.xml"] = ["cut:100", "status:503:1"]
        ...                       # server.url, server.requests

Each request for a path takes the first of its faults:

| fault                  | what the answer is                                                            |
|------------------------|-------------------------------------------------------------------------------|
| cut:N                  | the whole length is promised, N bytes (of the part asked for) come             |
| unsized:N              | no length is promised, N bytes come, the connection ends                       |
| status:S or status:S:R | an error with status S, and R as Retry-After                                   |
| garbage                | a page of something else, with status 200                                      |
| hang:S                 | nothing for S seconds                                                          |
| reset                  | the connection is closed without an answer                                     |
| full                   | the whole file, whatever range was asked for                                   |
| shift                  | a range that begins one byte later than was asked for                          |
| 416                    | the range can't be had                                                         |
| gzip                   | the whole file, packed, whatever was accepted                                  |
| ok                     | no fault                                                                       |
"""

import gzip
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

GARBAGE = b"<html><body><h1>Down for maintenance</h1></body></html>"


class FileServer:
    """
    The server and what it serves.

    `files` maps paths to bodies, or to functions of the query that return one; `etags` and `dates` map paths to the
    marks of their version (by default the etag is the length in quotes, and there is no date).
    """

    def __init__(self) -> None:
        self.files: dict[str, Any] = {}
        self.faults: dict[str, list[str]] = {}
        self.etags: dict[str, str] = {}
        self.dates: dict[str, str] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                owner.answer(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def asked(self, path: str) -> list[dict[str, str]]:
        """The headers of all requests for a path so far."""
        return [headers for asked, headers in self.requests if asked == path]

    def __enter__(self) -> "FileServer":
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
        split = urlsplit(handler.path)
        path = split.path
        self.requests.append((path, dict(handler.headers.items())))
        faults = self.faults.get(path) or ["ok"]
        fault, _, detail = (faults.pop(0) if self.faults.get(path) else "ok").partition(":")
        if fault == "hang":
            time.sleep(float(detail))
        if fault in ("reset", "hang"):
            handler.close_connection = True
            return
        if fault == "status":
            status, _, after = detail.partition(":")
            self._send(handler, int(status), {"Retry-After": after} if after else {}, b"busy")
            return
        if fault == "garbage":
            self._send(handler, 200, {"Content-Type": "text/html"}, GARBAGE)
            return
        body = self.files.get(path)
        body = body(parse_qs(split.query)) if callable(body) else body
        if body is None:
            self._send(handler, 404, {}, b"not here")
            return
        self._file(handler, path, body, fault, int(detail or 0))

    def _file(self, handler: BaseHTTPRequestHandler, path: str, body: bytes, fault: str, size: int) -> None:
        etag, date = self.etags.get(path, f'"{len(body)}"'), self.dates.get(path, "")
        headers = {**({"ETag": etag} if etag else {}), **({"Last-Modified": date} if date else {})}
        asked = handler.headers
        known = asked.get("If-None-Match"), asked.get("If-Modified-Since")
        if (etag and known[0] == etag) or (known[0] is None and date and known[1] == date):
            self._send(handler, 304, headers, b"")
            return
        if fault == "gzip":
            self._send(handler, 200, {**headers, "Content-Encoding": "gzip"}, gzip.compress(body))
            return
        match = re.fullmatch(r"bytes=(\d+)-", asked.get("Range") or "")
        same = asked.get("If-Range") in (etag, date)
        status, start = 200, 0
        if fault == "416" or (match and same and int(match[1]) >= len(body)):
            self._send(handler, 416, {"Content-Range": f"bytes */{len(body)}"}, b"")
            return
        if match and same and fault != "full":
            status, start = 206, int(match[1]) + (fault == "shift")
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        rest = body[start:]
        if fault in ("cut", "unsized"):
            handler.send_response(status)
            headers |= {"Content-Length": str(len(rest))} if fault == "cut" else {"Connection": "close"}
            for name, value in headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(rest[:size])
            handler.close_connection = True
            return
        self._send(handler, status, headers, rest)

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if status != 304:
            handler.wfile.write(body)

"""Errors that no route answers: one JSON object, as the routes beside them have it."""

import json
from collections.abc import Iterable
from typing import Any

from starlette.types import Scope, Send

Headers = Iterable[tuple[bytes, bytes]]

_CODES = {
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    408: "BODY_TIMEOUT",
    413: "BODY_TOO_LARGE",
    421: "FOREIGN_HOST",
    500: "INTERNAL_ERROR",
}


def error_body(path: str, status: int, message: str) -> dict[str, Any]:
    """
    The body of an error.

    >>> error_body("/search_mpep/run", 413, "too large")
    {'error': 'too large'}
    >>> error_body("/api/memory/stats", 401, "a key is needed")["code"]
    'UNAUTHORIZED'

    :param path: The request's path; errors below /api have a code.
    :param status: The HTTP status.
    :param message: What is wrong and what to do instead.
    :returns: A JSON object.
    """
    if not path.startswith("/api/"):
        return {"error": message}
    code = _CODES.get(status, "INVALID_REQUEST" if status < 500 else "UNAVAILABLE")
    return {"status": "error", "code": code, "message": message, "details": {}}


async def send_error(scope: Scope, send: Send, status: int, message: str, headers: Headers = ()) -> None:
    """
    Send a whole response with an error.

    :param scope: The ASGI connection's `scope`.
    :param send: The ASGI connection's `send`.
    :param status: The HTTP status.
    :param message: What is wrong and what to do instead.
    :param headers: More headers.
    """
    body = json.dumps(error_body(scope["path"], status, message)).encode()
    start = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})

"""Answers that middleware gives without the application: one JSON object {"error": ...}."""

import json
from collections.abc import Iterable

from starlette.types import Send

Headers = Iterable[tuple[bytes, bytes]]


async def send_error(send: Send, status: int, message: str, headers: Headers = ()) -> None:
    """
    Send a whole response with an error.

    :param send: The ASGI connection's `send`.
    :param status: The HTTP status.
    :param message: What is wrong and what to do instead.
    :param headers: More headers.
    """
    body = json.dumps({"error": message}).encode()
    start = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})

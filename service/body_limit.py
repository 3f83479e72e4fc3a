"""Middleware that refuses bodies larger than any request of ours."""

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.responses import send_error

LARGEST_BODY = 1_000_000
"""In bytes. The longest query has 10,000 characters: at most 120,000 bytes with each escaped in JSON."""


class BodyLimitMiddleware:
    """
    Reads a request's body before the application does and answers 413 as soon as it is too large.

    :param app: The application behind.
    :param largest: The size allowed, in bytes.
    :param larger: The size allowed for some paths.
    """

    def __init__(self, app: ASGIApp, largest: int = LARGEST_BODY, larger: Mapping[str, int] | None = None):
        self.app = app
        self.largest = largest
        self.larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        largest = self.larger.get(scope["path"], self.largest)
        declared = Headers(scope=scope).get("content-length", "0")
        received = bytearray()
        more = declared.isdecimal() and int(declared) <= largest
        too_large = not more
        while more and not too_large:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            received += message.get("body", b"")
            more = message.get("more_body", False)
            too_large = len(received) > largest
        if too_large:
            await send_error(send, 413, f"the body is larger than {largest:,} bytes", [(b"connection", b"close")])
            return
        body: list[Message] = [{"type": "http.request", "body": bytes(received), "more_body": False}]

        async def replay() -> Message:
            return body.pop() if body else await receive()

        await self.app(scope, replay, send)

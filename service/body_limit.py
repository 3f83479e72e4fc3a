"""Middleware that refuses bodies larger than any request of ours, and those that never end."""

import asyncio
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.responses import send_error

LARGEST_BODY = 1_000_000
"""In bytes. The longest query has 10,000 characters: at most 120,000 bytes with each escaped in JSON."""


class BodyLimitMiddleware:
    """
    Reads a request's body before the application does; answers 413 as soon as it is too large, and 408 when no more of
    it comes.

    :param app: The application behind.
    :param largest: The size allowed, in bytes.
    :param larger: The size allowed for some paths.
    :param patience: Seconds to wait for the next part.
    """

    def __init__(
        self,
        app: ASGIApp,
        largest: int = LARGEST_BODY,
        larger: Mapping[str, int] | None = None,
        patience: float = 20.0,
    ):
        self.app = app
        self.largest = largest
        self.larger = larger or {}
        self.patience = patience

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
            try:
                message = await asyncio.wait_for(receive(), self.patience)
            except TimeoutError:
                reason = f"the body did not come on for {self.patience:.0f} seconds"
                await send_error(scope, send, 408, reason, [(b"connection", b"close")])
                return
            if message["type"] == "http.disconnect":
                return
            received += message.get("body", b"")
            more = message.get("more_body", False)
            too_large = len(received) > largest
        if too_large:
            reason = f"the body is larger than {largest:,} bytes"
            await send_error(scope, send, 413, reason, [(b"connection", b"close")])
            return
        body: list[Message] = [{"type": "http.request", "body": bytes(received), "more_body": False}]

        async def replay() -> Message:
            return body.pop() if body else await receive()

        await self.app(scope, replay, send)

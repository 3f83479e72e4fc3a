"""Middleware that names each request, logs one line about it and keeps failures from the caller."""

import logging
import re
import time
import uuid

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.logs import request_id
from service.responses import send_error

logger = logging.getLogger(__name__)

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestLogMiddleware:
    """
    Logs method, path, status, milliseconds and request id of each request: never its body, query string or headers.

    The id is the caller's `X-Request-ID` when it is well formed, else a new one; the response carries it. What the
    application didn't catch becomes a plain 500, with the traceback in the log alone.

    :param app: The application behind.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        named = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex[:16]
        context = request_id.set(named)
        status, started = 0, time.perf_counter()

        async def send_named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", []), (b"x-request-id", named.encode())]}
            await send(message)

        try:
            await self.app(scope, receive, send_named)
        except Exception:
            logger.exception("request failed")
            if status:
                raise
            await send_error(scope, send_named, 500, "internal error; the log has the details")
        finally:
            # A status of 499 says that the caller went away before the answer.
            fields = {
                "method": scope["method"],
                "path": scope["path"],
                "status": status or 499,
                "ms": round((time.perf_counter() - started) * 1000, 1),
            }
            logger.info("request", extra={"fields": fields})
            request_id.reset(context)

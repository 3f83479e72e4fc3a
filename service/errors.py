"""How errors reach callers: a status and one JSON object (`error_body`); what went on inside stays in the log."""

import logging
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fastapi import FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as StarletteHTTPException

from pipelines.errors import ArgumentError, IndexDamagedError, IndexMissingError, StoreDownError, TansakuError, causes
from service.responses import error_body
from service.tools import Tool

logger = logging.getLogger(__name__)


class ErrorAnswer(BaseModel):
    """What every error answer looks like."""

    error: str = Field(description="What is wrong and what to do instead.")
    code: str | None = Field(None, description="A name for programs, where there is one.")


class NotReadyError(TansakuError):
    """The service is starting or could not start."""


@contextmanager
def as_http_errors(*confidential: str) -> Iterator[None]:
    """
    Turn what a search function raises into the answers that callers get.

    :param confidential: Texts, such as the query, that are cut out of what is logged.
    :raises HTTPException: 422 for a wrong argument, 503 for a missing or damaged index, a service that isn't ready or
        stores that are down, 500 for a defect.
    """
    try:
        yield
    except HTTPException:
        raise
    except Exception as error:
        # Haystack wraps what a component raises.
        known = next((cause for cause in causes(error) if isinstance(cause, TansakuError)), None)
        if isinstance(known, ArgumentError):
            raise HTTPException(422, {"error": str(known)}) from error
        if isinstance(known, StoreDownError):
            answer = {"error": str(known), "code": known.code}
            raise HTTPException(503, answer, headers={"Retry-After": str(known.retry_after)}) from error
        if isinstance(known, IndexMissingError | IndexDamagedError | NotReadyError):
            raise HTTPException(503, {"error": str(known)}) from error
        trace = "".join(traceback.format_exception(error))
        for text in confidential:
            trace = trace.replace(text, "<hidden>") if text else trace
        logger.error("search failed", extra={"fields": {"exception": trace}})
        if known:
            raise HTTPException(503, {"error": "the search is out of order; GET /health says why"}) from error
        raise HTTPException(500, {"error": "internal error; the log has the details"}) from error


def add_error_handlers(app: FastAPI, tools: Sequence[Tool]) -> None:
    """
    Give every error of the application one shape.

    :param app: The application.
    :param tools: The search functions, for messages about their arguments.
    """
    by_path = {tool.path: tool for tool in tools}

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        tool = by_path.get(request.url.path)
        message = tool.explain(error.errors()) if tool else "the request is malformed"
        return JSONResponse(error_body(request.url.path, 422, message), 422)

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, StarletteHTTPException)
        status, detail = error.status_code, error.detail
        if isinstance(detail, dict) and "error" in detail:
            return JSONResponse(detail, status, headers=error.headers)
        if status == 404:
            message = f"there is nothing at {request.url.path}; GET /openapi.json lists what there is"
        elif status == 405:
            allowed = (error.headers or {}).get("Allow", "")
            message = f"{request.method} is not allowed at {request.url.path}; use {allowed}"
        elif status == 400:
            # FastAPI could not read the body: not UTF-8, nested too deeply, numbers too long.
            status, message = 422, "the body is not valid JSON"
        else:
            message = "internal error; the log has the details" if status >= 500 else str(detail)
        return JSONResponse(error_body(request.url.path, status, message), status, headers=error.headers)

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(StarletteHTTPException, refused)

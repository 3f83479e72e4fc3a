"""How errors of the routes below /api look: {"status": "error", "code", "message", "details"}."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field

from memory_components.errors import MemoryInputError, MemoryStoreError
from pipelines.errors import ArgumentError, TansakuError
from pipelines.store_damage import causes

logger = logging.getLogger(__name__)


class ApiError(BaseModel):
    """What every error answer below /api looks like."""

    status: str = "error"
    code: str = Field(description="A name for programs: SESSION_NOT_FOUND, INVALID_REQUEST, ...")
    message: str = Field(description="What is wrong and what to do instead.")
    details: dict[str, Any] = Field(default_factory=dict)


class ApiRoute(APIRoute):
    """
    A route whose errors are `ApiError`s.

    Usage example:
    ```python
    router = APIRouter(prefix="/api", route_class=ApiRoute)
    ```
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with what it raises turned into answers."""
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handle(request)
            except Exception as error:
                return error_answer(error)

        return answered


def error_answer(error: Exception) -> JSONResponse:
    """
    The answer for what a route raised.

    :param error: Anything.
    :returns: 404 for what isn't there, 422 for what the caller got wrong, 503 for what is out of order, 500 for a
        defect, whose traceback goes to the log alone.
    """
    ours = MemoryInputError | MemoryStoreError | TansakuError
    known = next((cause for cause in causes(error) if isinstance(cause, ours)), error)
    if isinstance(known, MemoryInputError):
        return _answer(404 if known.code.endswith("_NOT_FOUND") else 422, known.code, known.message, known.details)
    if isinstance(known, RequestValidationError):
        return _answer(422, "INVALID_REQUEST", _sentence(known), {"errors": _plain(known)})
    if isinstance(known, ArgumentError):
        return _answer(422, "INVALID_REQUEST", str(known), {"argument": known.argument})
    if isinstance(known, MemoryStoreError | TansakuError):
        logger.error("out of order: %s", known)
        return _answer(503, "UNAVAILABLE", "the memory is out of order; the log has the details", {})
    if isinstance(known, HTTPException):
        return _answer(known.status_code, "INVALID_REQUEST", str(known.detail), {})
    logger.error("request failed", exc_info=error)
    return _answer(500, "INTERNAL_ERROR", "internal error; the log has the details", {})


def _answer(status: int, code: str, message: str, details: dict[str, Any]) -> JSONResponse:
    return JSONResponse(ApiError(code=code, message=message, details=details).model_dump(mode="json"), status)


def _plain(error: RequestValidationError) -> list[dict[str, Any]]:
    """What is wrong, without the values, which may be of any size."""
    return [{"place": ".".join(map(str, each["loc"][1:])), "fault": each["msg"]} for each in error.errors()]


def _sentence(error: RequestValidationError) -> str:
    found = [f"{each['place']}: {each['fault']}" if each["place"] else each["fault"] for each in _plain(error)]
    return "; ".join(found)

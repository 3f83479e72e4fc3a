"""How errors of the routes below /api look: {"status": "error", "code", "message", "details"}."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from memory_components.errors import MemoryInputError, MemoryStoreError
from pipelines.errors import ArgumentError, IndexDamagedError, IndexMissingError, TansakuError
from pipelines.store_damage import causes
from service.errors import NotReadyError

logger = logging.getLogger(__name__)

_CODES = {
    "query": "INVALID_QUERY",
    "top_k": "INVALID_TOP_K",
    "language": "INVALID_LANGUAGE",
    "filters": "INVALID_FILTER",
}
_OUT_OF_ORDER = "a part is out of order; the log has the details"
_NO_JSON = "the body is not valid JSON"
_UNREACHABLE = "a store can't be reached; GET /health says which"
_STATES = {
    NotReadyError: "NOT_READY",
    IndexMissingError: "INDEX_MISSING",
    IndexDamagedError: "INDEX_DAMAGED",
}


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
    ours = MemoryInputError | MemoryStoreError | TansakuError | OSError
    known = next((cause for cause in causes(error) if isinstance(cause, ours)), error)
    status, code, message, details = _told(known)
    if status == 500:
        logger.error("request failed", exc_info=error)
    elif message in (_OUT_OF_ORDER, _UNREACHABLE):
        logger.error("out of order: %s", known)
    return JSONResponse(ApiError(code=code, message=message, details=details).model_dump(mode="json"), status)


def _told(known: BaseException) -> tuple[int, str, str, dict[str, Any]]:
    """Status, code, message and details."""
    told: tuple[int, str, str, dict[str, Any]]
    match known:
        case MemoryInputError():
            return 404 if known.code.endswith("_NOT_FOUND") else 422, known.code, known.message, known.details
        case RequestValidationError():
            faults = _plain(known)
            code = _code(*{fault["place"].split(".")[0] for fault in faults})
            told = (422, code, _sentence(known), {"errors": faults})
        case ArgumentError():
            told = (422, _code(known.argument), str(known), {"argument": known.argument})
        case NotReadyError() | IndexMissingError() | IndexDamagedError():
            told = (503, _STATES[type(known)], str(known), {})
        case OSError():
            told = (503, "BACKEND_UNAVAILABLE", _UNREACHABLE, {})
        case MemoryStoreError() | TansakuError():
            told = (503, "UNAVAILABLE", _OUT_OF_ORDER, {})
        case HTTPException(status_code=400):
            # FastAPI could not read the body: not UTF-8, nested too deeply, numbers too long.
            told = (422, "INVALID_REQUEST", _NO_JSON, {})
        case HTTPException():
            told = (known.status_code, "INVALID_REQUEST", str(known.detail), {})
        case _:
            told = (500, "INTERNAL_ERROR", "internal error; the log has the details", {})
    return told


def _code(*arguments: str) -> str:
    """The code of the one argument that is wrong."""
    return _CODES.get(arguments[0], "INVALID_REQUEST") if len(arguments) == 1 else "INVALID_REQUEST"


def _plain(error: RequestValidationError) -> list[dict[str, Any]]:
    """What is wrong, without the values, which may be of any size."""
    return [{"place": ".".join(map(str, each["loc"][1:])), "fault": each["msg"]} for each in error.errors()]


def _sentence(error: RequestValidationError) -> str:
    if any(each["type"] == "json_invalid" for each in error.errors()):
        return _NO_JSON
    found = [f"{each['place']}: {each['fault']}" if each["place"] else each["fault"] for each in _plain(error)]
    return "; ".join(found)

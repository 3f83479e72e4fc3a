"""Search over company documents: POST /api/v2/rag/search and GET /api/v2/rag/preprocessing/health."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from service.api_errors import ApiError, ApiRoute
from service.runtime import Runtime

_ERRORS: dict[int | str, dict[str, Any]] = {
    422: {"model": ApiError, "description": "An argument is missing, unknown or not allowed"},
    503: {"model": ApiError, "description": "Starting, no index yet, or a part is out of order"},
}


class SearchRequest(BaseModel):
    """A search over company documents."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str = Field(description="A question or keywords, 2 to 10,000 characters.")
    # The search itself checks ranges, so that all ways to call it agree.
    top_k: int = Field(5, description="How many passages.", json_schema_extra={"minimum": 1, "maximum": 50})
    language: str = Field("auto", description="auto, ja, en, ko or mixed.")
    enable_query_expansion: bool = Field(True, description="Search other ways to put the query as well.")
    enable_entity_boosting: bool = Field(True, description="Lift what holds the names and numbers of the query.")
    return_debug_info: bool = Field(False, description="Tell how the query was read.")
    filters: dict[str, Any] | None = Field(None, description="Filters in Haystack's form.")
    user_id: str = Field("", max_length=200, description="Who asks, for the memory of ratings.")


def rag_router(runtime: Runtime, corpus: str) -> APIRouter:
    """
    The routes of the search.

    Usage example:
    ```python
    app.include_router(rag_router(runtime, "company-docs"))
    ```

    :param runtime: Where the search comes from.
    :param corpus: The corpus that is searched.
    :returns: The routes.
    """
    router = APIRouter(prefix="/api/v2/rag", route_class=ApiRoute, responses=_ERRORS, tags=["search"])

    @router.post("/search")
    def search(body: SearchRequest) -> dict[str, Any]:
        """
        Find passages in company documents. Spelling variants, synonyms and numbers however they are typed are found;
        the answer's `session_id` takes ratings.
        """
        answer: dict[str, Any] = runtime.search(corpus).search(**body.model_dump())
        return answer

    @router.get("/preprocessing/health")
    def preprocessing_health() -> JSONResponse:
        """
        Tell of each part that reads queries whether it is used and ready, its version, how long it took to load and its
        last error. A faulty edit of a file shows as an error of a part that goes on with what it read before.
        """
        parts = runtime.search(corpus).preprocessing_health()
        ready = all(part["ready"] or not part["used"] for part in parts.values())
        faultless = not any(part["error"] for part in parts.values())
        status = "ready" if ready and faultless else "degraded"
        return JSONResponse({"status": status, "parts": parts}, 200 if ready else 503)

    return router

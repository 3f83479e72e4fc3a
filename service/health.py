"""GET /health and GET /health/live."""

from importlib.metadata import version
from typing import Any

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from service.runtime import Runtime

PACKAGES = ("tansaku", "haystack-ai", "hayhooks", "tantivy", "qdrant-edge-py", "onnxruntime")


def add_health(app: FastAPI, runtime: Runtime) -> None:
    """
    Add the two health routes.

    :param app: The application.
    :param runtime: What it asks.
    """
    versions = {name: version(name) for name in PACKAGES}

    # A thread of its own: it must not wait behind searches that have taken all others.
    limiter = CapacityLimiter(1)

    @app.head("/health", include_in_schema=False)
    @app.get("/health", tags=["health"], responses={503: {"description": "Starting, or not able to search"}})
    async def health() -> JSONResponse:
        """Tell which parts are ready: pipelines, stores with counts, versions, embedder."""
        ready, parts = await run_sync(runtime.health, limiter=limiter)
        answer: dict[str, Any] = {**parts, "versions": versions}
        return JSONResponse(answer, 200 if ready else 503)

    @app.head("/health/live", include_in_schema=False)
    @app.get("/health/live", tags=["health"])
    async def live() -> dict[str, str]:
        """Tell that the process answers; needs no key."""
        return {"status": "alive"}

"""GET /health and GET /health/live."""

from importlib.metadata import version
from typing import Any

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

    @app.get("/health", tags=["health"], responses={503: {"description": "Starting, or not able to search"}})
    def health() -> JSONResponse:
        """Tell which parts are ready: pipelines, stores with counts, versions, embedder."""
        ready, parts = runtime.health()
        answer: dict[str, Any] = {**parts, "versions": versions}
        return JSONResponse(answer, 200 if ready else 503)

    @app.get("/health/live", tags=["health"])
    async def live() -> dict[str, str]:
        """Tell that the process answers; needs no key."""
        return {"status": "alive"}

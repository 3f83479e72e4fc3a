"""The application: Hayhooks' pipelines with our routes, middleware and MCP around them, and nothing else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.routing import APIRoute
from hayhooks.server.app import create_app as create_hayhooks_app
from hayhooks.server.utils.deploy_utils import create_run_endpoint_handler
from hayhooks.settings import settings as hayhooks_settings
from starlette.routing import Route

from pipelines.memory import MEMORY_CORPUS
from service.access import AccessMiddleware
from service.body_limit import BodyLimitMiddleware
from service.docs import add_docs
from service.errors import ErrorAnswer, add_error_handlers
from service.health import add_health
from service.logs import quiet_libraries
from service.mcp_server import McpEndpoint
from service.memory_api import LARGEST_IMPORT, memory_router
from service.rag_api import rag_router
from service.request_log import RequestLogMiddleware
from service.runtime import Builders, Runtime, share
from service.settings import ServiceSettings
from service.tools import Tool, load_tools

WRAPPERS = Path(__file__).parent.parent / "hayhooks"

ERRORS = {
    404: "There is no such section",
    422: "An argument is missing, unknown or not allowed",
    503: "The service is starting, or there is no index yet",
}


def create_app(settings: ServiceSettings | None = None, builders: Builders | None = None) -> FastAPI:
    """
    Build the service.

    Usage example:
    ```python
    uvicorn.run(create_app(ServiceSettings()), host="127.0.0.1", port=1416)
    ```

    :param settings: Its settings; read from the environment when not given.
    :param builders: What makes the search of each corpus; for tests, and for services that bring their own.
    :returns: The application. It begins to make the searches ready when it is started.
    :raises ArgumentError: When others could reach the service without a key.
    :raises ConfigError: When the keys are malformed.
    """
    settings = settings or ServiceSettings()
    settings.require_safe_host()
    runtime = Runtime(settings, builders)
    share(runtime)
    quiet_libraries()
    app = _hayhooks_app()
    quiet_libraries()
    tools = [tool for tool in load_tools(app.state.pipeline_registry) if tool.corpus in runtime.corpora]
    app.title, app.description, app.version = (
        "Tansaku",
        "Search in patent, legal and company documents.",
        version("tansaku"),
    )
    run_routes = {route.path: route for route in app.routes if isinstance(route, APIRoute)}
    # Hayhooks' other routes draw pipelines with a web service, take files and imitate chat models.
    app.router.routes.clear()
    for tool in tools:
        _add_run_route(app, tool, run_routes[tool.path])
    if MEMORY_CORPUS in runtime.corpora:
        app.include_router(rag_router(runtime, MEMORY_CORPUS))
        app.include_router(memory_router(runtime.memory))
    add_health(app, runtime)
    add_docs(app)
    mcp = McpEndpoint(tools, app.version, runtime.corpora)
    for path in ("/mcp", "/mcp/"):
        app.router.routes.append(Route(path, mcp, methods=["POST"], include_in_schema=False))
    add_error_handlers(app, tools)
    _add_middleware(app, settings)
    _wrap_lifespan(app, runtime, mcp)
    return app


def _hayhooks_app() -> FastAPI:
    """Let Hayhooks load the wrappers for good: durable mode has no route that deploys or undeploys."""
    hayhooks_settings.durable_mode = True
    hayhooks_settings.pipelines_dir = str(WRAPPERS)
    hayhooks_settings.cors_allow_origins = []
    # Its trace viewer and monitoring would each write a credential to the home folder.
    hayhooks_settings.tracing_enabled = False
    hayhooks_settings.tracing_include_haystack_spans = False
    hayhooks_settings.monitoring_enabled = False
    return create_hayhooks_app()


def _add_run_route(app: FastAPI, tool: Tool, hayhooks_route: APIRoute) -> None:
    """Add Hayhooks' run route again, with the strict model of the arguments and with our errors in the API docs."""
    endpoint = create_run_endpoint_handler(
        tool.wrapper, tool.name, tool.arguments, hayhooks_route.response_model, requires_files=False
    )
    app.add_api_route(
        tool.path,
        endpoint,
        methods=["POST"],
        name=tool.name,
        summary=tool.description.partition("\n")[0],
        description=tool.description,
        response_model=hayhooks_route.response_model,
        responses={status: {"model": ErrorAnswer, "description": reason} for status, reason in ERRORS.items()},
        tags=["search"],
    )


def _add_middleware(app: FastAPI, settings: ServiceSettings) -> None:
    """The last one added meets a request first."""
    app.user_middleware.clear()
    app.add_middleware(BodyLimitMiddleware, larger=LARGEST_IMPORT)
    app.add_middleware(AccessMiddleware, keys=settings.keys, origins=settings.origins)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key", "X-Request-ID", "Mcp-Protocol-Version"],
            expose_headers=["X-Request-ID"],
        )
    app.add_middleware(RequestLogMiddleware)


def _wrap_lifespan(app: FastAPI, runtime: Runtime, mcp: McpEndpoint) -> None:
    hayhooks_lifespan = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(started: FastAPI) -> AsyncIterator[Any]:
        async with hayhooks_lifespan(started) as state, mcp.sessions.run():
            runtime.start()
            try:
                yield state
            finally:
                runtime.stop()

    app.router.lifespan_context = lifespan

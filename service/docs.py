"""The API's description for programs and for people, from files of this machine alone."""

from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.staticfiles import StaticFiles

ASSETS = "/docs/assets"


def add_docs(app: FastAPI) -> None:
    """
    Add /openapi.json, and /docs with the viewer that the package fastapi-offline carries.

    FastAPI's own page loads its viewer from a content network, which leaves it empty on a machine without internet.

    :param app: The application.
    """
    app.mount(ASSETS, StaticFiles(directory=str(files("fastapi_offline") / "static")))

    @app.get("/", include_in_schema=False)
    def start_page() -> RedirectResponse:
        return RedirectResponse("/docs")

    @app.get("/openapi.json", include_in_schema=False)
    def description() -> dict[str, Any]:
        return app.openapi()

    @app.get("/docs", include_in_schema=False)
    def viewer() -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url="/openapi.json",
            title=app.title,
            swagger_js_url=f"{ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{ASSETS}/favicon.png",
        )

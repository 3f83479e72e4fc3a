"""The option --embedder-url, which all commands share that embed or look at vectors."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

_VARIABLE = "TANSAKU_EMBEDDER_URL"


@contextmanager
def _environment(value: str) -> Iterator[None]:
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = value
    try:
        yield
    finally:
        del os.environ[_VARIABLE]
        if before is not None:
            os.environ[_VARIABLE] = before


def _use(context: typer.Context, url: str | None) -> str | None:
    """Set it for the command, and for the processes that it starts."""
    if url is not None:
        from pipelines.embedding_server import checked_url

        checked_url(url)
        context.with_resource(_environment(url))
    return url


EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder-url",
        metavar="URL",
        callback=_use,
        help="An OpenAI-compatible embedding server, such as http://localhost:8080/v1, instead of the profile's "
        "embedder; its model is in TANSAKU_EMBEDDER_MODEL, its key in TANSAKU_EMBEDDER_API_KEY.",
        show_default="TANSAKU_EMBEDDER_URL",
    ),
]

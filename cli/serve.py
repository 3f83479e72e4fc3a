"""`tansaku serve`: REST, MCP and API docs over HTTP."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cli.embedder_option import EmbedderOption
from cli.output import JsonOption, ProfileOption, console, print_json
from pipelines.errors import ConfigError, TansakuError

if TYPE_CHECKING:
    import socket

    from service.settings import ServiceSettings


def serve(
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on; one that others reach needs keys.", show_default="127.0.0.1"),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0: any.", show_default="1416")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", help="A corpus to serve; may be repeated.", show_default="those with an index, or us-patent-law"
        ),
    ] = None,
    profile: ProfileOption = None,
    embedder_url: EmbedderOption = None,
    samples: Annotated[
        bool | None, typer.Option(help="Index the project's samples first when the index is empty.", show_default="yes")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Serve search over REST and MCP, with API docs, until it is interrupted.

    Each option can be set in the environment too: TANSAKU_HOST, TANSAKU_PORT, TANSAKU_CORPORA, TANSAKU_PROFILE,
    TANSAKU_SAMPLES; keys of callers in TANSAKU_API_KEYS, as search:KEY,admin:KEY.

    Example: tansaku serve --port 8080
    """
    from pydantic import ValidationError

    from pipelines.loading import profile_names
    from pipelines.settings import Settings, wrong_setting
    from service.runtime import served_corpora
    from service.settings import ServiceSettings

    corpora = ",".join(corpus) if corpus else None
    given = {"host": host, "port": port, "corpora": corpora, "profile": profile, "samples": samples}
    try:
        settings = ServiceSettings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        raise wrong_setting(error) from error
    settings.require_safe_host()
    for name in served_corpora(settings):  # a wrong name is told now and not by the health check
        profile_names(settings.profile, name, Settings())
    with _listening_socket(settings) as listener:
        _announce(listener, as_json)
        _run(settings, listener)


def _listening_socket(settings: "ServiceSettings") -> "socket.socket":
    """Take the port before the slow imports, so that a port in use is reported at once."""
    import socket

    host = settings.host.strip("[]")
    listener = None
    try:
        family, _, _, _, address = socket.getaddrinfo(host, settings.port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Who calls before the slow imports are done waits instead of being refused.
        listener.listen()
    except OSError as error:
        if listener:
            listener.close()
        place = f"{host} port {settings.port}"
        raise TansakuError(f"can't listen on {place}: {error.strerror}; try another --port") from error
    return listener


def _announce(listener: "socket.socket", as_json: bool) -> None:
    host, port = listener.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    pages = {"REST": url, "API docs": f"{url}/docs", "MCP": f"{url}/mcp", "health": f"{url}/health"}
    if as_json:
        print_json({name.lower().removeprefix("api "): page for name, page in pages.items()})
    else:
        for name, page in pages.items():
            console.print(f"{name:<8}  {page}", soft_wrap=True)
        console.print("Ctrl+C ends it.")
    sys.stdout.flush()


def _run(settings: "ServiceSettings", listener: "socket.socket") -> None:
    import signal

    import uvicorn

    from service.app import create_app
    from service.logs import log_as_json
    from service.runtime import shared_runtime

    log_as_json(settings.log_level)
    config = uvicorn.Config(
        create_app(settings),
        log_config=None,
        access_log=False,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=settings.shutdown_seconds,
    )
    # The server sends itself the signal that ended it once more; to us that is a normal end.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    server = uvicorn.Server(config)

    def give_up(reason: str) -> None:
        reasons.append(reason)
        server.should_exit = True

    reasons: list[str] = []
    shared_runtime().give_up = give_up
    server.run(sockets=[listener])
    if reasons:
        raise ConfigError(reasons[0])
    if not server.started:
        raise TansakuError("the service could not start; the log says why")

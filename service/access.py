"""Who may call what: middleware that is closed by default."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from service.keys import ROLES, KeyRing
from service.responses import send_error
from service.settings import is_loopback

OPEN_PATHS = frozenset({"/health/live"})
SEARCH_PATHS = frozenset({"/", "/health", "/mcp", "/docs", "/openapi.json"})
SEARCH_PREFIXES = (
    "/api/v2/rag/",
    "/api/memory/explain/",
    "/search_mpep/",
    "/get_mpep_section/",
    "/rag_search/",
    "/mcp/",
    "/docs/",
)


def needed_role(path: str) -> str:
    """
    Find the role that a path needs; one that nobody listed needs the most powerful.

    :param path: The request's path.
    :returns: "search" or "admin".
    """
    return "search" if path in SEARCH_PATHS or path.startswith(SEARCH_PREFIXES) else "admin"


class AccessMiddleware:
    """
    Lets a request through when its key's role allows the path.

    Without keys only this machine is served: the caller's address and the Host header must be loopback, so that neither
    a careless `--host` nor a web page that rebinds its name to 127.0.0.1 opens the service. With or without keys, a
    page of another origin is refused unless CORS allows that origin.

    :param app: The application behind.
    :param keys: The keys that callers may use.
    :param origins: The origins that CORS allows.
    """

    def __init__(self, app: ASGIApp, keys: KeyRing, origins: list[str]):
        self.app = app
        self.keys = keys
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            # No route speaks WebSocket; closing before acceptance answers 403.
            await send({"type": "websocket.close", "code": 1008})
        elif refusal := self._refusal(scope):
            status, message = refusal
            await send_error(scope, send, status, message, [(b"www-authenticate", b"Bearer")] if status == 401 else [])
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        if scope["path"] in OPEN_PATHS and scope["method"] in ("GET", "HEAD"):
            return None
        host = headers.get("host", "")
        if not self.keys:
            client = scope.get("client")
            if client and not is_loopback(client[0]):
                return 403, "this service answers its own machine alone until TANSAKU_API_KEYS is set"
            if not is_loopback(_host_name(host)):
                return 421, f"the Host header {host!r} is not this machine; set TANSAKU_API_KEYS to serve others"
        origin = headers.get("origin", "")
        if origin and origin not in self.origins and not self._is_own(origin, host):
            return 403, f"pages of {origin!r} may not call this service; TANSAKU_CORS_ORIGINS lists those that may"
        return self._refused_key(scope, headers) if self.keys else None

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether the page comes from this service itself, or from this machine while only that one is served."""
        try:
            parts = urlsplit(origin)
            return parts.netloc == host or (not self.keys and is_loopback(parts.hostname or ""))
        except ValueError:
            return False

    def _refused_key(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        key = bearer.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        if not key:
            return 401, "this service needs a key: send Authorization: Bearer KEY or X-API-Key: KEY"
        role = self.keys.role_of(key)
        if role is None:
            return 401, "this key is not known"
        needed = needed_role(scope["path"])
        if ROLES.index(role) < ROLES.index(needed):
            return 403, f"this path needs a key with the role {needed}; this key's role is {role}"
        return None


def _host_name(host: str) -> str:
    """Take the port off a Host header."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from service.access import AccessMiddleware, needed_role
from service.keys import KeyRing

LOCAL = "http://127.0.0.1:1416"
READER, OWNER = "reader-key-0123456789", "owner-key-0123456789"


def caller(
    keys: str = "", origins: tuple[str, ...] = (), address: str = "127.0.0.1", base_url: str = LOCAL
) -> TestClient:
    paths = ("/health", "/health/live", "/search_mpep/run", "/reload", "/api/memory/stats")
    routes = [Route(path, lambda request: PlainTextResponse("passed"), methods=["GET", "POST"]) for path in paths]
    app = AccessMiddleware(Starlette(routes=routes), KeyRing.parse(keys), list(origins))
    return TestClient(app, base_url=base_url, client=(address, 50_000))


@pytest.mark.parametrize(
    ("address", "host", "status"),
    [
        ("127.0.0.1", "127.0.0.1:1416", 200),
        ("127.0.0.1", "localhost:1416", 200),
        ("::1", "[::1]:1416", 200),
        ("127.0.0.1", "evil.example.org:1416", 421),
        ("127.0.0.1", "127.0.0.1.example.org", 421),
        ("127.0.0.1", "", 421),
        ("127.0.0.1", "[::1", 421),
        ("192.168.1.5", "127.0.0.1:1416", 403),
    ],
)
def test_without_keys_this_machine_alone_is_served(address, host, status):
    answer = caller(address=address).post("/search_mpep/run", headers={"Host": host})

    assert answer.status_code == status
    assert status == 200 or "TANSAKU_API_KEYS" in answer.json()["error"]


def test_refusals_below_api_have_its_form():
    answer = caller(f"search:{READER}").get("/api/memory/stats")

    assert answer.headers["www-authenticate"] == "Bearer"
    body = answer.json()
    assert (answer.status_code, body["status"], body["code"], body["details"]) == (401, "error", "UNAUTHORIZED", {})


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:1416", 200),
        ("http://localhost:3000", 200),
        ("https://app.example.org", 200),
        ("https://evil.example.org", 403),
        ("http://127.0.0.1.example.org", 403),
        ("null", 403),
        ("http://[::1", 403),
    ],
)
def test_pages_of_other_origins_are_refused(origin, status):
    answer = caller(origins=("https://app.example.org",)).get("/health", headers={"Origin": origin})

    assert answer.status_code == status


def test_with_keys_a_page_of_the_services_own_name_may_call():
    client = caller(f"search:{READER}", address="192.168.1.5", base_url="https://search.example.org")
    key = {"X-API-Key": READER}

    assert client.get("/health", headers={**key, "Origin": "https://search.example.org"}).status_code == 200
    assert client.get("/health", headers={**key, "Origin": "http://localhost:3000"}).status_code == 403


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/health/live", {}, 200),
        ("/health", {}, 401),
        ("/search_mpep/run", {}, 401),
        ("/search_mpep/run", {"X-API-Key": "unknown-key-0123456789"}, 401),
        ("/search_mpep/run", {"Authorization": f"Basic {READER}"}, 401),
        ("/search_mpep/run", {"Authorization": "Bearer"}, 401),
        ("/search_mpep/run", {"X-API-Key": READER}, 200),
        ("/search_mpep/run", {"Authorization": f"Bearer {READER}"}, 200),
        ("/search_mpep/run", {"Authorization": f"bearer  {OWNER}"}, 200),
        ("/search_mpep/run", {"Authorization": "Bearer unknown-key-0123456789", "X-API-Key": READER}, 401),
        ("/reload", {"X-API-Key": READER}, 403),
        ("/reload", {"X-API-Key": OWNER}, 200),
    ],
)
def test_with_keys_every_path_but_liveness_needs_one(path, headers, status):
    client = caller(f"search:{READER},admin:{OWNER}", address="192.168.1.5", base_url="http://search.example.org")

    answer = client.get(path, headers=headers)

    assert answer.status_code == status
    assert ("www-authenticate" in answer.headers) is (status == 401)
    assert status == 200 or (READER not in answer.text and "error" in answer.json())


def test_liveness_is_open_for_reading_alone():
    assert caller(f"search:{READER}").post("/health/live").status_code == 401


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("/search_mpep/run", "search"),
        ("/get_mpep_section/run", "search"),
        ("/mcp", "search"),
        ("/mcp/", "search"),
        ("/openapi.json", "search"),
        ("/docs/assets/swagger-ui.css", "search"),
        ("/search_mpep_admin", "admin"),
        ("/whatever/comes/later", "admin"),
    ],
)
def test_a_path_that_nobody_listed_needs_the_admin_role(path, role):
    assert needed_role(path) == role


def test_websockets_are_closed():
    with pytest.raises(WebSocketDisconnect), caller().websocket_connect("/search_mpep/run"):
        pass

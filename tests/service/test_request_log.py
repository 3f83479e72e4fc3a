import logging

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from service.request_log import RequestLogMiddleware


async def answer(request: Request) -> PlainTextResponse:
    return PlainTextResponse("fine", 418)


async def fail(request: Request) -> PlainTextResponse:
    raise RuntimeError("inside")


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/answer", answer, methods=["POST"]), Route("/fail", fail)]
    # Without the error page of Starlette's own, which stands outside of it in the service too.
    return TestClient(RequestLogMiddleware(Starlette(routes=routes).router))


def test_one_line_a_request_and_never_what_was_asked(client, caplog):
    caplog.set_level(logging.INFO, "service.request_log")

    response = client.post("/answer?q=confidential", content=b"confidential", headers={"Cookie": "confidential"})

    (record,) = caplog.records
    assert response.status_code == 418
    assert {**record.fields, "ms": 0} == {"method": "POST", "path": "/answer", "status": 418, "ms": 0}
    assert record.fields["ms"] >= 0
    assert "confidential" not in str(record.__dict__)


@pytest.mark.parametrize(
    ("given", "kept"), [("trace-1.a_B", True), ("", False), ("a b", False), ("x" * 65, False), ("a\u00e9", False)]
)
def test_a_well_formed_request_id_is_kept(client, given, kept):
    named = client.post("/answer", headers={"X-Request-ID": given.encode()}).headers["x-request-id"]

    assert (named == given) is kept
    assert kept or len(named) == 16


def test_a_defect_is_answered_without_its_reason(client, caplog):
    response = client.get("/fail")

    assert response.status_code == 500
    assert response.json() == {"error": "internal error; the log has the details"}
    assert response.headers["x-request-id"]
    assert "inside" in caplog.text

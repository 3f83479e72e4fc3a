import asyncio
import json

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message

from service.body_limit import BodyLimitMiddleware


async def echo_length(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


@pytest.fixture
def client() -> TestClient:
    app = Starlette(routes=[Route(path, echo_length, methods=["GET", "POST"]) for path in ("/", "/import")])
    return TestClient(BodyLimitMiddleware(app, largest=10, larger={"/import": 20}))


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b"", 200, "0"),
        (b"0123456789", 200, "10"),
        (b"01234567890", 413, '{"error": "the body is larger than 10 bytes"}'),
    ],
)
def test_a_body_passes_up_to_the_limit(client, body, status, text):
    for sent in (body, iter([body[:4], body[4:]])):  # with its length declared, and in pieces without
        answer = client.post("/", content=sent)
        assert (answer.status_code, answer.text) == (status, text)


@pytest.mark.parametrize("length", ["-1", "1e3", "x"])
def test_a_length_that_is_no_number_is_refused(client, length):
    assert client.post("/", content=b"1", headers={"Content-Length": length}).status_code == 413


def test_requests_without_a_body_pass(client):
    assert client.get("/").text == "0"


def test_a_body_that_stops_coming_is_refused():
    async def silent() -> Message:
        await asyncio.sleep(60)
        raise AssertionError("nobody waits that long")

    sent: list[Message] = []

    async def keep(message: Message) -> None:
        sent.append(message)

    limited = BodyLimitMiddleware(Starlette(), patience=0.01)
    asyncio.run(limited({"type": "http", "method": "POST", "path": "/", "headers": []}, silent, keep))

    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"]) == {"error": "the body did not come on for 0 seconds"}


@pytest.mark.parametrize(("length", "status"), [(20, 200), (21, 413)])
def test_some_paths_take_more(client, length, status):
    assert client.post("/import", content=b"x" * length).status_code == status

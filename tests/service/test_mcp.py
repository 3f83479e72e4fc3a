"""A real MCP client against the real server."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ListToolsResult

Call = tuple[str, dict[str, Any]]


def talk(
    client: httpx.Client, *calls: Call, path: str = "/mcp", headers: dict[str, str] | None = None
) -> tuple[ListToolsResult, list[CallToolResult]]:
    """List the tools and call some, as an MCP client does."""

    async def session() -> tuple[ListToolsResult, list[CallToolResult]]:
        async with (
            httpx.AsyncClient(headers=headers, timeout=120, trust_env=False) as http,
            streamable_http_client(f"{client.base_url}{path}", http_client=http) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            return await session.list_tools(), [await session.call_tool(*call) for call in calls]

    return asyncio.run(session())


def test_exactly_the_two_search_tools_are_offered(client):
    listed, _ = talk(client)

    tools = {tool.name: tool for tool in listed.tools}
    assert sorted(tools) == ["get_mpep_section", "search_mpep"]
    assert all(tool.annotations.readOnlyHint for tool in tools.values())
    assert "may override" in tools["search_mpep"].description
    schema = tools["search_mpep"].inputSchema
    assert schema["required"] == ["query"]
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]) == [
        "query",
        "top_k",
        "retrieve_k",
        "source_filter",
        "is_statute",
        "is_regulation",
        "is_update",
    ]
    assert all(argument["description"] for argument in schema["properties"].values())
    top_k = schema["properties"]["top_k"]
    assert (top_k["type"], top_k["minimum"], top_k["maximum"], top_k["default"]) == ("integer", 1, 20, 5)
    assert schema["properties"]["source_filter"]["anyOf"][0]["enum"] == ["MPEP", "35_USC", "37_CFR", "SUBSEQUENT"]


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_a_call_answers_a_plain_dictionary(client, path):
    _, (answer,) = talk(client, ("search_mpep", {"query": "on sale", "top_k": 2}), path=path)

    assert answer.isError is False
    assert answer.structuredContent["query"] == "on sale"
    assert answer.structuredContent["arguments"]["top_k"] == 2
    assert json.loads(answer.content[0].text) == answer.structuredContent


def test_an_unknown_section_is_an_answer(client):
    _, (answer,) = talk(client, ("get_mpep_section", {"section_number": "9999"}))

    assert answer.isError is False
    assert answer.structuredContent == {"error": "No content found for MPEP section 9999"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("search_mpep", {}), "query: it is missing; it must be a string of 3 to 10,000 characters"),
        (
            ("search_mpep", {"query": "abc", "top_k": "21"}),
            "top_k: '21' is not allowed; it must be an integer from 1 to 20",
        ),
        (
            ("get_mpep_section", {"section_number": "2106", "chunks": 1}),
            "chunks: there is no such argument; there are section_number, max_chunks",
        ),
        (
            ("search_mpep", {"query": "no index"}),
            "there is no index for us-patent-law yet; build it with: tansaku index us-patent-law PATH...",
        ),
        (("search_mpep", {"query": "a defect"}), "internal error; the log has the details"),
        (("deploy_pipeline", {}), "there is no tool 'deploy_pipeline'; there are get_mpep_section, search_mpep"),
        (("undeploy_pipeline", {}), "there is no tool 'undeploy_pipeline'; there are get_mpep_section, search_mpep"),
        (
            ("get_pipeline_status", {}),
            "there is no tool 'get_pipeline_status'; there are get_mpep_section, search_mpep",
        ),
    ],
)
def test_a_failed_call_says_why(client, call, message):
    _, (answer,) = talk(client, call)

    assert answer.isError is True
    assert answer.structuredContent == {"error": message}


def test_with_keys_a_client_sends_one(serve, keys, until_ready):
    client = serve(api_keys=keys)
    key = {"Authorization": "Bearer reader-key-0123456789"}
    until_ready(client, key)

    listed, _ = talk(client, headers=key)

    assert len(listed.tools) == 2
    with pytest.raises(ExceptionGroup):
        talk(client)


def test_no_stream_is_left_open(client):
    assert client.get("/mcp", headers={"Accept": "text/event-stream"}).status_code == 405
    assert client.delete("/mcp").status_code == 405


@pytest.mark.parametrize(
    "body", ["{", "[" * 50_000, '{"jsonrpc": "2.0", "id": ' + "1" * 5000 + ', "method": "tools/list"}']
)
def test_a_body_that_is_no_json_is_a_parse_error(client, body):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    answer = client.post("/mcp", content=body, headers=headers)

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32700
    assert answer.json()["error"]["message"].startswith("Parse error: the body is not valid JSON")

"""The service's tools over the Model Context Protocol (streamable HTTP), in the same process."""

import json
from collections.abc import Sequence
from typing import Any

from fastapi import HTTPException
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import PARSE_ERROR, CallToolResult, TextContent, ToolAnnotations
from mcp.types import Tool as ListedTool
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from service.tools import Tool

INSTRUCTIONS = {
    "us-patent-law": (
        "Passages of US patent law: the Manual of Patent Examining Procedure (MPEP), 35 U.S.C., 37 CFR and newer "
        "Federal Register documents. Use search_mpep for a question, get_mpep_section for a section whose number you "
        "know."
    ),
    "company-docs": (
        "Company documents in Japanese, English and Korean: use rag_search for a question, keywords or a project "
        "number."
    ),
}


class McpEndpoint:
    """
    An ASGI application that answers MCP requests, each on its own: no session, no stream left open.

    Usage example:
    ```python
    endpoint = McpEndpoint(load_tools(app.state.pipeline_registry), version="0.1.0", corpora=["us-patent-law"])
    app.router.routes.append(Route("/mcp", endpoint, methods=["POST"]))
    ```

    :param tools: The tools to offer: these and no others.
    :param version: The version to tell clients.
    :param corpora: The corpora that are served.
    """

    def __init__(self, tools: Sequence[Tool], version: str, corpora: Sequence[str]):
        instructions = " ".join(INSTRUCTIONS[name] for name in corpora if name in INSTRUCTIONS)
        server: Server[Any, Any] = Server("tansaku", version=version, instructions=instructions)
        by_name = {tool.name: tool for tool in tools}
        listed = [_listed(tool) for tool in tools]

        @server.list_tools()
        async def list_tools() -> list[ListedTool]:
            return listed

        # The tools check arguments themselves, with messages that say what is allowed.
        @server.call_tool(validate_input=False)
        async def call_tool(name: str, arguments: dict[str, Any]) -> CallToolResult:
            if name not in by_name:
                return _result({"error": f"there is no tool {name!r}; there are {', '.join(by_name)}"}, failed=True)
            return await run_in_threadpool(_call, by_name[name], arguments)

        self.sessions = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # The protocol's library answers 500 to JSON beyond what Python reads: deep nesting, numbers of 5,000 digits.
        request = Request(scope, receive)
        body = await request.body()
        try:
            json.loads(body or b"null")
        except (ValueError, RecursionError) as error:
            await _parse_error(error)(scope, receive, send)
            return
        await self.sessions.handle_request(scope, _once(body, receive), send)


def _once(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read, and then what comes behind it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _parse_error(error: Exception) -> JSONResponse:
    reason = "nested too deeply" if isinstance(error, RecursionError) else str(error).split(";")[0]
    told = {"code": PARSE_ERROR, "message": f"Parse error: the body is not valid JSON: {reason}"}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": told}, status_code=400)


def _listed(tool: Tool) -> ListedTool:
    hints = ToolAnnotations(readOnlyHint=True, idempotentHint=True, openWorldHint=False)
    return ListedTool(name=tool.name, description=tool.description, inputSchema=tool.schema, annotations=hints)


def _call(tool: Tool, arguments: dict[str, Any]) -> CallToolResult:
    try:
        return _result(tool.run(arguments), failed=False)
    except HTTPException as error:
        answer = error.detail if isinstance(error.detail, dict) else {"error": str(error.detail)}
        # A section that doesn't exist is an answer, not a failed call.
        return _result(answer, failed=error.status_code != 404)
    except ValueError as error:
        return _result({"error": str(error)}, failed=True)


def _result(answer: dict[str, Any], *, failed: bool) -> CallToolResult:
    text = json.dumps(answer, ensure_ascii=False)
    return CallToolResult(content=[TextContent(type="text", text=text)], structuredContent=answer, isError=failed)

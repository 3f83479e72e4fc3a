"""The REST routes over real HTTP."""

import httpx
import pytest

SEARCH, SECTION = "/search_mpep/run", "/get_mpep_section/run"
JSON = {"Content-Type": "application/json"}


def test_search_passes_its_arguments_on(client):
    answer = client.post(SEARCH, json={"query": "written description", "top_k": 3, "source_filter": "35_USC"})

    assert answer.status_code == 200
    assert answer.json()["result"] == {
        "query": "written description",
        "arguments": {
            "top_k": 3,
            "retrieve_k": None,
            "source_filter": "35_USC",
            "is_statute": None,
            "is_regulation": None,
            "is_update": None,
        },
        "results": [],
    }


def test_a_section(client):
    answer = client.post(SECTION, json={"section_number": "608.01(o)"})

    assert answer.json() == {"result": {"section": "608.01(o)", "total_chunks": 50, "chunks": []}}


def test_an_unknown_section_is_not_found(client):
    answer = client.post(SECTION, json={"section_number": "9999"})

    assert (answer.status_code, answer.json()) == (404, {"error": "No content found for MPEP section 9999"})


SOURCES = '"MPEP", "35_USC", "37_CFR", "SUBSEQUENT" or null'
QUERY = "a text of 3 to 10,000 characters, not counting blanks around it"
OBJECT = "the body must be a JSON object, sent with Content-Type: application/json"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "query: it is missing; it must be a string of 3 to 10,000 characters"),
        ({"query": None}, "query: null is not allowed; it must be a string of 3 to 10,000 characters"),
        ({"query": 5}, "query: 5 is not allowed; it must be a string of 3 to 10,000 characters"),
        ({"query": ["abc"]}, "query: ['abc'] is not allowed; it must be a string of 3 to 10,000 characters"),
        ({"query": " ab "}, f"query: ' ab ' is not allowed; it must be {QUERY}"),
        ({"query": " \n\t "}, rf"query: ' \n\t ' is not allowed; it must be {QUERY}"),
        ({"query": "a" * 10_001}, f"query: '{'a' * 76}... is not allowed; it must be {QUERY}"),
        ({"query": "abc", "top_k": 0}, "top_k: 0 is not allowed; it must be an integer from 1 to 20"),
        ({"query": "abc", "top_k": "5"}, "top_k: '5' is not allowed; it must be an integer from 1 to 20"),
        ({"query": "abc", "top_k": 2.5}, "top_k: 2.5 is not allowed; it must be an integer from 1 to 20"),
        ({"query": "abc", "top_k": True}, "top_k: true is not allowed; it must be an integer from 1 to 20"),
        ({"query": "abc", "top_k": None}, "top_k: null is not allowed; it must be an integer from 1 to 20"),
        (
            {"query": "abc", "retrieve_k": "all"},
            "retrieve_k: 'all' is not allowed; it must be an integer from 1 to 100 or null",
        ),
        (
            {"query": "abc", "source_filter": "mpep"},
            f"source_filter: 'mpep' is not allowed; it must be one of {SOURCES}",
        ),
        ({"query": "abc", "is_statute": "yes"}, "is_statute: 'yes' is not allowed; it must be true or false or null"),
        (
            {"query": "abc", "topk": 5},
            "topk: there is no such argument; there are query, top_k, retrieve_k, source_filter, is_statute, "
            "is_regulation, is_update",
        ),
        (
            {"query": None, "top_k": "99"},
            "query: null is not allowed; it must be a string of 3 to 10,000 characters; "
            "top_k: '99' is not allowed; it must be an integer from 1 to 20",
        ),
        ([], OBJECT),
        ("abc", OBJECT),
        (None, OBJECT),
    ],
)
def test_a_wrong_argument_is_named_with_its_value_and_what_is_allowed(client, body, message):
    answer = client.post(SEARCH, json=body)

    assert (answer.status_code, answer.json()) == (422, {"error": message})


@pytest.mark.parametrize(
    ("content", "headers", "message"),
    [
        (b"", JSON, OBJECT),
        (b'{"query": "abc"}', {"Content-Type": "text/plain"}, OBJECT),
        (b"{bad", JSON, "the body is not valid JSON: Expecting property name enclosed in double quotes"),
        (b'{"query": "\xff\xfe"}', JSON, "the body is not valid JSON"),
        (b'{"query": "abc", "top_k": ' + b"9" * 5000 + b"}", JSON, "the body is not valid JSON"),
        (b"[" * 100_000, JSON, "the body is not valid JSON"),
        (
            b'{"query": "\\ud800abc"}',
            JSON,
            "query: '\\ud800abc' is not allowed; it must be a string of 3 to 10,000 characters",
        ),
        (
            b'{"query": "abc", "top_k": NaN}',
            JSON,
            "top_k: not a number is not allowed; it must be an integer from 1 to 20",
        ),
    ],
)
def test_a_body_that_is_no_json_object(client, content, headers, message):
    answer = client.post(SEARCH, content=content, headers=headers)

    assert answer.status_code == 422
    assert answer.json() == {"error": message}


def test_a_body_that_is_too_large(client):
    assert client.post(SEARCH, content=b"x" * 1_000_001, headers=JSON).status_code == 413


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        (
            "no index",
            503,
            "there is no index for us-patent-law yet; build it with: tansaku index us-patent-law PATH...",
        ),
        ("wrapped", 422, "top_k: 3 is not allowed; it must be an integer from 4 to 5"),
        ("a defect", 500, "internal error; the log has the details"),
    ],
)
def test_what_the_search_raises(client, query, status, message):
    answer = client.post(SEARCH, json={"query": query})

    assert (answer.status_code, answer.json()) == (status, {"error": message})


def test_stores_that_are_down_are_told_with_a_code_and_a_time_to_try_again(client):
    answer = client.post(SEARCH, json={"query": "no store"})

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json() == {
        "error": "the search can't do without keyword, which fails now (connection refused); try again",
        "code": "search_degraded",
    }


def test_a_defect_is_logged_without_the_query(client, caplog):
    client.post(SEARCH, json={"query": "a defect"})

    (record,) = (record for record in caplog.records if record.message == "search failed")
    assert "RuntimeError" in record.fields["exception"]
    assert "a defect" not in record.fields["exception"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "path",
    [
        "/deploy",
        "/deploy_files",
        "/deploy-yaml",
        "/undeploy/search_mpep",
        "/draw/search_mpep",
        "/status",
        "/traces",
        "/models",
        "/v1/models",
        "/v1/files",
        "/v1/chat/completions",
        "/chat/completions",
        "/search_mpep/chat",
        "/search_mpep/executions",
        "/sse",
        "/redoc",
    ],
)
def test_nothing_else_is_served(client, method, path):
    assert client.request(method, path, json={}).status_code == 404


def test_the_api_description_lists_all_routes_and_our_errors(client):
    description = client.get("/openapi.json").json()

    assert description["info"]["title"] == "Tansaku"
    assert sorted(description["paths"]) == [SECTION, "/health", "/health/live", SEARCH]
    responses = description["paths"][SEARCH]["post"]["responses"]
    assert {"200", "422", "503"} <= set(responses)
    assert responses["422"]["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorAnswer")


def test_the_docs_load_from_this_server_alone(client):
    page = client.get("/", follow_redirects=True)

    assert page.url.path == "/docs"
    assert "https://" not in page.text
    for asset in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png"):
        assert f"/docs/assets/{asset}" in page.text
        assert client.get(f"/docs/assets/{asset}").status_code == 200


def test_a_wrong_method(client):
    answer = client.get(SEARCH)

    assert (answer.status_code, answer.json()) == (405, {"error": f"GET is not allowed at {SEARCH}; use POST"})


def test_each_answer_names_its_request(client):
    assert client.get("/health/live", headers={"X-Request-ID": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert client.get("/nowhere").headers["x-request-id"]


def preflight(client: httpx.Client, origin: str) -> httpx.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    return client.options(SEARCH, headers=headers)


def test_cors_is_off_unless_set(client):
    answer = preflight(client, "http://127.0.0.1:3000")

    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_cors_lets_the_origins_in_that_are_set(serve, keys):
    client = serve(cors_origins="https://app.example.org", api_keys=keys)

    allowed = preflight(client, "https://app.example.org")
    refused = preflight(client, "https://evil.example.org")

    assert allowed.headers["access-control-allow-origin"] == "https://app.example.org"
    assert "access-control-allow-origin" not in refused.headers


def test_keys_guard_the_routes(serve, keys, until_ready):
    client = serve(api_keys=keys)
    key = {"X-API-Key": "reader-key-0123456789"}
    until_ready(client, key)

    assert client.get("/health/live").status_code == 200
    for method, path in (
        ("GET", "/health"),
        ("GET", "/docs"),
        ("GET", "/openapi.json"),
        ("POST", SEARCH),
        ("POST", "/mcp"),
    ):
        assert client.request(method, path).status_code == 401
    assert client.post(SEARCH, json={"query": "abc"}, headers=key).status_code == 200

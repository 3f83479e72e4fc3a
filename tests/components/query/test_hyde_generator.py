"""HyDE against a real endpoint that misbehaves in every way: no search fails, and each says what was missing."""

import threading
from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.utils import Secret

from components import optional_service
from components.analysis.analyzed_text import AnalyzedText, Identifier
from components.optional_service import Unavailable
from components.query.hyde_generator import HyDEGenerator

QUERY = "may a claim be rejected when only the drawing shows the feature"
PASSAGE = (
    "A feature that only the drawing shows may support a claim, provided that a person of ordinary skill would have "
    "recognised it. The examiner then explains which figure was relied on, and why."
)
FOUND = {"passages": [PASSAGE], "degraded": []}
NOTHING = {"passages": [], "degraded": []}
DEGRADED = {"passages": [], "degraded": ["hyde"]}


def make(url: str, **options: Any) -> HyDEGenerator:
    generator = OpenAIChatGenerator(
        api_key=Secret.from_token("none"), model="test", api_base_url=f"{url}/v1", timeout=60.0, max_retries=0
    )
    return HyDEGenerator(chat_generator=generator, **{"timeout": 60.0, **options})


def test_a_passage_is_asked_for_with_the_prompt_and_a_limit(endpoint) -> None:
    endpoint.answers("text", text=PASSAGE)
    assert make(endpoint.url, prompt="Answer: {{ query }}", max_tokens=77).run(query=f"  {QUERY} ") == FOUND
    (request,) = endpoint.requests()
    assert request["messages"] == [{"role": "user", "content": f"Answer: {QUERY}"}]
    assert (request["model"], request["max_tokens"]) == ("test", 77)


def test_the_generator_s_own_limit_is_kept(endpoint) -> None:
    endpoint.answers("text", text=PASSAGE)
    hyde = make(endpoint.url)
    hyde.chat_generator.generation_kwargs = {"max_completion_tokens": 55}
    assert hyde.run(query=QUERY) == FOUND
    (request,) = endpoint.requests()
    assert request["max_completion_tokens"] == 55
    assert "max_tokens" not in request


def test_braces_in_a_query_are_only_text(endpoint) -> None:
    endpoint.answers("text", text=PASSAGE)
    assert make(endpoint.url, prompt="{{ query }}").run(query="{{ 7 * 7 }} {% x %}") == FOUND
    assert endpoint.requests()[0]["messages"][0]["content"] == "{{ 7 * 7 }} {% x %}"


@pytest.mark.parametrize(
    "behaviour",
    [
        {"mode": "status", "status": 500},
        {"mode": "status", "status": 429},
        {"mode": "status", "status": 401},
        {"mode": "status", "status": 400},
        {"mode": "reset"},
        {"mode": "cut", "text": PASSAGE},
        {"mode": "body", "body": ""},
        {"mode": "body", "body": "null"},
        {"mode": "body", "body": "{}"},
        {"mode": "body", "body": '{"choices": []}'},
        {"mode": "body", "body": '{"choices": null, "object": "chat.completion"}'},
        {"mode": "body", "body": "not JSON at all"},
        {"mode": "body", "body": "<html><body>Bad gateway</body></html>", "content_type": "text/html"},
        {"mode": "text", "text": None},
        {"mode": "text", "text": ""},
        {"mode": "text", "text": 5},
        {"mode": "text", "text": [{"type": "text", "text": PASSAGE}]},
        {"mode": "text", "text": "   \n"},
        {"mode": "text", "text": "<think>An endless thought about the drawing, the claim and"},
        {"mode": "text", "text": "<think>All that there is to say about the drawing is thought here.</think>"},
        {"mode": "text", "text": f'{{"passage": "{PASSAGE}"}}'},
        {"mode": "text", "text": " ".join(f"token{number}" for number in range(6000))},
        {"mode": "text", "text": "The drawing shows the feature. " * 400},
        {
            "mode": "text",
            "text": "I'm sorry, but as an AI language model I can't give you any legal advice on patents.",
        },
        {
            "mode": "text",
            "text": "Если признак показан только на чертеже, формула изобретения может быть поддержана им.",
        },
        {"mode": "text", "text": "Yes."},
        {"mode": "hang", "seconds": 20, "text": PASSAGE},
        {"mode": "drip", "text": PASSAGE},
    ],
    ids=lambda behaviour: "-".join(str(value)[:16] for value in behaviour.values()),
)
def test_misbehaviour_costs_only_the_passage(endpoint, behaviour: dict[str, Any]) -> None:
    endpoint.answers(**behaviour)
    slow = behaviour["mode"] in ("hang", "drip")
    hyde = make(endpoint.url, timeout=0.4 if slow else 60.0)
    assert hyde.run(query=QUERY) == DEGRADED
    endpoint.answers("text", text=PASSAGE)
    hyde = make(endpoint.url) if slow else hyde
    assert hyde.run(query=QUERY) == FOUND, "a failure is not remembered"


def test_no_server_at_all(endpoint) -> None:
    assert make("http://127.0.0.1:9").run(query=QUERY) == DEGRADED


def test_thoughts_before_a_passage_are_left_out(endpoint) -> None:
    endpoint.answers("text", text=f"<think>Is it so? I can't say.</think>\n\n{PASSAGE}")
    assert make(endpoint.url).run(query=QUERY) == FOUND


def test_look_ups_ask_for_nothing(endpoint) -> None:
    section = AnalyzedText("608.01(o)", "en", identifiers=(Identifier("mpep", "mpep:608.01(o)", 0, 9),))
    hyde = make(endpoint.url)
    assert hyde.run(query="608.01(o)", analysis=section) == NOTHING
    assert hyde.run(query=" ") == NOTHING
    assert endpoint.requests() == []
    endpoint.answers("text", text=PASSAGE)
    assert hyde.run(query=QUERY, analysis=AnalyzedText(QUERY, "en")) == FOUND


def test_off_without_a_generator() -> None:
    assert HyDEGenerator().run(query=QUERY) == NOTHING


def test_passages_are_remembered_and_the_oldest_forgotten(endpoint) -> None:
    endpoint.answers("text", text=PASSAGE)
    hyde = make(endpoint.url, cache_size=2)
    for query in ("first", "second", "first", "third", "first", "second"):
        hyde.run(query=query)["passages"].append("a caller's change")
    assert hyde.run(query="second") == FOUND
    asked = [request["messages"][0]["content"].rsplit(" ", 1)[1] for request in endpoint.requests()]
    assert asked == ["first", "second", "third", "second"]


def test_nothing_is_remembered_with_a_cache_of_0(endpoint) -> None:
    endpoint.answers("text", text=PASSAGE)
    hyde = make(endpoint.url, cache_size=0)
    assert [hyde.run(query=QUERY), hyde.run(query=QUERY)] == [FOUND, FOUND]
    assert len(endpoint.requests()) == 2


def test_a_broken_endpoint_is_left_alone_for_a_while(endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(optional_service, "monotonic", lambda: now[0])
    endpoint.answers("status", status=503)
    hyde = make(endpoint.url, max_failures=2, pause=30)
    assert [hyde.run(query=QUERY) for _ in range(5)] == [DEGRADED] * 5
    assert len(endpoint.requests()) == 2
    endpoint.answers("text", text=PASSAGE)
    assert hyde.run(query=QUERY) == DEGRADED
    now[0] += 31
    assert hyde.run(query=QUERY) == FOUND


def test_many_threads_share_one_generator(endpoint) -> None:
    endpoint.answers("text", text=PASSAGE)
    hyde = make(endpoint.url, cache_size=5)
    results: list[dict[str, list[str]]] = []
    threads = [
        threading.Thread(target=lambda n=n: results.extend(hyde.run(query=f"query {(n + i) % 9}") for i in range(12)))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [FOUND] * 96


YAML = """
components:
  hyde:
    type: components.query.hyde_generator.HyDEGenerator
    init_parameters:
      timeout: 3.0
      chat_generator:
        type: haystack.components.generators.chat.openai.OpenAIChatGenerator
        init_parameters:
          api_key: {type: env_var, env_vars: [TEST_LLM_KEY], strict: true}
          model: test
          api_base_url: %s/v1
          timeout: 3.0
          max_retries: 0
connections: []
"""


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")


@pytest.mark.usefixtures("allowed")
def test_yaml_there_and_back(endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_LLM_KEY", "secret")
    endpoint.answers("text", text=PASSAGE)
    pipeline = Pipeline.loads(YAML % endpoint.url)
    again = Pipeline.loads(pipeline.dumps())
    assert "secret" not in pipeline.dumps()
    assert again.run({"hyde": {"query": QUERY}})["hyde"] == FOUND


@pytest.mark.usefixtures("allowed")
def test_a_missing_key_degrades_and_does_not_break(endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_LLM_KEY", raising=False)
    pipeline = Pipeline.loads(YAML % endpoint.url)
    assert pipeline.run({"hyde": {"query": QUERY}})["hyde"] == DEGRADED
    assert Pipeline.loads(pipeline.dumps()).to_dict() == pipeline.to_dict()


@pytest.mark.usefixtures("allowed")
def test_a_generator_that_is_not_installed_degrades_and_does_not_break() -> None:
    text = (YAML % "http://127.0.0.1:9").replace("haystack.components.generators.chat.openai", "no_such_package")
    pipeline = Pipeline.loads(text)
    assert isinstance(pipeline.get_component("hyde").chat_generator, Unavailable)
    assert pipeline.run({"hyde": {"query": QUERY}})["hyde"] == DEGRADED
    assert Pipeline.loads(pipeline.dumps()).to_dict() == pipeline.to_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0}, "timeout: 0 is not allowed"),
        ({"max_tokens": 0}, "max_tokens: 0 is not allowed"),
        ({"cache_size": -1}, "cache_size: -1 is not allowed"),
        ({"min_words": 0}, "min_words: 0 is not allowed"),
        ({"min_words": 9, "max_words": 8}, "min_words: 9 is not allowed"),
        ({"prompt": "no variable"}, "it must hold the variable {{ query }}"),
        ({"max_failures": 0}, "max_failures: 0 is not allowed"),
        ({"pause": -1}, "pause: -1 is not allowed"),
    ],
)
def test_wrong_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("{", r"\{").replace("}", r"\}")):
        HyDEGenerator(**options)

"""Variants of queries: by rule, by a real endpoint that misbehaves in every way, and what the guard lets through."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from haystack import Pipeline, component
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.utils import Secret

from components.analysis.analyzed_text import AnalyzedText
from components.query.query_expander import QueryExpander
from components.retrieval.vectors import QueryVectors

VOCABULARY = """
EV-2024-001: {definition: A battery., type: PROJECT_ID, aliases: [次世代電池プロジェクト]}
カゼ: {definition: A fan., type: PRODUCT, aliases: [KZ-7]}
"""
SYNONYMS = "有給休暇, 有休, 年休  # leave\n会議、ミーティング\n"
QUERY = "有休の申請"
RULED = ["有給休暇の申請", "年休の申請"]
GOOD = ["有給休暇の届け出", "休みの取り方"]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "terms.yaml").write_text(VOCABULARY, encoding="utf-8")
    (tmp_path / "synonyms").mkdir()
    (tmp_path / "synonyms" / "own.txt").write_text(SYNONYMS, encoding="utf-8")
    return {"vocabulary": str(tmp_path / "terms.yaml"), "synonyms": str(tmp_path / "synonyms")}


@pytest.mark.parametrize(
    ("query", "variants"),
    [
        # Any spelling of a word of a group is that word, and politeness goes with it.
        ("打合せの記録", ["打ち合わせの記録", "ミーティングの記録", "会議の記録"]),
        ("うちあわせの記録", ["打ち合わせの記録", "ミーティングの記録", "会議の記録"]),
        ("お打合せの件", ["打ち合わせの件", "ミーティングの件", "会議の件"]),
        ("ﾐｰﾃｨﾝｸﾞの記録", ["打ち合わせの記録", "会議の記録", "MTGの記録"]),
        ("MTG", ["打ち合わせ", "ミーティング", "会議"]),
        # Compounds: two words of the dictionary in katakana, or a word in front of another; not a part of a word.
        ("ミーティングメモ", ["打ち合わせメモ", "会議メモ", "MTGメモ"]),
        ("Webサーバー", ["ウェブサーバー"]),
        ("会議室の予約", []),
        # Katakana is no spelling of kanji.
        ("風邪の薬", []),
        ("カゼの薬", ["KZ-7の薬"]),
    ],
)
def test_spellings_of_a_word_have_its_synonyms(files: dict[str, str], query: str, variants: list[str]) -> None:
    groups = "打ち合わせ, ミーティング, 会議, MTG\nウェブ, Web\n"
    (Path(files["synonyms"]) / "own.txt").write_text(groups, encoding="utf-8")

    assert QueryExpander(**files).run(query=query)["variants"] == variants


def make(url: str, files: dict[str, str], backend: str = "llm", **options: Any) -> QueryExpander:
    generator = OpenAIChatGenerator(
        api_key=Secret.from_token("none"), model="test", api_base_url=f"{url}/v1", timeout=60.0, max_retries=0
    )
    return QueryExpander(backend, **files, chat_generator=generator, **{"timeout": 60.0, **options})


def answer(*texts: Any) -> str:
    return json.dumps({"expansions": list(texts)}, ensure_ascii=False)


@component
class GivenVectors:
    """Embeds texts at given cosines to the first of them."""

    def __init__(self, cosines: dict[str, float] | None = None):
        self.cosines = cosines

    @component.output_types(vectors=QueryVectors)
    def run(self, texts: list[str]) -> dict[str, Any]:
        if self.cosines is None:
            return {"vectors": QueryVectors()}
        angles = [self.cosines.get(text, 1.0) for text in texts]
        return {"vectors": QueryVectors(tuple(np.array([c, (1 - c * c) ** 0.5]) for c in angles), tuple(texts))}


@pytest.mark.parametrize(
    ("query", "variants"),
    [
        (QUERY, RULED),
        ("ﾐｰﾃｨﾝｸﾞの資料", ["会議の資料"]),
        # one place in each variant, every place before any second name
        ("会議と有休", ["ミーティングと有休", "会議と有給休暇", "会議と年休"]),
        # a word is whole: there is a room, not a meeting; casein is no fan
        ("会議室の予約", []),
        ("カゼインの量", []),
        # identifiers are never rewritten, but may take the place of a name
        ("EV-2024-001の会議", ["EV-2024-001のミーティング"]),
        ("ＥＶ－２０２４－００１", []),
        ("次世代電池プロジェクトの進捗", ["EV-2024-001の進捗"]),
        # quoted phrases are never expanded
        ('"会議" 有休', ['"会議" 有給休暇', '"会議" 年休']),
        ("「会議」", []),
        ("『会議』の有休", ["『会議』の有給休暇", "『会議』の年休"]),
        ("何もない", []),
        ("", []),
    ],
)
def test_rules(files: dict[str, str], query: str, variants: list[str]) -> None:
    assert QueryExpander(**files).run(query=query) == {
        "queries": [query, *variants],
        "variants": variants,
        "expansions": [{"text": text, "origin": "rule", "accepted": True, "reason": ""} for text in variants],
        "degraded": [],
    }


def test_most_expansions_and_off(files: dict[str, str]) -> None:
    assert QueryExpander(**files, max_expansions=1).run(query=QUERY)["variants"] == RULED[:1]
    assert QueryExpander(**files, max_expansions=0).run(query=QUERY)["variants"] == []
    assert QueryExpander(**files).run(query=QUERY, enabled=False)["queries"] == [QUERY]
    assert QueryExpander(**files).run(query="x", analysis=AnalyzedText(QUERY, "ja"))["variants"] == RULED
    assert QueryExpander().run(query=QUERY)["queries"] == [QUERY]


def test_a_changed_file_counts_at_once_and_a_wrong_one_does_not(files: dict[str, str]) -> None:
    expander = QueryExpander(**files)
    path = Path(files["synonyms"]) / "own.txt"

    path.write_text("申請, 届け出\n", encoding="utf-8")
    assert expander.run(query=QUERY)["variants"] == ["有休の届け出"]
    path.write_text("申請, 届け出\n一つだけ\n", encoding="utf-8")
    assert expander.run(query=QUERY)["variants"] == ["有休の届け出"]
    assert "own.txt:2: '一つだけ' is a single word" in expander.health()["error"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("一つ", "own.txt:1: '一つ' is a single word"),
        ("# comment\n\n有休,,年休", "own.txt:3: there is nothing between two commas"),
        ("有休, ＭＴＧ, mtg", "own.txt:1: 'ＭＴＧ' stands twice"),
        (",".join(map(str, range(51))), "own.txt:1: 51 words are too many"),
    ],
)
def test_wrong_synonyms(files: dict[str, str], text: str, message: str) -> None:
    (Path(files["synonyms"]) / "own.txt").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        QueryExpander(**files)


def test_synonyms_in_another_encoding_and_no_folder(files: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no such folder"):
        QueryExpander(synonyms=str(tmp_path / "none"))
    (Path(files["synonyms"]) / "own.txt").write_bytes(SYNONYMS.encode("cp932"))
    with pytest.raises(ValueError, match=r"own\.txt: can't be read as UTF-8"):
        QueryExpander(**files)


def test_a_model_s_expansions(endpoint, files: dict[str, str]) -> None:
    endpoint.answers("text", text=answer(*GOOD))
    expander = make(endpoint.url, files, prompt="{{ count }} for {{ query }}", max_tokens=77)

    for _ in range(2):
        result = expander.run(query=QUERY)
        assert result["queries"] == [QUERY, *GOOD]
        assert [e["origin"] for e in result["expansions"]] == ["llm", "llm"]
        assert result["degraded"] == []
    (request,) = endpoint.requests()
    assert request["messages"] == [{"role": "user", "content": f"3 for {QUERY}"}]
    assert request["max_tokens"] == 77
    assert expander.health()["cache"] == {"size": 1, "hits": 1, "misses": 1, "hit_rate": 0.5}


def test_hybrid_has_both(endpoint, files: dict[str, str]) -> None:
    endpoint.answers("text", text=answer(RULED[0], *GOOD))

    result = make(endpoint.url, files, "hybrid").run(query=QUERY)

    assert result["queries"] == [QUERY, *RULED, GOOD[0]]
    assert [(e["text"], e["origin"], e["reason"]) for e in result["expansions"]] == [
        *((text, "rule", "") for text in RULED),
        (RULED[0], "llm", "too alike"),
        (GOOD[0], "llm", ""),
        (GOOD[1], "llm", "more than 3"),
    ]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ({"mode": "status", "status": 500}, "no answer"),
        ({"mode": "status", "status": 429}, "no answer"),
        ({"mode": "reset"}, "no answer"),
        ({"mode": "cut", "text": answer(*GOOD)}, "no answer"),
        ({"mode": "body", "body": "not JSON at all"}, "no answer"),
        ({"mode": "hang", "seconds": 20, "text": answer(*GOOD)}, "no answer"),
        ({"mode": "drip", "text": answer(*GOOD)}, "no answer"),
        ({"mode": "text", "text": None}, "empty"),
        ({"mode": "text", "text": "  \n"}, "empty"),
        ({"mode": "text", "text": "Sure! Here are three: leave, holiday"}, "not JSON"),
        ({"mode": "text", "text": f"Here they are: {answer(*GOOD)}"}, "not JSON"),
        ({"mode": "text", "text": f"```json\n{answer(*GOOD)}\n```"}, "not JSON"),
        ({"mode": "text", "text": answer(*GOOD)[:-3]}, "not JSON"),
        ({"mode": "text", "text": "[" * 100_000}, "not JSON"),
        ({"mode": "text", "text": json.dumps(GOOD)}, 'not {"expansions": [...]}'),
        ({"mode": "text", "text": '{"queries": ["a"]}'}, 'not {"expansions": [...]}'),
        ({"mode": "text", "text": '{"expansions": ["a"], "note": "b"}'}, 'not {"expansions": [...]}'),
        ({"mode": "text", "text": '{"expansions": "a"}'}, "expansions are no list of texts"),
        ({"mode": "text", "text": answer("a", 1)}, "expansions are no list of texts"),
        ({"mode": "text", "text": answer()}, "empty"),
        ({"mode": "text", "text": answer(*map(str, range(11)))}, "exploding: 11 expansions"),
    ],
    ids=lambda value: str(value)[:40],
)
@pytest.mark.parametrize("backend", ["llm", "hybrid"])
def test_misbehaviour_leaves_the_rules(
    endpoint, files: dict[str, str], behaviour: dict[str, Any], reason: str, backend: str
) -> None:
    endpoint.answers(**behaviour)
    slow = behaviour["mode"] in ("hang", "drip")
    expander = make(endpoint.url, files, backend, timeout=0.4 if slow else 60.0)

    result = expander.run(query=QUERY)

    assert result["queries"] == [QUERY, *RULED]
    assert result["expansions"][-1] == {"text": "", "origin": "llm", "accepted": False, "reason": reason}
    assert result["degraded"] == ["query_expander"]
    endpoint.answers("text", text=answer(*GOOD))
    expander = make(endpoint.url, files) if slow else expander
    assert GOOD[0] in expander.run(query=QUERY)["queries"], "a failure is not remembered"


@pytest.mark.parametrize(
    ("query", "text", "reason"),
    [
        (QUERY, "  ", "empty"),
        (QUERY, "...", "empty"),
        (QUERY, "有休の申請！", "too alike"),
        (QUERY, "休" * 61, "exploding: 61 characters"),
        (QUERY, "有休の申請 2026", "changes a number"),
        ("EV-2024-001の進捗", "EV-2024-010の状況", "changes a number"),
        ("EV-2024-001の進捗", "電池の状況", "changes a number"),
        ("「試験計画」の表", "試験の計画の表", "changes a quoted phrase"),
        (QUERY, "遠い話", "too far: cosine 0.700"),
        (QUERY, "近い話", "too alike: cosine 0.990"),
    ],
)
def test_the_guard(endpoint, files: dict[str, str], query: str, text: str, reason: str) -> None:
    endpoint.answers("text", text=answer(text))
    vectors = GivenVectors({"遠い話": 0.7, "近い話": 0.99})

    result = make(endpoint.url, files, text_embedder=vectors).run(query=query)

    assert result["expansions"][-1]["reason"] == reason
    assert not result["expansions"][-1]["accepted"]
    assert result["degraded"] == ["query_expander"]


def test_what_the_guard_lets_through(endpoint, files: dict[str, str]) -> None:
    good = ["ＥＶ－２０２４－００１の状況", "EV-2024-001 の進み具合"]
    endpoint.answers("text", text=answer(*good, "EV-2024-001の 状況"))
    vectors = GivenVectors(dict.fromkeys(good, 0.9))

    result = make(endpoint.url, files, text_embedder=vectors).run(query="EV-2024-001の進捗")

    assert result["variants"] == good
    assert result["expansions"][-1]["reason"] == "too alike"


def test_without_embeddings_nothing_is_judged(endpoint, files: dict[str, str]) -> None:
    endpoint.answers("text", text=answer(*GOOD))

    result = make(endpoint.url, files, text_embedder=GivenVectors()).run(query=QUERY)

    assert result["queries"] == [QUERY, *RULED]
    assert result["expansions"][-1]["reason"] == "can't be judged without embeddings"
    assert result["degraded"] == ["query_expander"]


def test_nothing_is_asked_for_numbers_and_phrases_alone(endpoint, files: dict[str, str]) -> None:
    expander = make(endpoint.url, files)
    for query in ("EV-2024-001", "「会議」", " ", "?", "EV-2024-001 「会議」"):
        assert expander.run(query=query)["queries"] == [query]
    assert endpoint.requests() == []


YAML = """
components:
  expander:
    type: components.query.query_expander.QueryExpander
    init_parameters:
      backend: hybrid
      synonyms: %s
      text_embedder:
        type: components.embedders.e5_text_embedder.E5TextEmbedder
        init_parameters: {model: nowhere, prepare: false}
      chat_generator:
        type: haystack.components.generators.chat.openai.OpenAIChatGenerator
        init_parameters:
          api_key: {type: env_var, env_vars: [TEST_LLM_KEY], strict: true}
          model: test
connections: []
"""


def test_yaml_there_and_back(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    for key in ("secret", ""):
        monkeypatch.setenv("TEST_LLM_KEY", key) if key else monkeypatch.delenv("TEST_LLM_KEY")
        pipeline = Pipeline.loads(YAML % files["synonyms"])
        again = Pipeline.loads(pipeline.dumps())
        assert again.to_dict() == pipeline.to_dict()
        assert again.get_component("expander").text_embedder.model == "nowhere"
    result = again.run({"expander": {"query": QUERY}})["expander"]
    assert (result["variants"], result["degraded"]) == (RULED, ["query_expander"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "best"}, "backend: 'best' is not allowed; it must be one of rule, llm, hybrid"),
        ({"max_expansions": -1}, "max_expansions: -1 is not allowed"),
        ({"timeout": 0.01}, "timeout: 0.01 is not allowed"),
        ({"cache_size": -1}, "cache_size: -1 is not allowed"),
        ({"min_similarity": 0.99}, "min_similarity: 0.99 is not allowed"),
        ({"prompt": "no variable"}, "it must hold the variable"),
    ],
)
def test_wrong_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QueryExpander(**options)

"""What queries and chunks name."""

import logging
import threading
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import spacy
from haystack import Document, Pipeline

from components.analysis.analyzed_text import AnalyzedText
from components.query.entity_models import load_entity_model
from components.query.entity_recognizer import EntityRecognizer

PROJECT = Path(__file__).parents[3]
RULES = str(PROJECT / "config/entities.yaml")
VOCABULARY = """
EV-2024-001: {definition: A battery., type: PROJECT_ID, aliases: [次世代電池プロジェクト]}
カゼ: {definition: A fan., type: PRODUCT, aliases: [KZ-7], confidence: 0.8}
齋藤商会: {definition: A shop., type: ORG, aliases: [斉藤]}
北斗: {definition: A place and no entity.}
"""


def today() -> date:
    return date(2026, 5, 20)  # a Wednesday


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("vocabulary") / "terms.yaml"
    path.write_text(VOCABULARY, encoding="utf-8")
    return str(path)


@pytest.fixture(scope="session")
def rules(vocabulary: str) -> EntityRecognizer:
    return EntityRecognizer(RULES, vocabulary, model=None, today=today)


@pytest.fixture(scope="session")
def ginza(vocabulary: str) -> EntityRecognizer:
    recognizer = EntityRecognizer(RULES, vocabulary, today=today)
    recognizer.warm_up()
    return recognizer


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("EV-2024-001の進捗", ["EV-2024-001 PROJECT_ID EV-2024-001"]),
        (
            "ＥＶ－２０２４－００１とev‐2024‐010",
            ["ＥＶ－２０２４－００１ PROJECT_ID EV-2024-001", "ev‐2024‐010 PROJECT_ID EV-2024-010"],
        ),
        ("EVー2024ー001", ["EVー2024ー001 PROJECT_ID EV-2024-001"]),
        ("EV-2024-001-7", []),
        ("規程HR-012", ["HR-012 DOCUMENT_ID HR-012"]),
        ("Taro.Tanaka@Example.co.jp に送る", ["Taro.Tanaka@Example.co.jp EMAIL taro.tanaka@example.co.jp"]),
        ("ﾎﾞﾙﾃﾗ 300の価格", ["ﾎﾞﾙﾃﾗ 300 PRODUCT ボルテラ300"]),
        ("BM-20とCB-300S", ["BM-20 PRODUCT BM-20", "CB-300S PRODUCT CB-300S"]),
        ("マイナス20度、パーセント100円", []),
        ("センサー「ミズキ」", ["ミズキ PRODUCT ミズキ"]),
        ("令和8年5月20日と2026/5/20", ["令和8年5月20日 DATE 2026-05-20", "2026/5/20 DATE 2026-05-20"]),
        ("昨日と先週と来年度", ["昨日 DATE 2026-05-19", "先週 DATE 2026-05-11/2026-05-17", "来年度 DATE FY2027"]),
        ("明日香さん", ["明日香 PERSON 明日香"]),
        ("髙橋 健と高橋健", ["髙橋 健 PERSON 高橋健", "高橋健 PERSON 高橋健"]),
        ("斎藤さん、齋藤さん", ["斎藤 PERSON 斎藤", "齋藤 PERSON 斎藤"]),
        ("渡邊 翔と渡辺翔", ["渡邊 翔 PERSON 渡辺翔", "渡辺翔 PERSON 渡辺翔"]),
        ("佐々木 涼の会議", ["佐々木 涼 PERSON 佐々木涼"]),
        ("大森部長", ["大森 PERSON 大森"]),
        ("ジョン・スミス2世の本", ["ジョン・スミス2世 PERSON ジョン・スミス2世"]),
        (
            "ジョン・F・ケネディとヴェリミール・フレーブニコフ",
            [
                "ジョン・F・ケネディ PERSON ジョン・f・ケネディ",
                "ヴェリミール・フレーブニコフ PERSON ヴェリミール・フレーブニコフ",
            ],
        ),
        ("ラーメン・カレーの店", []),
        ("Emily Ross cables", ["Emily Ross PERSON emily ross"]),
        ("㈱ミツハ製作所", ["㈱ミツハ製作所 ORG ミツハ製作所"]),
        ("本社の北斗ロジ株式会社へ", ["北斗ロジ株式会社 ORG 北斗ロジ"]),
        ("株式会社ハルカ商事とハルカ商事", ["株式会社ハルカ商事 ORG ハルカ商事", "ハルカ商事 ORG ハルカ商事"]),
        ("Acme Power Inc.の契約", ["Acme Power Inc. ORG acme power"]),
        # the vocabulary: an alias is its term, on whole words, in any spelling that has the same value
        ("次世代電池プロジェクト", ["次世代電池プロジェクト PROJECT_ID EV-2024-001"]),
        ("ＫＺ‐７の音", ["ＫＺ‐７ PRODUCT カゼ"]),
        ("カゼイン", []),
        ("株式会社斎藤", ["株式会社斎藤 ORG 斎藤商会"]),
        ("何もない", []),
        ("", []),
    ],
)
def test_without_a_model(rules: EntityRecognizer, query: str, expected: list[str]) -> None:
    answer = rules.run(query=query)

    entities = answer["entities"]
    assert [f"{e['text']} {e['type']} {e['value']}" for e in entities] == expected
    assert [query[e["start"] : e["end"]] for e in entities] == [e["text"] for e in entities]
    assert answer["degraded"] == []


def test_scores_and_sources(rules: EntityRecognizer) -> None:
    entities = rules.run(query="EV-2024-001、KZ-7、田中")["entities"]

    assert [(e["source"], e["score"]) for e in entities] == [("rule", 1.0), ("vocabulary", 0.8), ("name", 0.7)]
    assert set(entities[0]) == {"text", "type", "start", "end", "value", "score", "source"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("田中太郎の出張", [("PERSON", "田中太郎", "name", 0.9)]),
        ("トヨタ自動車の契約", [("ORG", "トヨタ自動車", "model", 0.6)]),
        # taken for a doctrine and a number by the model
        ("EV-2024-001の進捗", [("PROJECT_ID", "EV-2024-001", "rule", 1.0)]),
    ],
)
def test_with_ginza(ginza: EntityRecognizer, query: str, expected: list[tuple]) -> None:
    answer = ginza.run(query="", analysis=AnalyzedText(query, "ja"))

    assert [(e["type"], e["value"], e["source"], e["score"]) for e in answer["entities"]] == expected
    assert answer["degraded"] == []


def test_ginza_read_step_by_step_finds_what_spacy_finds() -> None:
    model = load_entity_model("ja_ginza")
    nlp = spacy.load("ja_ginza")
    nlp.select_pipes(enable=["tok2vec", "ner"])
    paths = sorted((PROJECT / "samples" / "company_docs").rglob("*.md"))
    texts = [line for path in paths[:40] for line in path.read_text(encoding="utf-8").splitlines()]

    found = model.find([*texts, "", "。"])

    wanted = [[(e.start_char, e.end_char) for e in document.ents] for document in nlp.pipe([*texts, "", "。"])]
    assert [[(span.start, span.end) for span in spans] for spans in found] == wanted
    assert load_entity_model("ja_ginza") is model


def test_ginza_s_health(ginza: EntityRecognizer) -> None:
    health = ginza.health()

    assert (health["model"], health["ready"], health["error"]) == ("ja_ginza", True, "")
    assert health["version"].startswith("5.")


def test_chunks(ginza: EntityRecognizer) -> None:
    chunks = [
        Document(
            id="a#1",
            content="昨日、田中 美咲が報告した。",
            meta={"title": "EV-2024-001の報告", "project_id": "ev-2024-010", "updated_at": "2026-05-20"},
        ),
        Document(id="b#1", content="昨日の会議", meta={"language": "ja"}),
        Document(id="c#1", content=None),
    ]

    documents = ginza.run(documents=chunks)["documents"]

    assert documents[0].meta["entities"] == [
        "PROJECT_ID:EV-2024-010",
        "PROJECT_ID:EV-2024-001",
        *("DATE:2026-05-19", "DATE:2026-05", "DATE:2026", "DATE:--05-19", "DATE:--05"),
        *("PERSON:田中美咲", "PERSON:田中"),
    ]
    assert [document.id for document in documents] == ["a#1", "b#1", "c#1"]
    assert "DATE:2026-05-19" not in documents[1].meta["entities"], "the day of its yesterday isn't known"
    assert documents[2].meta == {"entities": []}
    assert "entities" not in chunks[0].meta


def test_a_text_longer_than_sudachi_reads(ginza: EntityRecognizer) -> None:
    text = "x" * 50_000 + "。担当は田中太郎。"

    (document,) = ginza.run(documents=[Document(id="a", content=text, meta={"language": "ja"})])["documents"]

    assert "PERSON:田中太郎" in document.meta["entities"]


def test_queries_are_remembered_until_the_vocabulary_changes(vocabulary: str, tmp_path: Path) -> None:
    path = tmp_path / "terms.yaml"
    path.write_text(VOCABULARY, encoding="utf-8")
    recognizer = EntityRecognizer(RULES, str(path), model=None)

    for _ in range(3):
        recognizer.run(query="KZ-7")["entities"].clear()
    assert recognizer.run(query="KZ-7")["entities"][0]["value"] == "カゼ"
    assert (recognizer.health()["cache"]["hits"], recognizer.health()["cache"]["misses"]) == (3, 1)
    path.write_text(VOCABULARY.replace("カゼ", "ナギ"), encoding="utf-8")
    assert recognizer.run(query="KZ-7")["entities"][0]["value"] == "ナギ"
    path.write_text("カゼ: {}", encoding="utf-8")
    assert recognizer.run(query="KZ-7")["entities"][0]["value"] == "ナギ"
    assert "`definition:` is missing" in recognizer.health()["error"]


def test_several_threads(ginza: EntityRecognizer) -> None:
    queries = [f"EV-2024-{number:03}の田中太郎" for number in range(40)]
    found: dict[str, list[str]] = {}

    def work(own: list[str]) -> None:
        for query in own:
            found[query] = [entity["value"] for entity in ginza.run(query=query)["entities"]]

    threads = [threading.Thread(target=work, args=(queries[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {query: [query[:11], "田中太郎"] for query in queries}


def test_a_model_that_is_missing_costs_only_itself(vocabulary: str, tmp_path: Path, caplog: Any) -> None:
    caplog.set_level(logging.WARNING)
    recognizer = EntityRecognizer(RULES, vocabulary, model=str(tmp_path))

    answer = recognizer.run(query="EV-2024-001", documents=[Document(id="a", content="KZ-7")])

    assert [entity["value"] for entity in answer["entities"]] == ["EV-2024-001"]
    assert answer["documents"][0].meta["entities"] == ["PRODUCT:カゼ"]
    assert answer["degraded"] == ["entities"]
    assert not recognizer.health()["ready"]
    assert str(tmp_path) in recognizer.health()["error"]
    assert "EV-2024-001" not in caplog.text


def test_a_model_is_not_asked_for_other_languages(ginza: EntityRecognizer) -> None:
    assert ginza.run(query="Toyota Motor in Nagoya")["entities"] == []
    assert ginza.run(query="Toyota Motor in Nagoya")["degraded"] == []


def test_serialization(vocabulary: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("recognizer", EntityRecognizer(RULES, vocabulary, None, 7))

    again = Pipeline.loads(pipeline.dumps())

    assert again.to_dict() == pipeline.to_dict()
    assert again.run({"recognizer": {"query": "KZ-7"}})["recognizer"]["entities"][0]["value"] == "カゼ"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules: 1", ":1: rules must be a list"),
        ("- a", ":1: the file must be a mapping"),
        ("honorifics: [さん]\nplaces: []", ":2: the file: 'places' is none of rules, honorifics"),
        ("rules:\n  - type: PLACE\n    patterns: ['a']", ":2: type 'PLACE' is none of PROJECT_ID, PRODUCT"),
        ("rules:\n  - type: DATE", ":2: a rule needs `patterns:`"),
        ("rules:\n  - type: DATE\n    patterns:\n      - 'a'\n      - '(a'", r":5: '\(a' is no regular expression"),
        ("rules:\n  - type: DATE\n    patterns: ['a*']", r":3: 'a\*' matches nothing at all"),
        ("rules:\n  - type: DATE\n    patterns: [[a]]", ":3: a pattern must be a regular expression in quotes"),
        ("honorifics:\n  - さん\n  - ''", ":3: honorifics must be a list of words"),
        ("rules: []\nrules: []", ":2: the file: 'rules' stands twice"),
        ("rules: [", ":2: not valid YAML"),
    ],
)
def test_wrong_rules(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "entities.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"entities\.yaml" + message):
        EntityRecognizer(str(path), model=None)


def test_no_rules(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.yaml: can't be read"):
        EntityRecognizer(str(tmp_path / "none.yaml"), model=None)
    assert EntityRecognizer(model=None).run(query="2026-05-20")["entities"][0]["value"] == "2026-05-20"

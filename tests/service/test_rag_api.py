"""Search over company documents and ratings of its answers, over real HTTP and a real index."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipelines import PROJECT
from pipelines.corpora import get_corpus
from pipelines.indexing import IndexRun
from pipelines.memory import MemoryService
from pipelines.rag import RagSearch
from pipelines.settings import Settings
from tests.service.conftest import running, wait_until_ready

SEARCH = "/api/v2/rag/search"
DOCUMENTS = {
    "総務部/summer.md": "# 夏季休業のお知らせ\n\n本年度の夏季休業は8月8日から16日までとする。",
    "総務部/car.md": "# 社用車の予約\n\n社用車は前日までに予約する。",
    "情報システム部/outage.md": "# サーバー障害の報告\n\n基幹サーバが2時間停止した。担当は髙橋 健。",
    "情報システム部/mail.md": "# メールの遅延\n\nメールが30分遅れた。担当は田中 一郎。",
    "開発部/EV-2024-001_report.md": "# EV-2024-001 進捗報告\n\n試作は予定どおり進んでいる。",
    "開発部/EV-2024-010_report.md": "# EV-2024-010 進捗報告\n\nEV-2024-001と同じ部品を使う。",
    "開発部/english.md": "# Release note\n\nThe charger firmware was updated.",
}


@pytest.fixture(scope="module")
def synonyms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's synonyms, to be edited."""
    return Path(shutil.copytree(PROJECT / "config" / "synonyms", tmp_path_factory.mktemp("config") / "synonyms"))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, synonyms: Path) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("company")
    pipelines = Path(shutil.copytree(PROJECT / "pipelines" / "yaml", folder / "yaml"))
    query = pipelines / "rag_query.yaml"
    text = query.read_text(encoding="utf-8")
    query.write_text(text.replace("${paths.config}/synonyms", str(synonyms)), encoding="utf-8")
    for name, text in DOCUMENTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TANSAKU_DATA_DIR", str(folder / "data"))
        patch.setenv("TANSAKU_PIPELINES_DIR", str(pipelines))
        patch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*,memory_components.*")
        patch.delenv("TANSAKU_DATABASE_URL", raising=False)
        settings = Settings()
        report = IndexRun(get_corpus("company-docs"), settings, workers=1).run([folder / "docs"])
        assert (report.failures, report.vectors) == ([], report.chunks)
        memory = MemoryService("embedded", settings)
        with running(lambda: RagSearch("embedded", settings, memory=memory), corpus="company-docs") as client:
            wait_until_ready(client)
            yield client
        memory.close()


def search(client: httpx.Client, query: str, **arguments: Any) -> dict[str, Any]:
    answer = client.post(SEARCH, json={"query": query, **arguments})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def first(answer: dict[str, Any]) -> str:
    return str(answer["results"][0]["id"]).partition("docs/")[2].partition("#")[0]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("お盆休み", "総務部/summer.md"),
        ("盆休みの日程", "総務部/summer.md"),
        ("夏季休業", "総務部/summer.md"),
        ("サーバー障害", "情報システム部/outage.md"),
        ("ｻｰﾊﾞ障害", "情報システム部/outage.md"),
        ("高橋健さん", "情報システム部/outage.md"),
        ("EV-2024-001の進捗", "開発部/EV-2024-001_report.md"),
        ("ＥＶ－２０２４－００１", "開発部/EV-2024-001_report.md"),
        ("ev‐2024‐010", "開発部/EV-2024-010_report.md"),
        ("firmware of the charger", "開発部/english.md"),
    ],
)
def test_spellings_find_the_same_document(client: httpx.Client, query: str, expected: str) -> None:
    assert first(search(client, query)) == expected


def test_an_answer(client: httpx.Client) -> None:
    answer = search(client, "ｻｰﾊﾞ障害", top_k=2, return_debug_info=True)

    assert (answer["status"], answer["query"], answer["language"]) == ("success", "ｻｰﾊﾞ障害", "ja")
    assert re.fullmatch(r"rag_\d{8}_\d{6}_\d{3,}", answer["session_id"])
    assert [hit["rank"] for hit in answer["results"]] == [1, 2]
    hit = answer["results"][0]
    assert set(hit) == {
        *("id", "rank", "score", "memory_boost", "source", "text", "metadata", "highlights", "scores"),
    }
    assert (hit["memory_boost"], hit["source"]) == (0.0, "rrf")
    assert next(hit["text"][start:end] for start, end in hit["highlights"]) == "サーバー障害"
    assert hit["metadata"]["department"] == "情報システム部"
    assert answer["memory_context"] == {
        "semantic_concepts": [],
        "past_sessions_used": 0,
        "entity_boost_enriched": False,
    }
    assert answer["degraded"] == []
    told = answer["debug_info"]["preprocessing"]
    assert told["normalized_query"] == "サーバ 障害"
    assert {"analyzer", "embedder", "keyword_retriever"} <= set(told["step_ms"])
    assert re.fullmatch(r"[0-9a-f]{16}", told["query_hash"])
    assert search(client, "ｻｰﾊﾞ障害")["debug_info"] is None


def test_filters(client: httpx.Client) -> None:
    only = {"field": "meta.department", "operator": "==", "value": "開発部"}

    hits = search(client, "担当", filters=only)["results"]

    assert {hit["metadata"]["department"] for hit in hits} == {"開発部"}


def test_expansion_and_boosting_can_be_switched_off(client: httpx.Client) -> None:
    with_both = search(client, "お盆休み", return_debug_info=True)["debug_info"]["preprocessing"]
    without = search(
        client, "お盆休み", return_debug_info=True, enable_query_expansion=False, enable_entity_boosting=False
    )["debug_info"]["preprocessing"]

    assert any("夏季休業" in each["text"] for each in with_both["expansions"])
    assert (without["expansions"], without["entities"]) == ([], [])


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ({"query": "休"}, "INVALID_QUERY", "Query is too short (min 2 characters)"),
        ({}, "INVALID_QUERY", "query: Field required"),
        (
            {"query": "休み", "top_k": 51},
            "INVALID_TOP_K",
            "top_k: 51 is not allowed; it must be an integer from 1 to 50",
        ),
        ({"query": "休み", "language": "fr"}, "INVALID_LANGUAGE", "language: 'fr' is not allowed"),
        (
            {"query": "休み", "filters": {"field": "meta.salary", "operator": "==", "value": 1}},
            "INVALID_FILTER",
            "filters: there is no field 'meta.salary' to filter by",
        ),
    ],
)
def test_errors(client: httpx.Client, body: dict[str, Any], code: str, message: str) -> None:
    answer = client.post(SEARCH, json=body)

    assert answer.status_code == 422
    told = answer.json()
    assert (told["status"], told["code"]) == ("error", code)
    assert told["message"].startswith(message)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"query": ', "INVALID_REQUEST"),
        (b"", "INVALID_REQUEST"),
        (b"[]", "INVALID_REQUEST"),
        ('{"query": "休み"}'.encode("cp932"), "INVALID_REQUEST"),
        (b'{"query": "abc", "filters": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "INVALID_REQUEST"),
        (b'{"query": "abc", "user_id": "\\ud800"}', "INVALID_REQUEST"),
        (b'{"query": "abc", "top_k": NaN}', "INVALID_TOP_K"),
        (b'{"query": "abc", "top_k": true}', "INVALID_TOP_K"),
        (b'{"query": "abc", "top_k": "5"}', "INVALID_TOP_K"),
        (b'{"query": "\\u200b\\u200b\\u200b"}', "INVALID_QUERY"),
        (
            b'{"query": "abc", "filters": {"field": "meta.department", "operator": "==", "value": "\\ud800"}}',
            "INVALID_FILTER",
        ),
    ],
)
def test_bodies_that_cant_be_read(client: httpx.Client, body: bytes, code: str) -> None:
    answer = client.post(SEARCH, content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (422, code)


@pytest.mark.parametrize(
    "query",
    [
        "😀😃",
        "\x00\x1b[31m障害",
        "ﾞﾟﾞﾟ",
        "서버 サーバー server خادم",
        "\u202eabc\u202c",
        '"' * 7,
        "title:* ~^1000",
        "漢" * 2000,
    ],
)
def test_strange_queries_are_answered(client: httpx.Client, query: str) -> None:
    assert search(client, query)["degraded"] == []


def test_halves_of_surrogate_pairs_are_read_past(client: httpx.Client) -> None:
    body = b'{"query": "\\ud800 \\u969c\\u5bb3"}'

    answer = client.post(SEARCH, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 200
    assert answer.json()["degraded"] == []


def test_the_same_through_hayhooks_and_health(client: httpx.Client) -> None:
    answer = client.post("/rag_search/run", json={"query": "ｻｰﾊﾞ障害"}).json()["result"]
    health = client.get("/api/v2/rag/preprocessing/health")

    assert first(answer) == "情報システム部/outage.md"
    assert health.status_code == 200
    parts = health.json()["parts"]
    assert {"sudachi", "entity_model", "expander", "embedder"} <= set(parts)
    assert parts.pop("llm") == {"used": False, "ready": False, "error": "", "version": "", "warm_up_ms": None}
    assert all(part["used"] and part["ready"] and not part["error"] for part in parts.values())
    assert all(parts[name]["warm_up_ms"] > 0 for name in ("sudachi", "entity_model", "expander", "embedder"))
    assert parts["sudachi"]["version"]


def test_synonyms_count_at_the_next_query_and_faulty_ones_leave_the_old(client: httpx.Client, synonyms: Path) -> None:
    def variants() -> list[str]:
        told = search(client, "営業車の予約", return_debug_info=True)["debug_info"]["preprocessing"]
        return [each["text"] for each in told["expansions"]]

    def health() -> tuple[int, str, str]:
        answer = client.get("/api/v2/rag/preprocessing/health")
        return answer.status_code, answer.json()["status"], answer.json()["parts"]["expander"]["error"]

    path = synonyms / "own.txt"
    before = variants()
    path.write_text("社用車, 営業車\n", encoding="utf-8")
    edited = (variants(), health())
    path.write_text("社用車, 営業車, 公用車\n公用車\n", encoding="utf-8")
    faulty = (variants(), health())
    path.unlink()

    assert before == []
    assert edited == (["社用車の予約"], (200, "ready", ""))
    fault = f"{path}:2: '公用車' is a single word; write others behind it, separated by commas"
    assert faulty == (["社用車の予約"], (200, "degraded", fault))
    assert (variants(), health()) == ([], (200, "ready", ""))


def test_a_rating_lifts_the_document_for_like_questions(client: httpx.Client) -> None:
    query = "連絡が届くのが遅い件について知りたい"
    before = search(client, query, user_id="ann")
    rated = next(hit for hit in before["results"] if "mail.md" in hit["id"])

    feedback = client.post(
        "/api/v2/rag/feedback",
        json={"session_id": before["session_id"], "doc_id": rated["id"], "rating": 5, "user_id": "ann"},
    )
    after = search(client, query, user_id="ann")
    lifted = next(hit for hit in after["results"] if hit["id"] == rated["id"])

    assert feedback.status_code == 200, feedback.text
    assert 0 < lifted["memory_boost"] <= 0.3
    assert lifted["source"] == "rrf+memory"
    assert after["memory_context"]["past_sessions_used"] == 1
    assert client.get(f"/api/memory/explain/{after['session_id']}").status_code == 200
    unknown = client.post("/api/v2/rag/feedback", json={"session_id": "rag_20200101_000000_000", "rating": 5})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "SESSION_NOT_FOUND")

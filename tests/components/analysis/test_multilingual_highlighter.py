"""Highlights of Japanese, English and Korean results."""

import pytest
from haystack import Document

from components.analysis.language_detector import detect_language
from components.analysis.multilingual_highlighter import MultilingualHighlighter
from components.analysis.query_analyzer import QueryAnalyzer
from components.retrieval.ranking import Results


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("サーバー障害の報告", "ｻｰﾊﾞ", ["サーバー"]),
        ("サーバー障害の報告", "サーバ障害", ["サーバー障害"]),
        ("明日のミーティング", "打合せ", ["ミーティング"]),
        ("ＥＶ－２０２４－００１の進捗", "ev-2024-001", ["ＥＶ－２０２４－００１"]),
        ("EV-2024-010の進捗", "EV-2024-001", []),
        ("Travel expenses", "expense", ["expenses"]),
        ("특허검색 방법", "특허 검색", ["특허", "검색"]),
        ("", "障害", []),
    ],
)
def test_highlights(text: str, query: str, expected: list[str]) -> None:
    analysis = QueryAnalyzer().run(query=query, language=detect_language(query))["analysis"]
    results = Results((Document(content=text, meta={"language": detect_language(text)}),))

    document = MultilingualHighlighter().run(results=results, analyses=[analysis])["documents"][0]

    found = [text[start:end] for start, end in document.meta["highlights"]]
    assert "".join(found) == "".join(expected)

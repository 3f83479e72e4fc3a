"""Highlights point at the words that a query matched."""

import pytest
from haystack import Document, Pipeline

from components.analysis.english import analyze_english
from components.analysis.highlighter import Highlighter, highlights
from components.retrieval.ranking import Results


def marked(text: str, query: str) -> list[str]:
    stems = frozenset(analyze_english(query, query=True).terms("stems"))
    return [text[start:end] for start, end in highlights(text, stems)]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("New matter was added.", "matters", ["matter"]),
        ("New matter was added.", "new matter", ["New matter"]),
        ("Non-final and final actions", "non-final action", ["Non-final", "final actions"]),
        ("Claims, claims; claiming", "claim", ["Claims", "claims", "claiming"]),
        ("A rejection under 35 U.S.C. § 112(b) stands", "35 usc 112(b)", ["35 U.S.C. § 112(b)"]),
        ("A rejection under 35 U.S.C. § 112(b) stands", "35 usc 112", ["35 U.S.C. § 112(b)"]),
        ("A rejection under 35 U.S.C. § 112 stands", "35 usc 112(b)", ["35 U.S.C. § 112"]),
        ("See MPEP § 2107", "MPEP 2106", []),
        ("½ the ﬁlms…", "film", ["ﬁlms"]),
        ("The text", "the of", []),
        ("", "claim", []),
    ],
)
def test_highlights(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


def test_docstring_example() -> None:
    result = Document(content="New matter was added.")

    answer = Highlighter().run(results=Results((result,)), analysis=analyze_english("matters"))

    assert answer["documents"][0].meta["highlights"] == [[4, 10]]
    assert "highlights" not in result.meta


@pytest.mark.parametrize(("top_k", "ids"), [(1, ["a"]), (2, ["a", "b"]), (9, ["a", "b"]), (None, ["a", "b"])])
def test_results_are_cut_to_top_k(top_k: int | None, ids: list[str]) -> None:
    results = Results((Document(id="a", content="claim"), Document(id="b", content=None)))

    answer = Highlighter().run(results=results, analysis=analyze_english("claim"), top_k=top_k)

    assert [document.id for document in answer["documents"]] == ids


def test_serialization(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("highlighter", Highlighter())

    answer = Pipeline.loads(pipeline.dumps()).run(
        {"highlighter": {"results": Results((Document(content="a claim"),)), "analysis": analyze_english("claims")}}
    )

    assert answer["highlighter"]["documents"][0].meta["highlights"] == [[2, 7]]

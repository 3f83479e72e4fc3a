"""The query side: question frames, variants for the embedder, serialisation."""

import pytest
from haystack import Pipeline

from components.analysis.english_query_analyzer import EnglishQueryAnalyzer


def test_docstring_example() -> None:
    answer = EnglishQueryAnalyzer().run(query='"new matter" under 35 USC 132(a)')

    assert answer["analysis"].phrases == (("new", "matter"),)
    assert [found.canonical for found in answer["analysis"].identifiers] == ["usc:35:132(a)"]
    assert answer["texts"] == ['"new matter" under 35 USC 132(a)']


def test_the_frame_of_a_question_is_not_searched_for() -> None:
    query = "Where is the section concerning the colour of drawings?"

    answer = EnglishQueryAnalyzer().run(query=query)

    assert answer["texts"] == ["the colour of drawings?"]
    assert answer["analysis"].terms("words") == ["colour", "drawings"]
    assert answer["analysis"].terms("phrase") == ["colour_draw"]
    assert answer["analysis"].text == query
    colour = answer["analysis"].tokens["words"][0]
    assert query[colour.start : colour.end] == "colour"


def test_serialization(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("analyzer", EnglishQueryAnalyzer())

    answer = Pipeline.loads(pipeline.dumps()).run({"analyzer": {"query": "New claims"}})

    assert answer["analyzer"]["analysis"].terms("stems") == ["new", "claim"]

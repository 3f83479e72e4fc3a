"""The examples in docstrings give what they show."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "components.analysis.citation_series",
        "components.analysis.cited_titles",
        "components.analysis.english",
        "components.analysis.legal_citations",
        "components.converters.document_text",
        "components.converters.japanese_encodings",
        "components.converters.line_joints",
        "components.converters.sidecar",
        "components.query.entity",
        "components.query.entity_dates",
        "components.query.entity_labels",
        "components.query.expansion_guard",
        "components.query.protected_spans",
        "components.query.question_frame",
        "components.results.printed_citations",
        "components.retrieval.ranking",
        "components.retrieval.title_shares",
        "components.splitters.japanese_sentences",
        "components.splitters.paragraph_splitter",
        "components.splitters.section_order",
        "components.splitters.sentences",
        "components.splitters.token_estimate",
        "pipelines.errors",
        "pipelines.section_numbers",
    ],
)
def test_examples(name: str) -> None:
    result = doctest.testmod(import_module(name))

    assert result.attempted > 0
    assert result.failed == 0

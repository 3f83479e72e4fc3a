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
        "components.query.question_frame",
        "components.results.printed_citations",
        "components.retrieval.ranking",
        "components.retrieval.title_shares",
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

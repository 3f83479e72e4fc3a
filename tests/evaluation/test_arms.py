"""Asking a pipeline: which inputs it gets, and what is taken from its retrievers and its end."""

from pathlib import Path

import pytest

from components.retrieval.ranking import Ranking
from evaluation.arms import QueryArms, fuse
from pipelines.errors import ConfigError
from pipelines.settings import Settings

PARTS = """
from haystack import Document, component
from components.retrieval.ranking import Ranking

@component
class Retriever:
    def __init__(self, ids: list[str]):
        self.ids = ids

    @component.output_types(rankings=list[Ranking], asked=str)
    def run(self, query: str, top_k: int = 3):
        entries = tuple((id, 1.0 / rank) for rank, id in enumerate(self.ids[:top_k], start=1))
        return {"rankings": [Ranking(entries, query)], "asked": query}

@component
class End:
    @component.output_types(documents=list[Document], degraded=list[str])
    def run(self, keyword: list[Ranking], vector: list[Ranking], text: str = "", top_k: int = 1):
        ids = sorted({id for ranking in keyword + vector for id, _ in ranking.entries}, reverse=True)
        degraded = ["vector"] if "slow" in text else []
        return {"documents": [Document(id=id, content="x") for id in ids[:top_k]], "degraded": degraded}
"""
PIPELINE = """
corpus: us-patent-law
components:
  keyword_retriever: {type: evaluated_parts.Retriever, init_parameters: {ids: ["a#1", "a#2", "b#10", "c#1"]}}
  vector_retriever: {type: evaluated_parts.Retriever, init_parameters: {ids: ["d#x#1", "b#2"]}}
  end: {type: evaluated_parts.End, init_parameters: {}}
connections:
  - {sender: keyword_retriever.rankings, receiver: end.keyword}
  - {sender: vector_retriever.rankings, receiver: end.vector}
"""


@pytest.fixture
def pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "evaluated_parts.py").write_text(PARTS, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(PIPELINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "evaluated_parts.*,evaluated_parts")
    return tmp_path / "own.yaml"


def test_documents_are_ranked_by_their_best_chunk(pipeline: Path, tmp_path: Path) -> None:
    arms = QueryArms(str(pipeline), None, Settings(data_dir=tmp_path))
    # The retrievers keep their own depth, the end is asked for all that it has.
    assert arms.run("anything") == {"keyword": ["a", "b"], "vector": ["d#x", "b"], "pipeline": ["d#x", "b", "a"]}
    assert arms.degraded == {}


def test_what_was_missing_is_counted(pipeline: Path, tmp_path: Path) -> None:
    arms = QueryArms(str(pipeline), None, Settings(data_dir=tmp_path))
    for query in ("slow", "fast", "slow again"):
        arms.run(query)
    assert arms.degraded == {"vector": 2}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("vector_retriever", "dense_retriever", "it has no component 'vector_retriever' with an output 'rankings'"),
        (
            "connections:",
            "  other: {type: evaluated_parts.End}\nconnections:",
            "must end in 'documents' or 'results', found: end, other",
        ),
    ],
)
def test_a_pipeline_that_can_t_be_evaluated(pipeline: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    pipeline.write_text(PIPELINE.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        QueryArms(str(pipeline), None, Settings(data_dir=tmp_path))


def test_rankings_of_several_variants_are_fused_by_weight() -> None:
    first = Ranking((("a", 9.0), ("b", 8.0), ("c", 1.0)))
    second = Ranking((("c", 0.9), ("b", 0.8)), weight=2.0)
    # a: 1/61; b: 1/62 + 2/62; c: 1/63 + 2/61
    assert fuse([first]) == ["a", "b", "c"]
    assert fuse([first, second]) == ["c", "b", "a"]
    assert fuse([Ranking((("b", 1.0),)), Ranking((("a", 1.0),))]) == ["a", "b"]
    assert fuse([]) == []

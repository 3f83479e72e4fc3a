"""The report: means and intervals by arm and kind, and the queries that lost."""

import io
from pathlib import Path

from rich.console import Console

from evaluation.datasets import Dataset, Query
from evaluation.report import build_report, render_report

DATASET = Dataset(
    name="own",
    corpus_path=Path("corpus.jsonl"),
    doc_ids=frozenset("abc"),
    queries=(Query("q1", "first [one]", "easy"), Query("q2", "second", "hard"), Query("q3", "third", "hard")),
    qrels={"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}},
)
RANKINGS = {
    "keyword": {"q1": ["a"], "q2": ["a", "b"], "q3": []},
    "vector": {"q1": [], "q2": ["b"], "q3": ["c"]},
    "pipeline": {"q1": ["a"], "q2": ["c", "a"], "q3": ["c"]},
}


def test_arms_kinds_and_intervals() -> None:
    report = build_report(DATASET, RANKINGS)
    assert {arm: values["P@1"] for arm, values in report["arms"].items()} == {
        "keyword": 1 / 3,
        "vector": 2 / 3,
        "pipeline": 2 / 3,
    }
    assert list(report["kinds"]) == ["easy", "hard"]
    assert report["kinds"]["easy"]["vector"]["nDCG@10"] == 0
    assert report["kinds"]["hard"]["pipeline"]["MRR@10"] == 0.5
    assert set(report["intervals"]) == {"keyword", "vector", "pipeline", "pipeline-keyword", "pipeline-vector", "kinds"}
    assert report["intervals"]["kinds"]["easy"]["pipeline-vector"]["P@1"] == [1, 1]


def test_the_lost_queries_are_those_below_the_better_arm() -> None:
    (lost,) = build_report(DATASET, RANKINGS)["lost"]
    assert lost == {
        "id": "q2",
        "text": "second",
        "kind": "hard",
        "keyword": lost["keyword"],
        "vector": 1.0,
        "pipeline": 0.0,
        "relevant": ["b"],
        "found": ["c", "a"],
    }


def test_rendered_for_people() -> None:
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(render_report({"dataset": "own", "queries": 3, **build_report(DATASET, RANKINGS)}))
    text = console.export_text()
    assert "own: 3 queries" in text
    assert "0.667 [" in text
    assert "pipeline - vector, the better arm: +0.000 nDCG@10" in text
    assert "- q2 (hard): second\n  keyword 0.631, vector 1.000, pipeline 0.000; relevant b; found c, a" in text

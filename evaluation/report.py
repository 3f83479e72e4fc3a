"""What an evaluation found, as numbers for programs and as tables for people."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from evaluation.datasets import Dataset
from evaluation.metrics import MEASURES, bootstrap_intervals, means, per_query
from pipelines.counting import counted

ARMS = ("keyword", "vector", "pipeline")
_LOST = 10
_SHOWN = 160
_RANK_MEASURE = "nDCG@10"


def build_report(dataset: Dataset, rankings: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Any]:
    """
    Compare the arms of a pipeline on a dataset.

    :param dataset: The questions and their judgements.
    :param rankings: Arm -> query id -> document ids, best first.
    :returns: `arms` and `kinds` (means by arm), `intervals` (95 % bootstrap intervals by arm, of the pipeline's
        differences to the other arms, and the same for each kind), `lost` (the queries that lost most against the
        better of the other arms).
    """
    query_ids = [query.id for query in dataset.queries]
    values = {arm: per_query(dataset.qrels, rankings[arm], query_ids) for arm in ARMS}
    position = {query_id: index for index, query_id in enumerate(query_ids)}
    kinds = {kind: [position[query_id] for query_id in ids] for kind, ids in dataset.kinds.items()}
    return {
        "arms": _means(values),
        "kinds": {kind: _means(values, at) for kind, at in kinds.items()},
        "intervals": {**_intervals(values), "kinds": {kind: _intervals(values, at) for kind, at in kinds.items()}},
        "lost": _lost(dataset, values, rankings["pipeline"]),
    }


def _means(values: dict[str, dict[str, np.ndarray]], at: Sequence[int] | None = None) -> dict[str, dict[str, float]]:
    return {arm: means(values[arm], at) for arm in ARMS}


def _intervals(values: dict[str, dict[str, np.ndarray]], at: Sequence[int] | None = None) -> dict[str, Any]:
    intervals: dict[str, Any] = {arm: bootstrap_intervals(values[arm], at=at) for arm in ARMS}
    for arm in ("keyword", "vector"):
        intervals[f"pipeline-{arm}"] = bootstrap_intervals(values["pipeline"], values[arm], at)
    return intervals


def _lost(
    dataset: Dataset, values: dict[str, dict[str, np.ndarray]], ranking: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """The queries where the pipeline is furthest below the better arm."""
    keyword, vector, pipeline = (values[arm][_RANK_MEASURE] for arm in ARMS)
    loss = np.maximum(keyword, vector) - pipeline
    worst = [index for index in np.argsort(-loss, kind="stable")[:_LOST] if loss[index] > 0]
    return [
        {
            "id": dataset.queries[index].id,
            "text": dataset.queries[index].text,
            "kind": dataset.queries[index].kind,
            **{arm: float(values[arm][_RANK_MEASURE][index]) for arm in ARMS},
            "relevant": [doc for doc, grade in dataset.qrels[dataset.queries[index].id].items() if grade > 0],
            "found": list(ranking.get(dataset.queries[index].id, ()))[:3],
        }
        for index in worst
    ]


def render_report(report: Mapping[str, Any]) -> RenderableType:
    """
    The report as tables for a terminal.

    :param report: What `evaluation.evaluate` returns.
    :returns: Something that a Rich console prints.
    """
    groups = {"all": (report["arms"], report["intervals"])}
    for kind, arms in report["kinds"].items():
        groups[kind] = (arms, report["intervals"]["kinds"][kind])
    scores = Table(
        "queries", "arm", *MEASURES, title=f"{report['dataset']}: {counted(report['queries'], 'query', 'queries')}"
    )
    for kind, (arms, intervals) in groups.items():
        for number, arm in enumerate(ARMS):
            cells = (_cell(arms[arm][name], intervals[arm][name]) for name in MEASURES)
            scores.add_row("" if number else kind, arm, *cells, end_section=arm == ARMS[-1])
    parts: list[RenderableType] = [scores, Text(_verdict(report))]
    if report["lost"]:
        parts.append(Text(f"\nLost most against the better arm ({_RANK_MEASURE}):"))
        parts.extend(_lost_lines(row) for row in report["lost"])
    return Group(*parts)


def _lost_lines(row: Mapping[str, Any]) -> Text:
    # Text, not markup: questions may hold brackets.
    text = " ".join(row["text"].split())
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
    kind = f" ({row['kind']})" if row["kind"] else ""
    scores = ", ".join(f"{arm} {row[arm]:.3f}" for arm in ARMS)
    relevant, found = (", ".join(row[name]) or "nothing" for name in ("relevant", "found"))
    return Text(f"- {row['id']}{kind}: {shown}\n  {scores}; relevant {relevant}; found {found}")


def _cell(value: float, interval: Sequence[float]) -> str:
    return f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]".replace("[", "\\[")


def _verdict(report: Mapping[str, Any]) -> str:
    """How the whole pipeline stands to its better arm."""
    better = max(("keyword", "vector"), key=lambda arm: report["arms"][arm][_RANK_MEASURE])
    difference = report["arms"]["pipeline"][_RANK_MEASURE] - report["arms"][better][_RANK_MEASURE]
    low, high = report["intervals"][f"pipeline-{better}"][_RANK_MEASURE]
    interval = f"95 % interval {low:+.3f} to {high:+.3f}"
    return f"pipeline - {better}, the better arm: {difference:+.3f} {_RANK_MEASURE} ({interval})"

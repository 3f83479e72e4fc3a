"""Measures a query pipeline, and its two arms alone, on questions with known answers."""

import time
from pathlib import Path
from typing import Any

from evaluation.arms import QueryArms
from evaluation.datasets import Dataset, Query, load_dataset
from evaluation.report import ARMS, build_report
from evaluation.scratch_index import build_scratch_index
from pipelines.counting import counted
from pipelines.scanning import Progress, no_progress

SEARCHING = "asking questions"


def evaluate(
    dataset_dir: Path | str,
    pipeline: str = "mpep_query",
    profile: str | None = None,
    keep: Path | None = None,
    fresh: bool = False,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """
    Index a dataset's corpus, ask all its questions, and compare the keyword arm, the vector arm and the whole pipeline.

    A document's rank is that of its best chunk. The index is kept, so that a second evaluation of the same corpus
    needn't embed again.

    Usage example:
    ```python
    report = evaluate("my-questions", pipeline="mpep_query")
    print(report["arms"]["pipeline"]["nDCG@10"])
    ```

    :param dataset_dir: A folder in BEIR's layout, see `evaluation.datasets.load_dataset`.
    :param pipeline: The query pipeline's name or the path of its file.
    :param profile: Which stores and models; that of the settings by default.
    :param keep: The folder where the index is kept; below the data folder by default.
    :param fresh: Index anew, whatever is there.
    :param progress: Called with a step's name, what is done and what there is to do.
    :returns: `dataset`, `queries` (how many), `arms`, `kinds`, `intervals`, `lost` (see
        `evaluation.report.build_report`), `notes`, `chunks`, `query_ms` (a query's mean time) and `seconds` (of the
        whole evaluation).
    :raises TansakuError: If the dataset or the pipeline is wrong.
    """
    started = time.monotonic()
    dataset = load_dataset(dataset_dir)
    index = build_scratch_index(dataset.corpus_path, dataset.name, pipeline, profile, keep, fresh, progress)
    arms = QueryArms(pipeline, profile, index.settings)
    asked = time.monotonic()
    rankings = ask(arms, dataset, progress)
    missing = sorted(arms.degraded.items())
    return {
        "dataset": dataset.name,
        "queries": len(dataset.queries),
        **build_report(dataset, rankings),
        "notes": [
            *dataset.notes,
            *(f"answered without {name}: {counted(count, 'question')}" for name, count in missing),
        ],
        "chunks": index.chunks,
        "query_ms": (time.monotonic() - asked) * 1000 / len(dataset.queries),
        "seconds": round(time.monotonic() - started, 2),
    }


def ask(arms: QueryArms, dataset: Dataset, progress: Progress) -> dict[str, dict[str, list[str]]]:
    """
    Ask all questions of a dataset.

    :param arms: The pipeline.
    :param dataset: The questions.
    :param progress: Called with a step's name, what is done and what there is to do.
    :returns: Arm -> query id -> document ids, best first.
    """
    rankings: dict[str, dict[str, list[str]]] = {arm: {} for arm in ARMS}
    for done, query in enumerate(dataset.queries):
        progress(SEARCHING, done, len(dataset.queries))
        for arm, ranking in arms.run(query.text).items():
            rankings[arm][query.id] = _countable(ranking, query)
    progress(SEARCHING, len(dataset.queries), len(dataset.queries))
    return rankings


def _countable(ranking: list[str], query: Query) -> list[str]:
    return [doc_id for doc_id in ranking if doc_id != query.exclude_doc]

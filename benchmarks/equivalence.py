"""
Servers against embedded stores on the same questions: python -m benchmarks.equivalence [--json] [NAME...]

ELASTICSEARCH_URL (or OPENSEARCH_URL with --profile opensearch) and QDRANT_URL name the servers. Both indexes hold the
same vectors, and no arm is given up for being late: what differs is the stores' doing.
"""

import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from benchmarks.bars import SHARED, Bar, tell
from benchmarks.exact_numbers import chosen_numbers, numbered_records, written

SAME_TEN, SAME_FIRST, NDCG_DIFFERENCE = 0.95, 0.99, 0.002
_SHOWN = 10
_ALLOWED = "components.*,benchmarks.known_vectors"


@dataclass(frozen=True)
class Comparison:
    """
    What is asked of a pipeline.

    :param dataset: The set whose corpus is indexed.
    :param pipeline: The query pipeline.
    :param most: Ask a sample of so many; None: all.
    :param numbers: Ask for the corpus's section, statute and rule numbers, in all ways of writing, instead of the set's
        questions.
    """

    dataset: str
    pipeline: str
    most: int | None = None
    numbers: bool = False


COMPARISONS = {
    "mpep": Comparison("mpep", "mpep_query"),
    "mpep-numbers": Comparison("mpep", "mpep_query", 150, numbers=True),
    "usc35-numbers": Comparison("usc35", "mpep_query", 75, numbers=True),
    "cfr37-numbers": Comparison("cfr37", "mpep_query", 75, numbers=True),
    "jsquad": Comparison("jsquad", "rag_query", 500),
}
"""A new pipeline is one line."""


def measure(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help=f"Of {', '.join(COMPARISONS)}.")] = None,
    data: Annotated[Path, typer.Option(help="The folder that holds the sets.")] = SHARED / "eval",
    profile: Annotated[str, typer.Option(help="The servers' profile.")] = "cluster",
    cache: Annotated[Path | None, typer.Option(help="Where indexes are kept.")] = None,
    most: Annotated[int | None, typer.Option(help="Ask so many only.", show_default="by comparison")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Ask the same questions of both."""
    os.environ["HAYSTACK_DESERIALIZATION_ALLOWLIST"] = _ALLOWED
    from cli.output import progress_bars

    results: dict[str, Any] = {}
    bars: list[Bar] = []
    for name in names or COMPARISONS:
        with progress_bars(quiet=as_json) as progress:
            found = _compare(COMPARISONS[name], data, profile, cache, most, progress)
        results[name] = found
        bars.append(Bar(f"{name}: same ten documents", found["same_ten"], SAME_TEN))
        bars.append(Bar(f"{name}: same first document", found["same_first"], SAME_FIRST))
        if "ndcg" in found:
            difference = abs(found["ndcg"]["servers"] - found["ndcg"]["embedded"])
            bars.append(Bar(f"{name}: difference in nDCG@10", difference, NDCG_DIFFERENCE, most=True))
    raise typer.Exit(0 if tell("equivalence", results, bars, as_json) else 1)


def _compare(
    chosen: Comparison, data: Path, profile: str, cache: Path | None, most: int | None, progress: Any
) -> dict[str, Any]:
    from evaluation.arms import QueryArms
    from evaluation.datasets import load_dataset
    from evaluation.metrics import means, per_query
    from evaluation.scratch_index import build_scratch_index

    dataset = load_dataset(data / chosen.dataset)
    place = (dataset.corpus_path, dataset.name, chosen.pipeline)
    embedded = build_scratch_index(*place, "embedded", cache, False, progress)
    own_profile = _with_known_vectors(profile, embedded)
    servers = build_scratch_index(*place, own_profile, cache, False, progress)
    arms = {
        "embedded": QueryArms(chosen.pipeline, "embedded", embedded.settings),
        "servers": QueryArms(chosen.pipeline, own_profile, servers.settings),
    }
    asked = _asked(chosen, dataset, embedded.settings, most or chosen.most)
    rankings: dict[str, dict[str, list[str]]] = {side: {} for side in arms}
    for done, (query_id, text) in enumerate(asked.items()):
        progress("asking questions", done, len(asked))
        for side, arm in arms.items():
            rankings[side][query_id] = arm.run(text)["pipeline"]
    found = _differences(rankings["embedded"], rankings["servers"])
    if not chosen.numbers:
        values = {side: per_query(dataset.qrels, run, list(asked)) for side, run in rankings.items()}
        found["ndcg"] = {side: means(measured)["nDCG@10"] for side, measured in values.items()}
    return {**found, "degraded": {side: arm.degraded for side, arm in arms.items()}}


def _asked(chosen: Comparison, dataset: Any, settings: Any, most: int | None) -> dict[str, str]:
    """Queries by id; of more than are asked always the same ones."""
    if chosen.numbers:
        numbers = chosen_numbers(numbered_records(chosen.pipeline, "embedded", settings), most)
        return {query: query for scheme, number in numbers for query in written(scheme, number)}
    asked = {query.id: query.text for query in dataset.queries}
    if most is None or most >= len(asked):
        return asked
    return {name: asked[name] for name in random.Random(1).sample(list(asked), most)}


def _differences(one: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, Any]:
    """How many of two sides' rankings begin alike, and which don't."""
    ten = [name for name, ranking in one.items() if set(ranking[:10]) != set(other[name][:10])]
    first = [name for name, ranking in one.items() if ranking[:1] != other[name][:1]]
    return {
        "queries": len(one),
        "same_ten": round(1 - len(ten) / len(one), 4),
        "same_first": round(1 - len(first) / len(one), 4),
        "other_ten": {name: [one[name][:10], other[name][:10]] for name in ten[:_SHOWN]},
        "other_first": first[:_SHOWN],
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

"""
Every section, rule and statute number as the query, in three ways: python -m benchmarks.exact_numbers [--json] [DIR...]

The first hit must be of the record with that number. With sets of BEIR's layout as arguments it asks the indexes of
their corpora, otherwise the user's own.
"""

import random
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.bars import Bar, tell

_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
WRITINGS = {
    "MPEP": ("{n}", "MPEP § {n}", "mpep {w}"),
    "37CFR": ("37 CFR {n}", "rule {n}", "37 c.f.r. § {w}"),
    "35USC": ("35 U.S.C. {n}", "35 usc {n}", "３５ USC § {w}"),
}
_SHOWN = 20


def measure(
    sets: Annotated[list[Path] | None, typer.Argument(metavar="DIR", help="Sets in BEIR's layout.")] = None,
    pipeline: Annotated[str, typer.Option(help="The query pipeline.")] = "mpep_query",
    profile: Annotated[str | None, typer.Option(help="Which stores and models.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Where indexes of sets are kept.")] = None,
    numbers: Annotated[int | None, typer.Option(help="Try so many numbers only.", show_default="all")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Ask for every number and see what comes first."""
    from cli.output import progress_bars
    from evaluation.datasets import load_dataset
    from evaluation.scratch_index import build_scratch_index
    from pipelines.settings import Settings

    indexes: dict[str, Settings] = {}
    with progress_bars(quiet=as_json) as progress:
        for folder in sets or []:
            dataset = load_dataset(folder)
            scratch = build_scratch_index(dataset.corpus_path, dataset.name, pipeline, profile, cache, False, progress)
            indexes[dataset.name] = scratch.settings
    results: dict[str, Any] = {}
    bars: list[Bar] = []
    for name, settings in (indexes or {"own index": Settings()}).items():
        with progress_bars(quiet=as_json) as progress:
            found = _ask_all(pipeline, profile, settings, numbers, progress)
        results[name] = found
        bars.append(Bar(f"{name}: numbers that don't come first", found["wrong"], 0, most=True))
    raise typer.Exit(0 if tell("exact numbers", results, bars, as_json) else 1)


def numbered_records(pipeline: str, profile: str | None, settings: Any) -> dict[tuple[str, str], set[str]]:
    """
    All numbers of an index.

    :param pipeline: The query pipeline.
    :param profile: Which stores.
    :param settings: Where the index is.
    :returns: By scheme (a key of `WRITINGS`) and number, the ids of the records that have it.
    """
    from pipelines.loading import open_store, pipeline_path, read_yaml

    corpus = read_yaml(pipeline_path(pipeline, settings))["corpus"]
    records: dict[tuple[str, str], set[str]] = {}
    for document in open_store("parents", corpus, profile, settings).filter_documents():
        scheme = document.meta["source_id"].partition("-")[0]
        if scheme in WRITINGS and any(map(str.isdigit, document.meta["section"])):
            records.setdefault((scheme, document.meta["section"]), set()).add(document.meta["source_id"])
    return records


def chosen_numbers(records: Iterable[tuple[str, str]], numbers: int | None) -> list[tuple[str, str]]:
    """
    Some of the numbers, always the same ones.

    :param records: Schemes and numbers.
    :param numbers: How many; None: all.
    :returns: They, sorted.
    """
    wanted = sorted(records)
    return wanted if numbers is None else sorted(random.Random(1).sample(wanted, min(numbers, len(wanted))))


def written(scheme: str, number: str) -> list[str]:
    """
    The ways of writing a number.

    :param scheme: A key of `WRITINGS`.
    :param number: The number.
    :returns: Queries for it.
    """
    return [writing.format(n=number, w=number.translate(_FULL_WIDTH)) for writing in WRITINGS[scheme]]


def _ask_all(pipeline: str, profile: str | None, settings: Any, numbers: int | None, progress: Any) -> dict[str, Any]:
    from evaluation.arms import QueryArms

    records = numbered_records(pipeline, profile, settings)
    wanted = chosen_numbers(records, numbers)
    arms = QueryArms(pipeline, profile, settings)
    wrong: list[str] = []
    started = time.monotonic()
    for done, (scheme, section) in enumerate(wanted):
        progress("asking for numbers", done, len(wanted))
        for query in written(scheme, section):
            first = arms.run(query)["pipeline"][:1]
            if not first or first[0] not in records[scheme, section]:
                wrong.append(f"{query} -> {first[0] if first else 'nothing'}")
    asked = sum(len(WRITINGS[scheme]) for scheme, _ in wanted)
    seconds = time.monotonic() - started
    return {
        "numbers": len(wanted),
        "queries": asked,
        "wrong": len(wrong),
        "examples": wrong[:_SHOWN],
        "query_ms": round(seconds * 1000 / max(asked, 1), 1),
    }


if __name__ == "__main__":
    typer.run(measure)

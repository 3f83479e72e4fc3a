"""
What an index on servers takes: python -m benchmarks.scale [--json] [--chunks 1000000] [--vectors 50000]

Invented chunks of the size of real ones go into Elasticsearch (ELASTICSEARCH_URL) and a manifest by the project's own
write path, vectors into Qdrant's engine in a temporary folder, with the settings of the embedded store. The index on
the server is removed at the end.
"""

import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.bars import Bar, tell

CORPUS, PREFIX = "us-patent-law", "tansaku-scale"
_EVERY = 25_000


def measure(
    chunks: Annotated[int, typer.Option(help="How many chunks go into the keyword index.")] = 1_000_000,
    minutes: Annotated[float, typer.Option(help="Write no longer than this.")] = 240,
    vectors: Annotated[int, typer.Option(help="How many vectors are written.")] = 50_000,
    profile: Annotated[str, typer.Option(help="The server's profile.")] = "cluster",
    keep: Annotated[bool, typer.Option("--keep", help="Leave the index on the server.")] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Write and search."""
    from benchmarks.scale.vectors import vector_figures
    from pipelines.settings import Settings

    folder = Path(tempfile.mkdtemp(prefix="tansaku-bench-"))
    try:
        settings = Settings(data_dir=folder, index_prefix=PREFIX, generation=1)
        results = _keyword_figures(chunks, minutes, profile, settings, keep) if chunks else {}
        if vectors:
            results["vectors"] = vector_figures(folder / "vectors", vectors)
    finally:
        shutil.rmtree(folder)
    results["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    bars = [Bar("memory of the writing process, MiB", results["peak_mib"], 2048, most=True)]
    raise typer.Exit(0 if tell("scale", results, bars, as_json) else 1)


def _keyword_figures(wanted: int, minutes: float, profile: str, settings: Any, keep: bool) -> dict[str, Any]:
    from benchmarks.scale.chunks import SyntheticChunks
    from benchmarks.scale.keyword import QUESTIONS, WARM_UP, KeywordPass, search_times, size_of
    from benchmarks.scale.server import SearchServerFigures
    from pipelines.index_stores import open_stores
    from pipelines.loading import resolve
    from pipelines.manifest import Manifest
    from pipelines.manifest_database import manifest_place

    server = SearchServerFigures(os.environ["ELASTICSEARCH_URL"].split(",")[0])
    stores = open_stores(resolve("mpep_indexing", profile, settings))
    place = settings.index_dir(CORPUS) / "manifest.sqlite"
    place.parent.mkdir(parents=True)
    for name in ("keyword", "parents"):
        stores[name].remove()
    with Manifest(manifest_place(settings, CORPUS, 1)) as manifest:
        run = KeywordPass(stores["keyword"], stores["parents"], manifest)
        made, report = SyntheticChunks(), _Report(run)
        cpu = server.cpu_seconds()
        run.write(made, wanted, report, minutes)
        cpu = server.cpu_seconds() - cpu
    names = {"chunks": stores["keyword"].index, "records": stores["parents"].index}
    results: dict[str, Any] = {
        "written": run.counts,
        "seconds": {name: round(seconds, 1) for name, seconds in run.seconds.items()},
        "cpu_seconds": {
            **{name: round(seconds, 1) for name, seconds in run.cpu_seconds.items()},
            "server": round(cpu, 1),
        },
        "indexes": {kind: server.index(name) for kind, name in names.items()},
        "manifest_bytes": size_of(place),
        "every_25000_chunks": report.lines,
    }
    questions = made.questions(QUESTIONS + WARM_UP)
    results["search_ms"] = search_times(profile, settings, questions)
    for name in names.values():
        server.merge(name)
    results["merged"] = {kind: server.index(name) for kind, name in names.items()}
    results["fields"] = server.fields(names["chunks"])
    results["search_ms_merged"] = search_times(profile, settings, questions)
    results["server"] = server.memory()
    for name in () if keep else ("keyword", "parents"):
        stores[name].remove()
    return results


class _Report:
    """Says now and then how far it is."""

    def __init__(self, run: Any):
        self._run = run
        self._started = time.monotonic()
        self._next = _EVERY
        self.lines: list[tuple[int, float, float]] = []

    def __call__(self, done: int) -> None:
        if done >= self._next:
            self._next += _EVERY
            writing = sum(self._run.seconds[name] for name in ("chunks", "records", "manifest"))
            self.lines.append((done, round(time.monotonic() - self._started, 1), round(writing, 1)))
            seconds = {name: round(spent, 1) for name, spent in self._run.seconds.items()}
            sys.stderr.write(f"{done:,} chunks; seconds: {seconds}\n")


if __name__ == "__main__":
    typer.run(measure)

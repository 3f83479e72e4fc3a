"""
How fast the whole manual is indexed: python -m benchmarks.indexing [--json] [PATH...]

The keyword pass runs over everything, the vector pass over everything or, with --chunks, until that many are embedded.
"""

import resource
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.bars import SHARED, Bar, tell

SOURCES = [
    SHARED / "us-patent-law" / "uspto-mpep-html.tar.xz",
    SHARED / "us-patent-law" / "usc35-uslm-pl117-80.xml.xz",
    SHARED / "us-patent-law" / "federal-register" / "corpus.jsonl",
]
CORPUS = "us-patent-law"
_TURN = 128


class _EnoughError(Exception):
    """As many chunks are embedded as were asked for."""


def measure(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="PATH", help="Sources; the real ones by default.")
    ] = None,
    chunks: Annotated[int | None, typer.Option(help="Embed no more chunks than these.", show_default="all")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Index sources into a temporary folder and compare the embedding rate with the bare embedder's."""
    from pipelines.corpora import get_corpus
    from pipelines.indexing import IndexRun
    from pipelines.loading import instantiate, resolve
    from pipelines.settings import Settings

    class TemporarySettings(Settings):
        models: Path

        @property
        def models_dir(self) -> Path:
            return self.models

    folder = Path(tempfile.mkdtemp(prefix="tansaku-bench-"))
    try:
        settings = TemporarySettings(data_dir=folder, models=Settings().models_dir)
        embedder = instantiate(resolve("mpep_indexing", settings=settings)["components"]["embedder"])
        embedder.warm_up()
        started, report = time.monotonic(), IndexRun(get_corpus(CORPUS), settings).run(paths or SOURCES, vectors=False)
        keyword_seconds = time.monotonic() - started
        passed = _vector_pass(settings, embedder, chunks)
    finally:
        shutil.rmtree(folder)
    peaks = (resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    results: dict[str, Any] = {
        "sections": report.sections,
        "chunks": report.chunks,
        "unread": [f"{failure.origin}: {failure.reason}" for failure in report.failures[:10]],
        "keyword_seconds": round(keyword_seconds, 1),
        **passed,
        "vectors_minutes": round(report.chunks / passed["chunks_per_second"] / 60, 1),
        "peak_mib": dict(zip(("self", "largest_child"), peaks, strict=True)),
    }
    bars = [
        Bar("keyword pass, seconds", keyword_seconds, 60, most=True),
        Bar("unread sources", len(report.failures), 0, most=True),
        Bar(
            "embedding rate, share of the bare embedder's",
            passed["chunks_per_second"] / passed["bare_chunks_per_second"],
            0.85,
        ),
        Bar("all vectors, minutes", report.chunks / passed["chunks_per_second"] / 60, 10, most=True),
        Bar("memory, MiB", results["peak_mib"]["self"], 2048, most=True),
    ]
    raise typer.Exit(0 if tell("indexing", results, bars, as_json) else 1)


def _vector_pass(settings: Any, embedder: Any, most: int | None) -> dict[str, float]:
    """
    Embed, in turns with the bare embedder on chunks that were just embedded: whatever else the machine does meets both.

    Loading the model is no part of the rate.
    """
    from pipelines.corpora import get_corpus
    from pipelines.embedding import EMBEDDING
    from pipelines.indexing import IndexRun
    from pipelines.loading import open_store

    keyword, vector = (open_store(name, CORPUS, settings=settings) for name in ("keyword", "vector"))
    seen: set[str] = set()
    bare_chunks = done_before = 0
    bare_seconds = pass_seconds = pass_cpu = 0.0
    started = cpu = 0.0

    def progress(step: str, done: int, total: int | None) -> None:
        nonlocal bare_chunks, bare_seconds, pass_seconds, pass_cpu, started, cpu, done_before
        if step != EMBEDDING:
            return
        if started:
            pass_seconds += time.monotonic() - started
            pass_cpu += time.process_time() - cpu
        done_before = done
        if most is not None and done >= most:
            raise _EnoughError
        new = sorted(set(vector.ids(None)) - seen)
        if len(new) >= _TURN:
            seen.update(new)
            sample = keyword.get_many(new[:: len(new) // _TURN][:_TURN])
            turn = time.monotonic()
            embedder.run(documents=sample)
            bare_seconds += time.monotonic() - turn
            bare_chunks += len(sample)
        started, cpu = time.monotonic(), time.process_time()

    with suppress(_EnoughError):
        IndexRun(get_corpus(CORPUS), settings, progress=progress).run()
    return {
        "embedded": done_before,
        "chunks_per_second": done_before / pass_seconds,
        "busy_cores": round(pass_cpu / pass_seconds, 2),
        "bare_chunks_per_second": bare_chunks / bare_seconds,
    }


if __name__ == "__main__":
    typer.run(measure)

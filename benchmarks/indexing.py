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
_BARE_CHUNKS = 512


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
    from pipelines.loading import instantiate, open_store, resolve
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
        passed = _vector_pass(settings, chunks)
        # The same chunks, because long ones take longer.
        embedded = sorted(open_store("vector", CORPUS, settings=settings).ids(None))
        sample = embedded[:: max(1, len(embedded) // _BARE_CHUNKS)][:_BARE_CHUNKS]
        bare = _rate(embedder, open_store("keyword", CORPUS, settings=settings).get_many(sample))
    finally:
        shutil.rmtree(folder)
    peaks = (resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    results: dict[str, Any] = {
        "sections": report.sections,
        "chunks": report.chunks,
        "unread": [f"{failure.origin}: {failure.reason}" for failure in report.failures[:10]],
        "keyword_seconds": round(keyword_seconds, 1),
        "bare_chunks_per_second": round(bare, 1),
        **passed,
        "vectors_minutes": round(report.chunks / passed["chunks_per_second"] / 60, 1),
        "peak_mib": dict(zip(("self", "largest_child"), peaks, strict=True)),
    }
    bars = [
        Bar("keyword pass, seconds", keyword_seconds, 60, most=True),
        Bar("unread sources", len(report.failures), 0, most=True),
        Bar("embedding rate, share of the bare embedder's", passed["chunks_per_second"] / bare, 0.85),
        Bar("all vectors, minutes", report.chunks / passed["chunks_per_second"] / 60, 10, most=True),
        Bar("memory, MiB", results["peak_mib"]["self"], 2048, most=True),
    ]
    raise typer.Exit(0 if tell("indexing", results, bars, as_json) else 1)


def _rate(embedder: Any, documents: list[Any]) -> float:
    """Documents a second, all of them in one call."""
    started = time.monotonic()
    embedder.run(documents=documents)
    return len(documents) / (time.monotonic() - started)


def _vector_pass(settings: Any, most: int | None) -> dict[str, float]:
    """Embed, and measure from the first batch on: loading the model is no part of the rate."""
    from pipelines.corpora import get_corpus
    from pipelines.embedding import EMBEDDING
    from pipelines.indexing import IndexRun

    marks: list[tuple[int, float, float]] = []

    def progress(step: str, done: int, total: int | None) -> None:
        if step == EMBEDDING:
            marks.append((done, time.monotonic(), time.process_time()))
            if most is not None and done >= most:
                raise _EnoughError

    with suppress(_EnoughError):
        IndexRun(get_corpus(CORPUS), settings, progress=progress).run()
    (first, started, cpu), (last, ended, cpu_ended) = marks[0], marks[-1]
    return {
        "embedded": last - first,
        "chunks_per_second": (last - first) / (ended - started),
        "busy_cores": round((cpu_ended - cpu) / (ended - started), 2),
    }


if __name__ == "__main__":
    typer.run(measure)

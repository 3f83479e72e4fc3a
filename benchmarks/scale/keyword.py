"""The keyword pass over invented chunks: written as an index run does, then searched."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from benchmarks.scale.chunks import SyntheticBatch, SyntheticChunks
from pipelines.index_stores import INDEXING_TIMEOUT
from pipelines.loading import build, resolve, without
from pipelines.manifest import Manifest, Outcome
from pipelines.production import chunk_row
from pipelines.settings import Settings

QUESTIONS, WARM_UP = 300, 50


class KeywordPass:
    """
    Writes batches of chunks and records into keyword stores and a manifest, and notes what each takes.

    Usage example:
    ```python
    KeywordPass(stores["keyword"], stores["parents"], manifest).write(SyntheticChunks(), 1_000_000, print, minutes=60)
    ```

    :param chunks: The store of chunks.
    :param records: The store of whole records.
    :param manifest: The index's manifest.
    """

    def __init__(self, chunks: Any, records: Any, manifest: Manifest):
        self._stores = {"chunks": chunks, "records": records}
        self._manifest = manifest
        steps = ("making them up", "chunks", "records", "manifest")
        self.seconds = dict.fromkeys(steps, 0.0)
        self.cpu_seconds = dict.fromkeys(steps, 0.0)
        self.counts = {"chunks": 0, "records": 0}

    def write(self, made: SyntheticChunks, wanted: int, progress: Callable[[int], None], minutes: float) -> None:
        """
        Write batches until there are enough chunks, or time is over.

        :param made: Where they come from.
        :param wanted: How many chunks.
        :param progress: Called after each batch with their number so far.
        :param minutes: How long to write.
        """
        number, end = 0, time.monotonic() + 60 * minutes
        while self.counts["chunks"] < wanted and time.monotonic() < end:
            with self._timed("making them up"):
                batch = made.batch(number)
            self._write(batch, f"{number:06d}.html")
            number += 1
            progress(self.counts["chunks"])

    def _write(self, batch: SyntheticBatch, origin: str) -> None:
        """What `IndexRun` does with a batch of sources."""
        claims = {(origin, record.id): 30 for record in batch.records}
        with self._timed("manifest"):
            insert = "INSERT INTO sources (origin, file, name, digest, state) VALUES (?, ?, ?, '', 'pending')"
            self._manifest.change(insert, origin, origin, origin)
            plan = self._manifest.plan([origin], claims)
            rows = [chunk_row(chunk) for chunk in batch.chunks]
            self._manifest.begin([origin], claims, plan, rows)
        for name, documents in (("chunks", batch.chunks), ("records", batch.records)):
            with self._timed(name), self._stores[name].batch():
                self._stores[name].delete_where(_written_before(batch.records))
                self._stores[name].write_documents(documents, DuplicatePolicy.OVERWRITE)
            self.counts[name] += len(documents)
        with self._timed("manifest"):
            self._manifest.finish([Outcome(origin, "0" * 64, "mpep_html")], claims, plan, rows)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started, cpu = time.monotonic(), time.process_time()
        yield
        self.seconds[name] += time.monotonic() - started
        self.cpu_seconds[name] += time.process_time() - cpu


def _written_before(records: Sequence[Document]) -> dict[str, Any]:
    return {"field": "meta.source_id", "operator": "in", "value": [record.id for record in records]}


def search_times(profile: str, settings: Settings, questions: Sequence[str]) -> dict[str, Any]:
    """
    Time the keyword arm, one question after the other.

    :param profile: The servers' profile.
    :param settings: Which index.
    :param questions: What to ask; the first fifty are not counted.
    :returns: "p50", "p95", "p99" in milliseconds and "found", how many chunks a question finds.
    """
    definition = resolve("mpep_query", profile, settings)
    others = [name for name in definition["components"] if name not in ("analyzer", "keyword_retriever")]
    definition = without(definition, others)
    # Here a slow answer is to be seen, not to be given up.
    limited = definition["components"]["keyword_retriever"]["init_parameters"]
    limited["timeout"] = None
    for store in ("document_store", "parent_store"):
        limited[store]["init_parameters"]["search_timeout"] = INDEXING_TIMEOUT
    pipeline = build(definition)
    pipeline.warm_up()
    analyzer, retriever = (pipeline.get_component(name) for name in ("analyzer", "keyword_retriever"))
    times, found = [], []
    for question in questions:
        analysis = analyzer.run(query=question)["analysis"]  # type: ignore[attr-defined]
        started = time.perf_counter()
        answer = retriever.run(analysis=analysis)  # type: ignore[attr-defined]
        times.append(1000 * (time.perf_counter() - started))
        found.append(sum(len(ranking.entries) for ranking in answer["rankings"]))
    percentiles = np.percentile(times[WARM_UP:], (50, 95, 99))
    named = {name: round(float(value), 1) for name, value in zip(("p50", "p95", "p99"), percentiles, strict=True)}
    return {**named, "found": float(np.mean(found))}


def size_of(path: Path) -> int:
    """
    What a file or folder takes on disk; room that is only reserved doesn't count.

    :param path: The file or folder.
    :returns: Bytes.
    """
    return sum(
        512 * file.stat().st_blocks for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()
    )

"""Builds and updates the index of a corpus: `tansaku index`."""

import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines import PROJECT
from pipelines.corpora import Corpus
from pipelines.embedding import VectorPass
from pipelines.index_lock import index_lock
from pipelines.index_report import IndexReport, source_reports, under
from pipelines.loading import build, prepare_haystack, resolve, without
from pipelines.manifest import Manifest, Outcome, Plan, read_path
from pipelines.production import EMBEDDER, KEYWORD_WRITER, PARENTS_WRITER, VECTOR_WRITER, Produced, produce
from pipelines.scanning import Progress, Scanner
from pipelines.settings import Settings
from pipelines.sources import Source, SourceFile, read_sources

prepare_haystack()

if TYPE_CHECKING:
    from haystack.dataclasses import ByteStream

logger = logging.getLogger(__name__)

INDEXING, REMOVING = "indexing sources", "removing sources"
BATCH_SOURCES, BATCH_BYTES = 32, 2 << 20
# Starting a process takes about two seconds, so a few small sources are converted here.
POOL_BYTES = 4 << 20
_ANALYSIS_PACKAGES = ("analysis", "converters", "splitters")


def _no_progress(step: str, done: int, total: int | None) -> None:
    pass


class IndexRun:
    """
    One run over a corpus's index. Whatever moment a run is killed at, the next one finishes its work.

    Usage example:
    ```python
    report = IndexRun(get_corpus("us-patent-law")).run([Path("uspto-mpep-html.tar.xz")])
    report.chunks, report.failures
    ```

    :param corpus: What to index.
    :param settings: Where the index is; read from the environment by default.
    :param profile: Which stores and embedder; that of the settings by default.
    :param progress: Called with a step's name, what is done and what there is to do.
    :param workers: Processes that convert sources; one a core by default.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings | None = None,
        profile: str | None = None,
        progress: Progress = _no_progress,
        workers: int | None = None,
    ):
        self._corpus = corpus
        self._settings = settings or Settings()
        self._definition = resolve(corpus.indexing, profile, self._settings, corpus.name)
        self._progress = progress
        self._workers = workers or len(os.sched_getaffinity(0))
        self._folder = self._settings.index_dir(corpus.name)
        self._changed: set[str] = set()
        self._removed = 0
        self._seconds: dict[str, float] = {}

    def run(self, paths: list[Path] | None = None, *, vectors: bool = True, prune: bool = False) -> IndexReport:
        """
        Bring the index up to date.

        :param paths: Files, folders and archives to look at; without any, only unfinished work is done.
        :param vectors: Embed the chunks, too; otherwise a later run does.
        :param prune: Take out all that is not under `paths`.
        :returns: What was found and done.
        :raises IndexLockedError: When another process writes this index.
        :raises ArgumentError: When a path does not exist.
        """
        paths = paths or []
        with ExitStack() as stack:
            stack.enter_context(index_lock(self._folder, self._corpus.name))
            self._manifest = stack.enter_context(Manifest(self._folder / "manifest.sqlite"))
            self._replace_changed_stores()
            self._open_stores()
            for writer in self._writers.values():
                stack.callback(writer.document_store.close)
            self._expire()
            with self._timed("reading"):
                notes = Scanner(self._manifest, self._corpus, self._progress).scan(paths, prune) if paths else []
            with self._timed("keyword"):
                self._remove_gone()
                self._index_pending()
            self._set_version()
            vector_pass = self._vector_pass()
            if vector_pass:
                stack.callback(vector_pass.close)
                vector_pass.check()
                vector_pass.remove_stale()
                if vectors:
                    with self._timed("vectors"):
                        vector_pass.run(self._progress)
            if self._count_stored() != self._manifest.count_chunks():
                notes.append(f"the stores are not what they should be; see: tansaku doctor {self._corpus.name}")
            return self._report(paths, notes)

    def _report(self, paths: list[Path], notes: list[str]) -> IndexReport:
        info = self._manifest.info()
        return IndexReport(
            corpus=self._corpus.name,
            corpus_version=info.corpus_version,
            editions=info.editions,
            sources=under(source_reports(self._manifest, self._changed), paths),
            removed=self._removed,
            sections=info.sections,
            chunks=info.chunks,
            vectors=info.vectors,
            notes=notes,
            seconds={name: round(seconds, 2) for name, seconds in self._seconds.items()},
        )

    def _open_stores(self) -> None:
        writers = [name for name in (KEYWORD_WRITER, PARENTS_WRITER) if name in self._definition["components"]]
        others = [name for name in self._definition["components"] if name not in writers]
        pipeline = build(without(self._definition, others))
        self._writers: dict[str, Any] = {name: pipeline.get_component(name) for name in writers}

    def _vector_pass(self) -> VectorPass | None:
        if not {EMBEDDER, VECTOR_WRITER} <= set(self._definition["components"]):
            return None
        return VectorPass(self._manifest, self._definition, self._writers[KEYWORD_WRITER].document_store.get_many)

    def _replace_changed_stores(self) -> None:
        """A store that the profile defines otherwise than before starts anew: fields can't be added to an index."""
        for name in (KEYWORD_WRITER, PARENTS_WRITER, VECTOR_WRITER):
            spec = self._definition["components"].get(name, {}).get("init_parameters", {}).get("document_store")
            before, now = self._manifest.fact(name), self._portable(spec)
            path = Path((spec or {}).get("init_parameters", {}).get("path") or self._folder)
            if before and before != now and path.is_relative_to(self._folder) and path != self._folder:
                logger.warning("The store behind %s is defined otherwise than before; it is built anew", name)
                with self._manifest.transaction():
                    if name == VECTOR_WRITER:
                        self._manifest.change("UPDATE chunks SET vector_text = NULL, vector_meta = NULL")
                    else:
                        self._manifest.change(
                            "UPDATE sources SET state = 'pending' WHERE state = 'done' AND digest != ''"
                        )
                shutil.rmtree(path, ignore_errors=True)
            if before != now:
                self._manifest.set_fact(name, now)

    def _expire(self) -> None:
        """Everything is indexed again when the pipeline, the code behind it or the stores are not what they were."""
        manifest = self._manifest
        produced = self._fingerprint()
        is_lost = manifest.count_chunks() > 0 and self._count_stored() == 0
        if is_lost:
            logger.warning("The keyword store is empty; all sources are indexed again")
        with manifest.transaction():
            if is_lost or manifest.fact("pipeline") != produced:
                manifest.change("UPDATE sources SET state = 'pending' WHERE state = 'done' AND digest != ''")
                manifest.set_fact("pipeline", produced)
            embedder = self._portable(self._definition["components"].get(EMBEDDER))
            if manifest.fact("embedder") != embedder:
                manifest.change("UPDATE chunks SET vector_text = NULL, vector_meta = NULL")
                manifest.set_fact("embedder", embedder)

    def _count_stored(self) -> int:
        return int(self._writers[KEYWORD_WRITER].document_store.count_documents())

    def _remove_gone(self) -> None:
        gone = [row["origin"] for row in self._manifest.rows("SELECT origin FROM sources WHERE state = 'gone'")]
        for start in range(0, len(gone), BATCH_SOURCES * 8):
            self._progress(REMOVING, start, len(gone))
            batch = gone[start : start + BATCH_SOURCES * 8]
            self._write([Outcome(origin, "") for origin in batch], Produced(), gone=True)
        self._removed = len(gone)

    def _index_pending(self) -> None:
        """Index what is pending, and what becomes pending because a better edition of a record went away."""
        tried: set[str] = set()
        while pending := self._pending(tried):
            size = sum(row["size"] or 0 for row in {row["file"]: row for row in pending}.values())
            workers = self._workers if size > POOL_BYTES or len(pending) > 4 * BATCH_SOURCES else 1
            done = 0
            for batch, produced in produce(self._definition, self._batches(pending, tried), workers):
                self._progress(INDEXING, done, len(pending))
                self._write(_outcomes(batch, produced), produced)
                done += len(batch)
            self._progress(INDEXING, len(pending), len(pending))

    def _pending(self, tried: set[str]) -> list[Any]:
        rows = self._manifest.rows(
            "SELECT s.origin, s.file, s.kind, f.path, f.size FROM sources s LEFT JOIN files f ON f.key = s.file"
            " WHERE s.state = 'pending' ORDER BY s.file, s.origin"
        )
        return [row for row in rows if row["origin"] not in tried]

    def _batches(self, pending: list[Any], tried: set[str]) -> "Iterator[list[ByteStream]]":
        """
        The pending sources, kinds with the best editions first: so hardly anything is written twice.

        :param tried: Gets the origins that could not be read, which would come up again for ever.
        """
        from haystack.dataclasses import ByteStream

        batch: list[ByteStream] = []
        size = 0
        kinds = sorted({row["kind"] for row in pending}, key=self._corpus.rank)
        for kind in kinds:
            files: dict[str, tuple[Path, set[str]]] = {}
            for row in pending:
                if row["kind"] == kind:
                    files.setdefault(row["file"], (read_path(row["path"] or ""), set()))[1].add(row["origin"])
            for key, (path, origins) in files.items():
                for source in self._read(SourceFile(path, key), origins, tried):
                    batch.append(self._stream(source))
                    size += len(source.data)
                    if len(batch) == BATCH_SOURCES or size > BATCH_BYTES:
                        yield batch
                        batch, size = [], 0
        if batch:
            yield batch

    def _read(self, file: SourceFile, origins: set[str], tried: set[str]) -> Iterator[Source]:
        missing = set(origins)
        reason = "is not there any more; give its path again"
        for source in read_sources(file):
            if source.origin in missing and not source.reason:
                missing.discard(source.origin)
                yield source
            elif source.reason and source.origin in (*missing, file.key):
                reason = source.reason
        tried |= missing
        self._manifest.change(
            "UPDATE sources SET unreadable = ? WHERE origin IN (SELECT value FROM json_each(?))", reason, list(missing)
        )

    def _stream(self, source: Source) -> "ByteStream":
        from haystack.dataclasses import ByteStream

        recognition = self._corpus.recognize(source.data, source.name)
        digest = source.digest
        meta = {
            "origin": source.origin,
            "file": source.name,
            "kind": recognition.kind,
            "detail": recognition.detail,
            "digest": digest,
            "corpus_version": digest[:12],
        }
        return ByteStream(source.data, meta=meta)

    def _write(self, outcomes: list[Outcome], produced: Produced, gone: bool = False) -> None:
        """Put what a batch of sources gave into the keyword stores, then into the manifest."""
        origins = [outcome.origin for outcome in outcomes]
        claims: dict[tuple[str, str], int] = {
            (str(document.meta["origin"]), str(document.meta["source_id"])): int(document.meta.get("precedence", 0))
            for document in (*produced.chunks, *produced.records)
        }
        plan = self._manifest.plan(origins, claims)
        self._manifest.begin(origins, claims)
        keep = {KEYWORD_WRITER: produced.chunks, PARENTS_WRITER: produced.records}
        for name, writer in self._writers.items():
            with ExitStack() as stack:
                stack.enter_context(writer.document_store.batch())
                writer.document_store.delete_where(_written_before(origins, plan))
                documents = [d for d in keep[name] if plan.winners.get(d.meta["source_id"]) == d.meta["origin"]]
                if documents:
                    writer.run(documents=documents)
        rows = [row for row in produced.rows if plan.winners.get(row.source_id) == row.origin]
        self._manifest.finish(outcomes, claims, plan, rows, gone)
        self._changed |= set(origins)

    def _set_version(self) -> None:
        """The version changes with the index's content only: the day of the change and a hash over all chunks."""
        digest = hashlib.sha256()
        for row in self._manifest.rows(
            "SELECT id, text_hash, meta_hash FROM chunks WHERE text_hash IS NOT NULL ORDER BY id"
        ):
            digest.update("\t".join(row).encode() + b"\n")
        content = digest.hexdigest()[:10]
        if not self._manifest.fact("corpus_version").endswith(content):
            self._manifest.set_fact("corpus_version", f"{datetime.now(UTC):%Y-%m-%d}-{content}")

    def _fingerprint(self) -> str:
        """A hash that changes when sources would give other chunks: of the pipeline and of the code that it runs."""
        relevant = without(self._definition, (EMBEDDER, VECTOR_WRITER))
        digest = hashlib.sha256(self._portable(relevant).encode())
        for package in _ANALYSIS_PACKAGES:
            for file in sorted((PROJECT / "components" / package).rglob("*.py")):
                digest.update(file.name.encode() + file.read_bytes())
        return digest.hexdigest()

    def _portable(self, value: Any) -> str:
        """A part of the definition as text, without the place of the data, so that moving it changes nothing."""
        text = json.dumps(value, sort_keys=True)
        return text.replace(str(self._folder), "").replace(str(self._settings.models_dir), "")

    def _timed(self, name: str) -> "_Timer":
        return _Timer(self._seconds, name)


class _Timer:
    """Notes how long a block took."""

    def __init__(self, seconds: dict[str, float], name: str):
        self._seconds, self._name = seconds, name

    def __enter__(self) -> None:
        self._start = time.monotonic()

    def __exit__(self, *exception: object) -> None:
        self._seconds[self._name] = time.monotonic() - self._start


def _written_before(origins: list[str], plan: Plan) -> dict[str, Any]:
    """Matches what the stores hold of a batch's sources, and of the records that it takes over from others."""
    own = {"field": "meta.origin", "operator": "in", "value": origins}
    taken = {"field": "meta.source_id", "operator": "in", "value": sorted(plan.winners)}
    return {"operator": "OR", "conditions": [own, taken]} if plan.winners else own


def _outcomes(batch: "list[ByteStream]", produced: Produced) -> list[Outcome]:
    """What became of each source of a batch."""
    reasons: dict[str, str] = {}
    for origin, reason in produced.failures:
        reasons[origin] = f"{reasons[origin]}; {reason}" if origin in reasons else reason
    editions: dict[str, str] = {}
    for document in produced.chunks:
        editions.setdefault(document.meta["origin"], str(document.meta.get("edition") or ""))
    outcomes = []
    for stream in batch:
        origin, kind, detail = (stream.meta[name] for name in ("origin", "kind", "detail"))
        outcome = Outcome(
            origin, stream.meta["digest"], kind, detail, editions.get(origin, ""), reasons.get(origin, "")
        )
        outcomes.append(outcome if kind else replace(outcome, reason=detail or "is of no kind that is known"))
    return outcomes

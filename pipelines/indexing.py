"""Builds and updates the index of a corpus: `tansaku index`."""

import os
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pipelines.corpora import Corpus
from pipelines.earlier_vectors import EarlierVectors
from pipelines.embedding import VectorPass
from pipelines.free_space import full_disk_named, require_space, space_for_sources
from pipelines.generations import chosen_generation, chosen_manifest
from pipelines.index_lock import index_lock
from pipelines.index_report import IndexReport, source_reports, under
from pipelines.index_stores import patient
from pipelines.index_versions import IndexVersions
from pipelines.loading import build, prepare_haystack, resolve, without
from pipelines.manifest import Manifest, Outcome, Plan
from pipelines.pending_sources import PendingSources, outcomes
from pipelines.production import EMBEDDER, KEYWORD_WRITER, PARENTS_WRITER, VECTOR_WRITER, Produced, produce
from pipelines.scanning import Progress, Scanner, no_progress
from pipelines.settings import Settings
from pipelines.shards import WHOLE, Shard, check_shard
from pipelines.sources import PACKED_SUFFIXES
from pipelines.store_damage import damage_named
from pipelines.vector_recipe import VectorRecipe

prepare_haystack()

INDEXING, REMOVING = "indexing sources", "removing sources"
BATCH_REMOVED = 256
# Starting a process takes about two seconds, so a few small sources are converted here.
_MEMBERS = "SELECT file, count(*) AS count FROM sources GROUP BY file"
POOL_BYTES, POOL_SOURCES = 4 << 20, 128


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
    :param shard: The part of the sources that the run is about; runs over the other parts may go on beside it.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings | None = None,
        profile: str | None = None,
        progress: Progress = no_progress,
        workers: int | None = None,
        shard: Shard = WHOLE,
    ):
        self._corpus = corpus
        self._settings = settings or Settings()
        self._profile = profile
        self._shard = shard
        self._progress = progress
        self._workers = workers or len(os.sched_getaffinity(0))
        self._changed: set[str] = set()
        self._stores: dict[str, Any] = {}
        self._removed = 0
        self._seconds: dict[str, float] = {}

    def run(
        self,
        paths: list[Path] | None = None,
        *,
        vectors: bool = True,
        prune: bool = False,
        renew_vectors: bool = False,
    ) -> IndexReport:
        """
        Bring the index up to date.

        :param paths: Files, folders and archives to look at; without any, only unfinished work is done.
        :param vectors: Embed the chunks, too; otherwise a later run does.
        :param prune: Take out all that is not under `paths`.
        :param renew_vectors: Make all vectors anew if another embedder made those that are there.
        :returns: What was found and done.
        :raises EmbedderChangedError: When another embedder made them and they shall not be made anew.
        :raises IndexLockedError: When another process writes this index.
        :raises IndexDamagedError: When files of it are damaged.
        :raises ArgumentError: When a path does not exist.
        :raises DiskFullError: When there is too little room; what was done so far is kept.
        """
        with index_lock(self._settings, self._corpus.name, None if self._shard == WHOLE else self._shard):
            return self.run_locked(paths or [], vectors=vectors, prune=prune, renew_vectors=renew_vectors)

    def run_locked(
        self,
        paths: list[Path],
        *,
        vectors: bool = True,
        prune: bool = False,
        renew_vectors: bool = False,
        earlier: EarlierVectors | None = None,
    ) -> IndexReport:
        """
        The same as `run`, for those who hold the index's lock.

        :param earlier: Vectors of another generation, which needn't be made again.
        """
        generation = chosen_generation(self._settings, self._corpus.name)
        self._settings = self._settings.of_generation(generation)
        self._definition = resolve(self._corpus.indexing, self._profile, self._settings, self._corpus.name)
        check_shard(self._shard, self._settings, self._definition, prune)
        self._folder = self._settings.generation_dir(self._corpus.name, generation)
        self._folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            require_space(self._folder, 0)
            stack.enter_context(full_disk_named(self._folder))
            stack.enter_context(damage_named(self._corpus.name, lambda: self._stores))
            self._manifest = stack.enter_context(Manifest(chosen_manifest(self._settings, self._corpus.name)))
            versions = IndexVersions(self._manifest, self._definition, self._settings, self._corpus.name)
            with self._manifest.turn():
                if not renew_vectors:
                    versions.refuse_other_embedder()
                versions.replace_changed_stores()
                self._open_stores()
                for writer in self._writers.values():
                    stack.callback(writer.document_store.close)
                versions.expire(self._count_stored())
            with self._timed("reading"):
                scanner = Scanner(self._manifest, self._corpus, self._progress, self._shard)
                notes = scanner.scan(paths, prune) if paths else []
            with self._timed("keyword"):
                self._remove_gone()
                self._index_pending()
            with self._manifest.turn():
                versions.set_corpus_version()
            vector_pass = self._vector_pass()
            if vector_pass:
                self._stores["vector"] = vector_pass.store
                stack.callback(vector_pass.close)
                recipe = VectorRecipe.of(self._definition, self._settings, self._corpus.name)
                with self._manifest.turn():
                    notes += vector_pass.renew(recipe)
                    vector_pass.remove_outdated(self._progress)
                    vector_pass.check()
                vector_pass.refresh(self._progress)
                if vectors:
                    notes += vector_pass.take_over(earlier, recipe, self._progress) if earlier else []
                    with self._timed("vectors"):
                        vector_pass.run(self._progress)
            with self._manifest.turn():
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
        pipeline = build(patient(without(self._definition, others)))
        self._writers: dict[str, Any] = {name: pipeline.get_component(name) for name in writers}
        self._stores = {name.removesuffix("_writer"): self._writers[name].document_store for name in writers}

    def _vector_pass(self) -> VectorPass | None:
        if not {EMBEDDER, VECTOR_WRITER} <= set(self._definition["components"]):
            return None
        return VectorPass(
            self._manifest,
            self._definition,
            self._writers[KEYWORD_WRITER].document_store.get_many,
            self._corpus.name,
            self._shard,
        )

    def _count_stored(self) -> int:
        return int(self._writers[KEYWORD_WRITER].document_store.count_documents())

    def _remove_gone(self) -> None:
        rows = self._manifest.rows("SELECT origin FROM sources WHERE state = 'gone'")
        gone = [row["origin"] for row in rows if self._shard.owns(row["origin"])]
        for start in range(0, len(gone), BATCH_REMOVED):
            self._progress(REMOVING, start, len(gone))
            batch = gone[start : start + BATCH_REMOVED]
            self._write([Outcome(origin, "") for origin in batch], Produced(), gone=True)
        self._removed = len(gone)

    def _index_pending(self) -> None:
        """Index what is pending, and what becomes pending because a better edition of a record went away."""
        waiting = PendingSources(self._manifest, self._corpus, self._shard)
        while pending := waiting.rows():
            size = self._require_space_for(pending)
            workers = self._workers if size > POOL_BYTES or len(pending) > POOL_SOURCES else 1
            done = 0
            for batch, produced in produce(self._definition, waiting.batches(pending), workers):
                self._progress(INDEXING, done, len(pending))
                self._write(outcomes(batch, produced), produced)
                done += len(batch)
            self._progress(INDEXING, len(pending), len(pending))

    def _require_space_for(self, pending: list[Any]) -> int:
        """The size of the files of pending sources, after making sure that there is room for their chunks."""
        members = Counter(row["file"] for row in pending)
        every = {row["file"]: row["count"] for row in self._manifest.rows(_MEMBERS)}
        needed = 0
        files = {row["file"]: row for row in pending}
        for name, row in files.items():
            packed = "!" in row["origin"] or name.endswith(PACKED_SUFFIXES)
            needed += space_for_sources(row["size"] or 0, packed) * members[name] // every[name]
        require_space(self._folder, needed)
        return sum(row["size"] or 0 for row in files.values())

    def _write(self, results: list[Outcome], produced: Produced, gone: bool = False) -> None:
        """Put what a batch of sources gave into the keyword stores, then into the manifest."""
        origins = [outcome.origin for outcome in results]
        claims: dict[tuple[str, str], int] = {
            (str(document.meta["origin"]), str(document.meta["source_id"])): int(document.meta.get("precedence", 0))
            for document in (*produced.chunks, *produced.records)
        }
        require_space(self._folder, space_for_sources(sum(len(chunk.content or "") for chunk in produced.chunks)))
        with self._manifest.turn():
            self._put(results, produced, claims, gone)
        self._changed |= set(origins)

    def _put(self, results: list[Outcome], produced: Produced, claims: dict[tuple[str, str], int], gone: bool) -> None:
        origins = [outcome.origin for outcome in results]
        plan = self._manifest.plan(origins, claims)
        rows = [row for row in produced.rows if plan.winners.get(row.source_id) == row.origin]
        self._manifest.begin(origins, claims, plan, rows)
        keep = {KEYWORD_WRITER: produced.chunks, PARENTS_WRITER: produced.records}
        for name, writer in self._writers.items():
            with ExitStack() as stack:
                stack.enter_context(writer.document_store.batch())
                writer.document_store.delete_where(_written_before(origins, plan))
                documents = [d for d in keep[name] if plan.winners.get(d.meta["source_id"]) == d.meta["origin"]]
                if documents:
                    writer.run(documents=documents)
        self._manifest.finish(results, claims, plan, rows, gone)

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

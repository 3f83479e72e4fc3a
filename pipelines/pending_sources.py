"""The sources that wait to be indexed, read in batches."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.corpora import NO_SOURCE, Corpus
from pipelines.loading import prepare_haystack
from pipelines.manifest import Manifest, Outcome
from pipelines.manifest_database import read_path
from pipelines.production import Produced
from pipelines.shards import WHOLE, Shard
from pipelines.sources import Source, SourceFile, read_sources

prepare_haystack()

if TYPE_CHECKING:
    from haystack.dataclasses import ByteStream

BATCH_SOURCES, BATCH_BYTES = 32, 2 << 20


class PendingSources:
    """
    Reads what is pending in a manifest.

    Usage example:
    ```python
    waiting = PendingSources(manifest, corpus)
    while pending := waiting.rows():
        for batch in waiting.batches(pending):
            ...
    ```

    :param manifest: The corpus's manifest.
    :param corpus: Whose recogniser tells what a source is.
    :param shard: The part of the sources to read.
    """

    def __init__(self, manifest: Manifest, corpus: Corpus, shard: Shard = WHOLE):
        self._manifest = manifest
        self._corpus = corpus
        self._shard = shard
        # What could not be read would come up again for ever.
        self._unreadable: set[str] = set()

    def rows(self) -> list[Any]:
        """The pending sources, without those that could not be read: origin, file, kind, path and size of the file."""
        rows = self._manifest.rows(
            "SELECT s.origin, s.file, s.kind, f.path, f.size FROM sources s LEFT JOIN files f ON f.key = s.file"
            " WHERE s.state = 'pending' ORDER BY s.file, s.origin"
        )
        return [row for row in rows if row["origin"] not in self._unreadable and self._shard.owns(row["origin"])]

    def batches(self, pending: list[Any]) -> "Iterator[list[ByteStream]]":
        """
        Read sources, kinds with the best editions first: so hardly anything is written twice.

        :param pending: From `rows`.
        :returns: Batches that are worth a commit.
        """
        batch: list[ByteStream] = []
        size = 0
        kinds = sorted({row["kind"] for row in pending}, key=self._corpus.rank)
        for kind in kinds:
            files: dict[str, tuple[Path, set[str]]] = {}
            for row in pending:
                if row["kind"] == kind:
                    files.setdefault(row["file"], (read_path(row["path"] or ""), set()))[1].add(row["origin"])
            for key, (path, origins) in files.items():
                for source in self._read(SourceFile(path, key, self._corpus.sidecar_suffix), origins):
                    batch.append(self._stream(source))
                    size += len(source.data)
                    if len(batch) == BATCH_SOURCES or size > BATCH_BYTES:
                        yield batch
                        batch, size = [], 0
        if batch:
            yield batch

    def _read(self, file: SourceFile, origins: set[str]) -> Iterator[Source]:
        missing = set(origins)
        reason = "is not there any more; give its path again"
        for source in read_sources(file):
            if source.origin in missing and not source.reason:
                missing.discard(source.origin)
                yield source
            elif source.reason and source.origin in (*missing, file.key):
                reason = source.reason
        self._unreadable |= missing
        self._manifest.change("UPDATE sources SET unreadable = ? WHERE origin IN ?", reason, list(missing))

    def _stream(self, source: Source) -> "ByteStream":
        from haystack.dataclasses import ByteStream

        recognition = self._corpus.recognize(source.data, source.name)
        digest = source.digest
        meta: dict[str, Any] = {
            "origin": source.origin,
            "file": source.name,
            "kind": recognition.kind,
            "detail": recognition.detail,
            "digest": digest,
            "corpus_version": digest[:12],
        }
        if source.sidecar:
            meta["sidecar"] = source.sidecar
        return ByteStream(source.data, meta=meta)


def outcomes(batch: "list[ByteStream]", produced: Produced) -> list[Outcome]:
    """
    What became of each source of a batch.

    :param batch: From `PendingSources.batches`.
    :param produced: What the pipeline made of it.
    :returns: One outcome a source.
    """
    reasons: dict[str, str] = {}
    for origin, reason in produced.failures:
        reasons[origin] = f"{reasons[origin]}; {reason}" if origin in reasons else reason
    editions: dict[str, str] = {}
    for document in produced.chunks:
        origin, edition = document.meta["origin"], str(document.meta.get("edition") or "")
        # A file of many notices goes as far as its newest one.
        editions[origin] = max(edition, editions.get(origin, ""))
    found = []
    for stream in batch:
        origin, kind, detail = (stream.meta[name] for name in ("origin", "kind", "detail"))
        outcome = Outcome(
            origin, stream.meta["digest"], kind, detail, editions.get(origin, ""), reasons.get(origin, "")
        )
        is_usable = kind not in ("", NO_SOURCE)
        found.append(outcome if is_usable else replace(outcome, reason=detail or "is of no kind that is known"))
    return found

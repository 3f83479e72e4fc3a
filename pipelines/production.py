"""The part of an indexing pipeline before its writers: sources in, chunks and whole records out, on all cores."""

import hashlib
import json
import logging
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from pipelines.errors import ConfigError, TansakuError
from pipelines.loading import Definition, build, prepare_haystack, without
from pipelines.manifest import ChunkRow

prepare_haystack()

if TYPE_CHECKING:
    from haystack import Document
    from haystack.dataclasses import ByteStream

logger = logging.getLogger(__name__)

KEYWORD_WRITER, PARENTS_WRITER, EMBEDDER, VECTOR_WRITER = (
    "keyword_writer",
    "parents_writer",
    "embedder",
    "vector_writer",
)
ROLES = (KEYWORD_WRITER, PARENTS_WRITER, EMBEDDER, VECTOR_WRITER)
"""Names of the components that an index run drives itself, so that each store is written in its own time."""


@dataclass
class Produced:
    """
    What came of a batch of sources.

    :param chunks: For the keyword store.
    :param rows: The same chunks for the manifest, in the same order.
    :param records: Whole records, for the store of parents.
    :param failures: (origin, reason) of each source, or part of one, that could not be read.
    """

    chunks: "list[Document]" = field(default_factory=list)
    rows: list[ChunkRow] = field(default_factory=list)
    records: "list[Document]" = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def add(self, other: "Produced") -> None:
        """Take over what another batch gave."""
        self.chunks += other.chunks
        self.rows += other.rows
        self.records += other.records
        self.failures += other.failures


class Producer:
    """
    Runs an indexing pipeline up to its writers.

    Usage example:
    ```python
    producer = Producer(resolve("mpep_indexing"))
    producer.run([ByteStream(data, meta={"origin": "s101.html", "kind": "mpep_html"})]).chunks
    ```

    :param definition: The resolved indexing pipeline.
    :raises ConfigError: When it can't be built, or nothing leads to `keyword_writer`.
    """

    def __init__(self, definition: Definition):
        self._pipeline = build(without(definition, ROLES))
        self._chunks = _senders(definition, KEYWORD_WRITER)
        self._records = _senders(definition, PARENTS_WRITER)
        if not self._chunks:
            raise ConfigError(f"an indexing pipeline needs a component {KEYWORD_WRITER!r} and a connection to it")
        self._inputs = [
            (name, socket)
            for name, sockets in self._pipeline.inputs().items()
            for socket, details in sockets.items()
            if details["is_mandatory"]
        ]
        self._pipeline.warm_up()

    def run(self, streams: "list[ByteStream]") -> Produced:
        """
        Turn sources into chunks. A source that breaks a component is a failure of its own and doesn't stop the others.

        :param streams: The sources.
        :returns: What came of them.
        """
        try:
            return self._run(streams)
        except Exception as error:
            if len(streams) == 1:
                cause = error.__cause__ or error
                reason = " ".join(str(cause).split()) or type(cause).__name__
                if isinstance(cause, RecursionError):
                    reason = "its elements are nested too deeply"
                logger.debug("A source broke the pipeline", exc_info=True)
                return Produced(failures=[(str(streams[0].meta["origin"]), f"can't be converted: {reason[:300]}")])
        produced = Produced()
        for stream in streams:
            produced.add(self.run([stream]))
        return produced

    def _run(self, streams: "list[ByteStream]") -> Produced:
        data: dict[str, dict[str, Any]] = {}
        for name, socket in self._inputs:
            data.setdefault(name, {})[socket] = streams
        senders = {name for name, _ in (*self._chunks, *self._records)}
        results = self._pipeline.run(data, include_outputs_from=senders)
        chunks = _first_of_each_id(_collect(results, self._chunks))
        return Produced(
            chunks=chunks,
            rows=[chunk_row(chunk) for chunk in chunks],
            records=_first_of_each_id(_collect(results, self._records)),
            failures=[
                (failure["origin"], failure["reason"])
                for outputs in results.values()
                for failure in outputs.get("failures", [])
            ],
        )


def produce(
    definition: Definition, batches: "Iterable[list[ByteStream]]", workers: int
) -> "Iterator[tuple[list[ByteStream], Produced]]":
    """
    Run batches of sources through the pipeline.

    :param definition: The resolved indexing pipeline.
    :param batches: The sources, read as they are needed.
    :param workers: How many processes; 1 stays in this one.
    :returns: Each batch with what came of it, in order.
    """
    if workers < 2:
        producer = Producer(definition)
        for batch in batches:
            yield batch, producer.run(batch)
        return
    # Processes are started afresh, not forked: stores and models run threads, which a fork would lose.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker, (definition,)) as pool:
        running: deque[tuple[list[ByteStream], Future[Produced]]] = deque()
        for batch in batches:
            running.append((batch, pool.submit(_work, batch)))
            if len(running) > 2 * workers:
                done, future = running.popleft()
                yield done, _result(future)
        for done, future in running:
            yield done, _result(future)


def _result(future: Future[Produced]) -> Produced:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise TansakuError(
            "a process that converts sources was ended from outside, perhaps for want of memory; run the command again,"
            " it goes on where it stopped"
        ) from error


_producer: Producer | None = None


def _start_worker(definition: Definition) -> None:
    global _producer  # noqa: PLW0603
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _producer = Producer(definition)


def _end_with_parent() -> None:
    """A worker of a run that was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _work(streams: "list[ByteStream]") -> Produced:
    assert _producer is not None
    return _producer.run(streams)


def chunk_row(chunk: "Document") -> ChunkRow:
    """What the manifest keeps of a chunk."""
    meta = {name: value for name, value in chunk.meta.items() if name != "index"}
    seen_by_embedder = f"{meta.get('heading_path', '')}\n{chunk.content or ''}"
    return ChunkRow(
        id=chunk.id,
        source_id=str(meta["source_id"]),
        origin=str(meta["origin"]),
        text_hash=_short_hash(seen_by_embedder),
        meta_hash=_short_hash(json.dumps(meta, sort_keys=True, ensure_ascii=False, default=str)),
    )


def _short_hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _senders(definition: Definition, receiver: str) -> list[tuple[str, str]]:
    """The (component, output) pairs that are connected to a component."""
    found = []
    for connection in definition.get("connections", []):
        if connection["receiver"].split(".")[0] == receiver:
            name, _, socket = connection["sender"].partition(".")
            found.append((name, socket or "documents"))
    return found


def _collect(results: dict[str, Any], senders: list[tuple[str, str]]) -> "list[Document]":
    return [document for name, socket in senders for document in results.get(name, {}).get(socket, [])]


def _first_of_each_id(documents: "list[Document]") -> "list[Document]":
    """One source may hold a record twice; from different sources both stay, since the run decides between them."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for document in documents:
        key = (document.id, str(document.meta["origin"]))
        if key not in seen:
            seen.add(key)
            kept.append(document)
    return kept

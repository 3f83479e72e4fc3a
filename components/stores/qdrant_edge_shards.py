"""
Qdrant Edge shards in a folder, shared by all stores of a process that use the same folder.

Qdrant Edge opens a folder for one process only. So the writer works on a copy of its own, and each commit publishes a
copy that never changes again and that any number of processes open; they need no log or lock for that:

    live/            the writer's working copy; worthless once its process is gone
    snapshots/<n>/   what commit n published; the two newest are kept, for readers that are just opening one
    current.json     the number of the newest one and what it was built with, replaced atomically
    writer.lock      locked by the writing process

A process that dies leaves the last commit in force, whatever it was doing.
"""

import fcntl
import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary, finalize

from haystack.document_stores.errors import DocumentStoreError
from qdrant_edge import (
    CountRequest,
    Distance,
    EdgeConfig,
    EdgeOptimizersConfig,
    EdgeShard,
    EdgeVectorParams,
    HnswIndexConfig,
    Memory,
    ScalarQuantizationConfig,
    ScalarType,
)

from components.stores.batched_store import BatchState
from components.stores.durable_files import copy_tree, rename_folder, write_file
from components.stores.writable_copy import copied_folder

VECTOR = ""  # the engine's name for the only vector of a point
_ATTEMPTS = 5

_shared: "WeakValueDictionary[str, QdrantEdgeShards]" = WeakValueDictionary()
_shared_lock = threading.Lock()


class QdrantEdgeShards:
    """
    Reads the last commit, also of other processes, and writes; creates the folder on the first write.

    Get it with `QdrantEdgeShards.at`: a folder takes one writer, so the stores of a process share one object.

    :param path: The folder.
    """

    def __init__(self, path: Path):
        self.path = path
        self.batch_state = BatchState()
        self.ids: dict[int | UUID | str, str] = {}  # documents by point: payloads are slow to read
        self._lock = threading.Lock()
        self._reader: EdgeShard | None = None
        self._reader_settings: dict[str, Any] = {}
        self._seen: tuple[int, ...] = ()
        self._counted: tuple[EdgeShard | None, int] = (None, 0)
        self._writer: EdgeShard | None = None
        self._unlock: finalize[Any, Any] | None = None
        self._discard_copy: finalize[Any, Any] | None = None

    @staticmethod
    def at(path: Path) -> "QdrantEdgeShards":
        """
        The shards in a folder.

        :param path: The folder; it needn't exist.
        :returns: The object that all stores of this process share.
        """
        key = os.path.realpath(path)
        with _shared_lock:
            shards = _shared.get(key)
            if shards is None:
                shards = _shared[key] = QdrantEdgeShards(Path(key))
            return shards

    def reader(self, settings: dict[str, Any]) -> EdgeShard | None:
        """
        The last commit, for reading.

        :param settings: What the store was built with.
        :returns: The shard, or None as long as nothing was written.
        :raises DocumentStoreError: If it was built with other settings.
        """
        try:
            status = os.stat(self._pointer)
        except FileNotFoundError:
            self._reader, self._seen = None, ()
            return None
        seen = (status.st_ino, status.st_mtime_ns, status.st_size)
        if seen != self._seen:
            with self._lock:
                # `seen` is older than what is opened now, so a commit in between shows with the next call
                if seen != self._seen:
                    self._reader, self._reader_settings = self._open_current()
                    self._counted = (None, 0)
                    self._seen = seen
        self._check_settings(self._reader_settings, settings)
        return self._reader

    def count(self, shard: EdgeShard) -> int:
        """
        How many points a commit holds, counted once: for 50,000 points that takes as long as a search.

        :param shard: What `reader` gave.
        :returns: The number of points.
        """
        counted, number = self._counted
        if counted is not shard:
            number = shard.count(CountRequest(exact=True))
            self._counted = (shard, number)
        return number

    def commit(self, settings: dict[str, Any], change: Callable[[EdgeShard], None]) -> None:
        """
        Change the shard and publish the result; an exception leaves everything as it was.

        :param settings: What the store is built with.
        :param change: Makes the changes.
        :raises DocumentStoreError: If the store was built with other settings, or another process is writing.
        """
        writer = self._open_writer(settings)
        try:
            change(writer)
            writer.optimize()
            writer.flush()
            self._publish(settings)
        except BaseException as error:
            self._writer = None  # the next commit starts from what is published
            # the engine has no exceptions of its own; "Service runtime error: Not enough space" is one
            if type(error) is Exception:
                raise DocumentStoreError(f"the vector index {self.path} can't be written: {error}") from error
            raise

    def close(self) -> None:
        """Close the writer, so that another process may write."""
        with self.batch_state.lock:
            self._writer = None
            if self._unlock is not None:
                shutil.rmtree(self._live, ignore_errors=True)
                self._unlock()
                self._unlock = None

    @property
    def _pointer(self) -> Path:
        return self.path / "current.json"

    @property
    def _live(self) -> Path:
        return self.path / "live"

    @property
    def _snapshots(self) -> Path:
        return self.path / "snapshots"

    def _current(self) -> dict[str, Any]:
        try:
            current = json.loads(self._pointer.read_text(encoding="utf-8"))
            return {"snapshot": int(current["snapshot"]), "settings": current["settings"]}
        except FileNotFoundError:
            return {"snapshot": 0, "settings": None}
        except (ValueError, KeyError, TypeError) as error:
            raise DocumentStoreError(
                f"the vector index {self.path} can't be opened: {self._pointer} is damaged"
            ) from error

    def _open_current(self) -> tuple[EdgeShard, dict[str, Any]]:
        for attempt in range(_ATTEMPTS):
            current = self._current()
            try:
                return self._load(self._snapshots / str(current["snapshot"])), current["settings"]
            except Exception as error:
                # two commits since `current` was read remove what it names; a newer one is there then
                if attempt == _ATTEMPTS - 1 or current == self._current():
                    raise DocumentStoreError(f"the vector index {self.path} can't be opened: {error}") from error
        raise AssertionError("unreachable")

    def _load(self, snapshot: Path) -> EdgeShard:
        if os.access(snapshot, os.W_OK):
            return EdgeShard.load(str(snapshot))
        # the engine opens all files for writing
        copy = copied_folder(snapshot)
        discard = finalize(self, shutil.rmtree, copy.parent, ignore_errors=True)
        try:
            return EdgeShard.load(str(copy))
        except BaseException:
            discard()
            raise
        finally:
            if self._discard_copy is not None:
                self._discard_copy()
            self._discard_copy = discard

    def _open_writer(self, settings: dict[str, Any]) -> EdgeShard:
        if self._writer is not None:
            return self._writer
        self._snapshots.mkdir(parents=True, exist_ok=True)
        self._lock_writer()
        current = self._current()
        if current["settings"] is not None:
            self._check_settings(current["settings"], settings)
        shutil.rmtree(self._live, ignore_errors=True)
        self._remove_snapshots(current["snapshot"])
        if current["settings"] is None:
            self._writer = EdgeShard.create(str(self._live), _config(settings["dimension"]))
        else:
            copy_tree(self._snapshots / str(current["snapshot"]), self._live)
            self._writer = EdgeShard.load(str(self._live))
        return self._writer

    def _lock_writer(self) -> None:
        if self._unlock is not None:
            return
        descriptor = os.open(self.path / "writer.lock", os.O_RDWR | os.O_CREAT, 0o644)
        unlock = finalize(self, os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            unlock()
            raise DocumentStoreError(f"another process is writing the vector index {self.path}") from error
        self._unlock = unlock

    def _publish(self, settings: dict[str, Any]) -> None:
        number = self._current()["snapshot"] + 1
        temporary = self._snapshots / f"{number}.tmp"
        copy_tree(self._live, temporary)
        rename_folder(temporary, self._snapshots / str(number))
        write_file(self._pointer, json.dumps({"snapshot": number, "settings": settings}))
        self._remove_snapshots(number)

    def _remove_snapshots(self, newest: int) -> None:
        kept = {str(newest), str(newest - 1)}
        for folder in self._snapshots.iterdir():
            if folder.name not in kept:
                shutil.rmtree(folder, ignore_errors=True)

    def _check_settings(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        if found != wanted:
            raise DocumentStoreError(
                f"the vector index {self.path} was built with other settings ({found} instead of {wanted}); "
                "remove that folder and build the index again"
            )


def _config(dimension: int) -> EdgeConfig:
    return EdgeConfig(
        vectors={
            VECTOR: EdgeVectorParams(
                size=dimension,
                distance=Distance.Cosine,
                # 8-bit copies make a pass over all vectors twice as fast
                quantization_config=ScalarQuantizationConfig(ScalarType.Int8, memory=Memory.Pinned),
                # no links: every search looks at all vectors
                hnsw_config=HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=10),
            )
        },
        optimizers=EdgeOptimizersConfig(
            indexing_threshold=1,  # the smallest: only indexed segments have 8-bit copies
            default_segment_number=1,
            deleted_threshold=0.3,
            vacuum_min_vector_number=1000,
        ),
        # by default the engine starts four threads a core, which takes longer when the cores are busy embedding
        max_search_threads=max(1, (os.cpu_count() or 1) // 2),
        wal_enabled=False,
    )

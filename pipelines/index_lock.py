"""One writer at a time: the lock that a run holds on a corpus's index."""

import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pipelines.errors import IndexLockedError, TansakuError
from pipelines.manifest_database import schema_name
from pipelines.settings import Settings
from pipelines.shards import Shard


def index_lock(settings: Settings, corpus: str, shard: Shard | None = None) -> AbstractContextManager[None]:
    """
    Hold the lock of an index while the block runs. The system frees it when the process ends, however it ends.

    Usage example:
    ```python
    with index_lock(settings, "us-patent-law"):
        ...
    ```

    :param settings: Names the data folder, which is made when it isn't there, or the PostgreSQL database.
    :param corpus: Whose index.
    :param shard: The part of the sources that the run is about; runs over other parts may go on. PostgreSQL alone.
    :raises IndexLockedError: When another process holds it; the message says which.
    :raises TansakuError: When the folder can't be written, or the server not be reached.
    """
    if settings.database_url is None:
        return _file_lock(settings.index_dir(corpus), corpus)
    return _server_lock(settings.database_url.get_secret_value(), corpus, shard)


@contextmanager
def _file_lock(folder: Path, corpus: str) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise TansakuError(f"the index of {corpus} can't be written in {folder}: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise IndexLockedError(f"the index of {corpus} is being written by {_holder(descriptor)}") from error
        holder = {"pid": os.getpid(), "since": datetime.now(UTC).isoformat(timespec="seconds"), "command": sys.argv}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(holder).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> str:
    try:
        holder = json.loads(os.pread(descriptor, 65536, 0))
        command = " ".join([Path(holder["command"][0]).name, *holder["command"][1:]])
        return f"process {holder['pid']} since {holder['since']} ({command}); wait for it to end, or stop it"
    except (ValueError, LookupError, TypeError):
        return "another process; wait for it to end"


@contextmanager
def _server_lock(url: str, corpus: str, shard: Shard | None) -> Iterator[None]:
    from pipelines.postgres_lock import PostgresLock

    part = f" (part {shard})" if shard else ""
    name = f"process {os.getpid()} on {socket.gethostname()[:30]}{part}"
    with PostgresLock(url, schema_name(corpus), name) as lock:
        if holder := lock.take(shard):
            raise IndexLockedError(
                f"the index of {corpus} is being written by {holder}; wait for it to end, or stop it"
            )
        yield

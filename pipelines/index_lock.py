"""One writer at a time: the lock that a run holds on a corpus's index."""

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pipelines.errors import IndexLockedError, TansakuError


@contextmanager
def index_lock(folder: Path, corpus: str) -> Iterator[None]:
    """
    Hold the lock of an index while the block runs. The system frees it when the process ends, however it ends.

    Usage example:
    ```python
    with index_lock(settings.index_dir("us-patent-law"), "us-patent-law"):
        ...
    ```

    :param folder: The index's folder; made when it isn't there.
    :param corpus: For the message.
    :raises IndexLockedError: When another process holds it; the message says which.
    :raises TansakuError: When the folder can't be written.
    """
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

"""Stops an index run before the disk is full: engines that map files into memory die of that without a word."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipelines.errors import TansakuError

# What logs, merges and files that engines fill in steps take besides.
RESERVE_BYTES = 32 << 20
# Measured on the whole manual: what the keyword stores and the manifest take, merges included, and how well it packs.
_BYTES_A_SOURCE_BYTE, _PACKED = 2, 12
# A writer's copy, two published ones and one that is about to be; each with what filters need.
_VECTOR_COPIES, _BYTES_A_DIMENSION, _BYTES_A_PAYLOAD = 4, 5, 300


class DiskFullError(TansakuError):
    """There is too little room for an index; the message names the folder, what is free and what is needed."""

    def __init__(self, folder: Path, free: int, needed: int):
        self.folder, self.free, self.needed = folder, free, needed
        super().__init__(
            f"{folder}: {free / 1e6:,.0f} MB are free there and {needed / 1e6:,.0f} MB are needed to go on; make room "
            "and run the command again, or keep the index elsewhere with TANSAKU_DATA_DIR"
        )


def require_space(folder: Path, needed: int) -> None:
    """
    Refuse to write where there is too little room.

    Usage example:
    ```python
    require_space(settings.index_dir("us-patent-law"), space_for_sources(3_400_000, is_packed=True))
    ```

    :param folder: Where it is about to be written.
    :param needed: How many bytes, without the reserve.
    :raises DiskFullError: When fewer are free.
    """
    free = shutil.disk_usage(folder).free
    if free < needed + RESERVE_BYTES:
        raise DiskFullError(folder, free, needed + RESERVE_BYTES)


def space_for_sources(size: int, is_packed: bool = False) -> int:
    """
    How many bytes the keyword stores take.

    :param size: Bytes of the sources.
    :param is_packed: They are in an archive, or compressed.
    :returns: An estimate that is rather too high.
    """
    return size * _BYTES_A_SOURCE_BYTE * (_PACKED if is_packed else 1)


def require_space_for_vectors(store: Any, count: int) -> None:
    """
    Refuse to write vectors where there is too little room.

    :param store: The vector store; one without a `path` is elsewhere and takes none here.
    :param count: How many vectors it will hold.
    :raises DiskFullError: When too little is free.
    """
    path = getattr(store, "path", None)
    if path is None:
        return
    used = sum(file.stat().st_blocks * 512 for file in path.rglob("*") if file.is_file())
    needed = count * _VECTOR_COPIES * (store.dimension * _BYTES_A_DIMENSION + _BYTES_A_PAYLOAD)
    require_space(next(folder for folder in (path, *path.parents) if folder.exists()), max(0, needed - used))


@contextmanager
def full_disk_named(folder: Path) -> Iterator[None]:
    """
    Say what is wrong when the block fails and the disk is full: what engines say then differs.

    :param folder: Where the block writes.
    :raises DiskFullError: When less than the reserve is free after a failure.
    """
    try:
        yield
    except TansakuError:
        raise
    except Exception as error:
        free = shutil.disk_usage(folder).free
        if free < RESERVE_BYTES:
            raise DiskFullError(folder, free, RESERVE_BYTES) from error
        raise

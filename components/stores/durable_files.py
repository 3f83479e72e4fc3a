"""Files that are on disk when a call returns, whatever happens to the process or the machine afterwards."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_CHUNK = 1 << 20
_SYNC_THREADS = 16


def copy_tree(source: Path, target: Path) -> None:
    """
    Copy a folder and write the copy through to the disk, keeping holes in files.

    :param source: The folder.
    :param target: The copy, which mustn't exist.
    """
    copied: list[str] = []

    def copy(start: str, end: str) -> str:
        copied.append(end)
        return _copy_file(start, end)

    shutil.copytree(source, target, copy_function=copy)
    copied += [folder for folder, _, _ in os.walk(target)]
    with ThreadPoolExecutor(_SYNC_THREADS) as pool:
        # at once, the file system writes its journal once for many files, and not once for each
        list(pool.map(_sync, copied))


def write_file(path: Path, text: str) -> None:
    """
    Replace a file's content at once: readers see the old or the new one.

    :param path: The file.
    :param text: Its new content.
    """
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    _sync(path.parent)


def rename_folder(source: Path, target: Path) -> None:
    """
    Rename a folder within its parent.

    :param source: The folder.
    :param target: Its new name, which mustn't exist.
    """
    os.rename(source, target)
    _sync(target.parent)


def _sync(path: str | Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy_file(source: str, target: str) -> str:
    # the engine reserves 32 MB for a file that may hold little
    with open(source, "rb") as reader, open(target, "wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        writer.truncate(size)
        start = 0
        while start < size:
            try:
                start = os.lseek(reader.fileno(), start, os.SEEK_DATA)
            except OSError:  # nothing but a hole up to the end
                break
            end = os.lseek(reader.fileno(), start, os.SEEK_HOLE)
            reader.seek(start)
            writer.seek(start)
            while start < end and (chunk := reader.read(min(_CHUNK, end - start))):
                writer.write(chunk)
                start += len(chunk)
    return target

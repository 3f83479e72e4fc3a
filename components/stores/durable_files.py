"""Files that are on disk when a call returns, whatever happens to the process or the machine afterwards."""

import os
import shutil
from pathlib import Path

_CHUNK = 1 << 20


def copy_tree(source: Path, target: Path) -> None:
    """
    Copy a folder and write the copy through to the disk, keeping holes in files.

    :param source: The folder.
    :param target: The copy, which mustn't exist.
    """
    shutil.copytree(source, target, copy_function=_copy_file)
    for folder, _, _ in os.walk(target):
        sync_folder(Path(folder))


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
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """
    Write a folder's entries through to the disk.

    :param path: The folder.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy_file(source: str, target: str) -> None:
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
        writer.flush()
        os.fsync(writer.fileno())

"""Lets engines that write beside what they only read work on folders that can't be written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from components.stores.durable_files import copy_tree


@contextmanager
def linked_folder(folder: Path) -> Iterator[Path]:
    """
    A folder with all files of another one but its lock files, in which an engine can make its own.

    ```python
    with linked_folder(Path("index/keyword")) as place:
        tantivy.Index(schema, str(place)).reload()
    ```

    :param folder: A folder without subfolders.
    :returns: The folder itself if it can be written; else one of links, which goes with the block.
    """
    if os.access(folder, os.W_OK):
        yield folder
        return
    with TemporaryDirectory(prefix="tansaku-") as name:
        for path in (path for path in folder.iterdir() if path.suffix != ".lock"):
            os.symlink(path.absolute(), Path(name, path.name))
        yield Path(name)


def copied_folder(folder: Path) -> Path:
    """
    A copy of a folder whose files an engine can open for writing.

    ```python
    place = copied_folder(Path("index/vectors/snapshots/7"))
    EdgeShard.load(str(place))
    ```

    :param folder: The folder.
    :returns: The copy, among the system's temporary files; the caller removes it.
    """
    place = Path(mkdtemp(prefix="tansaku-"), folder.name)
    copy_tree(folder, place)
    for name, _, _ in os.walk(place):
        os.chmod(name, 0o700)
    return place

"""Removes a generation of an index: its stores and its manifest."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipelines.generations import chosen_generation
from pipelines.manifest_database import drop_database, manifest_place
from pipelines.settings import Settings

# What belongs to all generations, and the folders of those after the first.
_SHARED = re.compile(r"lock|generations\.sqlite(-wal|-shm)?|g\d+")


def remove_generation(settings: Settings, corpus: str, stores: Mapping[str, Any]) -> None:
    """
    Remove a generation that nobody uses any more.

    :param settings: Name the generation; the active one otherwise.
    :param corpus: Whose index.
    :param stores: Its document stores; those on servers are removed there.
    """
    generation = chosen_generation(settings, corpus)
    for store in stores.values():
        if hasattr(store, "remove"):
            store.remove()
        store.close()
    drop_database(manifest_place(settings, corpus, generation))
    _remove_files(settings.generation_dir(corpus, generation), settings.index_dir(corpus))


def _remove_files(folder: Path, shared: Path) -> None:
    if folder != shared:
        shutil.rmtree(folder, ignore_errors=True)
        return
    for path in folder.iterdir() if folder.is_dir() else ():
        if _SHARED.fullmatch(path.name):
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

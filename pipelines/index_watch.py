"""Watches what other processes do to an index: which generation is active, and what it holds."""

import logging
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.errors import TansakuError
from pipelines.generations import chosen_generation, generations_place
from pipelines.manifest import IndexInfo, read_index_info
from pipelines.manifest_database import Place, PostgresSchema, manifest_place
from pipelines.settings import Settings

logger = logging.getLogger(__name__)

_SECONDS = 1.0
# Counting millions of chunks takes a while; a run that embeds them changes the manifest all the time.
_REST = 10


@dataclass(frozen=True)
class IndexState:
    """
    What an index is now.

    :param generation: The active generation.
    :param info: What it holds.
    """

    generation: int
    info: IndexInfo


class IndexWatch:
    """
    Reads an index's state again when it changed. For SQLite that costs a look at some files; PostgreSQL is asked at
    most once a second, in a thread of its own, so that no search waits for it; while it is down the last answer holds.

    Usage example:
    ```python
    watch = IndexWatch(Settings(), "us-patent-law")
    watch.state().info.chunks
    ```

    :param settings: Names the data folder or the database.
    :param corpus: Whose index.
    """

    def __init__(self, settings: Settings, corpus: str):
        self._settings, self._corpus = settings, corpus
        self._list = generations_place(settings, corpus)
        self._revisions: Any = None
        if isinstance(self._list, PostgresSchema):
            from pipelines.postgres_database import RevisionReader

            self._revisions = RevisionReader(self._list.url)
        self._reading = threading.Lock()
        self._due = 0.0
        self._list_stamp: Hashable = None
        self._stamp: Hashable = None
        self._state: IndexState | None = None
        self.problem = ""
        """Why the state can't be read any more; "" when it can."""

    def state(self) -> IndexState:
        """
        What the index is now.

        :returns: The same object until something changes.
        :raises IndexMissingError: When there is none.
        :raises IndexDamagedError: When its manifest is damaged.
        :raises TansakuError: When the database can't be read the first time.
        """
        known = self._state
        if known is None or self._revisions is None:
            with self._reading:
                return self._read()
        if time.monotonic() >= self._due and self._reading.acquire(blocking=False):
            threading.Thread(target=self._read_again, daemon=True).start()
        return known

    def _read_again(self) -> None:
        started = time.monotonic()
        try:
            self._read()
            self.problem = ""
        except TansakuError as error:
            if not self.problem:
                logger.warning("Searches go by what was last known of the index: %s", error)
            self.problem = str(error)
        finally:
            ended = time.monotonic()
            self._due = ended + max(_SECONDS, _REST * (ended - started))
            self._reading.release()

    def _read(self) -> IndexState:
        generation = self._generation()
        place = manifest_place(self._settings, self._corpus, generation)
        # Taken before the reading: what changes meanwhile is read the next time.
        stamp = (generation, self._stamp_of(place))
        if self._state is None or stamp != self._stamp:
            self._state = IndexState(generation, read_index_info(place, self._corpus))
            self._stamp = stamp
        return self._state

    def _generation(self) -> int:
        stamp = self._stamp_of(self._list)
        if self._state is None or stamp != self._list_stamp:
            self._list_stamp = stamp
            return chosen_generation(self._settings, self._corpus)
        return self._state.generation

    def _stamp_of(self, place: Place) -> Hashable:
        if isinstance(place, Path):
            return _changed(place), _changed(place.with_name(f"{place.name}-wal"))
        return self._revisions.read(place.name)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0

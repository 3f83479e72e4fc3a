"""
The generations of an index: complete indexes beside each other, of which one is searched.

A rebuild fills a new one while the active one is searched, and then makes the new one active, all in one transaction of
the small database that lists them. Each generation has stores and a manifest of its own. As long as nothing was rebuilt
there is no such database, and generation 1 is active.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pipelines.errors import ArgumentError, IndexMissingError, TansakuError
from pipelines.manifest_database import (
    ManifestDatabase,
    Place,
    PostgresSchema,
    database_exists,
    manifest_place,
    open_database,
    schema_name,
)
from pipelines.settings import Settings

ACTIVE, KEPT, BUILDING, FAILED, _REMOVED = "active", "kept", "building", "failed", "removed"

_TABLES = """
CREATE TABLE IF NOT EXISTS generations (
    number BIGINT PRIMARY KEY, state TEXT NOT NULL, made TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '');
"""
_FIRST = 1


@dataclass(frozen=True)
class Generation:
    """
    One generation.

    :param number: Counts up; numbers aren't used again.
    :param state: "active", "kept" for going back to it, "building", or "failed" when a check kept it from being used.
    :param made: When it was begun, in UTC; "" for the first one.
    :param reason: Why it failed.
    """

    number: int
    state: str
    made: str = ""
    reason: str = ""


class Generations:
    """
    Lists and switches the generations of a corpus's index.

    Usage example:
    ```python
    generations = Generations(Settings(), "us-patent-law")
    number = generations.start()
    generations.activate(number)
    generations.active()
    ```

    :param settings: Names the data folder or the PostgreSQL database.
    :param corpus: Whose index.
    """

    def __init__(self, settings: Settings, corpus: str):
        self._settings, self._corpus = settings, corpus
        self.place = generations_place(settings, corpus)

    def active(self) -> int:
        """The number of the generation that is searched."""
        return next((each.number for each in self.all() if each.state == ACTIVE), _FIRST)

    def all(self) -> list[Generation]:
        """All generations, in order of their numbers."""
        if not database_exists(self.place):
            return [Generation(_FIRST, ACTIVE)] if self._is_there(_FIRST) else []
        with open_database(self.place, _TABLES) as database:
            query = "SELECT number, state, made, reason FROM generations WHERE state <> ? ORDER BY number"
            rows = database.rows(query, _REMOVED)
        return [Generation(*row) for row in rows]

    def start(self) -> int:
        """
        Begin a generation, or go on with one that a run left unfinished.

        :returns: Its number.
        """
        with self._opened() as database, database.transaction():
            unfinished = database.rows("SELECT max(number) FROM generations WHERE state = ?", BUILDING)[0][0]
            if unfinished is not None:
                return int(unfinished)
            number = (database.rows("SELECT max(number) FROM generations")[0][0] or 0) + 1
            now = datetime.now(UTC).isoformat(timespec="seconds")
            database.change("INSERT INTO generations (number, state, made) VALUES (?, ?, ?)", number, BUILDING, now)
            return int(number)

    def activate(self, number: int) -> None:
        """Make a generation the one that is searched; the one before is kept."""
        with self._opened() as database, database.transaction():
            database.change("UPDATE generations SET state = ? WHERE state = ?", KEPT, ACTIVE)
            database.change("UPDATE generations SET state = ?, reason = '' WHERE number = ?", ACTIVE, number)

    def fail(self, number: int, reason: str) -> None:
        """Note why a generation is not to be used."""
        with self._opened() as database:
            database.change("UPDATE generations SET state = ?, reason = ? WHERE number = ?", FAILED, reason, number)

    def forget(self, number: int) -> None:
        """Take a generation off the list, before its stores are removed; none gets its number again."""
        with self._opened() as database:
            statement = "UPDATE generations SET state = ? WHERE number = ? AND state <> ?"
            database.change(statement, _REMOVED, number, ACTIVE)

    def before(self, number: int | None = None) -> int:
        """
        The generation to go back to.

        :param number: The one that is wanted; None for the last one before the active one.
        :returns: Its number.
        :raises IndexMissingError: When there is no index.
        :raises ArgumentError: When the one that is wanted isn't kept.
        :raises TansakuError: When none is kept.
        """
        known = self.all()
        if not known:
            raise IndexMissingError(self._corpus)
        kept = [each.number for each in known if each.state == KEPT]
        if number is not None and number not in kept:
            allowed = ", ".join(map(str, kept)) or "none is"
            raise ArgumentError("--to", number, f"a generation that is kept ({allowed})")
        active = self.active()
        earlier = [each for each in kept if each < active] or kept
        if number is None and not earlier:
            raise TansakuError(f"no other generation of {self._corpus} is kept; --rebuild makes a new one")
        return number or earlier[-1]

    def surplus(self, keep: int, before: int) -> list[int]:
        """
        The generations that aren't needed any more: failed ones, and kept ones beyond the newest few.

        :param keep: How many kept ones stay, 1 or more.
        :param before: The one that was active until now, which is the first of those that stay.
        :returns: Their numbers.
        """
        known = self.all()
        others = [each.number for each in known if each.state == KEPT and each.number != before]
        return [each.number for each in known if each.state == FAILED] + others[: max(len(others) - keep + 1, 0)]

    def _opened(self) -> ManifestDatabase:
        """The list, with the first generation in it if there is one."""
        had_list, has_first = database_exists(self.place), self._is_there(_FIRST)
        if isinstance(self.place, Path):
            self.place.parent.mkdir(parents=True, exist_ok=True)
        database = open_database(self.place, _TABLES)
        if has_first and not had_list:
            statement = "INSERT INTO generations (number, state, made) VALUES (?, ?, '') ON CONFLICT DO NOTHING"
            database.change(statement, _FIRST, ACTIVE)
        return database

    def _is_there(self, number: int) -> bool:
        return database_exists(manifest_place(self._settings, self._corpus, number))


def generations_place(settings: Settings, corpus: str) -> Place:
    """
    Where the list of a corpus's generations is.

    :param settings: Names the data folder or the PostgreSQL database.
    :param corpus: Whose index.
    :returns: The place.
    """
    if settings.database_url is None:
        return settings.index_dir(corpus) / "generations.sqlite"
    return PostgresSchema(settings.database_url.get_secret_value(), schema_name(corpus))


def chosen_generation(settings: Settings, corpus: str) -> int:
    """
    The generation that settings name, or else the active one.

    :param settings: Read for the generation and the place of the list.
    :param corpus: Whose index.
    :returns: Its number.
    """
    return settings.generation or Generations(settings, corpus).active()


def chosen_manifest(settings: Settings, corpus: str) -> Place:
    """
    Where the manifest of the generation is that settings name, or else of the active one.

    :param settings: Read for the generation and the place.
    :param corpus: Whose index.
    :returns: The place.
    """
    return manifest_place(settings, corpus, chosen_generation(settings, corpus))

"""
The database under a manifest: a SQLite file, or a schema of a PostgreSQL database.

Both take the same SQL: positional parameters are `?`, and `IN ?` takes a list of any length. Statements use what both
have: `ON CONFLICT`, `FILTER`, window functions; no `INSERT OR ...`, no `IS NOT` between columns. Text is ordered by its
code points in both.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.settings import Settings

Row = Any
"""A row: `row["name"]`, `row[0]`, and iteration over the values."""

_BYTES = "hex:"


@dataclass(frozen=True)
class PostgresSchema:
    """
    Where a manifest in PostgreSQL is.

    :param url: `postgresql://user:password@host:port/database`.
    :param name: The schema, one for each manifest.
    """

    url: str
    name: str


Place = Path | PostgresSchema
"""Where a manifest is: a SQLite file or a schema."""


class ManifestDatabase(ABC):
    """
    A connection to the database; of one thread at a time.

    Usage example:
    ```python
    with open_database(place, _SCHEMA) as database, database.transaction():
        database.change("DELETE FROM chunks WHERE id IN ?", ["A#1", "A#2"])
    ```
    """

    def __enter__(self) -> "ManifestDatabase":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """All of the block's changes, or none; no other process changes anything while it runs."""

    @abstractmethod
    def turn(self) -> AbstractContextManager[None]:
        """Stores and manifest are changed together in the block: others that do so wait for its end."""

    def rows(self, query: str, *parameters: Any) -> list[Row]:
        """The rows of a query."""
        with self._explained():
            return self._execute(self._translated(query), self._bound(parameters)).fetchall()

    def stream(self, query: str, *parameters: Any) -> Iterator[Row]:
        """The rows of a query, for more of them than should be in memory at a time."""
        with self._explained():
            yield from self._streamed(self._translated(query), self._bound(parameters))

    def change(self, statement: str, *parameters: Any) -> int:
        """Run a statement and tell how many rows it changed."""
        with self._explained():
            return self._execute(self._translated(statement), self._bound(parameters)).rowcount

    @abstractmethod
    def change_many(self, statement: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each of some tuples of parameters, inside a transaction."""

    @abstractmethod
    def check(self) -> None:
        """
        Read the whole database.

        :raises IndexDamagedError: When it is damaged.
        """

    @abstractmethod
    def _execute(self, statement: str, parameters: Sequence[Any]) -> Any:
        """A cursor on the result."""

    @abstractmethod
    def _streamed(self, query: str, parameters: Sequence[Any]) -> Iterator[Row]: ...

    @abstractmethod
    def _translated(self, statement: str) -> str:
        """The statement as the driver takes it."""

    @abstractmethod
    def _bound(self, parameters: Sequence[Any]) -> Sequence[Any]:
        """Parameters as the driver takes them."""

    @abstractmethod
    def _explained(self) -> AbstractContextManager[None]:
        """Turns the driver's errors into ours."""


def manifest_place(settings: Settings, corpus: str, generation: int) -> Place:
    """
    Where the manifest of a generation of an index is.

    :param settings: Names the data folder or the PostgreSQL database.
    :param corpus: Whose index.
    :param generation: The generation's number.
    :returns: The place; nothing needs to be there yet.
    """
    if settings.database_url is None:
        return settings.generation_dir(corpus, generation) / "manifest.sqlite"
    return PostgresSchema(settings.database_url.get_secret_value(), f"{schema_name(corpus)}_g{generation}")


def schema_name(corpus: str) -> str:
    """The PostgreSQL schema of what a corpus's generations share; theirs begin with it."""
    return f"tansaku_{corpus.replace('-', '_').lower()}"


def open_database(place: Place, tables: str) -> ManifestDatabase:
    """
    Connect, and make the tables where they aren't there.

    :param place: Where.
    :param tables: `CREATE TABLE IF NOT EXISTS` and `CREATE INDEX IF NOT EXISTS` statements.
    :returns: The database.
    :raises IndexDamagedError: When a file is damaged; so do all methods.
    :raises TansakuError: When it can't be used for another reason: a full disk, a server that is down.
    """
    if isinstance(place, PostgresSchema):
        from pipelines.postgres_database import PostgresDatabase

        return PostgresDatabase(place, tables)
    from pipelines.sqlite_database import SqliteDatabase

    return SqliteDatabase(place, tables)


def database_exists(place: Place) -> bool:
    """
    Whether there is such a file, or such a schema.

    :raises TansakuError: When the server can't be asked.
    """
    if isinstance(place, PostgresSchema):
        from pipelines.postgres_database import schema_exists

        return schema_exists(place)
    return place.is_file()


def drop_database(place: Place) -> None:
    """Remove a database that nobody uses any more, with all that it holds."""
    if isinstance(place, PostgresSchema):
        from pipelines.postgres_database import drop_schema

        drop_schema(place)
        return
    for suffix in ("", "-wal", "-shm"):
        place.with_name(place.name + suffix).unlink(missing_ok=True)


def stored_path(path: Path) -> str:
    """A path as a manifest keeps it: itself, or its bytes when its name is no valid UTF-8."""
    raw = os.fsencode(path)
    return str(path) if raw.decode("utf-8", "ignore").encode() == raw else f"{_BYTES}{raw.hex()}"


def read_path(stored: str | bytes) -> Path:
    """The path that `stored_path` made text of; older manifests hold bytes."""
    if isinstance(stored, str) and stored.startswith(_BYTES):
        stored = bytes.fromhex(stored.removeprefix(_BYTES))
    return Path(os.fsdecode(stored))


@contextmanager
def rolled_back(execute: Any, begin: str) -> Iterator[None]:
    """A transaction of a connection that commits each statement by itself otherwise."""
    execute(begin)
    try:
        yield
    except BaseException:
        with suppress(Exception):  # where it fails, the transaction is gone already, with what ended it
            execute("ROLLBACK")
        raise
    execute("COMMIT")

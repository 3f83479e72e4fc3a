"""A manifest's database in a SQLite file."""

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from pipelines.errors import IndexDamagedError, TansakuError
from pipelines.manifest_database import ManifestDatabase, Row, rolled_back, stored_path


class SqliteDatabase(ManifestDatabase):
    """
    A SQLite file, written ahead to a log, so that searches read while a run writes.

    Usage example:
    ```python
    with SqliteDatabase(folder / "manifest.sqlite", "CREATE TABLE IF NOT EXISTS facts (name TEXT)") as database:
        database.rows("SELECT name FROM facts")
    ```

    :param path: The file; made when it isn't there.
    :param tables: The statements that make its tables.
    :raises IndexDamagedError: When the file is damaged; so do all methods.
    :raises TansakuError: When it can't be used for another reason, such as a full disk.
    """

    def __init__(self, path: Path, tables: str):
        self._path = path
        is_writable = os.access(path.parent, os.W_OK) or not path.exists()
        # Where nothing can be written SQLite can't keep its log, and a manifest that was closed has none.
        place = path if is_writable else f"{path.absolute().as_uri()}?immutable=1"
        with self._explained():
            self._db = sqlite3.connect(place, isolation_level=None, timeout=30, uri=not is_writable)
        self._db.row_factory = sqlite3.Row
        try:
            if not is_writable:
                self._refuse_log()
                return
            with self._explained():
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.executescript(tables)
        except TansakuError:
            self._db.close()
            raise

    def _refuse_log(self) -> None:
        log = self._path.with_name(f"{self._path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise TansakuError(
                f"{self._path.parent} is read-only, and an index run there was stopped or is at work; finish it first"
            )

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block's changes, or none."""
        with self._explained(), rolled_back(self._db.execute, "BEGIN IMMEDIATE"):
            yield

    def turn(self) -> AbstractContextManager[None]:
        """Nothing to wait for: a file has one writer, who holds the index's lock."""
        return nullcontext()

    def change_many(self, statement: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each of some tuples of parameters, inside a transaction."""
        with self._explained():
            self._db.executemany(self._translated(statement), parameters)

    def check(self) -> None:
        """
        Read the whole file.

        :raises IndexDamagedError: When it is damaged.
        """
        found = self.rows("PRAGMA quick_check(1)")[0][0]
        if found != "ok":
            raise self._damaged(" ".join(found.split()))

    def _damaged(self, reason: object) -> IndexDamagedError:
        # The folder of an index has its corpus's name; a generation's lies in it.
        folder = self._path.parent
        corpus = folder.parent.name if re.fullmatch(r"g\d+", folder.name) else folder.name
        return IndexDamagedError(corpus, {"manifest": f"{self._path}: {reason}"})

    def _execute(self, statement: str, parameters: Sequence[Any]) -> sqlite3.Cursor:
        return self._db.execute(statement, parameters)

    def _streamed(self, query: str, parameters: Sequence[Any]) -> Iterator[Row]:
        return self._db.execute(query, parameters)

    def _translated(self, statement: str) -> str:
        return _with_lists_as_json(statement)

    def _bound(self, parameters: Sequence[Any]) -> Sequence[Any]:
        return [_bound(parameter) for parameter in parameters]

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
                raise self._damaged(error) from error
            raise TansakuError(f"the manifest {self._path} can't be used: {error}") from error


@cache
def _with_lists_as_json(statement: str) -> str:
    return re.sub(r"\bIN \?", "IN (SELECT value FROM json_each(?))", statement)


def _bound(parameter: Any) -> Any:
    if isinstance(parameter, Path):
        return stored_path(parameter)
    return json.dumps(parameter) if isinstance(parameter, list) else parameter

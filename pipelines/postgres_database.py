"""A manifest's database in a schema of a PostgreSQL database."""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from pipelines.errors import ConfigError, TansakuError
from pipelines.manifest_database import ManifestDatabase, PostgresSchema, Row, rolled_back, stored_path

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise ConfigError(
        "TANSAKU_DATABASE_URL needs the PostgreSQL driver; install it with: pip install 'tansaku[cluster]'"
    ) from error

_CONNECT_SECONDS = 10
_PAGE = 5_000
_FORM = "postgresql://user:password@host:5432/database"
_TURNS = 0x54414E53  # the first of an advisory lock's two numbers; the second is a hash of what is waited for
_REVISION = "CREATE TABLE IF NOT EXISTS revision (number BIGINT NOT NULL)"


class PostgresDatabase(ManifestDatabase):
    """
    A schema of a database that any number of machines use.

    Transactions of a schema wait for each other, as those of a SQLite file do, and each counts `revision` up: by it
    others see cheaply that something changed.

    Usage example:
    ```python
    place = PostgresSchema("postgresql://tansaku@db/tansaku", "tansaku_us_patent_law_g1")
    with PostgresDatabase(place, "CREATE TABLE IF NOT EXISTS facts (name TEXT)") as database:
        database.rows("SELECT name FROM facts")
    ```

    :param place: The database and the schema; the schema is made when it isn't there.
    :param tables: The statements that make its tables.
    :raises TansakuError: When the server can't be reached or refuses; so do all methods.
    """

    def __init__(self, place: PostgresSchema, tables: str = ""):
        self._place = place
        self._db = connect(place.url)
        try:
            with self._explained():
                self._use_schema(tables)
        except TansakuError:
            self._db.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block's changes, or none; other transactions wait for its end."""
        with self._explained(), rolled_back(self._run, "BEGIN"):
            hold_turn(self._db, self._place.name)
            yield
            self._db.execute("UPDATE revision SET number = number + 1")

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Stores and manifest are changed together in the block: others that do so wait for its end."""
        name = f"{self._place.name} stores"
        with self._explained():
            self._db.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", [_TURNS, name])
        try:
            yield
        finally:
            with self._explained():
                self._db.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", [_TURNS, name])

    def change(self, statement: str, *parameters: Any) -> int:
        """Run a statement and tell how many rows it changed."""
        if self._db.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS:
            return super().change(statement, *parameters)
        with self.transaction():
            return super().change(statement, *parameters)

    def change_many(self, statement: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each of some tuples of parameters, inside a transaction."""
        with self._explained(), self._db.cursor() as cursor:
            cursor.executemany(self._translated(statement), [self._bound(each) for each in parameters])

    def check(self) -> None:
        """The server looks after its files itself."""

    def revision(self) -> int:
        """A number that every transaction counts up."""
        return int(self.rows("SELECT number FROM revision")[0][0])

    def _use_schema(self, tables: str) -> None:
        name = sql.Identifier(self._place.name)
        self._db.execute(sql.SQL("SET search_path TO {}").format(name))
        # Those who only search need no right to create anything.
        if not tables or _has_tables(self._db, self._place.name):
            return
        with rolled_back(self._run, "BEGIN"):
            hold_turn(self._db, self._place.name)
            self._db.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
            self._run(_as_postgres_tables(tables))
            self._run(f"{_REVISION}; INSERT INTO revision SELECT 0 WHERE NOT EXISTS (SELECT FROM revision)")

    def _run(self, statement: str) -> None:
        self._db.execute(statement.encode())  # bytes: no parameters, and several statements at once

    def _execute(self, statement: str, parameters: Sequence[Any]) -> Any:
        return self._db.execute(statement.encode(), parameters)

    def _streamed(self, query: str, parameters: Sequence[Any]) -> Iterator[Row]:
        with self._db.cursor("stream", withhold=True) as cursor:
            cursor.itersize = _PAGE
            cursor.execute(query.encode(), parameters)
            yield from cursor

    def _translated(self, statement: str) -> str:
        return _as_postgres(statement)

    def _bound(self, parameters: Sequence[Any]) -> Sequence[Any]:
        return [_bound(parameter) for parameter in parameters]

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self._place.url)


class RevisionReader:
    """
    Reads the revisions of schemas by one connection that stays open, opened again when it broke; of any thread.

    Usage example:
    ```python
    RevisionReader(url).read("tansaku_us_patent_law_g1")
    ```

    :param url: The database.
    """

    def __init__(self, url: str):
        self._url = url
        self._lock = threading.Lock()
        self._db: Any = None

    def __del__(self) -> None:
        # It lives as long as the search that it watches for, which nobody closes.
        if self._db is not None:
            self._db.close()

    def read(self, schema: str) -> int | None:
        """
        The revision of a schema.

        :param schema: Its name.
        :returns: The number; None when there is no such schema.
        :raises TansakuError: When the server can't be asked.
        """
        table = sql.SQL("SELECT number FROM {}").format(sql.Identifier(schema, "revision"))
        with self._lock:
            if self._db is None or self._db.closed:
                self._db = connect(self._url)
            with explained(self._url):
                try:
                    return int(self._db.execute(table).fetchone()[0])
                except psycopg.errors.UndefinedTable:
                    return None


def connect(url: str, name: str = "tansaku") -> "psycopg.Connection[Any]":
    """
    Connect to a PostgreSQL database; each statement is a transaction of its own.

    :param url: The database.
    :param name: What the server shows of this connection to others.
    :returns: The connection.
    :raises ConfigError: When the URL is none of PostgreSQL.
    :raises TansakuError: When the server can't be reached or refuses.
    """
    url = _plain(url)
    if not url.startswith(("postgresql://", "postgres://")):
        raise ConfigError(f"TANSAKU_DATABASE_URL must be the URL of a PostgreSQL database: {_FORM}")
    try:
        options = {"connect_timeout": _CONNECT_SECONDS, "application_name": name, **conninfo_to_dict(url)}
    except psycopg.ProgrammingError:  # its message holds the URL, and so the password
        raise ConfigError(f"TANSAKU_DATABASE_URL can't be read; it must look like {_FORM}") from None
    with explained(url):
        return psycopg.connect(**options, autocommit=True, row_factory=_row_maker)  # type: ignore[arg-type]


@contextmanager
def explained(url: str) -> Iterator[None]:
    """
    Turn the driver's errors into ours, without the password.

    :param url: The database.
    :raises TansakuError: When the block raised one.
    """
    try:
        yield
    except psycopg.Error as error:
        known = conninfo_to_dict(_plain(url))
        database = f"{known.get('dbname', '')} on {known.get('host', 'this machine')}"
        reason = " ".join(str(error).split()) or type(error).__name__
        raise TansakuError(f"the manifest in the PostgreSQL database {database} can't be used: {reason}") from error


def hold_turn(database: "psycopg.Connection[Any]", name: str) -> None:
    """Wait until no other transaction has its turn at something, and have it until the end of this one."""
    database.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_TURNS, name])


def schema_exists(place: PostgresSchema) -> bool:
    """Whether there is such a schema with tables."""
    with connect(place.url) as database:
        return _has_tables(database, place.name)


def drop_schema(place: PostgresSchema) -> None:
    """Remove a schema with all that it holds."""
    with connect(place.url) as database:
        database.execute("SET client_min_messages TO warning")
        database.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(place.name)))


def _plain(url: str) -> str:
    """Without the driver's name, which SQLAlchemy writes into it."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def _has_tables(database: "psycopg.Connection[Any]", schema: str) -> bool:
    found = database.execute("SELECT to_regclass(format('%%I.revision', %s::text)) IS NOT NULL", [schema]).fetchone()
    return bool(found and found[0])


@cache
def _as_postgres(statement: str) -> str:
    return re.sub(r"\bIN \?", "= ANY(?)", statement).replace("%", "%%").replace("?", "%s")


def _as_postgres_tables(tables: str) -> str:
    # By code points, whatever language the database sorts by.
    return re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', tables).replace("WITHOUT ROWID", "")


def _bound(parameter: Any) -> Any:
    if isinstance(parameter, Path):
        return stored_path(parameter)
    # PostgreSQL's text can't hold this one character.
    return parameter.replace("\0", "\ufffd") if isinstance(parameter, str) else parameter


def _row_maker(cursor: Any) -> Any:
    """Rows that are read by name or by place, as those of SQLite."""
    places = {column.name: place for place, column in enumerate(cursor.description or ())}

    class PostgresRow(tuple):
        __slots__ = ()

        def __getitem__(self, key: Any) -> Any:
            return tuple.__getitem__(self, places.get(key, key))

    return PostgresRow

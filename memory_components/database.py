"""The database under the memory: a SQLite file, or PostgreSQL by its URL."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select, text, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from memory_components.errors import MemoryStoreError
from memory_components.tables import clock

REVISION = "0001"
"""The newest step in `migrations/versions`."""

SCHEMA = "tansaku_memory"
"""The PostgreSQL schema that the tables are in."""

logger = logging.getLogger(__name__)

_BUSY_SECONDS = 30
_CONNECT_SECONDS = 10
_LOCK = 0x54414E4D  # an advisory lock of the memory's own
_CLOCK = "writes"


class MemoryDatabase:
    """
    Connections to the memory's tables, which are made or brought to the present form when the first one is opened.

    Several processes may use the same database. Writers wait for each other, readers never wait. When another file lies
    in the place of the one that was opened, that one is used from then on; where none lies, nothing is written, since
    it would be lost.

    Usage example:
    ```python
    database = MemoryDatabase(Path("memory.sqlite"))
    with database.write() as connection:
        connection.execute(insert(sessions).values(...))
    ```

    :param place: A SQLite file, made where it isn't there, or the URL of a PostgreSQL database.
    :raises MemoryStoreError: When the database can't be used; so do all methods.
    """

    def __init__(self, place: Path | str):
        self._url = _url(place)
        self._is_sqlite = self._url.get_backend_name() == "sqlite"
        self._engine: Engine | None = None
        self._file: tuple[int, int] | None = None
        self._opening = threading.Lock()
        self.times_opened = 0
        """Grows when another database may be in the place of the one that was read before."""

    @property
    def name(self) -> str:
        """What the database is called in messages; without its password."""
        return self._url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One state of the database, whatever others write meanwhile."""
        with self._explained(), self._opened().connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """All of the block's changes, kept for good when it ends, or none."""
        engine = self._opened().execution_options(tansaku_writes=True)
        with self._explained(), engine.begin() as connection:
            yield connection

    def next_version(self, connection: Connection) -> int:
        """
        Count a change that other processes have to see.

        The clock stays locked until the change is kept, so changes become visible in the order of their numbers.

        :param connection: Of `write`.
        :returns: The `version` for the rows of this change.
        """
        counted = update(clock).where(clock.c.name == _CLOCK).values(value=clock.c.value + 1)
        return int(connection.execute(counted.returning(clock.c.value)).scalar_one())

    def version(self, connection: Connection) -> int:
        """The number of the newest change."""
        return int(connection.execute(select(clock.c.value).where(clock.c.name == _CLOCK)).scalar_one())

    def check_writable(self) -> None:
        """
        Wait for a turn to write, and write nothing.

        :raises MemoryStoreError: When the database can't be written.
        """
        with self.write():
            pass

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def _opened(self) -> Engine:
        with self._opening:
            if self._engine is not None and self._is_sqlite and self._found_file() != self._file:
                logger.warning("another file is in the place of the memory in %s; it is read anew", self.name)
                self._engine.dispose()
                self._engine = None
            if self._engine is None:
                self._engine = self._open()
                self._file = self._found_file() if self._is_sqlite else None
                self.times_opened += 1
            return self._engine

    def _found_file(self) -> tuple[int, int]:
        """Which file lies in the memory's place."""
        try:
            found = os.stat(str(self._url.database))
        except OSError as error:
            reason = "its file is gone; put it back, or start again with a new one"
            raise MemoryStoreError(f"the memory in {self.name} can't be used: {reason} ({error.strerror})") from error
        return found.st_dev, found.st_ino

    def _open(self) -> Engine:
        engine = _sqlite_engine(self._url) if self._is_sqlite else _postgres_engine(self._url)
        try:
            self._migrate(engine)
        except (SQLAlchemyError, OSError) as error:
            engine.dispose()
            raise self._error(error) from error
        return engine

    def _migrate(self, engine: Engine) -> None:
        with engine.connect() as connection:
            if _revision(connection) == REVISION:
                return
        if self._is_sqlite:
            with FileLock(f"{self._url.database}.lock"), engine.execution_options(tansaku_writes=True).begin() as open_:
                _upgrade(open_)
            return
        with engine.begin() as open_:
            open_.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            open_.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
            _upgrade(open_)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> MemoryStoreError:
        reason = " ".join(str(getattr(error, "orig", None) or error).split())
        return MemoryStoreError(f"the memory in {self.name} can't be used: {reason}")


def _url(place: Path | str) -> URL:
    if isinstance(place, Path):
        return URL.create("sqlite", database=str(place))
    try:
        url = make_url(place)
    except ArgumentError:  # its message holds the URL, and so the password
        raise MemoryStoreError("the memory's database URL can't be read; write postgresql://user@host/name") from None
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise MemoryStoreError(f"the memory can't be in {url.get_backend_name()}; use PostgreSQL or a SQLite file")
    return url.set(drivername="postgresql+psycopg")


def _sqlite_engine(url: URL) -> Engine:
    assert url.database is not None
    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where `begin` says
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that turns into a writer can meet another one and fail; a writer from the start waits its turn.
        writes = connection.get_execution_options().get("tansaku_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres_engine(url: URL) -> Engine:
    if "connect_timeout" not in url.query:
        url = url.update_query_dict({"connect_timeout": str(_CONNECT_SECONDS)})
    try:
        return create_engine(url, pool_pre_ping=True, connect_args={"options": f"-csearch_path={SCHEMA}"})
    except ImportError as error:
        raise MemoryStoreError(
            "PostgreSQL needs its driver; install it with: pip install 'tansaku[cluster]'"
        ) from error


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("memory_revision"):
        return None
    return connection.execute(text("SELECT version_num FROM memory_revision")).scalar()


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    if _revision(connection) == REVISION:  # another process was first
        return
    config = Config()
    config.set_main_option("script_location", "memory_components:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if connection.execute(select(clock)).first() is None:
        connection.execute(insert(clock).values(name=_CLOCK, value=0))

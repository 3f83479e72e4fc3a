"""A writer's lock in a PostgreSQL database: for a whole index, or for a part of its sources."""

from contextlib import suppress

import psycopg

from pipelines.postgres_database import connect, explained, hold_turn
from pipelines.shards import Shard

# What the two numbers of an advisory lock are: the index, and 0 or which part of how many.
_HELD = """
SELECT l.objid::bigint AS part, a.application_name AS name, to_char(a.backend_start AT TIME ZONE 'UTC',
    'YYYY-MM-DD HH24:MI:SS') AS since
FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.classid::bigint = hashtext(%s)::bigint & 4294967295
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.objsubid = 2
ORDER BY part
"""
_PARTS = 10_000


class PostgresLock:
    """
    A lock that the server frees when the connection ends, however it ends.

    Usage example:
    ```python
    with PostgresLock(url, "tansaku_us_patent_law", "process 12 on host") as lock:
        if holder := lock.take(None):
            ...
    ```

    :param url: The database.
    :param index: The index's name in it.
    :param name: What others are told of the holder; its first 63 characters.
    """

    def __init__(self, url: str, index: str, name: str):
        self._url, self._index = url, index
        self._db = connect(url, name[:63])

    def __enter__(self) -> "PostgresLock":
        return self

    def __exit__(self, *exception: object) -> None:
        # The server notices the end of a connection some time after it: a run that follows at once would be refused.
        with suppress(psycopg.Error):
            self._db.execute("SELECT pg_advisory_unlock_all()")
        self._db.close()

    def take(self, shard: Shard | None) -> str:
        """
        Take the lock, if nobody holds it for the whole index, for the same part or for parts of another size.

        :param shard: The part; None for the whole index.
        :returns: Who holds it; "" when it is taken.
        """
        part = shard.count * _PARTS + shard.number if shard else 0
        with explained(self._url), self._db.transaction():
            hold_turn(self._db, f"{self._index} lock")
            for row in self._db.execute(_HELD, [self._index]).fetchall():
                if shard is None or row["part"] == part or row["part"] // _PARTS != shard.count:
                    return f"{row['name']} since {row['since']} UTC"
            self._db.execute("SELECT pg_advisory_lock(hashtext(%s), %s)", [self._index, part])
        return ""

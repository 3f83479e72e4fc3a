"""The log of what the memory did: to answers, and what people did to it."""

from typing import Any

from sqlalchemy import Connection, delete, insert, select

from memory_components.database import MemoryDatabase
from memory_components.tables import activity


def note(connection: Connection, at: float, kind: str, subject: str, details: dict[str, Any]) -> None:
    """
    Write a line of the log in the transaction of what it tells about.

    :param connection: Of `MemoryDatabase.write`.
    :param at: When, in seconds since 1970.
    :param kind: What happened: "boost", "rating", "revoke", "forget", ...
    :param subject: The session, user, episode or concept that it is about.
    :param details: More about it.
    """
    connection.execute(insert(activity).values(at=at, kind=kind, subject=subject, details=details))


class ActivityLog:
    """
    Reads the log.

    Usage example:
    ```python
    ActivityLog(database).lines(subject="s1")
    ```

    :param database: The memory's database.
    """

    def __init__(self, database: MemoryDatabase):
        self._database = database

    def lines(self, subject: str | None = None, limit: int = 100) -> list[dict[str, Any]]:
        """
        The newest lines.

        :param subject: What they are about; anything when not given.
        :param limit: How many at most.
        :returns: "at", "kind", "subject" and "details" of each, the newest first.
        """
        wanted = select(activity.c.at, activity.c.kind, activity.c.subject, activity.c.details)
        if subject is not None:
            wanted = wanted.where(activity.c.subject == subject)
        with self._database.read() as connection:
            found = connection.execute(wanted.order_by(activity.c.id.desc()).limit(limit)).mappings()
            return [dict(row) for row in found]

    def remove_before(self, at: float) -> int:
        """Remove the lines from before a time; returns how many."""
        with self._database.write() as connection:
            return connection.execute(delete(activity).where(activity.c.at < at)).rowcount

"""Searches that wait for ratings."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import delete, func, insert, select

from memory_components.activity_log import note
from memory_components.database import MemoryDatabase
from memory_components.errors import MemoryInputError
from memory_components.records import Session, Shown, packed, unpacked
from memory_components.tables import episodes, sessions

_TRIES = 20


class SessionRecords:
    """
    The sessions of a memory.

    Usage example:
    ```python
    SessionRecords(database).add(Session("s1", "ann", "leave", vector, (Shown("HR-7#1", 1),), now, now + 86400))
    ```

    :param database: The memory's database.
    """

    def __init__(self, database: MemoryDatabase):
        self._database = database

    def add_new(self, session: Session) -> Session:
        """
        Keep a session under a new id, "rag_20260520_093000_042": the time in UTC and a number that no other session of
        that second has, of whatever process.

        :param session: The session; its id is replaced.
        :returns: The session with its id.
        """
        second = time.strftime("rag_%Y%m%d_%H%M%S", time.gmtime(session.created_at))
        for digits in (*[3] * _TRIES, *[6] * _TRIES):
            numbered = replace(session, id=f"{second}_{secrets.randbelow(10**digits):0{digits}d}")
            if self.get(numbered.id) is None:
                self.add(numbered)
                return numbered
        raise RuntimeError(f"found no free session id for {second}")

    def add(self, session: Session) -> None:
        """Keep a session, and what the memory did to its answer in the log."""
        boosted = {shown.document_id: shown.memory_boost for shown in session.shown if shown.memory_boost}
        with self._database.write() as connection:
            connection.execute(insert(sessions).values(_row(session)))
            if boosted:
                details = {"boosts": boosted, "past_sessions": dict(session.past_sessions)}
                note(connection, session.created_at, "boost", session.id, details)

    def get(self, session_id: str) -> Session | None:
        """The session of that id, whether it expired or not; None when there is none."""
        with self._database.read() as connection:
            row = connection.execute(select(sessions).where(sessions.c.id == session_id)).mappings().first()
        return _session(row) if row else None

    def open(self, session_id: str, now: float) -> Session:
        """
        The session of that id, if it takes ratings.

        :raises MemoryInputError: SESSION_NOT_FOUND, when there is none or it expired.
        """
        session = self.get(session_id)
        if session is None or session.expires_at <= now:
            raise MemoryInputError(
                "SESSION_NOT_FOUND",
                f"session_id: there is no session {session_id!r} that takes ratings; search again and rate that answer",
                session_id=session_id,
            )
        return session

    def count(self) -> int:
        """How many there are."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(sessions)).scalar_one())

    def remove_expired(self, now: float, limit: int = 5000) -> int:
        """Remove sessions that expired and were never rated, the oldest first; returns how many."""
        rated = select(episodes.c.session_id).where(episodes.c.session_id.is_not(None))
        old = select(sessions.c.id).where(sessions.c.expires_at <= now, sessions.c.id.not_in(rated))
        with self._database.write() as connection:
            return connection.execute(
                delete(sessions).where(sessions.c.id.in_(old.order_by(sessions.c.expires_at).limit(limit)))
            ).rowcount


def shown_weights(shown: Sequence[Shown]) -> dict[str, float]:
    """
    How much a rating of a whole answer counts for each result.

    :param shown: The results.
    :returns: 1/rank for each document.
    """
    return {result.document_id: 1 / result.rank for result in shown}


def _row(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "user_id": session.user_id,
        "access_groups": sorted(session.groups),
        "query": session.query,
        "vector": None if session.vector is None else packed(session.vector),
        "shown": [asdict(shown) for shown in session.shown],
        "past_sessions": dict(session.past_sessions),
        "created_at": session.created_at,
        "expires_at": session.expires_at,
    }


def _session(row: Any) -> Session:
    return Session(
        id=row["id"],
        user_id=row["user_id"],
        query=row["query"],
        vector=None if row["vector"] is None else unpacked(row["vector"]),
        shown=tuple(Shown(**shown) for shown in row["shown"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        groups=frozenset(row["access_groups"]),
        past_sessions=row["past_sessions"],
    )

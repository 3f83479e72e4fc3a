"""Experiences as they are stored."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from memory_components.activity_log import note
from memory_components.database import MemoryDatabase
from memory_components.records import Episode, packed, unpacked
from memory_components.storable import checked_values
from memory_components.tables import associations, deletions, episodes, ratings

_BATCH = 500


class EpisodeRecords:
    """
    The episodes of a memory.

    Usage example:
    ```python
    records = EpisodeRecords(database)
    records.add(Episode("e1", "leave in August", vector, reward=1.0, importance=0.8, created_at=now))
    records.page(limit=20)
    ```

    :param database: The memory's database.
    """

    def __init__(self, database: MemoryDatabase):
        self._database = database

    def add(self, *new: Episode) -> None:
        """Keep episodes; one whose id is there already stays as it is."""
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            for episode in new:
                insert_episode(connection, episode, version)

    def get(self, episode_id: str) -> Episode | None:
        """The episode of that id; None when there is none."""
        with self._database.read() as connection:
            row = connection.execute(select(episodes).where(episodes.c.id == episode_id)).mappings().first()
        return episode_of(row) if row else None

    def page(self, limit: int = 50, offset: int = 0) -> list[Episode]:
        """Some of the episodes, the newest first."""
        wanted = select(episodes).order_by(episodes.c.created_at.desc(), episodes.c.id).limit(limit).offset(offset)
        with self._database.read() as connection:
            return [episode_of(row) for row in connection.execute(wanted).mappings()]

    def count(self) -> int:
        """How many there are."""
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(episodes)).scalar_one())

    def change(self, episode_id: str, **values: Any) -> bool:
        """
        Change some columns of an episode; tells whether there is one.

        :raises MemoryInputError: When a value can't be stored.
        """
        values |= {name: checked_values(name, values[name]) for name in ("action", "outcome") if name in values}
        return bool(self.change_many({episode_id: values}))

    def change_many(self, changes: Mapping[str, Mapping[str, Any]]) -> int:
        """
        Change some columns of several episodes, the same of each.

        :param changes: By id, the new values by column.
        :returns: How many there were.
        """
        if not changes:
            return 0
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            columns: dict[str, Any] = {name: bindparam(f"new_{name}") for name in next(iter(changes.values()))}
            statement = update(episodes).where(episodes.c.id == bindparam("episode_id"))
            rows = [
                {"episode_id": each, **{f"new_{name}": value for name, value in values.items()}}
                for each, values in changes.items()
            ]
            return connection.execute(statement.values(**columns, version=version), rows).rowcount

    def compress(self, ids: Sequence[str], now: float) -> None:
        """Cut episodes down to what later searches need: the question, a vector of half the size, the ratings."""
        kept = select(episodes.c.id, episodes.c.vector).where(episodes.c.id.in_(ids))
        with self._database.read() as connection:
            vectors = {row.id: unpacked(row.vector) for row in connection.execute(kept)}
        self.change_many(
            {
                each: {"vector": packed(vector, compact=True), "action": {}, "outcome": {}, "compressed": True}
                for each, vector in vectors.items()
            }
        )
        with self._database.write() as connection:
            note(connection, now, "compress", "episodes", {"count": len(vectors)})

    def remove(self, ids: Sequence[str], now: float, reason: str, unless_rated_since: float | None = None) -> int:
        """
        Delete episodes with their ratings for good.

        :param ids: The episodes' ids.
        :param now: The time.
        :param reason: For the log.
        :param unless_rated_since: Episodes with a rating after that time stay; None for no such limit.
        :returns: How many were deleted.
        """
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            there = select(episodes.c.id).where(episodes.c.id.in_(ids))
            if unless_rated_since is not None:
                fresh = select(ratings.c.episode_id).where(ratings.c.rated_at > unless_rated_since)
                there = there.where(episodes.c.id.not_in(fresh))
            found = connection.execute(there).scalars().all()
            connection.execute(delete(episodes).where(episodes.c.id.in_(found)))
            mark_deleted(connection, "episode", found, version)
            for each in found:
                note(connection, now, "forget", each, {"reason": reason})
        return len(found)

    def associate(self, strengths: Mapping[tuple[str, str], float]) -> None:
        """
        Tie episodes to concepts.

        :param strengths: (episode id, concept) -> strength; one that is there already gets the new strength.
        """
        with self._database.write() as connection:
            tie(connection, strengths)

    def concepts_of(self, episode_ids: Sequence[str]) -> dict[str, dict[str, float]]:
        """Episode id -> concept -> strength, for those that are tied to any."""
        wanted = select(associations).where(associations.c.episode_id.in_(episode_ids))
        found: dict[str, dict[str, float]] = {}
        with self._database.read() as connection:
            for row in connection.execute(wanted):
                found.setdefault(row.episode_id, {})[row.concept] = row.strength
        return found


def insert_episode(connection: Connection, episode: Episode, version: int) -> None:
    """Insert an episode unless its id is there, in a transaction that holds the clock."""
    if connection.execute(select(episodes.c.id).where(episodes.c.id == episode.id)).first():
        return
    values = {
        **vars(episode),
        "access_groups": sorted(episode.groups),
        "vector": packed(episode.vector, episode.compressed),
        "action": dict(episode.action),
        "outcome": dict(episode.outcome),
        "version": version,
    }
    del values["groups"]
    connection.execute(insert(episodes).values(values))
    mark_there(connection, "episode", [episode.id])


def tie(connection: Connection, strengths: Mapping[tuple[str, str], float]) -> None:
    """Tie episodes to concepts, (episode id, concept) -> strength, in a transaction that writes."""
    for (episode_id, concept), strength in strengths.items():
        key = (associations.c.episode_id == episode_id, associations.c.concept == concept)
        connection.execute(delete(associations).where(*key))
        values = {"episode_id": episode_id, "concept": concept, "strength": strength}
        connection.execute(insert(associations).values(values))


def mark_there(connection: Connection, kind: str, ids: Sequence[str]) -> None:
    """Take back that something is gone, in a transaction that holds the clock."""
    for start in range(0, len(ids), _BATCH):
        meant = (deletions.c.kind == kind, deletions.c.id.in_(ids[start : start + _BATCH]))
        connection.execute(delete(deletions).where(*meant))


def mark_deleted(connection: Connection, kind: str, ids: Sequence[str], version: int) -> None:
    """Tell other processes what is gone, in a transaction that holds the clock."""
    for each in ids:
        connection.execute(delete(deletions).where(deletions.c.kind == kind, deletions.c.id == each))
        connection.execute(insert(deletions).values(kind=kind, id=each, version=version))


def episode_of(row: Any) -> Episode:
    """The episode of a row of its table."""
    values = {name: row[name] for name in Episode.__dataclass_fields__ if name not in ("groups", "vector")}
    return Episode(**values, groups=frozenset(row["access_groups"]), vector=unpacked(row["vector"]))

"""The memory's records, and what changed in them since they were last read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from memory_components.activity_log import ActivityLog
from memory_components.concept_records import ConceptRecords, concept_of, insert_concepts
from memory_components.database import MemoryDatabase
from memory_components.episode_records import EpisodeRecords, episode_of, insert_episode, tie
from memory_components.errors import MemoryInputError
from memory_components.rating_records import RatingRecords, insert_ratings, restored
from memory_components.records import Concept, Episode, Rating
from memory_components.session_records import SessionRecords
from memory_components.tables import concepts, deletions, episodes, ratings


@dataclass(frozen=True)
class Changes:
    """
    What is new since a version.

    :param version: The version that this brings up to.
    :param episodes: New and changed episodes.
    :param ratings: New and changed ratings; revoked ones have `revoked_at`.
    :param concepts: New and changed concepts.
    :param deleted: (kind, id) of what is gone; the kind is "episode", "rating" or "concept".
    """

    version: int
    episodes: Sequence[Episode] = ()
    ratings: Sequence[Rating] = ()
    concepts: Sequence[Concept] = ()
    deleted: Sequence[tuple[str, str]] = ()


@dataclass
class NewRecords:
    """
    What is taken in at once.

    :param episodes: Episodes.
    :param concepts: Concepts.
    :param ratings: Ratings of these episodes, or of those that are there.
    :param ties: (episode id, concept) -> strength.
    """

    episodes: list[Episode] = field(default_factory=list)
    concepts: list[Concept] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)
    ties: dict[tuple[str, str], float] = field(default_factory=dict)


class MemoryStore:
    """
    All records of a memory, in SQLite or PostgreSQL, shared by several processes.

    Usage example:
    ```python
    store = MemoryStore(Path("memory.sqlite"))
    store.sessions.add(session)
    store.changes_since(0).episodes
    ```

    :param place: A SQLite file, made where it isn't there, or the URL of a PostgreSQL database.
    :raises MemoryStoreError: When the database can't be used; so do all methods.
    """

    def __init__(self, place: Path | str):
        self.database = MemoryDatabase(place)
        self.sessions = SessionRecords(self.database)
        self.episodes = EpisodeRecords(self.database)
        self.ratings = RatingRecords(self.database)
        self.concepts = ConceptRecords(self.database)
        self.activity = ActivityLog(self.database)

    def changes_since(self, version: int) -> Changes | None:
        """
        What others, or this process, wrote since.

        :param version: The last version that was read; 0 for all.
        :returns: The changes; None when there are none, which costs one small read.
        """
        with self.database.read() as connection:
            newest = self.database.version(connection)
            if newest == version:
                return None

            def rows(table: Any) -> list[Any]:
                return list(connection.execute(select(table).where(table.c.version > version)).mappings())

            # A commit between these reads may be seen by some of them; it is read again next time.
            return Changes(
                version=newest,
                episodes=[episode_of(row) for row in rows(episodes)],
                ratings=[restored(row) for row in rows(ratings)],
                concepts=[concept_of(row) for row in rows(concepts)],
                deleted=[(row["kind"], row["id"]) for row in rows(deletions)] if version else [],
            )

    def take_in(self, new: NewRecords) -> None:
        """
        Keep records, all or none of them; what is there already stays as it is, but for the strength of ties.

        :param new: The records.
        :raises MemoryInputError: RECORDS_CONTRADICT, when one is of the same session, or the same vote, as one of
            another id.
        """
        with self.database.write() as connection:
            version = self.database.next_version(connection)
            try:
                for episode in new.episodes:
                    insert_episode(connection, episode, version)
                insert_concepts(connection, new.concepts, version)
                insert_ratings(connection, new.ratings, version)
                tie(connection, new.ties)
            except IntegrityError as error:
                reason = " ".join(str(error.orig).split())
                message = f"a record is of the session or vote of another one, or of one that is gone ({reason})"
                raise MemoryInputError("RECORDS_CONTRADICT", message) from error

    def close(self) -> None:
        """Close all connections; the next use opens new ones."""
        self.database.close()

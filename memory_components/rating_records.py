"""What people said of results."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from memory_components.activity_log import note
from memory_components.database import MemoryDatabase
from memory_components.episode_records import insert_episode, mark_deleted, mark_there
from memory_components.records import Episode, Rating
from memory_components.tables import episodes, ratings


class RatingRecords:
    """
    The ratings of a memory.

    Usage example:
    ```python
    records = RatingRecords(database)
    records.add(rating, episode)
    records.revoke("mallory", since=0.0, now=time.time())
    ```

    :param database: The memory's database.
    """

    def __init__(self, database: MemoryDatabase):
        self._database = database

    def add(self, rating: Rating, episode: Episode) -> Rating:
        """
        Keep a rating, and its episode where it is the first one there.

        Of one session, user and document there is one rating, the last. The same one given again changes nothing, and
        so does any given in place of a revoked one.

        :param rating: The rating.
        :param episode: The episode that the rating belongs to.
        :returns: The rating as it is kept: with the time at which it was given first, if it was given before.
        """
        with self._database.write() as connection:
            version = self._database.next_version(connection)  # from here on other writers wait
            known = connection.execute(select(ratings).where(ratings.c.id == rating.id)).mappings().first()
            if known and (known["revoked_at"] is not None or _same(known, rating)):
                return _rating(known)
            insert_episode(connection, episode, version)
            if known:
                changed = {**_row(rating), "version": version}
                connection.execute(update(ratings).where(ratings.c.id == rating.id).values(changed))
            else:
                connection.execute(insert(ratings).values(**_row(rating), version=version))
                mark_there(connection, "rating", [rating.id])
            _reward(connection, rating.episode_id, version)
            details = {"rating_id": rating.id, "user_id": rating.user_id, "rating": rating.rating}
            note(connection, rating.rated_at, "rating", episode.session_id or episode.id, details)
        return rating

    def add_new(self, rating: Rating) -> None:
        """Keep a rating of an episode that is there, revoked or not, unless one of its id is there already."""
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            insert_ratings(connection, [rating], version)

    def get(self, rating_id: str) -> Rating | None:
        """The rating of that id; None when there is none."""
        with self._database.read() as connection:
            row = connection.execute(select(ratings).where(ratings.c.id == rating_id)).mappings().first()
        return _rating(row) if row else None

    def of_episodes(self, episode_ids: Sequence[str]) -> list[Rating]:
        """The ratings of some episodes, revoked ones too."""
        wanted = select(ratings).where(ratings.c.episode_id.in_(episode_ids)).order_by(ratings.c.rated_at, ratings.c.id)
        with self._database.read() as connection:
            return [_rating(row) for row in connection.execute(wanted).mappings()]

    def revoke(self, user_id: str, since: float, now: float) -> int:
        """
        Take back what a user said; it stays in the records and acts no more.

        :param user_id: Whose ratings.
        :param since: From when on, in seconds since 1970.
        :param now: The time.
        :returns: How many ratings were taken back.
        """
        meant = (ratings.c.user_id == user_id, ratings.c.rated_at >= since, ratings.c.revoked_at.is_(None))
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            touched = connection.execute(select(ratings.c.episode_id).where(*meant).distinct()).scalars().all()
            changed = update(ratings).where(*meant).values(revoked_at=now, version=version)
            count = connection.execute(changed).rowcount
            for episode_id in touched:
                _reward(connection, episode_id, version)
            note(connection, now, "revoke", user_id, {"since": since, "ratings": count})
        return count

    def remove(self, rating_id: str, now: float) -> bool:
        """Delete a rating for good; tells whether there was one."""
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            row = connection.execute(select(ratings).where(ratings.c.id == rating_id)).mappings().first()
            if row is None:
                return False
            connection.execute(delete(ratings).where(ratings.c.id == rating_id))
            mark_deleted(connection, "rating", [rating_id], version)
            _reward(connection, row["episode_id"], version)
            note(connection, now, "delete", rating_id, {"user_id": row["user_id"]})
        return True


def insert_ratings(connection: Connection, new: Sequence[Rating], version: int) -> None:
    """Insert ratings, revoked or not, but those whose ids are there, in a transaction that holds the clock."""
    touched = set()
    for rating in new:
        if connection.execute(select(ratings.c.id).where(ratings.c.id == rating.id)).first():
            continue
        connection.execute(insert(ratings).values(**_row(rating), version=version))
        mark_there(connection, "rating", [rating.id])
        touched.add(rating.episode_id)
    for episode_id in sorted(touched):
        _reward(connection, episode_id, version)


def reward_of(rating: int) -> float:
    """
    A rating as a reward.

    >>> [reward_of(rating) for rating in (1, 2, 3, 4, 5)]
    [-1.0, -0.5, 0.0, 0.5, 1.0]
    """
    return (rating - 3) / 2


def rating_id(session_id: str, user_id: str, document_id: str) -> str:
    """
    The id of a rating: the same for the same session, user and document.

    :returns: 32 hexadecimal digits.
    """
    named = "\0".join((session_id, user_id, document_id))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def restored(row: Mapping[str, Any]) -> Rating:
    """The rating of an exported line."""
    return _rating({"revoked_at": None, "comment": "", **row})


def _reward(connection: Connection, episode_id: str, version: int) -> None:
    """The episode's reward is the mean of the ratings that count."""
    wanted = select(ratings.c.rating).where(ratings.c.episode_id == episode_id, ratings.c.revoked_at.is_(None))
    given = connection.execute(wanted).scalars().all()
    mean = sum(reward_of(rating) for rating in given) / len(given) if given else 0.0
    connection.execute(update(episodes).where(episodes.c.id == episode_id).values(reward=mean, version=version))


def _same(known: Any, rating: Rating) -> bool:
    kept = _rating(known)
    return kept == replace(rating, rated_at=kept.rated_at)


def _row(rating: Rating) -> dict[str, Any]:
    return {**vars(rating), "weights": dict(rating.weights)}


def _rating(row: Any) -> Rating:
    return Rating(**{name: row[name] for name in Rating.__dataclass_fields__})

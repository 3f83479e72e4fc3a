"""Keeps what someone says of an answer."""

from dataclasses import dataclass

import numpy as np

from components.retrieval.ranking import source_of
from memory_components.episodic_memory import Weighed
from memory_components.errors import MemoryInputError
from memory_components.names import checked_name, clean
from memory_components.rating_records import rating_id, reward_of
from memory_components.records import Episode, Rating, Session
from memory_components.retention_room import room_of
from memory_components.session_records import shown_weights


@dataclass(frozen=True)
class Feedback:
    """What became of a rating; times are seconds since 1970."""

    feedback_id: str
    memory_id: str
    importance: float
    recorded_at: float


def check_rating(rating: object) -> int:
    """
    The rating, if it is one.

    :raises MemoryInputError: RATING_OUT_OF_RANGE, for anything but an integer from 1 to 5.
    """
    if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
        message = f"rating: {rating!r} is not allowed; it must be an integer from 1 to 5"
        raise MemoryInputError("RATING_OUT_OF_RANGE", message, rating=rating)
    return rating


def rating_of(session: Session, rating: int, doc_id: str, comment: str, user_id: str, now: float) -> Rating:
    """
    The rating of an answer.

    :param session: The answer.
    :param rating: 1 to 5.
    :param doc_id: The result that it is about, or the record of one; "" for all results.
    :param comment: What else was said.
    :param user_id: Who rates; "" for the one who searched.
    :param now: The time.
    :returns: The rating.
    :raises MemoryInputError: DOCUMENT_NOT_SHOWN; USER_MISMATCH for a rating of someone else's answer.
    """
    user = _rater(session, checked_name("user_id", user_id))
    return Rating(
        id=rating_id(session.id, user, doc_id),
        episode_id=session.id,
        user_id=user,
        document_id=doc_id,
        weights=_weights(session, doc_id),
        rating=rating,
        rated_at=now,
        comment=clean(comment),
    )


def room_for(session: Session, doc_id: str) -> float:
    """How much better the rated result could still come out; of a whole answer, its first."""
    ranks = [r.rank for r in session.shown if doc_id in ("", r.document_id, source_of(r.document_id))]
    return float(room_of(min(ranks, default=1)))


def episode_of_session(session: Session, vector: np.ndarray, rating: int, weighed: Weighed) -> Episode:
    """The episode that an answer becomes when it is rated for the first time."""
    return Episode(
        id=session.id,
        context=session.query,
        vector=vector,
        reward=reward_of(rating),
        importance=weighed.importance,
        novelty=weighed.novelty,
        recurrence=weighed.recurrence,
        room=weighed.room,
        created_at=session.created_at,
        user_id=session.user_id,
        groups=session.groups,
        session_id=session.id,
        action={"shown": [result.document_id for result in session.shown]},
    )


def _weights(session: Session, doc_id: str) -> dict[str, float]:
    if not doc_id:
        return shown_weights(session.shown)
    ids = [result.document_id for result in session.shown]
    if doc_id not in ids and doc_id not in map(source_of, ids):
        message = f"doc_id: {doc_id!r} was not among the results of that session"
        raise MemoryInputError("DOCUMENT_NOT_SHOWN", message, doc_id=doc_id, shown=ids)
    return {doc_id: 1.0}


def _rater(session: Session, user: str) -> str:
    if user and session.user_id and user != session.user_id:
        raise MemoryInputError(
            "USER_MISMATCH",
            f"user_id: {user!r} did not make that search; rate an answer of your own",
            user_id=user,
        )
    return user or session.user_id

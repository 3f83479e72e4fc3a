"""Why an answer came out as it did."""

from datetime import UTC, datetime
from typing import Any

from memory_components.errors import MemoryInputError
from memory_components.memory_store import MemoryStore
from memory_components.records import Rating


def explain_session(store: MemoryStore, session_id: str) -> dict[str, Any]:
    """
    What the memory did to an answer, and by whose ratings.

    Usage example:
    ```python
    explain_session(store, session_id)["past_sessions_used"][0]["ratings"]
    ```

    :param store: The records.
    :param session_id: The answer's session.
    :returns: `session_id`, `query`, `user_id`, `created_at`, `results` with rank, score and `memory_boost` of each,
        and `past_sessions_used`, each with its query, similarity and ratings as they are now.
    :raises MemoryInputError: SESSION_NOT_FOUND, when there is no such session.
    """
    session = store.sessions.get(session_id)
    if session is None:
        raise MemoryInputError(
            "SESSION_NOT_FOUND", f"session_id: there is no session {session_id!r}", session_id=session_id
        )
    ratings: dict[str, list[Rating]] = {}
    for rating in store.ratings.of_episodes(list(session.past_sessions)):
        ratings.setdefault(rating.episode_id, []).append(rating)
    return {
        "session_id": session.id,
        "query": session.query,
        "user_id": session.user_id,
        "created_at": as_iso(session.created_at),
        "results": [
            {"doc_id": r.document_id, "rank": r.rank, "score": r.score, "memory_boost": r.memory_boost}
            for r in session.shown
        ],
        "past_sessions_used": [
            {
                "session_id": name,
                "query": episode.context if (episode := store.episodes.get(name)) else None,
                "similarity": similarity,
                "forgotten": episode is None,
                "ratings": [rating_line(rating) for rating in ratings.get(name, [])],
            }
            for name, similarity in sorted(session.past_sessions.items(), key=lambda pair: (-pair[1], pair[0]))
        ],
    }


def without_people(explanation: dict[str, Any]) -> dict[str, Any]:
    """
    An explanation for anyone who has the session's id: without who asked and rated, their questions and comments.

    :param explanation: What `explain_session` gave.
    :returns: A copy.
    """
    past = [
        {
            "similarity": used["similarity"],
            "forgotten": used["forgotten"],
            "ratings": [
                {name: rating[name] for name in ("doc_id", "rating", "rated_at", "revoked_at")}
                for rating in used["ratings"]
            ],
        }
        for used in explanation["past_sessions_used"]
    ]
    kept = {name: explanation[name] for name in ("session_id", "query", "created_at", "results")}
    return {**kept, "past_sessions_used": past}


def rating_line(rating: Rating) -> dict[str, Any]:
    """A rating as people read it."""
    return {
        "feedback_id": rating.id,
        "user_id": rating.user_id,
        "doc_id": rating.document_id or None,
        "rating": rating.rating,
        "comment": rating.comment,
        "rated_at": as_iso(rating.rated_at),
        "revoked_at": as_iso(rating.revoked_at) if rating.revoked_at is not None else None,
    }


def as_iso(seconds: float) -> str:
    """
    A time as text.

    >>> as_iso(0.5)
    '1970-01-01T00:00:00.500000+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat()

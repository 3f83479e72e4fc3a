"""Sessions, episodes and ratings for tests."""

import numpy as np

from memory_components.records import Episode, Rating, Session, Shown

NOW = 1_900_000_000.0


def unit(*values: float) -> np.ndarray:
    """A vector of 384 values that begins with some and has length 1."""
    vector = np.zeros(384, np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


def session(name: str = "s1", **values: object) -> Session:
    given = {
        "id": name,
        "user_id": "ann",
        "query": "leave in August",
        "vector": unit(1, 0),
        "shown": (Shown("HR-7#1", 1, 0.9), Shown("HR-8#1", 2, 0.8)),
        "created_at": NOW,
        "expires_at": NOW + 86400,
    }
    return Session(**{**given, **values})  # type: ignore[arg-type]


def episode(name: str = "e1", **values: object) -> Episode:
    given = {"context": "leave in August", "vector": unit(1, 0), "reward": 0.0, "importance": 0.5, "created_at": NOW}
    return Episode(name, **{**given, **values})  # type: ignore[arg-type]


def rating(name: str = "r1", **values: object) -> Rating:
    given = {
        "episode_id": "e1",
        "user_id": "ann",
        "document_id": "HR-7#1",
        "weights": {"HR-7#1": 1.0},
        "rating": 5,
        "rated_at": NOW,
    }
    return Rating(name, **{**given, **values})  # type: ignore[arg-type]

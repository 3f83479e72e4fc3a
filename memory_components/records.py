"""What the memory keeps, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ANYONE: frozenset[str] = frozenset()
"""The access groups of what may act for everyone."""


@dataclass(frozen=True)
class Shown:
    """
    One result of an answer.

    :param document_id: The result's id.
    :param rank: Its place, from 1.
    :param score: Its score, the boost included.
    :param memory_boost: What the memory added to the score.
    """

    document_id: str
    rank: int
    score: float = 0.0
    memory_boost: float = 0.0


@dataclass(frozen=True, eq=False)
class Session:
    """
    A search that waits for ratings.

    :param id: Its id, which the answer carries.
    :param user_id: Who asked; "" when nobody said.
    :param groups: The access groups of who asked; none for what everyone may see.
    :param query: What was asked.
    :param vector: The query's embedding; None when there was none.
    :param shown: The results, best first.
    :param past_sessions: The past sessions whose ratings changed the answer, by id, with their similarity.
    :param created_at: When, in seconds since 1970.
    :param expires_at: Until when it takes ratings.
    """

    id: str
    user_id: str
    query: str
    vector: np.ndarray | None
    shown: tuple[Shown, ...]
    created_at: float
    expires_at: float
    groups: frozenset[str] = ANYONE
    past_sessions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Rating:
    """
    What someone said of one document, or of all that was shown.

    :param id: The same for the same session, user and document.
    :param episode_id: The episode that it belongs to.
    :param user_id: Who rated; "" for all who don't say who they are.
    :param document_id: What was rated; "" for all that was shown.
    :param weights: How much it counts for which document: 1 for one that was named, 1/rank for all shown.
    :param rating: 1 to 5.
    :param rated_at: When, in seconds since 1970.
    :param revoked_at: When an operator took it back; None for one that counts.
    """

    id: str
    episode_id: str
    user_id: str
    document_id: str
    weights: Mapping[str, float]
    rating: int
    rated_at: float
    comment: str = ""
    revoked_at: float | None = None


@dataclass(frozen=True, eq=False)
class Episode:
    """
    An experience: what was asked, what was done about it and how it turned out.

    :param id: Its id.
    :param context: What was asked.
    :param vector: The embedding of `context`.
    :param reward: -1 (bad) to 1 (good).
    :param importance: 0.05 to 1; what forgetting goes by.
    :param novelty: How unlike all questions before it its question was, 0 to 1.
    :param recurrence: How many like questions came before and after it.
    :param room: How much better its document could still come out, 0 to 1, see `retention_room`.
    :param action: What was done: for a search, what was shown.
    :param outcome: How it turned out.
    :param consolidated: Whether it is kept for good.
    :param compressed: Whether it was cut down to what later searches need of it.
    """

    id: str
    context: str
    vector: np.ndarray
    reward: float
    importance: float
    created_at: float
    user_id: str = ""
    groups: frozenset[str] = ANYONE
    session_id: str | None = None
    novelty: float = 1.0
    recurrence: int = 0
    room: float = 1.0
    action: Mapping[str, Any] = field(default_factory=dict)
    outcome: Mapping[str, Any] = field(default_factory=dict)
    consolidated: bool = False
    compressed: bool = False


@dataclass(frozen=True, eq=False)
class Concept:
    """
    A thing of the domain that has a name.

    :param name: The name.
    :param definition: What it is.
    :param vector: The embedding of name and definition.
    :param related: Names of related concepts.
    :param aliases: Other names of it.
    :param entity_type: PROJECT_ID, PRODUCT, PERSON, ORG, DATE, or "" for none of these.
    :param confidence: 0 to 1.
    :param origin: "vocabulary" for those of the vocabulary file, else "api".
    :param access_count: How often a query used it.
    """

    name: str
    definition: str
    vector: np.ndarray
    related: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    entity_type: str = ""
    confidence: float = 1.0
    origin: str = "api"
    access_count: int = 0


def packed(vector: np.ndarray, compact: bool = False) -> bytes:
    """
    A vector as bytes.

    :param vector: Of any float type.
    :param compact: Half as long, with three digits.
    :returns: Its float32 or float16 values, little-endian.
    """
    return np.asarray(vector).astype("<f2" if compact else "<f4").tobytes()


def unpacked(data: bytes, dimension: int = 384) -> np.ndarray:
    """
    The vector of what `packed` made.

    :param data: The bytes.
    :param dimension: How many values there are.
    :returns: float32 values.
    """
    return np.frombuffer(data, "<f2" if len(data) == 2 * dimension else "<f4").astype(np.float32)

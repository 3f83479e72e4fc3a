"""Cutting a ranking after its best hits, the same way in every store and every time."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

Hit = TypeVar("Hit")

_TIES = 16


def with_all_ties(fetch: Callable[[int], list[list[Hit]]], key: Callable[[Hit], float], top_k: int) -> list[list[Hit]]:
    """
    Get the best hits and all that tie with the last of them, so that we break ties and not the engine.

    :param fetch: Gets rankings, each at most as long as it is asked for.
    :param key: What hits are ranked by.
    :param top_k: How many hits are wanted of each ranking.
    :returns: The rankings, with at least that many hits or all there are.
    """
    limit = top_k + _TIES
    rankings = fetch(limit)
    while any(len(hits) == limit and key(hits[-1]) == key(hits[top_k - 1]) for hits in rankings):
        limit *= 4
        rankings = fetch(limit)
    return rankings


def best(hits: list[tuple[str, float]], top_k: int) -> list[tuple[str, float]]:
    """
    Order hits by score, ties by id.

    :param hits: (id, score) pairs.
    :param top_k: How many are wanted.
    :returns: The best ones.
    """
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:top_k]


def rounded_scores(scores: Sequence[float]) -> list[float]:
    """
    Round scores so that equal documents have equal scores.

    Engines add up in another order in another part of an index, which shows in the last of a score's 32 bits.

    :param scores: The engine's scores.
    :returns: The scores in six significant digits.
    """
    values = np.asarray(scores, dtype=float)
    size = np.abs(values)
    digits = 5 - np.floor(np.log10(np.where(size > 0, size, 1.0)))
    scale = 10.0**digits
    return (np.round(values * scale) / scale).tolist()


def check_top_k(top_k: int) -> None:
    """
    Check how many hits are asked for.

    :param top_k: The number.
    :raises ValueError: If it is below 1.
    """
    if top_k < 1:
        raise ValueError(f"top_k: {top_k!r} is not allowed; it must be 1 or more")

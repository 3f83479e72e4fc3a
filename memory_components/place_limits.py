"""
Bounds what the ratings of few can do to the order: no user moves any document by more than one place for others.

Whoever is taken away, with all of their ratings, no document comes out more than one place from where it was. That
holds for each of those who rated, however near the scores are:

- Two documents near each other never both move, and one moves by no more places than users more lifted it than any
  near it. A user counts once for each document at most, so one user changes each such difference by one.
- What moves passes documents that don't move themselves, and each of these gives way by one place.

The boosts themselves are cut, so the order is still that of the final scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from memory_components.boost_rules import BoostRules, document_boost

_MARGIN = 1e-9
_NOISE = 1e-12  # what rounding leaves
_COUNTS_FROM = 0.25  # of what one user may change; a smaller vote moves nothing


@dataclass(frozen=True)
class Standing:
    """
    A candidate before memory changes its score.

    :param id: Its id.
    :param tier: Candidates never leave their tier.
    :param score: Its score.
    :param values: By user, what the user's vote on it adds before any limit.
    :param own_places: By how many places the asker's own vote may lift it; None for as many as it comes to.
    """

    id: str
    tier: int
    score: float
    values: Mapping[str, float]
    own_places: int | None = None


def allowed_places(gaps: np.ndarray, boost: float, step: float) -> int:
    """
    How many places a boost may move a document: the least of j + the places earned without j users' parts of it.

    So each user changes it by one at most, and one user alone moves a document by one place.

    >>> allowed_places(np.array([0.01, 0.02, 0.03]), 0.1, 0.1), allowed_places(np.array([0.01, 0.15]), 0.2, 0.1)
    (1, 2)

    :param gaps: By how much the neighbours in the direction of the move differ in score, the nearest first.
    :param boost: The size of the change, 0 or more.
    :param step: The most that one user changes it.
    :returns: A number of places.
    """
    users = np.arange(int(np.ceil(boost / step - _MARGIN)) + 1) if step else np.zeros(1, int)
    return int((np.searchsorted(gaps, boost - step * users - _MARGIN) + users).min())


def moves(
    scores: np.ndarray, changes: np.ndarray, support: np.ndarray, rules: BoostRules, both_ways: bool = True
) -> np.ndarray:
    """
    How many places each candidate of a tier moves.

    :param scores: Their scores, falling.
    :param changes: What the ratings of others would change, in the same order.
    :param support: How many users lifted each (first column) and lowered each (second column).
    :param rules: The rules.
    :param both_ways: Whether any change, of whatever votes of others, could be below 0.
    :returns: Places, above 0 for up and below 0 for down.
    """
    found = np.zeros(len(scores), int)
    if not rules.step:
        return found
    # No move is longer, so what is further apart than two of them has no neighbour in common.
    reach = int(np.ceil(rules.max_boost / rules.step - _MARGIN)) * (2 if both_ways else 1)
    strongest = support.max(axis=1) if both_ways else support[:, 0]
    for place in np.flatnonzero(changes):
        up = changes[place] > 0
        gaps = scores[:place][::-1] - scores[place] if up else scores[place] - scores[place + 1 :]
        lifted, lowered = support[place]
        backed = lifted - lowered if up else lowered - lifted
        near = np.concatenate([strongest[max(place - reach, 0) : place], strongest[place + 1 : place + reach + 1]])
        ahead = (lifted if up else lowered) - near.max(initial=0)
        places = min(allowed_places(gaps, abs(float(changes[place])), rules.step), int(backed), int(ahead))
        found[place] = max(places, 0) * (1 if up else -1)
    return found


def limited_scores(scores: np.ndarray, changes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """
    Cut changes so that each candidate moves by as many places as it may.

    >>> limited_scores(np.array([0.9, 0.88, 0.86]), np.array([0.0, 0.0, 0.1]), np.array([0, 0, 1])).round(3).tolist()
    [0.9, 0.88, 0.9]

    :param scores: The scores of the candidates of a tier, falling.
    :param changes: What the ratings of others would change, in the same order.
    :param places: What `moves` gave.
    :returns: Their final scores, in the same order.
    """
    order = list(range(len(scores)))
    for place in map(int, np.flatnonzero(places)):
        order.insert(order.index(place) - places[place], order.pop(order.index(place)))
    final = scores.copy()
    lowest = -np.inf
    for one in reversed(order):
        if changes[one] < 0:
            final[one] = min(scores[one], max(scores[one] + changes[one], lowest))
        lowest = max(lowest, final[one])
    for before, one in zip([None, *order], order, strict=False):
        if changes[one] > 0:
            highest = np.inf if before is None else final[before] - _MARGIN
            final[one] = max(scores[one], min(scores[one] + changes[one], highest))
    # Where scores are level there is no room between two: those before give way by a trifle.
    for one, following in reversed(list(pairwise(order))):
        as_before = one < following and final[one] == scores[one] and final[following] == scores[following]
        if not as_before and final[one] < final[following] + _MARGIN:
            final[one] = final[following] + _MARGIN
    return final


def memory_boosts(standings: Sequence[Standing], asker: str, rules: BoostRules) -> dict[str, float]:
    """
    The boost of each candidate that has one.

    Usage example:
    ```python
    memory_boosts([Standing("a", 2, 0.9, {}), Standing("b", 2, 0.8, {"ann": 0.2})], "bob", BoostRules())
    ```

    :param standings: The candidates.
    :param asker: Who asks; "" for someone unknown.
    :param rules: The rules.
    :returns: id -> boost, without zeros.
    """
    found = {each.id: document_boost(each.values, asker, rules) for each in standings if each.values}
    total = _own_boosts(standings, {name: boost.own for name, boost in found.items()})
    both_ways = rules.allow_demotion or any(total.values())
    for tier in {each.tier for each in standings if each.id in found and found[each.id].others}:
        ranked = sorted((s for s in standings if s.tier == tier), key=lambda s: (-s.score - total.get(s.id, 0.0), s.id))
        scores = np.array([each.score + total.get(each.id, 0.0) for each in ranked])
        changes = np.array([found[each.id].others if each.id in found else 0.0 for each in ranked])
        changes[np.abs(changes) <= _NOISE] = 0.0
        support = np.array([_support(each, asker, rules) for each in ranked])
        final = limited_scores(scores, changes, moves(scores, changes, support, rules, both_ways))
        for each, change in zip(ranked, final - scores, strict=True):
            if change:
                total[each.id] = total.get(each.id, 0.0) + float(change)
    return {name: boost for name, boost in total.items() if abs(boost) > _NOISE}


def _own_boosts(standings: Sequence[Standing], boosts: dict[str, float]) -> dict[str, float]:
    """The boosts of the asker's own votes, each cut short of the candidate that it may not pass."""
    ranked = sorted(standings, key=lambda s: (s.tier, -s.score, s.id))
    for place, each in enumerate(ranked):
        if each.own_places is None or boosts.get(each.id, 0.0) <= 0 or place <= each.own_places:
            continue
        above = ranked[place - each.own_places - 1]
        if above.tier == each.tier:
            boosts[each.id] = min(boosts[each.id], max(above.score - each.score - _MARGIN, 0.0))
    return boosts


def _support(standing: Standing, asker: str, rules: BoostRules) -> tuple[int, int]:
    """How many others lifted it and lowered it."""
    least = _COUNTS_FROM * rules.step
    others = [value for user, value in standing.values.items() if not asker or user != asker]
    return sum(value >= least for value in others), sum(-value >= least for value in others)

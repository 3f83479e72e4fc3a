"""
Bounds what the ratings of few can do to the order: one user moves no document by more than one place for others.

The boosts themselves are cut, so the order is still that of the final scores.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from memory_components.boost_rules import Boost, BoostRules, document_boost

_MARGIN = 1e-9


@dataclass(frozen=True)
class Standing:
    """
    A candidate before memory changes its score.

    :param id: Its id.
    :param tier: Candidates never leave their tier.
    :param score: Its score.
    :param values: By user, what the user's vote on it adds before any limit.
    """

    id: str
    tier: int
    score: float
    values: Mapping[str, float]


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
    users = np.arange(int(np.ceil(boost / step - _MARGIN)) + 1) if step else np.zeros(1)
    return int((np.searchsorted(gaps, boost - step * users - _MARGIN) + users).min())


def limited_changes(scores: np.ndarray, changes: np.ndarray, step: float) -> np.ndarray:
    """
    Cut changes so that no document moves further than `allowed_places`.

    :param scores: The scores of the candidates of a tier, falling.
    :param changes: What the ratings of others would change, in the same order.
    :param step: The most that one user changes.
    :returns: The changes that are left.
    """
    limited = changes.copy()
    for place in np.flatnonzero(changes):
        change = float(changes[place])
        gaps = scores[:place][::-1] - scores[place] if change > 0 else scores[place] - scores[place + 1 :]
        allowed = allowed_places(gaps, abs(change), step)
        if allowed < len(gaps):
            # Just short of the next one that it may not pass.
            limited[place] = np.sign(change) * min(abs(change), max(float(gaps[allowed]) - _MARGIN, 0.0))
    return limited


def memory_boosts(
    standings: Sequence[Standing], asker: str, rules: BoostRules, users: Sequence[str] = ()
) -> dict[str, float]:
    """
    The boost of each candidate that has one.

    The users' votes are added one user after the other. Where those of one user on several documents together would
    still move any of them by two places for others, they are left out of this answer. So for the last user the bound
    holds whatever anyone rated; for one before, a document can move by two places where the ratings of others on its
    neighbours depend on it.

    Usage example:
    ```python
    memory_boosts([Standing("a", 2, 0.9, {}), Standing("b", 2, 0.8, {"ann": 0.2})], "bob", BoostRules(), ["ann"])
    ```

    :param standings: The candidates.
    :param asker: Who asks; "" for someone unknown.
    :param rules: The rules.
    :param users: Those who voted, those who are to be bounded most strictly last; by name where it isn't given.
    :returns: id -> boost, without zeros.
    """
    users = users or sorted({user for standing in standings for user in standing.values})
    kept = {asker} if asker else set()
    boosts = _boosts(standings, kept, asker, rules)
    order = _order(standings, boosts)
    for user in users:
        if user in kept:
            continue
        more = _boosts(standings, {*kept, user}, asker, rules)
        if more == boosts:
            kept.add(user)
            continue
        new_order = _order(standings, more)
        if np.abs(new_order - order).max() <= 1:
            kept.add(user)
            boosts, order = more, new_order
    return boosts


def _boosts(standings: Sequence[Standing], users: Set[str], asker: str, rules: BoostRules) -> dict[str, float]:
    found: dict[str, Boost] = {}
    for standing in standings:
        if standing.values:
            votes = {user: value for user, value in standing.values.items() if user in users}
            found[standing.id] = document_boost(votes, asker, rules)
    own = {name: boost.own for name, boost in found.items() if boost.own}
    total = dict(own)
    for tier in {s.tier for s in standings if s.id in found and found[s.id].others}:
        ranked = sorted((-s.score - own.get(s.id, 0.0), s.id) for s in standings if s.tier == tier)
        changes = np.array([found[name].others if name in found else 0.0 for _, name in ranked])
        limited = limited_changes(-np.array([score for score, _ in ranked]), changes, rules.step)
        for place in np.flatnonzero(limited):
            name = ranked[place][1]
            total[name] = own.get(name, 0.0) + float(limited[place])
    return {name: boost for name, boost in total.items() if boost}


def _order(standings: Sequence[Standing], boosts: Mapping[str, float]) -> np.ndarray:
    """The place of each candidate, in the order of the candidates."""
    keys = [(s.tier, -s.score - boosts.get(s.id, 0.0), s.id) for s in standings]
    places = np.empty(len(keys), int)
    places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return places

"""How past ratings become a document's boost, as pure functions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory_components.rating_records import reward_of

_DAY = 86400.0


@dataclass(frozen=True)
class BoostRules:
    """
    What a boost may be.

    Usage example:
    ```python
    rules = BoostRules(half_life_days=30, allow_demotion=True)
    ```

    :param alpha: What one rating of five stars for the same question adds.
    :param max_boost: The largest sum.
    :param max_boost_per_user: The most that one user's rating adds or takes away for others.
    :param min_distinct_users: How many users it takes for `max_boost`.
    :param min_similarity: The least cosine between two questions that counts.
    :param same_similarity: From this cosine on two questions are the same to whoever asked both.
    :param own_places: By how many places one's own rating moves a document after a question that is only like that one.
    :param half_life_days: After how many days a rating counts half.
    :param allow_demotion: Whether a sum below 0 lowers a document, down to -`max_boost`; it is cut to 0 otherwise.
    :raises ValueError: When a number is outside what makes sense.
    """

    alpha: float = 0.2
    max_boost: float = 0.3
    max_boost_per_user: float = 0.1
    min_distinct_users: int = 3
    min_similarity: float = 0.94
    same_similarity: float = 0.97
    own_places: int = 2
    half_life_days: float = 90.0
    allow_demotion: bool = False

    def __post_init__(self) -> None:
        for name in ("alpha", "max_boost", "max_boost_per_user", "min_similarity", "same_similarity"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)!r}")
        if self.min_distinct_users < 1:
            raise ValueError(f"min_distinct_users must be 1 or more, not {self.min_distinct_users!r}")
        if self.own_places < 0:
            raise ValueError(f"own_places must be 0 or more, not {self.own_places!r}")
        if self.half_life_days <= 0:
            raise ValueError(f"half_life_days must be above 0, not {self.half_life_days!r}")

    @property
    def step(self) -> float:
        """The most that one more user changes a document's boost."""
        return max(self.max_boost_per_user, self.max_boost / self.min_distinct_users)


@dataclass(frozen=True)
class Vote:
    """
    What one user said of one document, after a question like the present one.

    :param user_id: Who.
    :param document_id: Of what.
    :param rating: 1 to 5.
    :param weight: 1 for a document that was named, 1/rank for one of all shown.
    :param rated_at: When, in seconds since 1970.
    :param similarity: The cosine between that question and the present one.
    :param episode_id: Where it was said.
    """

    user_id: str
    document_id: str
    rating: int
    rated_at: float
    similarity: float
    weight: float = 1.0
    episode_id: str = ""


def vote_value(vote: Vote, rules: BoostRules, now: float) -> float:
    """
    What a vote adds before any limit: alpha x similarity x reward x weight, halved every `half_life_days`.

    >>> vote = Vote("ann", "HR-7", 4, rated_at=0, similarity=0.95)
    >>> round(vote_value(vote, BoostRules(), now=90 * 86400), 6)  # 0.2 x 0.95 x 0.5 / 2
    0.0475

    :param vote: The vote.
    :param rules: The rules.
    :param now: The time; a vote from the future counts as one of now.
    :returns: Above 0 for 4 and 5 stars, 0 for 3, below 0 for 1 and 2.
    """
    age = max(now - vote.rated_at, 0.0) / (rules.half_life_days * _DAY)
    return rules.alpha * vote.similarity * reward_of(vote.rating) * vote.weight * 0.5**age


def last_votes(votes: Iterable[Vote]) -> list[Vote]:
    """
    One vote for each user and document, the last one given.

    Votes reach this function when their questions are like the present one, so these are a query group.

    :param votes: Any votes.
    :returns: The votes that count.
    """
    kept: dict[tuple[str, str], Vote] = {}
    for vote in sorted(votes, key=lambda vote: (vote.rated_at, vote.episode_id)):
        kept[vote.user_id, vote.document_id] = vote
    return list(kept.values())


@dataclass(frozen=True)
class Boost:
    """
    What memory adds to a document's score.

    :param own: What the asker's own rating adds, within the limits.
    :param others: What the ratings of others change on top of it.
    """

    own: float = 0.0
    others: float = 0.0


def document_boost(values: Mapping[str, float], asker: str, rules: BoostRules) -> Boost:
    """
    The boost of one document.

    For others than themselves, each user adds or takes away at most `max_boost_per_user`, and what n users add is at
    most n/`min_distinct_users` of `max_boost`. What someone said counts for themselves as it is.

    >>> document_boost({"ann": 0.2}, "ann", BoostRules())
    Boost(own=0.2, others=0.0)
    >>> round(document_boost({"ann": 0.2}, "bob", BoostRules()).others, 6)
    0.1

    :param values: By user, what the user's vote adds before any limit.
    :param asker: Who asks now; "" for someone unknown, to whom everyone is another.
    :param rules: The rules.
    :returns: The boost.
    """
    lowest = -rules.max_boost if rules.allow_demotion else 0.0
    own = values.get(asker, 0.0) if asker else 0.0
    most = rules.max_boost_per_user
    limited = [max(-most, min(most, value)) for user, value in values.items() if not asker or user != asker]
    lifts = [value for value in limited if value > 0]
    lifted = min(sum(lifts), rules.max_boost * min(1.0, len(lifts) / rules.min_distinct_users))
    total = own + lifted + sum(value for value in limited if value < 0)
    own, total = (max(lowest, min(rules.max_boost, amount)) for amount in (own, total))
    return Boost(own, total - own)


def values_by_document(votes: Sequence[Vote], rules: BoostRules, now: float) -> dict[str, dict[str, float]]:
    """
    What each user's last vote adds, by document.

    :param votes: The votes given after questions like the present one.
    :param rules: The rules; votes below `min_similarity` don't count.
    :param now: The time.
    :returns: Document id -> user -> value, without zeros.
    """
    values: dict[str, dict[str, float]] = {}
    for vote in last_votes(vote for vote in votes if vote.similarity >= rules.min_similarity):
        # Rounding lets a cosine of 1 come out a little above.
        if value := vote_value(replace(vote, similarity=min(vote.similarity, 1.0)), rules, now):
            values.setdefault(vote.document_id, {})[vote.user_id] = value
    return values


def only_alike(votes: Sequence[Vote], asker: str, rules: BoostRules) -> set[str]:
    """
    What someone rated after a question that is like the present one, but not the same to them.

    :param votes: The votes given after questions like the present one.
    :param asker: Who asks.
    :param rules: The rules.
    :returns: Ids of documents.
    """
    own = [vote for vote in votes if vote.user_id == asker]
    return {vote.document_id for vote in last_votes(own) if vote.similarity < rules.same_similarity}


def may_act(rater_groups: frozenset[str], asker_groups: frozenset[str]) -> bool:
    """
    Whether a rating acts for someone: one given without access groups for everyone, others within a common group.

    >>> may_act(frozenset({"hr"}), frozenset({"hr", "all"})), may_act(frozenset({"hr"}), frozenset())
    (True, False)
    """
    return not rater_groups or not rater_groups.isdisjoint(asker_groups)

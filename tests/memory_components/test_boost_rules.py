"""The rules of the boost by hand."""

import doctest

import pytest

from memory_components import boost_rules, rating_records
from memory_components.boost_rules import (
    Boost,
    BoostRules,
    Vote,
    document_boost,
    last_votes,
    may_act,
    only_alike,
    values_by_document,
    vote_value,
)

DAY = 86400.0
RULES = BoostRules(min_similarity=0.9)


def vote(user: str = "ann", document: str = "d", rating: int = 5, **values: float) -> Vote:
    given = {"rated_at": 0.0, "similarity": 1.0}
    return Vote(user, document, rating, **{**given, **values})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rating", "similarity", "weight", "days", "expected"),
    [
        (5, 1.0, 1.0, 0, 0.2),
        (4, 1.0, 1.0, 0, 0.1),
        (3, 1.0, 1.0, 0, 0.0),
        (2, 1.0, 1.0, 0, -0.1),
        (1, 1.0, 1.0, 0, -0.2),
        (5, 0.9, 1.0, 0, 0.18),
        (5, 1.0, 0.5, 0, 0.1),
        (1, 1.0, 0.25, 0, -0.05),
        (5, 1.0, 1.0, 90, 0.1),
        (5, 1.0, 1.0, 180, 0.05),
        (1, 1.0, 1.0, 90, -0.1),
        (5, 1.0, 1.0, -5, 0.2),
    ],
)
def test_a_vote(rating: int, similarity: float, weight: float, days: float, expected: float) -> None:
    given = vote(rating=rating, similarity=similarity, weight=weight)
    assert vote_value(given, RULES, now=days * DAY) == pytest.approx(expected)


def test_the_half_life_is_a_setting() -> None:
    assert vote_value(vote(), BoostRules(half_life_days=30), now=60 * DAY) == pytest.approx(0.05)


def test_the_last_vote_of_a_user_on_a_document_counts() -> None:
    early, late = vote(rating=5), vote(rating=1, rated_at=9.0)
    others = [vote("bob"), vote(document="e")]

    assert sorted(last_votes([late, *others, early]), key=repr) == sorted([late, *others], key=repr)


def test_three_stars_take_back_what_was_said_before() -> None:
    assert values_by_document([vote(), vote(rating=3, rated_at=9.0)], RULES, now=9.0) == {}


@pytest.mark.parametrize(
    ("similarity", "expected"), [(0.89999, {}), (0.9, {"d": {"ann": 0.18}}), (1.0000001, {"d": {"ann": 0.2}})]
)
def test_only_like_questions_count(similarity: float, expected: dict[str, dict[str, float]]) -> None:
    found = values_by_document([vote(similarity=similarity)], RULES, now=0.0)
    assert {name: pytest.approx(values) for name, values in found.items()} == expected


@pytest.mark.parametrize(
    ("values", "asker", "demotion", "own", "others"),
    [
        # One user lifts by 0.1 for others and by all of it for themselves.
        ({"ann": 0.2}, "bob", False, 0.0, 0.1),
        ({"ann": 0.2}, "ann", False, 0.2, 0.0),
        ({"ann": 0.05}, "bob", False, 0.0, 0.05),
        # Two users lift by two thirds of 0.3, three by 0.3, and more by no more.
        ({"ann": 0.2, "bob": 0.2}, "", False, 0.0, 0.2),
        ({"ann": 0.2, "bob": 0.2, "cem": 0.2}, "", False, 0.0, 0.3),
        ({f"u{n}": 0.2 for n in range(9)}, "", False, 0.0, 0.3),
        ({f"u{n}": 0.02 for n in range(9)}, "", False, 0.0, 0.18),
        # One's own and that of others add up to 0.3.
        ({"ann": 0.2, "bob": 0.2, "cem": 0.2}, "ann", False, 0.2, 0.1),
        # Bad ratings take away what others gave, and no more than that.
        ({"ann": 0.2, "eve": -0.2}, "bob", False, 0.0, 0.0),
        ({"ann": 0.2, "bob": 0.2, "eve": -0.05}, "", False, 0.0, 0.15),
        ({"eve": -0.2}, "bob", False, 0.0, 0.0),
        ({"ann": 0.2, "eve": -0.2}, "ann", False, 0.2, -0.1),
        ({"ann": -0.2, "bob": 0.2}, "ann", False, 0.0, 0.0),
        ({"eve": -0.2}, "bob", True, 0.0, -0.1),
        ({"eve": -0.2}, "eve", True, -0.2, 0.0),
        ({f"u{n}": -0.2 for n in range(9)}, "", True, 0.0, -0.3),
        # All who don't say who they are are one user, and others to each of them.
        ({"": 0.2}, "", False, 0.0, 0.1),
        ({}, "bob", False, 0.0, 0.0),
    ],
)
def test_the_boost_of_a_document(
    values: dict[str, float], asker: str, demotion: bool, own: float, others: float
) -> None:
    boost = document_boost(values, asker, BoostRules(allow_demotion=demotion))
    assert (boost.own, boost.others) == pytest.approx((own, others))


def test_the_limits_are_settings() -> None:
    """One of two users that it takes lifts by half of 0.2; the limit of each, 0.15, isn't reached by 0.12."""
    rules = BoostRules(max_boost=0.2, max_boost_per_user=0.15, min_distinct_users=2)

    assert document_boost({"ann": 0.2}, "", rules) == Boost(0.0, 0.1)
    assert document_boost({"ann": 0.2, "bob": 0.12}, "", rules).others == pytest.approx(0.2)
    assert (rules.step, RULES.step) == pytest.approx((0.15, 0.1))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"alpha": -0.1}, r"alpha must be from 0 to 1, not -0\.1"),
        ({"max_boost": 2}, "max_boost must be from 0 to 1, not 2"),
        ({"min_similarity": 1.5}, r"min_similarity must be from 0 to 1, not 1\.5"),
        ({"min_distinct_users": 0}, "min_distinct_users must be 1 or more, not 0"),
        ({"own_places": -1}, "own_places must be 0 or more, not -1"),
        ({"same_similarity": 2}, "same_similarity must be from 0 to 1, not 2"),
        ({"half_life_days": 0}, "half_life_days must be above 0, not 0"),
    ],
)
def test_settings_outside_of_what_makes_sense(setting: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BoostRules(**setting)  # type: ignore[arg-type]


def test_what_someone_rated_after_a_question_only_like_this_one() -> None:
    votes = [
        vote(document="a", similarity=0.96), vote(document="b", similarity=0.97), vote("bob", "c", similarity=0.95),
        vote(document="d", similarity=0.95), vote(document="d", similarity=1.0, rated_at=9.0),
    ]  # fmt: skip

    assert only_alike(votes, "ann", RULES) == {"a"}


@pytest.mark.parametrize(
    ("rater", "asker", "expected"),
    [
        (set(), set(), True),
        (set(), {"hr"}, True),
        ({"hr"}, {"hr"}, True),
        ({"hr", "all"}, {"all"}, True),
        ({"hr"}, {"sales"}, False),
        ({"hr"}, set(), False),
    ],
)
def test_ratings_act_for_the_right_people(rater: set[str], asker: set[str], expected: bool) -> None:
    assert may_act(frozenset(rater), frozenset(asker)) is expected


@pytest.mark.parametrize("module", [boost_rules, rating_records])
def test_examples(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0 == result.failed

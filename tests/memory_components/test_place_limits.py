"""One user moves no document by more than one place."""

import doctest
import random
from dataclasses import replace

import numpy as np
import pytest

from components.analysis import identifiers
from components.analysis.identifiers import numbers_in
from memory_components import place_limits
from memory_components.boost_rules import BoostRules
from memory_components.place_limits import Standing, allowed_places, limited_scores, memory_boosts, moves

RULES = BoostRules()


@pytest.mark.parametrize(
    ("gaps", "boost", "expected"),
    [
        ([], 0.3, 0),
        ([0.05], 0.1, 1),
        ([0.15], 0.1, 0),
        # One user alone passes one, however near the others are; two users two.
        ([0.0, 0.0, 0.01], 0.1, 1),
        ([0.0, 0.0, 0.01], 0.2, 2),
        ([0.01, 0.02, 0.03, 0.04, 0.05], 0.3, 3),
        # Part of a second user's boost: one for the first user and one for the second.
        ([0.01, 0.02, 0.03], 0.115, 2),
        # Three users' boost, but the last gap needs all of it.
        ([0.05, 0.29], 0.3, 2),
        ([0.25, 0.25, 0.25], 0.3, 1),
    ],
)
def test_places_by_users(gaps: list[float], boost: float, expected: int) -> None:
    assert allowed_places(np.array(gaps), boost, 0.1) == expected


@pytest.mark.parametrize("demotion", [False, True])
@pytest.mark.parametrize(
    ("changes", "support", "expected"),
    [
        # One user moves one by one place, three one by three.
        ([0, 0, 0, 0, 0.1], [(0, 0), (0, 0), (0, 0), (0, 0), (1, 0)], [0, 0, 0, 0, 1]),
        ([0, 0, 0, 0, 0.3], [(0, 0), (0, 0), (0, 0), (0, 0), (3, 0)], [0, 0, 0, 0, 3]),
        # Of two near each other moves the one that more users lifted, by as many places as users more.
        ([0, 0, 0, 0.2, 0.3], [(0, 0), (0, 0), (0, 0), (2, 0), (3, 0)], [0, 0, 0, 0, 1]),
        ([0, 0, 0, 0.1, 0.1], [(0, 0), (0, 0), (0, 0), (1, 0), (1, 0)], [0, 0, 0, 0, 0]),
        # Whoever lowered it counts against those who lifted it.
        ([0, 0, 0, 0, 0.1], [(0, 0), (0, 0), (0, 0), (0, 0), (2, 1)], [0, 0, 0, 0, 1]),
        ([0, 0, 0, 0, 0.01], [(0, 0), (0, 0), (0, 0), (0, 0), (1, 1)], [0, 0, 0, 0, 0]),
    ],
)
def test_places_beside_others(
    changes: list[float], support: list[tuple[int, int]], expected: list[int], demotion: bool
) -> None:
    scores = np.array([0.9, 0.89, 0.88, 0.87, 0.86])
    assert moves(scores, np.array(changes), np.array(support), RULES, demotion).tolist() == expected


def test_far_from_each_other_both_move() -> None:
    scores = 0.9 - np.arange(9) / 100
    changes, support = np.zeros(9), np.zeros((9, 2), int)
    changes[[3, 7]], support[[3, 7]] = 0.1, (1, 0)

    assert moves(scores, changes, support, RULES, both_ways=False).tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0]
    assert moves(scores, changes, support, RULES, both_ways=True).tolist() == [0] * 9


def test_changes_are_cut_short_of_the_next_one() -> None:
    """The last one may pass the third alone: it stops short of the second. The first may fall behind the second."""
    scores = np.array([0.9, 0.88, 0.86, 0.84])

    final = limited_scores(scores, np.array([-0.1, 0.0, 0.0, 0.1]), np.array([-1, 0, 0, 1]))

    assert final == pytest.approx([0.86, 0.88, 0.86, 0.86], abs=1e-8)
    assert 0.86 < final[3] < final[0] < 0.88


def ranks(standings: list[Standing], asker: str = "", rules: BoostRules = RULES) -> dict[str, int]:
    boosts = memory_boosts(standings, asker, rules)
    ranked = sorted(standings, key=lambda s: (s.tier, -s.score - boosts.get(s.id, 0), s.id))
    return {standing.id: place for place, standing in enumerate(ranked)}


def test_ones_own_rating_moves_as_far_as_its_boost() -> None:
    standings = [Standing(f"d{n}", 2, 0.9 - n / 100, {"ann": 0.2} if n == 9 else {}) for n in range(10)]

    assert [ranks(standings, asker)["d9"] for asker in ("ann", "bob", "")] == [0, 8, 8]


def test_ones_own_rating_after_a_question_that_is_only_like_this_one() -> None:
    standings = [Standing(f"d{n}", 2, 0.9 - n / 100, {"ann": 0.2} if n == 9 else {}, own_places=2) for n in range(10)]

    assert [ranks(standings, asker)["d9"] for asker in ("ann", "bob")] == [7, 8]
    near = [Standing("a", 2, 0.9, {}), Standing("b", 2, 0.8, {"ann": 0.2}, own_places=0)]
    assert ranks(near, "ann") == {"a": 0, "b": 1}
    assert memory_boosts(near, "ann", RULES) == pytest.approx({"b": 0.1}, abs=1e-8)


def test_three_users_move_by_three_places() -> None:
    votes = {"ann": 0.2, "bob": 0.2, "cem": 0.2}
    standings = [Standing(f"d{n}", 2, 0.9 - n / 100, votes if n == 9 else {}) for n in range(10)]

    assert ranks(standings)["d9"] == 6


def test_tiers_are_never_left() -> None:
    standings = [Standing("exact", 0, 0.1, {}), Standing("other", 2, 0.9, {"ann": 0.2})]

    assert ranks(standings, "ann") == {"exact": 0, "other": 1}


def test_one_who_rates_everything_down_and_up() -> None:
    """Bad for the first, good for the next two: together they would throw it two places back."""
    honest = {"ann": 0.2, "bob": 0.2, "cem": 0.2}
    plain = [Standing("a", 2, 0.5, honest), Standing("b", 2, 0.75, {}), Standing("c", 2, 0.74, {})]
    attacked = [
        Standing("a", 2, 0.5, {**honest, "eve": -0.2}),
        Standing("b", 2, 0.75, {"eve": 0.2}),
        Standing("c", 2, 0.74, {"eve": 0.2}),
    ]

    before, after = ranks(plain), ranks(attacked)
    assert all(abs(after[name] - place) <= 1 for name, place in before.items())


def without(standings: list[Standing], user: str) -> list[Standing]:
    return [replace(s, values={who: value for who, value in s.values.items() if who != user}) for s in standings]


@pytest.mark.parametrize("demotion", [False, True])
@pytest.mark.parametrize("asker", ["", "someone", "u0"])
@pytest.mark.parametrize("seed", range(40))
def test_none_of_all_users_moves_any_document_by_two_places_for_others(seed: int, asker: str, demotion: bool) -> None:
    """Scores far apart, near, and level; few votes and many."""
    chance = random.Random(seed)
    rules = BoostRules(
        allow_demotion=demotion,
        min_distinct_users=chance.choice([1, 3, 3, 5]),
        max_boost_per_user=chance.choice([0.05, 0.1, 0.2]),
    )
    users = [f"u{n}" for n in range(chance.randint(1, 6))]
    share, width, digits = chance.choice([0.1, 0.4, 0.8]), chance.choice([1, 0.1, 0.001]), chance.choice([1, 3, 9])
    standings = [
        Standing(
            f"d{n}",
            chance.choice([1, 2, 2, 2]),
            round(chance.random() * width, digits),
            {u: chance.choice([0.2, 0.19, 0.1, 0.01, -0.1, -0.2]) for u in users if chance.random() < share},
        )
        for n in range(chance.randint(2, 25))
    ]

    found = ranks(standings, asker, rules)

    for user in set(users) - {asker}:
        less = ranks(without(standings, user), asker, rules)
        assert max(abs(found[name] - place) for name, place in less.items()) <= 1
    boosts = memory_boosts(standings, asker, rules).values()
    lowest = -0.3 if demotion else 0.0
    assert all(lowest - 1e-8 <= boost <= 0.3 + 1e-8 for boost in boosts)


def test_one_comes_between_two_that_are_level() -> None:
    level = [Standing(name, 2, 0.5, {}) for name in "bcd"]
    rated = [Standing("a", 2, 0.49, {"ann": 0.2}), Standing("e", 2, 0.48, {"ann": 0.2, "bob": 0.2, "cem": 0.2})]

    assert [ranks([*level, each]) for each in rated] == [
        {"b": 0, "c": 1, "a": 2, "d": 3},
        {"e": 0, "b": 1, "c": 2, "d": 3},
    ]
    assert memory_boosts([*level, rated[0]], "", RULES) == pytest.approx({"a": 0.01, "b": 0, "c": 0}, abs=1e-8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EV-2024-001の進捗", {"ev-2024-001"}),
        ("ＥＶ－２０２４－００１ の進捗", {"ev-2024-001"}),
        ("rejected under 35 U.S.C. 112(b)", {"35", "112(b)"}),
        ("section 608.01(o)", {"608.01(o)"}),
        ("お盆休みの予定", set()),
        ("2024年の休み", {"2024"}),
        ("ISO9001 and KZ_7/b", {"iso9001", "kz_7/b"}),
    ],
)
def test_numbers(text: str, expected: set[str]) -> None:
    assert numbers_in(text) == expected


@pytest.mark.parametrize("module", [place_limits, identifiers])
def test_examples(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0 == result.failed

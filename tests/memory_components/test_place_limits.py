"""One user moves no document by more than one place."""

import doctest
import random

import numpy as np
import pytest

from components.analysis import identifiers
from components.analysis.identifiers import numbers_in
from memory_components import place_limits
from memory_components.boost_rules import BoostRules
from memory_components.place_limits import Standing, allowed_places, limited_changes, memory_boosts

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


def test_changes_are_cut_short_of_the_next_one() -> None:
    """The last one may pass the third alone: it stops short of the second. The first may fall behind the second."""
    scores = np.array([0.9, 0.88, 0.86, 0.84])

    limited = limited_changes(scores, np.array([-0.1, 0.0, 0.0, 0.1]), 0.1)

    assert limited == pytest.approx([-0.04, 0, 0, 0.04], abs=1e-8)
    assert abs(limited[0]) < 0.04 > limited[3]


def ranks(standings: list[Standing], asker: str = "", rules: BoostRules = RULES, *users: str) -> dict[str, int]:
    boosts = memory_boosts(standings, asker, rules, users)
    ranked = sorted(standings, key=lambda s: (s.tier, -s.score - boosts.get(s.id, 0), s.id))
    return {standing.id: place for place, standing in enumerate(ranked)}


def test_ones_own_rating_moves_as_far_as_its_boost() -> None:
    standings = [Standing(f"d{n}", 2, 0.9 - n / 100, {"ann": 0.2} if n == 9 else {}) for n in range(10)]

    assert [ranks(standings, asker)["d9"] for asker in ("ann", "bob", "")] == [0, 8, 8]


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


@pytest.mark.parametrize("demotion", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_last_user_rates_no_document_moves_by_two_places_for_others(seed: int, demotion: bool) -> None:
    chance = random.Random(seed)
    rules = BoostRules(allow_demotion=demotion)
    users = [f"u{n}" for n in range(chance.randint(0, 6))]

    def votes() -> dict[str, float]:
        return {user: chance.choice([0.2, 0.1, -0.1, -0.2]) for user in users if chance.random() < 0.15}

    plain = [Standing(f"d{n}", 2, round(chance.random(), chance.choice([1, 3])), votes()) for n in range(30)]
    attacked = [
        Standing(
            s.id, 2, s.score, {**s.values, **({"eve": chance.choice([0.2, -0.2])} if chance.random() < 0.4 else {})}
        )
        for s in plain
    ]

    before, after = ranks(plain, "", rules, *users), ranks(attacked, "", rules, *users, "eve")
    assert max(abs(after[name] - place) for name, place in before.items()) <= 1


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

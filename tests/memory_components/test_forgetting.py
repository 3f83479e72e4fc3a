"""What is kept, cut down and forgotten."""

import doctest

import numpy as np
import pytest

from memory_components import retention_room
from memory_components.forgetting import Forgetter, ForgettingPlan, ForgettingRules, plan_forgetting
from memory_components.long_term_memory import LongTermMemory
from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from memory_components.records import Shown
from memory_components.retention_rule import RetentionRule
from memory_components.spiking_reservoir import SpikingReservoir
from tests.memory_components.memories import NOW, episode, rating, session, unit

DAY = 86400.0


@pytest.mark.parametrize(
    ("importance", "days", "consolidated", "rated_hours", "expected"),
    [
        (0.7, 0, False, None, "consolidate"),
        (0.69, 0, False, None, ""),
        (0.9, 99, True, None, ""),
        (0.3, 0, False, None, ""),
        (0.29, 0, False, None, "forget"),
        (0.29, 0, False, 23, ""),
        (0.29, 0, False, 25, "forget"),
        (0.29, 0, True, None, ""),
        (0.5, 30, False, None, "compress"),
        (0.5, 29, False, None, ""),
    ],
)
def test_what_becomes_of_an_episode(
    importance: float, days: float, consolidated: bool, rated_hours: float | None, expected: str
) -> None:
    one = episode("e", importance=importance, created_at=NOW - days * DAY, consolidated=consolidated)
    ratings = [] if rated_hours is None else [rating(rated_at=NOW - rated_hours * 3600)]

    plan = plan_forgetting([(one, ratings)], ForgettingRules(compress_share=1.0), NOW)

    done = {"consolidate": plan.consolidate, "compress": plan.compress, "forget": plan.forget}
    assert {name for name, ids in done.items() if ids} == ({expected} if expected else set())


def test_the_least_important_tenth_of_what_is_old_is_cut_down() -> None:
    old = [(episode(f"e{n:02}", importance=0.69 - n / 100, created_at=NOW - 31 * DAY), []) for n in range(25)]

    assert plan_forgetting(old, ForgettingRules(), NOW).compress == ("e24", "e23")


def test_what_was_cut_down_counts_in_the_tenth() -> None:
    old = [
        (episode(f"e{n:02}", importance=0.4 + n / 100, created_at=NOW - 31 * DAY, compressed=n < 2), [])
        for n in range(20)
    ]

    assert plan_forgetting(old, ForgettingRules(), NOW).compress == ()


def test_no_more_than_there_may_be() -> None:
    """Two of six have to go: the least important ones that nobody rated today, those kept for good last."""
    some = [
        (episode("rated", importance=0.3), [rating(rated_at=NOW)]),
        (episode("good", importance=0.31, consolidated=True), []),
        *((episode(f"e{n}", importance=0.4 + n / 10), []) for n in range(4)),
    ]

    assert plan_forgetting(some, ForgettingRules(max_episodes=4), NOW).forget == ("e0", "e1")
    assert plan_forgetting(some, ForgettingRules(max_episodes=1), NOW).forget == ("e0", "e1", "e2", "e3", "good")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"forget_below": 0.8}, r"in order within 0 to 1, not 0\.8 and 0\.7"),
        ({"max_episodes": 0}, "max_episodes must be 1 or more, not 0"),
        ({"compress_share": 2}, "compress_share must be from 0 to 1, not 2"),
    ],
)
def test_settings_outside_of_what_makes_sense(setting: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ForgettingRules(**setting)  # type: ignore[arg-type]


def test_a_run_does_what_the_plan_says(store: MemoryStore) -> None:
    ago = NOW - 400 * DAY
    for name in ("old", "older"):
        store.sessions.add(session(name, created_at=ago, expires_at=ago, shown=(Shown("a", 1, 1.0, 0.1),)))
    store.ratings.add(rating(rated_at=NOW), episode("e1", importance=0.1))
    old = NOW - 40 * DAY
    store.episodes.add(
        episode("gone", importance=0.1, created_at=old),
        episode("kept", importance=0.8, created_at=old),
        episode("cut", importance=0.5, created_at=old, outcome={"note": "long"}),
    )
    forgetter = Forgetter(store, MemoryView(store), ForgettingRules(compress_share=1.0), lambda: NOW, batch=1)
    expected = ForgettingPlan(("kept",), ("cut",), ("gone",))

    assert forgetter.plan() == expected
    assert {e.id for e in store.episodes.page()} == {"e1", "gone", "kept", "cut"}
    assert forgetter.run() == expected

    left = {e.id: e for e in store.episodes.page()}
    assert set(left) == {"e1", "kept", "cut"}
    assert (left["kept"].consolidated, left["cut"].compressed, left["cut"].outcome) == (True, True, {})
    assert store.sessions.count() == 0
    assert store.activity.lines(subject="old") == []
    assert store.activity.lines(subject="gone")[0]["details"] == {"reason": "forgetting"}


def test_one_rated_after_the_plan_was_made_stays(store: MemoryStore) -> None:
    store.ratings.add(rating(rated_at=NOW), episode("e1", importance=0.1))

    assert store.episodes.remove(["e1"], NOW, "forgetting", unless_rated_since=NOW - DAY) == 0
    assert store.episodes.remove(["e1"], NOW + 2 * DAY, "forgetting", unless_rated_since=NOW + DAY) == 1


def test_the_background_run_ends(store: MemoryStore) -> None:
    store.episodes.add(episode("gone", importance=0.1))
    forgetter = Forgetter(store, MemoryView(store), ForgettingRules(), lambda: NOW)

    forgetter.start(every_hours=1e-7)
    while store.episodes.count():
        pass
    forgetter.stop()


@pytest.mark.parametrize(
    ("reward", "recurrence", "room", "expected"),
    [
        (0.0, 9, 1.0, 0.2),
        (1.0, 0, 0.0, 0.4),
        (-1.0, 0, 0.0, 0.4),
        (0.5, 5, 0.0, 0.4),
        (0.5, 99, 0.5, 0.65),
        (1.0, 5, 1.0, 1.0),
    ],
)
def test_the_rule_of_four_numbers(reward: float, recurrence: int, room: float, expected: float) -> None:
    assert RetentionRule().importance(unit(1), reward, 0.5, recurrence, room) == pytest.approx(expected)


def test_no_episode_is_worth_nothing() -> None:
    assert RetentionRule(0, 0, 0, 0).importance(unit(1), 0, 0, 0) == 0.05


def test_spikes_are_the_same_each_time_and_differ_by_vector() -> None:
    vectors = np.stack([unit(1), unit(1, 1)])

    spikes = SpikingReservoir().run(vectors)

    assert spikes.shape == (8, 2, 48)
    assert set(np.unique(spikes)) == {0, 1}
    assert np.array_equal(spikes, SpikingReservoir().run(vectors))
    assert not np.array_equal(spikes[:, 0], spikes[:, 1])


def test_a_neuron_by_hand() -> None:
    """
    One neuron without others, a current of 0.6 and nothing leaking: 0.6, 1.2 (a spike leaves 0.2), 0.8, 1.4.
    """
    reservoir = SpikingReservoir(neurons=1, steps=4, leak=1.0, dimension=1)
    reservoir._input[:] = 0.6
    reservoir._recurrent[:] = 0

    assert reservoir.run(np.ones((1, 1)))[:, 0, 0].tolist() == [0, 1, 0, 1]


def test_the_trained_gate_keeps_what_later_questions_need() -> None:
    gate = LongTermMemory()

    def said(reward: float, recurrence: int = 0, room: float = 1.0) -> float:
        return gate.importance(unit(1, 2, 3), reward, 0.1, recurrence, room)

    assert said(1.0, room=1.0) > said(1.0, room=0.0) > said(0.0)
    assert said(1.0, recurrence=3) > said(1.0)
    # By the default rules: good ratings aren't forgotten while there is room, those that say nothing are.
    assert min(said(reward, room=room) for reward in (0.5, 1.0) for room in (0.0, 1.0)) >= 0.3 > said(0.0)
    assert said(1.0, 2) == LongTermMemory().importance(unit(1, 2, 3), 1.0, 0.1, 2, 1.0)


@pytest.mark.parametrize("module", [retention_room])
def test_examples(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted > 0 == result.failed

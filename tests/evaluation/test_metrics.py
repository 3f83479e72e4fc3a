"""Measures against hand-computed values, and bootstrap intervals."""

import math

import numpy as np
import pytest

from evaluation.metrics import bootstrap_intervals, means, per_query

FILLER = [f"x{number}" for number in range(200)]
LOG = math.log2


@pytest.mark.parametrize(
    ("judged", "ranking", "expected"),
    [
        ({"a": 1}, ["a"], (1, 1, 1, 1)),
        ({"a": 1}, ["x", "a"], (1 / LOG(3), 1, 0.5, 0)),
        ({"a": 2, "b": 1}, ["b", "a"], ((1 + 2 / LOG(3)) / (2 + 1 / LOG(3)), 1, 1, 1)),
        ({"a": 1, "b": 1}, ["a", "x"], (1 / (1 + 1 / LOG(3)), 0.5, 1, 1)),
        ({"a": 1, "b": 0}, ["b", "a"], (1 / LOG(3), 1, 0.5, 0)),
        ({"a": 1}, [*FILLER[:10], "a"], (0, 1, 0, 0)),
        ({"a": 1}, [*FILLER[:100], "a"], (0, 0, 0, 0)),
        ({"a": 1}, [*FILLER[:99], "a"], (0, 1, 0, 0)),
        ({"a": 1}, [], (0, 0, 0, 0)),
    ],
)
def test_hand_computed_values(judged: dict[str, int], ranking: list[str], expected: tuple[float, ...]) -> None:
    values = per_query({"q": judged, "other": {"z": 1}}, {"q": ranking, "other": ["z"]}, ["other", "q"])
    assert list(values) == ["nDCG@10", "Recall@100", "MRR@10", "P@1"]
    assert [array[1] for array in values.values()] == pytest.approx(expected)
    assert [array[0] for array in values.values()] == [1, 1, 1, 1]


def test_a_query_without_a_ranking_counts_as_zero() -> None:
    values = per_query({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"]}, ["q1", "q2"])
    assert means(values) == {"nDCG@10": 0.5, "Recall@100": 0.5, "MRR@10": 0.5, "P@1": 0.5}
    assert means(values, [1])["P@1"] == 0
    assert per_query({"q1": {"a": 1}}, {}, ["q1"])["P@1"].tolist() == [0]


def test_the_interval_of_a_mean_is_the_textbook_one() -> None:
    hits = np.array([1.0] * 50 + [0.0] * 50)
    low, high = bootstrap_intervals({"P@1": hits})["P@1"]
    # 1.96 standard errors of a proportion of a half with 100 observations.
    assert low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.015)
    assert high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.015)
    assert bootstrap_intervals({"P@1": hits}) == {"P@1": [low, high]}


def test_differences_are_paired() -> None:
    rng = np.random.default_rng(1)
    noisy = rng.random(300)
    low, high = bootstrap_intervals({"m": noisy + 0.1}, {"m": noisy})["m"]
    assert (low, high) == pytest.approx((0.1, 0.1))


def test_a_subset_is_measured_alone() -> None:
    values = np.array([0.0, 1.0, 1.0, 0.0])
    assert bootstrap_intervals({"m": values}, at=[1, 2]) == {"m": [1.0, 1.0]}

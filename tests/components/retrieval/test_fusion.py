"""Fusion by hand: reciprocal ranks, convex combination, grouping, explained scores."""

import pytest
from haystack import Pipeline

from components.retrieval.convex_joiner import ConvexJoiner
from components.retrieval.fusion import convex_scores, explained, grouped, reciprocal_rank_scores
from components.retrieval.ranking import Candidate, Candidates, Ranking, source_of
from components.retrieval.rrf_joiner import RRFJoiner

KEYWORD = Ranking((("a#1", 9.0), ("b#1", 6.0), ("c#1", 3.0)))
VECTOR = Ranking((("b#1", 0.9), ("d#1", 0.5)))
ARMS = {"keyword": [KEYWORD], "vector": [VECTOR]}


@pytest.mark.parametrize(
    ("arms", "weights", "k", "expected"),
    [
        # (1/61 + 1/62) / (2/61): b is second and first; a, d and c stand in one ranking only.
        (
            ARMS,
            {"keyword": 1, "vector": 1},
            60,
            {"a#1": 1 / 2, "b#1": (1 + 61 / 62) / 2, "c#1": 61 / 63 / 2, "d#1": 61 / 62 / 2},
        ),
        # k = 0: 1, 1/2, 1/3; the largest is 1 + 3.
        (
            ARMS,
            {"keyword": 1, "vector": 3},
            0,
            {"a#1": 1 / 4, "b#1": (1 / 2 + 3) / 4, "c#1": 1 / 12, "d#1": 1.5 / 4},
        ),
        # A variant that counts half.
        (
            {"keyword": [Ranking((("a#1", 1.0),)), Ranking((("b#1", 1.0),), weight=0.5)]},
            {"keyword": 2},
            60,
            {"a#1": 2 / 3, "b#1": 1 / 3},
        ),
        ({"keyword": [KEYWORD], "vector": []}, {"keyword": 1, "vector": 1}, 0, {"a#1": 1, "b#1": 1 / 2, "c#1": 1 / 3}),
        ({"keyword": [Ranking((("a#1", 1.0),))], "vector": [Ranking()]}, {"keyword": 1, "vector": 1}, 0, {"a#1": 0.5}),
        ({"keyword": [], "vector": []}, {"keyword": 1, "vector": 1}, 60, {}),
        ({}, {"keyword": 1}, 60, {}),
        ({"keyword": [KEYWORD]}, {"keyword": 0}, 60, {}),
    ],
)
def test_reciprocal_ranks(arms: dict, weights: dict, k: int, expected: dict) -> None:
    assert reciprocal_rank_scores(arms, weights, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arms", "weights", "expected"),
    [
        # keyword: 1, 0.5, 0; vector: 1, 0.
        (ARMS, {"keyword": 1, "vector": 1}, {"a#1": 0.5, "b#1": 0.75, "c#1": 0, "d#1": 0}),
        (ARMS, {"keyword": 3, "vector": 1}, {"a#1": 0.75, "b#1": 0.625, "c#1": 0, "d#1": 0}),
        # Equal scores count 1 each; a missing arm has no share.
        ({"keyword": [Ranking((("a#1", 5.0), ("b#1", 5.0)))]}, {"keyword": 2, "vector": 1}, {"a#1": 1, "b#1": 1}),
        ({"keyword": [Ranking()], "vector": [VECTOR]}, {"keyword": 1, "vector": 1}, {"b#1": 1, "d#1": 0}),
        # Variants with weights 1 and 3 add up: b 0.9 + 3 x 0.2, c 0.5 + 3 x 0.4, d 0.5 + 3 x 0.8.
        (
            {"vector": [VECTOR, Ranking((("d#1", 0.8), ("c#1", 0.4), ("b#1", 0.2)), weight=3)]},
            {"vector": 1},
            {"b#1": 0, "c#1": 1 / 7, "d#1": 1},
        ),
        # A variant that finds little weighs little; one whose only hit it is lifts that: a 9, b 6 + 2, c 3, e 3 + 1.
        (
            {"keyword": [KEYWORD, Ranking((("b#1", 2.0),)), Ranking((("e#1", 1.0),))]},
            {"keyword": 1},
            {"a#1": 1, "b#1": 5 / 6, "c#1": 0, "e#1": 1 / 6},
        ),
        # Negative scores.
        (
            {"vector": [Ranking((("a#1", 0.2), ("b#1", -0.2), ("c#1", -0.6)))]},
            {"vector": 1},
            {"a#1": 1, "b#1": 0.5, "c#1": 0},
        ),
        ({"keyword": [], "vector": [Ranking()]}, {"keyword": 1, "vector": 1}, {}),
    ],
)
def test_convex_combination(arms: dict, weights: dict, expected: dict) -> None:
    assert convex_scores(arms, weights) == pytest.approx(expected)


def test_grouping_puts_a_record_where_its_best_chunk_stood() -> None:
    arms = {
        "keyword": [Ranking((("a#2", 9.0), ("a#1", 8.0), ("b#1", 7.0)), "q", 0.5)],
        "vector": [Ranking((("b#3", 0.9), ("a#1", 0.8)))],
    }

    result, chunks = grouped(arms)

    assert result["keyword"] == [Ranking((("a", 9.0), ("b", 7.0)), "q", 0.5)]
    assert result["vector"] == [Ranking((("b", 0.9), ("a", 0.8)))]
    assert chunks == {"a": "a#2", "b": "b#3"}


def test_candidates_tell_their_best_rank_in_each_arm() -> None:
    arms = {"keyword": [Ranking((("x#1", 5.0), ("a#1", 4.0))), Ranking((("a#1", 3.0),))], "vector": []}

    candidates = explained({"a#1": 0.5, "x#1": 0.5}, arms, rrf_score={"a#1": 0.1, "x#1": 0.2})

    assert [(c.id, c.score, c.tier) for c in candidates.items] == [("a#1", 0.5, 2), ("x#1", 0.5, 2)]
    assert candidates.items[0].scores == {
        "keyword_rank": 1,
        "keyword_score": 3.0,
        "vector_rank": None,
        "vector_score": None,
        "rrf_score": 0.1,
    }


def test_order_is_by_tier_then_score_then_id() -> None:
    items = [Candidate("d", 0.9), Candidate("c", 0.1, 0), Candidate("b", 0.9), Candidate("a", 0.2, 1)]

    assert [c.id for c in Candidates.sort(items).items] == ["c", "a", "b", "d"]


@pytest.mark.parametrize(
    ("chunk", "record"),
    [("MPEP-608.01(o)#3", "MPEP-608.01(o)"), ("x", "x"), ("a#b#1", "a#b")],
)
def test_the_record_of_a_chunk(chunk: str, record: str) -> None:
    assert source_of(chunk) == record


def test_a_rescored_candidate_keeps_what_was_explained() -> None:
    candidate = Candidate("a", 0.5, 1, {"keyword_rank": 1})

    rescored = candidate.rescored(0.7, phrase_score=2.0)

    assert (rescored.score, rescored.tier, rescored.scores) == (0.7, 1, {"keyword_rank": 1, "phrase_score": 2.0})
    assert candidate.scores == {"keyword_rank": 1}


@pytest.mark.parametrize("joiner", [RRFJoiner, ConvexJoiner])
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"weights": {}}, "weights must hold"),
        ({"weights": {"keyword": -1, "vector": 1}}, r"not \{'keyword': -1\}"),
        ({"weights": {"keyword": 0}}, "one of them above 0"),
        ({"weights": {"keyword": 1}, "k": -1}, "k must be 0 or more, not -1"),
        ({"weights": {"keyword": 1}, "top_k": 0}, "top_k must be 1 or more, or None, not 0"),
    ],
)
def test_wrong_parameters(joiner: type, parameters: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        joiner(**parameters)


def run_joiner(joiner: object, **inputs: object) -> list[tuple[str, float]]:
    return [(c.id, c.score) for c in joiner.run(**inputs)["candidates"].items]  # type: ignore[attr-defined]


def test_rrf_joiner() -> None:
    joiner = RRFJoiner(weights={"keyword": 1.0, "vector": 1.2})
    one = joiner.run(keyword=[Ranking((("a#1", 7.0),))], vector=[Ranking((("a#1", 0.9),))])["candidates"].items

    assert [(c.id, c.score, c.scores["rrf_score"]) for c in one] == [("a#1", pytest.approx(1), pytest.approx(1))]
    joined = run_joiner(RRFJoiner(weights={"keyword": 1, "vector": 1}, k=0), keyword=[KEYWORD], vector=[VECTOR])
    assert joined == [("b#1", 0.75), ("a#1", 0.5), ("d#1", 0.25), ("c#1", pytest.approx(1 / 6))]


def test_convex_joiner() -> None:
    joiner = ConvexJoiner(weights={"keyword": 1.0, "vector": 1.0})
    keyword, vector = Ranking((("a#1", 7.0), ("b#1", 3.0))), Ranking((("b#1", 0.9),))

    assert run_joiner(joiner, keyword=[keyword], vector=[vector]) == [("a#1", 0.5), ("b#1", 0.5)]
    scores = joiner.run(keyword=[KEYWORD], vector=[VECTOR])["candidates"].items[0].scores
    assert (scores["fused_score"], scores["vector_rank"], scores["keyword_score"]) == (0.75, 1, 6.0)
    assert scores["rrf_score"] == pytest.approx((1 + 61 / 62) / 2)


@pytest.mark.parametrize("joiner", [RRFJoiner, ConvexJoiner])
def test_only_the_best_candidates_go_on(joiner: type) -> None:
    ranking = Ranking((("c#1", 3.0), ("b#1", 2.0), ("a#1", 1.0)))

    assert [name for name, _ in run_joiner(joiner(weights={"keyword": 1.0}, top_k=2), keyword=[ranking])] == [
        "c#1",
        "b#1",
    ]


@pytest.mark.parametrize("joiner", [RRFJoiner, ConvexJoiner])
def test_only_required_chunks_are_kept_and_arms_may_be_missing(joiner: type) -> None:
    made = joiner(weights={"keyword": 1, "vector": 1})

    assert run_joiner(made, required=frozenset({"d#1"}), keyword=[KEYWORD], vector=[VECTOR])[0][0] == "d#1"
    assert len(run_joiner(made, required=frozenset({"d#1"}), keyword=[KEYWORD], vector=[VECTOR])) == 1
    assert run_joiner(made, required=frozenset(), keyword=[KEYWORD], vector=[VECTOR]) == []
    assert [name for name, _ in run_joiner(made, keyword=[KEYWORD])] == ["a#1", "b#1", "c#1"]
    assert run_joiner(made) == []


@pytest.mark.parametrize(
    ("joiner", "expected"),
    # By ranks b is second and first, a first alone; by scores a has 1 and 0, b 0 and 1, which is a tie.
    [(RRFJoiner, ["b#3", "a#2"]), (ConvexJoiner, ["a#2", "b#3"])],
)
def test_grouped_fusion_returns_the_best_chunk_of_each_record(joiner: type, expected: list[str]) -> None:
    made = joiner(weights={"keyword": 1, "vector": 1}, group_by_source=True)
    keyword = Ranking((("a#2", 9.0), ("a#1", 8.0), ("b#1", 7.0)))
    vector = Ranking((("b#3", 0.9), ("b#1", 0.8)))

    assert [name for name, _ in run_joiner(made, keyword=[keyword], vector=[vector])] == expected


@pytest.mark.parametrize("joiner", [RRFJoiner, ConvexJoiner])
def test_arms_are_sockets_of_a_pipeline_that_survive_serialization(
    joiner: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("joiner", joiner(weights={"keyword": 1.0, "hyde": 0.5}, k=10, group_by_source=True))

    loaded = Pipeline.loads(pipeline.dumps())

    made = loaded.get_component("joiner")
    assert (made.weights, made.k, made.group_by_source) == ({"keyword": 1.0, "hyde": 0.5}, 10, True)
    answer = loaded.run({"joiner": {"keyword": [KEYWORD], "hyde": [VECTOR]}})
    assert {c.id for c in answer["joiner"]["candidates"].items} == {"a#1", "b#1", "c#1", "d#1"}

"""Which chunks rise, by hand."""

from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline

from components.retrieval.entity_booster import EntityBooster
from components.retrieval.ranking import Candidate, Candidates
from components.stores.tantivy_document_store import TantivyDocumentStore

HELD = {
    "a#1": ["PROJECT_ID:EV-2024-001", "DATE:2026-05-20", "DATE:2026-05"],
    "b#1": ["PROJECT_ID:EV-2024-010"],
    "c#1": ["PERSON:田中一郎", "PERSON:田中", "DATE:2026-05-21"],
    "d#1": [],
}
CANDIDATES = Candidates(
    (Candidate("d#1", 0.8), Candidate("b#1", 0.7), Candidate("c#1", 0.4), Candidate("a#1", 0.2, 2, {"rrf_score": 0.2}))
)
PROJECT = {"text": "ＥＶ－２０２４－００１", "type": "PROJECT_ID", "value": "EV-2024-001"}
PERSON = {"text": "田中さん", "type": "PERSON", "value": "田中"}
WEEK = {"text": "先週", "type": "DATE", "value": "2026-05-18/2026-05-24"}


@pytest.fixture
def store(tmp_path: Path) -> TantivyDocumentStore:
    store = TantivyDocumentStore(tmp_path / "keyword", text_fields=["words"])
    store.write_documents([Document(id=name, content="text", meta={"entities": held}) for name, held in HELD.items()])
    return store


@pytest.mark.parametrize(
    ("entities", "boosts", "expected"),
    [
        ([], {}, [("d#1", 0.8, 1), ("b#1", 0.7, 1), ("c#1", 0.4, 1), ("a#1", 0.2, 1)]),
        # 0.2 x 5 = 1
        ([PROJECT], {}, [("a#1", 1.0, 5), ("d#1", 0.8, 1), ("b#1", 0.7, 1), ("c#1", 0.4, 1)]),
        # 0.4 x 3 = 1.2
        ([PROJECT, PERSON], {}, [("c#1", 1.2, 3), ("a#1", 1.0, 5), ("d#1", 0.8, 1), ("b#1", 0.7, 1)]),
        # both hold a day of the week; of a's two entities the larger factor counts
        ([PROJECT, WEEK], {}, [("a#1", 1.0, 5), ("c#1", 0.8, 2), ("d#1", 0.8, 1), ("b#1", 0.7, 1)]),
        # memory raises the project to 7.5, and no further than 10
        ([PROJECT], {PROJECT["text"]: 7.5}, [("a#1", 1.5, 7.5), ("d#1", 0.8, 1), ("b#1", 0.7, 1), ("c#1", 0.4, 1)]),
        ([PROJECT], {PROJECT["text"]: 20}, [("a#1", 2.0, 10), ("d#1", 0.8, 1), ("b#1", 0.7, 1), ("c#1", 0.4, 1)]),
        # what memory adds has no value: its concept, or its text, is normalised
        (
            [{"text": "the battery", "type": "PROJECT_ID", "concept": "ev-2024-001"}],
            {},
            [("a#1", 1.0, 5), ("d#1", 0.8, 1), ("b#1", 0.7, 1), ("c#1", 0.4, 1)],
        ),
        (
            [{"text": "ev‐2024‐010", "type": "PROJECT_ID"}],
            {},
            [("b#1", 3.5, 5), ("d#1", 0.8, 1), ("c#1", 0.4, 1), ("a#1", 0.2, 1)],
        ),
        # a name that was guessed with a score of 0.7: 1 + (3 - 1) / 4
        ([{**PERSON, "score": 0.7}], {}, [("d#1", 0.8, 1), ("b#1", 0.7, 1), ("c#1", 0.6, 1.5), ("a#1", 0.2, 1)]),
        # a type without a factor
        ([{"text": "x", "type": "PLACE"}], {}, [("d#1", 0.8, 1), ("b#1", 0.7, 1), ("c#1", 0.4, 1), ("a#1", 0.2, 1)]),
    ],
)
def test_only_chunks_that_hold_an_entity_rise(
    store: TantivyDocumentStore, entities: list[dict[str, Any]], boosts: dict[str, float], expected: list[tuple]
) -> None:
    answer = EntityBooster(document_store=store).run(candidates=CANDIDATES, entities=entities, boosts=boosts)

    items = answer["candidates"].items
    assert answer["degraded"] == []
    assert [c.id for c in items] == [name for name, _, _ in expected]
    assert [c.score for c in items] == pytest.approx([score for _, score, _ in expected])
    assert [c.scores["entity_boost"] for c in items] == [factor for _, _, factor in expected]
    assert [c.scores["final_score"] for c in items] == pytest.approx([score for _, score, _ in expected])
    assert next(c for c in items if c.id == "a#1").scores["rrf_score"] == 0.2


def test_tiers_stay(store: TantivyDocumentStore) -> None:
    first = Candidates((Candidate("d#1", 0.1, 0), Candidate("a#1", 0.9)))

    answer = EntityBooster(document_store=store).run(candidates=first, entities=[PROJECT])

    assert [c.id for c in answer["candidates"].items] == ["d#1", "a#1"]


def test_one_question_a_factor(store: TantivyDocumentStore) -> None:
    asked = []

    class Counting:
        def ids(self, filters: Any) -> list[str]:
            asked.append(filters["conditions"])
            return store.ids(filters)

    EntityBooster(document_store=Counting()).run(candidates=CANDIDATES, entities=[PROJECT, PERSON, WEEK])

    assert [conditions[0]["value"] for conditions in asked] == [
        ["d#1", "b#1", "c#1", "a#1"],
        ["d#1", "b#1", "c#1"],
        ["d#1", "b#1"],
    ]


def test_own_factors(store: TantivyDocumentStore) -> None:
    booster = EntityBooster(document_store=store, factors={"PROJECT_ID": 3.0, "PERSON": 2.0}, max_factor=2.5)

    items = booster.run(candidates=CANDIDATES, entities=[PROJECT, PERSON, WEEK])["candidates"].items

    assert {c.id: c.scores["entity_boost"] for c in items} == {"a#1": 2.5, "b#1": 1, "c#1": 2, "d#1": 1}


@pytest.mark.parametrize("options", [{"factors": {"DATE": 0.5}}, {"max_factor": 0.5}])
def test_factors_below_one(store: TantivyDocumentStore, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"factors must be 1 or more, not .*0\.5"):
        EntityBooster(document_store=store, **options)


def test_serialization(store: TantivyDocumentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("booster", EntityBooster(store, {"DATE": 1.5}, 8.0))

    booster = Pipeline.loads(pipeline.dumps()).get_component("booster")

    assert (booster.factors, booster.max_factor) == ({"DATE": 1.5}, 8.0)
    assert booster.document_store.count_documents() == 4

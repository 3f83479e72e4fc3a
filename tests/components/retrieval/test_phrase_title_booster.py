"""The two fixed terms by hand."""

import math
from pathlib import Path

import pytest
from haystack import Document, Pipeline

from components.analysis.english import analyze_english
from components.retrieval.phrase_title_booster import PhraseTitleBooster, standardised
from components.retrieval.ranking import Candidate, Candidates
from components.stores.tantivy_document_store import TantivyDocumentStore

# id -> (title, index field "phrase")
CHUNKS = {
    "a#1": ("New Matter", "new_matter matter_in in_draw"),
    "b#1": ("New Drawings", "draw_line line_black black_ink"),
    "c#1": ("Fees", "pay_fee fee_due due_date"),
}


@pytest.fixture
def store(tmp_path: Path) -> TantivyDocumentStore:
    store = TantivyDocumentStore(tmp_path / "keyword", text_fields=["phrase", "title_stems"])
    store.write_documents(
        [
            Document(
                id=name,
                content="text",
                meta={
                    "title": title,
                    "index": {"phrase": pairs, "title_stems": " ".join(analyze_english(title).terms("stems"))},
                },
            )
            for name, (title, pairs) in CHUNKS.items()
        ]
    )
    return store


def candidates(**scores: float) -> Candidates:
    return Candidates(tuple(Candidate(f"{name}#1", score) for name, score in scores.items()))


@pytest.mark.parametrize(
    ("values", "clip", "expected"),
    [
        ([1.0, 2.0, 3.0], 6, [-math.sqrt(1.5), 0, math.sqrt(1.5)]),
        ([0.0, 0.0, 0.0, 4.0], 6, [-1 / math.sqrt(3)] * 3 + [math.sqrt(3)]),
        ([0.0, 0.0, 0.0, 4.0], 1, [-1 / math.sqrt(3)] * 3 + [1]),
        ([0.1 + 0.2, 0.3, 0.3], 6, [0, 0, 0]),
        ([5.0], 6, [0]),
    ],
)
def test_z_scores(values: list[float], clip: float, expected: list[float]) -> None:
    assert list(standardised(values, clip)) == pytest.approx(expected)


def test_both_terms_are_added(store: TantivyDocumentStore) -> None:
    """
    The query's pair stands in a alone, so its z-scores are sqrt(2), -1/sqrt(2) and -1/sqrt(2).

    idf: "new" is in 2 of 3 titles, ln(1 + 1.5 / 2.5); "matter" in 1 and "drawing" in 1, ln(1 + 2.5 / 1.5). Of the
    titles the query holds all of a, the share of "new" of b, and nothing of c. The largest possible sum is
    1 + 6 x (0.1 + 0.01).
    """
    booster = PhraseTitleBooster(document_store=store, phrase_weight=0.1, title_weight=0.01)

    answer = booster.run(candidates=candidates(a=0.5, b=0.6, c=0.6), analysis=analyze_english("new matter"))

    common, rare = math.log(1.6), math.log(1 + 2.5 / 1.5)
    shares = [1.0, common / (common + rare), 0.0]
    mean = sum(shares) / 3
    deviation = math.sqrt(sum((share - mean) ** 2 for share in shares) / 3)
    z = [(share - mean) / deviation for share in shares]
    items = {c.id: c for c in answer["candidates"].items}
    assert [items[f"{name}#1"].scores["title_share"] for name in "abc"] == pytest.approx(shares, abs=1e-6)
    assert [items[f"{name}#1"].score for name in "abc"] == pytest.approx(
        [
            (0.5 + 0.1 * math.sqrt(2) + 0.01 * z[0]) / 1.66,
            (0.6 - 0.1 / math.sqrt(2) + 0.01 * z[1]) / 1.66,
            (0.6 - 0.1 / math.sqrt(2) + 0.01 * z[2]) / 1.66,
        ]
    )
    assert [c.id for c in answer["candidates"].items] == ["a#1", "b#1", "c#1"]
    assert items["a#1"].scores["phrase_score"] > 0 == items["b#1"].scores["phrase_score"]


def test_nothing_matches_and_nothing_changes(store: TantivyDocumentStore) -> None:
    booster = PhraseTitleBooster(document_store=store, clip=0)

    after = booster.run(candidates=candidates(a=0.5, b=0.4), analysis=analyze_english("unheard"))

    assert [(c.id, c.score) for c in after["candidates"].items] == [("a#1", 0.5), ("b#1", 0.4)]
    empty = Candidates()
    assert (
        PhraseTitleBooster(document_store=store).run(candidates=empty, analysis=analyze_english("new"))["candidates"]
        == empty
    )


@pytest.mark.parametrize("name", ["phrase_weight", "title_weight", "clip"])
def test_weights_below_zero(store: TantivyDocumentStore, name: str) -> None:
    with pytest.raises(ValueError, match=r"0 or more, not .*-0\.5"):
        PhraseTitleBooster(document_store=store, **{name: -0.5})


def test_serialization(store: TantivyDocumentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("booster", PhraseTitleBooster(store, store, 0.05, 0.02, 4.0))

    booster = Pipeline.loads(pipeline.dumps()).get_component("booster")

    assert (booster.phrase_weight, booster.title_weight, booster.clip) == (0.05, 0.02, 4.0)
    assert booster.document_store.count_documents() == booster.title_store.count_documents() == 3


def test_variants_of_the_query_count_like_the_query(store: TantivyDocumentStore) -> None:
    booster = PhraseTitleBooster(document_store=store)
    given = candidates(a=0.5, b=0.5, c=0.5)
    fees, drawings = analyze_english("pay fee due"), analyze_english("new drawings")

    both = booster.run(given, fees, analyses=[fees, drawings])["candidates"]

    assert both == booster.run(given, drawings, analyses=[drawings, fees])["candidates"]
    alone = booster.run(given, fees)["candidates"]
    shares = [{c.id: c.scores["title_share"] for c in found.items}["b#1"] for found in (both, alone)]
    assert (shares[0], shares[1]) == (1.0, 0.0)

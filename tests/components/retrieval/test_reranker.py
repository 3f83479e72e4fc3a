"""The reranker with a real lexical ranker, and with rankers that fail in every way."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from haystack import Document, Pipeline, component, default_to_dict

from components.optional_service import Unavailable
from components.retrieval.ranking import Results
from components.retrieval.reranker import Reranker

QUERY = "claims that lack written description"


@component
class OverlapRanker:
    """Scores a document by the share of the query's words that it holds."""

    def __init__(self, scale: float = 1.0, shift: float = 0.0):
        self.scale = scale
        self.shift = shift

    def to_dict(self) -> dict[str, Any]:
        return default_to_dict(self, scale=self.scale, shift=self.shift)

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document], top_k: int = 2) -> dict[str, list[Document]]:
        words = set(query.split())
        scored = []
        for document in documents:
            share = len(words & set((document.content or "").split())) / len(words)
            document.meta["touched"] = True
            scored.append(replace(document, score=share * self.scale + self.shift))
        return {"documents": sorted(scored, key=lambda d: -(d.score or 0))[:top_k]}


class Misbehaving:
    """A ranker that does as it is told; it has no `top_k`."""

    def __init__(self, behaviour: Any):
        self.behaviour = behaviour
        self.calls = 0

    def run(self, query: str, documents: list[Document]) -> dict[str, Any]:
        self.calls += 1
        return self.behaviour(documents)


def document(id: str, content: str, tier: int = 2, **scores: float) -> Document:
    return Document(id=id, content=content, meta={"tier": tier, "scores": scores}, score=0.5)


RESULTS = Results(
    (
        document("a", "nothing of it", tier=0, rrf_score=1.0),
        document("b", "nothing either", tier=1),
        document("e", "claims", rrf_score=0.9),
        document("d", "claims that lack written description"),
        document("c", "claims"),
        document("f", "claims that lack"),
    )
)


def ids(result: dict[str, Any]) -> list[str]:
    return [document.id for document in result["results"].documents]


def test_documents_below_the_exact_tiers_are_reordered() -> None:
    result = Reranker(OverlapRanker()).run(QUERY, RESULTS)
    assert ids(result) == ["a", "b", "d", "f", "c", "e"]
    assert result["degraded"] == []
    assert [d.meta["scores"] for d in result["results"].documents] == [
        {"rrf_score": 1.0},
        {},
        {"rerank_score": 1.0},
        {"rerank_score": 0.6},
        {"rerank_score": 0.2},
        {"rrf_score": 0.9, "rerank_score": 0.2},
    ]


def test_the_documents_that_were_given_are_not_touched() -> None:
    result = Reranker(OverlapRanker()).run(QUERY, RESULTS)
    assert all(d.score == 0.5 and "touched" not in d.meta for d in [*RESULTS.documents, *result["results"].documents])
    assert all("rerank_score" not in d.meta["scores"] for d in RESULTS.documents)


def test_only_the_first_top_k_are_reranked() -> None:
    result = Reranker(OverlapRanker(), top_k=2).run(QUERY, RESULTS)
    assert ids(result) == ["a", "b", "d", "e", "c", "f"]
    assert "rerank_score" not in result["results"].documents[-1].meta["scores"]


def test_logits_become_0_to_1_in_the_same_order() -> None:
    result = Reranker(OverlapRanker(scale=2000.0, shift=-1200.0)).run(QUERY, RESULTS)
    assert ids(result) == ["a", "b", "d", "f", "c", "e"]
    scores = [d.meta["scores"]["rerank_score"] for d in result["results"].documents[2:]]
    assert scores == pytest.approx([1.0, 0.5, 0.0, 0.0], abs=1e-9)


def test_documents_that_the_ranker_drops_stay_below() -> None:
    ranker = Misbehaving(lambda documents: {"documents": [Document(id="c", content="", score=0.3)]})
    assert ids(Reranker(ranker).run(QUERY, RESULTS)) == ["a", "b", "c", "e", "d", "f"]


def test_documents_without_a_tier_are_reranked() -> None:
    bare = Results((Document(id="x", content="claims"), Document(id="y", content="claims that")))
    assert ids(Reranker(OverlapRanker()).run(QUERY, bare)) == ["y", "x"]


@pytest.mark.parametrize("results", [RESULTS, Results(RESULTS.documents[:2]), Results()])
def test_nothing_to_do(results: Results) -> None:
    ranker = OverlapRanker() if len(results.documents) < 3 else None
    assert Reranker(ranker).run(QUERY, results) == {"results": results, "degraded": []}


def fail(documents: list[Document]) -> dict[str, Any]:
    raise RuntimeError("CUDA out of memory")


@pytest.mark.parametrize(
    "behaviour",
    [
        fail,
        lambda documents: time.sleep(5),
        lambda documents: {},
        lambda documents: None,
        lambda documents: {"documents": []},
        lambda documents: {"documents": [Document(id="c", content="")]},
        lambda documents: {"documents": [Document(id="c", content="", score=float("nan"))]},
    ],
    ids=["raises", "hangs", "no-documents", "none", "empty", "no-score", "nan"],
)
def test_a_ranker_that_fails_leaves_the_order(behaviour: Any, caplog: pytest.LogCaptureFixture) -> None:
    result = Reranker(Misbehaving(behaviour), timeout=0.2).run(QUERY, RESULTS)
    assert result == {"results": RESULTS, "degraded": ["reranker"]}
    assert "reranker: " in caplog.text


def test_a_hanging_ranker_holds_up_no_later_search() -> None:
    release = threading.Event()
    ranker = Misbehaving(lambda documents: release.wait())
    reranker = Reranker(ranker, timeout=0.05, max_failures=2, pause=600)
    assert [reranker.run(QUERY, RESULTS)["degraded"] for _ in range(200)] == [["reranker"]] * 200
    assert ranker.calls <= 1
    release.set()


class Loading(Misbehaving):
    """A ranker whose model can be loaded at the second try."""

    def __init__(self) -> None:
        super().__init__(lambda documents: {"documents": [Document(id="d", content="", score=0.9)]})
        self.loads = 0

    def warm_up(self) -> None:
        self.loads += 1
        if self.loads == 1:
            raise OSError("the model's host can't be reached")


def test_a_model_that_can_t_be_loaded_is_tried_again() -> None:
    ranker = Loading()
    reranker = Reranker(ranker)
    reranker.warm_up()
    reranker.warm_up()
    assert ranker.loads == 1
    assert reranker.run(QUERY, RESULTS)["degraded"] == []


class LoadingForLong(Misbehaving):
    """A ranker whose model is loaded when the test says so."""

    def __init__(self) -> None:
        super().__init__(lambda documents: {"documents": [Document(id="d", content="", score=0.9)]})
        self.release = threading.Event()
        self.loaded = threading.Event()

    def warm_up(self) -> None:
        self.release.wait()
        self.loaded.set()


def test_loading_for_long_holds_up_neither_the_start_nor_searches() -> None:
    ranker = LoadingForLong()
    reranker = Reranker(ranker, load_timeout=0.05, timeout=60, pause=0.001)

    reranker.warm_up()

    assert [reranker.run(QUERY, RESULTS)["degraded"] for _ in range(20)] == [["reranker"]] * 20
    assert ranker.calls == 0
    ranker.release.set()
    ranker.loaded.wait()
    wait_until(lambda: reranker.run(QUERY, RESULTS)["degraded"] == [])


def wait_until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


YAML = """
components:
  reranker:
    type: components.retrieval.reranker.Reranker
    init_parameters:
      top_k: 40
      ranker:
        type: %s
        init_parameters: {}
connections: []
"""


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")


@pytest.mark.parametrize(
    "type", ["haystack_integrations.components.rankers.no_such.Ranker", "no_such.Ranker", "Ranker"]
)
def test_a_ranker_that_is_not_installed_degrades(type: str) -> None:
    pipeline = Pipeline.loads(YAML % type)
    pipeline.warm_up()
    assert isinstance(pipeline.get_component("reranker").ranker, Unavailable)
    assert pipeline.run({"reranker": {"query": QUERY, "results": RESULTS}})["reranker"]["degraded"] == ["reranker"]
    assert Pipeline.loads(pipeline.dumps()).to_dict() == pipeline.to_dict()


def test_yaml_there_and_back_with_a_ranker_of_haystack() -> None:
    type = "haystack.components.rankers.lost_in_the_middle.LostInTheMiddleRanker"
    pipeline = Pipeline.loads(YAML % type)
    reranker = Pipeline.loads(pipeline.dumps()).get_component("reranker")
    assert reranker.top_k == 40
    assert f"{reranker.ranker.__class__.__module__}.{reranker.ranker.__class__.__name__}" == type


def test_the_type_may_be_where_a_package_offers_it() -> None:
    pipeline = Pipeline.loads(YAML % "haystack.components.rankers.LostInTheMiddleRanker")
    assert type(pipeline.get_component("reranker").ranker).__name__ == "LostInTheMiddleRanker"


def test_no_ranker_in_yaml() -> None:
    pipeline = Pipeline()
    pipeline.add_component("reranker", Reranker())
    result = Pipeline.loads(pipeline.dumps()).run({"reranker": {"query": QUERY, "results": RESULTS}})
    assert [d.id for d in result["reranker"]["results"].documents] == [d.id for d in RESULTS.documents]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top_k": 0}, "top_k: 0 is not allowed"),
        ({"timeout": 0}, "timeout: 0 is not allowed"),
        ({"load_timeout": -1}, "load_timeout: -1 is not allowed"),
    ],
)
def test_wrong_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Reranker(**options)

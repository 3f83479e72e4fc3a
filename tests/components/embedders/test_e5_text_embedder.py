"""The query side of the packaged embedder."""

import copy
from pathlib import Path

import numpy as np
import pytest
from haystack import Pipeline

from components.embedders import e5_text_embedder
from components.embedders.e5_engine import shared_engine
from components.embedders.e5_text_embedder import E5TextEmbedder
from components.retrieval.vectors import QueryVectors


@pytest.fixture
def embedder(model_folder: Path) -> E5TextEmbedder:
    return E5TextEmbedder(model=str(model_folder))


def test_queries_come_first_then_hypothetical_passages(embedder: E5TextEmbedder, model_folder: Path) -> None:
    result = embedder.run(texts=["first", "second"], passages=["answer"])

    engine = shared_engine(model_folder)
    expected = np.concatenate([engine.embed(["first", "second"]), engine.embed(["answer"], "passage")])
    assert result["degraded"] == []
    assert result["vectors"].texts == ("first", "second", "answer")
    np.testing.assert_array_equal(np.stack(result["vectors"].vectors), expected)


def test_nothing_to_embed_is_no_failure(embedder: E5TextEmbedder) -> None:
    result = embedder.run(texts=[])

    assert len(result["vectors"]) == 0
    assert result["degraded"] == []


def test_repeated_texts_are_embedded_once(embedder: E5TextEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_text_embedder, "_CACHE_SIZE", 2)
    engine = _RecordingEngine()
    monkeypatch.setattr(e5_text_embedder, "shared_engine", lambda folder: engine)

    embedder.run(texts=["a", "a", "b"])
    embedder.run(texts=["a"], passages=["a"])  # the passage pushes "b" out
    embedder.run(texts=["b"])

    assert engine.calls == ["warm up", "query a", "query b", "passage a", "query b"]


class _RecordingEngine:
    def __init__(self, failures: int = 0) -> None:
        self.calls: list[str] = []
        self.failures = failures

    def embed(self, texts: list[str], kind: str = "query") -> np.ndarray:
        if texts == ["warm up"]:
            self.calls.append("warm up")
        else:
            self.calls.append(f"{kind} {texts[0]}")
            if self.failures > 0:
                self.failures -= 1
                raise RuntimeError("out of memory")
        return np.ones((1, 384), np.float32)


def test_a_missing_model_degrades_and_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(e5_text_embedder.time, "monotonic", lambda: now)
    embedder = E5TextEmbedder(model=str(tmp_path / "none"), prepare=False)

    result = embedder.run(texts=["query"], passages=["answer"])

    assert len(result["vectors"]) == 0
    assert result["degraded"] == ["vector"]
    assert embedder.health()["ready"] is False
    assert embedder.health()["error"]

    monkeypatch.setattr(e5_text_embedder, "shared_engine", lambda folder: _RecordingEngine())
    now += 29
    assert embedder.run(texts=["query"])["degraded"] == ["vector"]
    now += 2
    assert embedder.run(texts=["query"])["degraded"] == []
    assert embedder.health() == {"model": "multilingual-e5-small", "version": 2, "ready": True, "error": ""}


def test_a_failing_call_degrades_only_that_search(embedder: E5TextEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_text_embedder, "shared_engine", lambda folder: _RecordingEngine(failures=1))

    assert embedder.run(texts=["query"])["degraded"] == ["vector"]
    assert embedder.run(texts=["query"])["degraded"] == []


def test_it_goes_through_yaml_without_loading_the_model(tmp_path: Path) -> None:
    pipeline = Pipeline()
    pipeline.add_component("embedder", E5TextEmbedder(model=str(tmp_path / "e5"), prepare=False))

    loaded = Pipeline.loads(pipeline.dumps()).get_component("embedder")

    assert (loaded.model, loaded.prepare) == (str(tmp_path / "e5"), False)
    assert loaded.health()["ready"] is False


def test_cached_vectors_cannot_be_changed(embedder: E5TextEmbedder) -> None:
    vector = embedder.run(texts=["query"])["vectors"].vectors[0]

    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


def test_the_carrier_is_never_copied_and_pairs_texts_with_vectors() -> None:
    vectors = QueryVectors((np.zeros(3, np.float32),), ("a",))

    assert copy.deepcopy(vectors) is vectors
    with pytest.raises(ValueError, match="1 vectors for 2 texts"):
        QueryVectors(vectors.vectors, ("a", "b"))


def test_health_says_in_a_sentence_why_there_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be")
    embedder = E5TextEmbedder(model=str(tmp_path / "models" / "e5"))

    assert embedder.run(texts=["query"])["degraded"] == ["vector"]
    assert embedder.health()["error"].startswith(f"the embedder's model can't be written to {tmp_path}/models/e5: ")


def test_a_damaged_model_says_how_to_have_it_made_again(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    embedder = E5TextEmbedder(model=str(tmp_path), prepare=False)

    embedder.warm_up()

    assert embedder.health()["error"].endswith("; remove that folder to have it made again")

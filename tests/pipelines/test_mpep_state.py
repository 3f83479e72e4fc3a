"""Searches over an index that is missing, damaged or without vectors, and what health says of it."""

import json
import shutil
from typing import Any

import pytest

from pipelines.errors import IndexDamagedError, IndexMissingError, TansakuError
from pipelines.manifest import Manifest
from pipelines.mpep import MpepSearch
from pipelines.settings import Settings


def test_without_an_index(sample_index: Any, tmp_path: Any) -> None:
    search = MpepSearch(str(sample_index.profile), Settings(data_dir=tmp_path))

    for call in (lambda: search.search("new matter"), lambda: search.section("2106"), search.warm_up):
        with pytest.raises(IndexMissingError, match="tansaku index us-patent-law PATH"):
            call()
    assert search.health()["ready"] is False
    assert "tansaku index us-patent-law" in search.health()["detail"]


def test_without_vectors_the_keywords_answer_and_say_so(keyword_index: Any) -> None:
    search = keyword_index.search()

    answer = search.search("when is the time for reply extended", top_k=3)

    assert answer["degraded"] == ["vector"]
    assert len(answer["results"]) == 3
    scores = [hit["scores"] for hit in answer["results"] if hit["scores"].get("fused_score") is not None]
    assert scores
    assert all(score["vector_rank"] is None and score["keyword_rank"] >= 1 for score in scores)
    assert search.search("608.01(o)")["results"][0]["section"] == "608.01(o)"
    health = search.health()
    assert (health["ready"], health["degraded"], health["stores"]["vector"]) == (True, ["vector"], 0)


def test_a_lost_keyword_store_is_no_empty_answer(keyword_index: Any) -> None:
    shutil.rmtree(keyword_index.data_dir / "indexes/us-patent-law/keyword")
    search = keyword_index.search()

    for call in (lambda: search.search("new matter"), lambda: search.section("2106")):
        with pytest.raises(IndexMissingError, match="tansaku index us-patent-law PATH"):
            call()
    assert search.health()["ready"] is False


def test_a_damaged_manifest_says_what_to_do(tmp_path: Any) -> None:
    settings = Settings(data_dir=tmp_path)
    folder = settings.index_dir("us-patent-law")
    folder.mkdir(parents=True)
    (folder / "manifest.sqlite").write_bytes(b"no database at all " * 300)

    with pytest.raises(
        TansakuError, match=r"damaged .*manifest.sqlite: file is not a database.*tansaku doctor us-patent-law --repair"
    ):
        MpepSearch(settings=settings).search("new matter")


def test_an_embedder_that_can_not_be_loaded_shows_in_health(sample_index: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    search = sample_index.search()
    broken = {"ready": False, "error": "the model is damaged"}
    monkeypatch.setattr(
        type(search._index().ready_pipeline().get_component("embedder")), "health", lambda self: broken, raising=False
    )

    health = search.health()

    assert (health["ready"], health["embedder"], health["degraded"]) == (True, broken, ["vector"])
    assert health["detail"] == "the model is damaged"


def copied(sample_data: Any, folder: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A copy of the samples' index that may be changed."""
    shutil.copytree(sample_data.data_dir, folder)
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(folder))
    return type(sample_data)(folder, sample_data.profile)


def test_vectors_by_another_recipe_are_not_searched_until_they_are_made_anew(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = copied(sample_data, tmp_path / "data", monkeypatch)
    search = index.search()
    assert search.search("time for reply", top_k=1)["degraded"] == []

    manifest = Manifest(tmp_path / "data/indexes/us-patent-law/manifest.sqlite")
    recipe = json.loads(manifest.fact("embedder"))
    manifest.set_fact("embedder", json.dumps({**recipe, "recipe": "words, version 0"}))
    answer, health = search.search("time for reply", top_k=1), search.health()

    reason = "the index's vectors are by another version (words, version 0) of the embedder"
    assert (answer["degraded"], answer["results"][0]["scores"]["vector_rank"]) == (["vector"], None)
    assert (health["ready"], health["degraded"]) == (True, ["vector"])
    assert health["detail"].startswith(reason) and "tansaku index us-patent-law --resume" in health["detail"]

    manifest.set_fact("embedder", json.dumps(recipe))
    manifest.close()
    assert search.search("time for reply", top_k=1)["degraded"] == []


@pytest.mark.parametrize("store", ["keyword", "parents"])
def test_damaged_files_of_a_keyword_store_are_named(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    copied(sample_data, tmp_path / "data", monkeypatch)
    broken = max((tmp_path / "data/indexes/us-patent-law" / store).glob("*.store"), key=lambda f: f.stat().st_size)
    broken.write_bytes(b"\xff" * broken.stat().st_size)
    search = MpepSearch()

    message = f"is damaged \\({store}: .*{broken.name}.*mend it with: tansaku doctor us-patent-law --repair"
    for call in (search.warm_up, lambda: search.search("time for reply"), search.health):
        with pytest.raises(IndexDamagedError, match=message):
            call()


@pytest.mark.parametrize(
    "file", ["current.json", "snapshots/*/edge_config.json", "snapshots/*/segments/*/segment.json"]
)
def test_a_damaged_vector_store_costs_the_vectors_alone(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    index = copied(sample_data, tmp_path / "data", monkeypatch)
    for path in (tmp_path / "data/indexes/us-patent-law/vectors").glob(file):
        path.write_text("{")
    search = index.search()

    answer, health = search.search("time for reply", top_k=3), search.health()

    assert (answer["degraded"], len(answer["results"])) == (["vector"], 3)
    assert (health["ready"], health["degraded"], health["stores"]["vector"]) == (True, ["vector"], 0)
    assert "damaged (vector: " in health["detail"]
    assert health["detail"].endswith("mend it with: tansaku doctor us-patent-law --repair")


def test_without_vectors_no_embedder_is_loaded(
    sample_data: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(sample_data, tmp_path / "data", monkeypatch)
    with Manifest(tmp_path / "data/indexes/us-patent-law/manifest.sqlite") as manifest:
        manifest.change("UPDATE chunks SET vector_text = NULL")
    steps: list[str] = []
    search = MpepSearch(progress=lambda step, done, total: steps.append(step))

    assert search.search("time for reply", top_k=1)["degraded"] == ["vector"]
    assert search.section("608.01")["total_chunks"] > 1
    assert steps == []
    assert "the index has no vectors yet" in search.vector_problem()


def test_loading_an_embedder_is_reported(sample_data: Any) -> None:
    steps: list[tuple[str, int]] = []
    search = MpepSearch(progress=lambda step, done, total: steps.append((step, done)))

    search.section("608.01")
    assert steps == []
    search.search("time for reply", top_k=1)
    assert steps == [("loading the embedder", 0), ("loading the embedder", 1)]


def test_health(search: MpepSearch) -> None:
    health = search.health()

    assert (health["ready"], health["degraded"], health["pipelines"]) == (True, [], {"mpep_query": "ready"})
    assert health["stores"]["keyword"] == health["stores"]["vector"] == health["corpus"]["chunks"] > 100

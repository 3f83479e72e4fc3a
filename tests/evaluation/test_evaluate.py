"""Evaluation from a dataset's folder to the report, with the shipped pipelines over real stores."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluation.evaluate import evaluate
from pipelines.errors import ConfigError, TansakuError

MEASURES = ["nDCG@10", "Recall@100", "MRR@10", "P@1"]


def embedded() -> list[str]:
    """The list of chunks that were embedded so far."""
    from word_embedders import WordDocumentEmbedder

    return WordDocumentEmbedder.embedded


def run(dataset: Path, profile: Path, **options: Any) -> tuple[dict[str, Any], list[str]]:
    """A report, and the records that were embedded for it."""
    before = len(embedded())
    report = evaluate(dataset, profile=str(profile), **options)
    return report, sorted({chunk.partition("#")[0] for chunk in embedded()[before:]})


@pytest.mark.usefixtures("data_dir")
def test_the_whole_report(dataset: Path, profile: Path) -> None:
    steps: list[str] = []
    report, records = run(dataset, profile, progress=lambda step, done, total: steps.append(step))
    assert (report["dataset"], report["queries"], report["notes"]) == ("own-questions", 4, [])
    assert records == ["35USC-41", "37CFR-1.136", "MPEP-608", "MPEP-608.01", "MPEP-710", "note-7"]
    assert {arm: list(values) for arm, values in report["arms"].items()} == dict.fromkeys(
        ("keyword", "vector", "pipeline"), MEASURES
    )
    assert list(report["kinds"]) == ["hard", "number", "plain"]
    # What shares words with the question is found; without the excluded document the best two are the relevant ones.
    assert report["kinds"]["plain"]["keyword"]["P@1"] == 1
    assert report["kinds"]["hard"]["pipeline"]["nDCG@10"] == 1
    assert report["kinds"]["number"]["pipeline"]["P@1"] == 1
    assert report["arms"]["pipeline"]["Recall@100"] == 1
    assert report["seconds"] > 0
    assert "asking questions" in steps


def test_a_second_run_embeds_nothing_and_finds_the_same(dataset: Path, profile: Path, data_dir: Path) -> None:
    first, _ = run(dataset, profile)
    moved = dataset.rename(dataset.parent / "elsewhere")
    shutil.copytree(moved, dataset)
    second, records = run(dataset, profile)
    assert records == []
    assert second["arms"] == first["arms"]
    assert second["intervals"] == first["intervals"]
    assert [path.name.rpartition("-")[0] for path in (data_dir / "evaluation").iterdir()] == ["own-questions"]


@pytest.mark.usefixtures("data_dir")
def test_fresh_embeds_anew_and_other_content_has_an_index_of_its_own(dataset: Path, profile: Path, tmp_path: Path):
    keep = tmp_path / "kept"
    run(dataset, profile, keep=keep)
    assert len(run(dataset, profile, keep=keep, fresh=True)[1]) == 6
    with gzip.open(dataset / "corpus.jsonl.gz", "at", encoding="utf-8") as file:
        file.write('{"id": "note-8", "title": "More", "text": "One more text."}\n')
    assert len(run(dataset, profile, keep=keep)[1]) == 7
    assert len(list(keep.iterdir())) == 2


@pytest.mark.usefixtures("data_dir")
def test_keyword_stores_with_other_fields_are_built_anew_and_vectors_kept(dataset: Path, profile: Path, tmp_path: Path):
    run(dataset, profile, keep=tmp_path)
    names = yaml.safe_load(profile.read_text(encoding="utf-8"))
    fields = ["words", "stems", "title", "title_stems", "phrase", "more"]
    names["stores"]["keyword"]["init_parameters"]["text_fields"] = fields
    profile.write_text(yaml.safe_dump(names), encoding="utf-8")
    report, records = run(dataset, profile, keep=tmp_path)
    assert records == []
    assert report["kinds"]["number"]["pipeline"]["P@1"] == 1


@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize("file", ["manifest.sqlite", "keyword/meta.json", "vectors/current.json"])
def test_a_kept_index_that_is_damaged_is_built_anew(dataset: Path, profile: Path, tmp_path: Path, file: str):
    run(dataset, profile, keep=tmp_path / "kept")
    [damaged] = (tmp_path / "kept").glob(f"*/indexes/*/{file}")
    damaged.write_bytes(b"no longer what it was " * 300)

    report, records = run(dataset, profile, keep=tmp_path / "kept")

    assert len(records) == 6
    assert report["kinds"]["number"]["pipeline"]["P@1"] == 1


@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"pipeline": "no_such"}, ConfigError, "there is no pipeline 'no_such'"),
        ({"profile": "no_such"}, ConfigError, "there is no profile 'no_such'"),
        ({"dataset_dir": "no_such"}, TansakuError, "no such folder"),
    ],
)
def test_wrong_names(dataset: Path, profile: Path, options: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        evaluate(**{"dataset_dir": dataset, "profile": str(profile), **options})


@pytest.mark.usefixtures("data_dir")
def test_a_pipeline_of_the_analyst_s_own(dataset: Path, profile: Path, tmp_path: Path) -> None:
    shipped = Path(__file__).parents[2] / "pipelines" / "yaml" / "mpep_query.yaml"
    own = tmp_path / "own_query.yaml"
    text = shipped.read_text(encoding="utf-8")
    own.write_text(text.replace("convex_joiner.ConvexJoiner", "rrf_joiner.RRFJoiner"), encoding="utf-8")
    assert own.read_text(encoding="utf-8") != text
    report, _ = run(dataset, profile, pipeline=str(own))
    assert json.dumps(report["arms"])
    assert report["kinds"]["number"]["pipeline"]["P@1"] == 1

"""`tansaku evaluate`: JSON alone on standard output, tables for people, exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

PROJECT = Path(__file__).parents[2]
EMBEDDERS = PROJECT / "tests" / "evaluation"
COMMAND = [sys.executable, "-c", "from cli.main import run; run()", "evaluate"]
RECORDS = [
    {"id": "MPEP-608", "title": "Drawings", "text": "Drawings show every feature of the claims."},
    {"id": "MPEP-710", "title": "Period for Reply", "text": "A reply is due within three months of the mailing date."},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset, and beside it a profile whose embedders need no model."""
    folder = tmp_path_factory.mktemp("evaluate") / "own"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(r) + "\n" for r in RECORDS), encoding="utf-8")
    (folder / "queries.jsonl").write_text(
        '{"id": "q1", "text": "features in [drawings]", "kind": "one"}\n'
        '{"id": "q2", "text": "when to reply", "kind": "two"}\n{"id": "q3", "text": "not judged"}\n',
        encoding="utf-8",
    )
    (folder / "qrels.tsv").write_text("q1\tMPEP-608\t1\nq2\tMPEP-710\t1\n", encoding="utf-8")
    names = yaml.safe_load((PROJECT / "pipelines/yaml/profiles/embedded.yaml").read_text(encoding="utf-8"))
    names["embedder"] = {
        "query": {"type": "word_embedders.WordTextEmbedder"},
        "passage": {"type": "word_embedders.WordDocumentEmbedder"},
    }
    (folder.parent / "words.yaml").write_text(yaml.safe_dump(names), encoding="utf-8")
    return folder


def tansaku(folder: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(PROJECT), str(EMBEDDERS)]),
        "HAYSTACK_DESERIALIZATION_ALLOWLIST": "word_embedders",
        "TANSAKU_DATA_DIR": str(folder.parent / "data"),
        "TANSAKU_PROFILE": str(folder.parent / "words.yaml"),
        "COLUMNS": "160",
    }
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, cwd=folder.parent)


def test_json_alone_on_standard_output(folder: Path) -> None:
    done = tansaku(folder, "own", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert list(report) == ["dataset", "queries", "arms", "kinds", "intervals", "seconds"]
    assert (report["dataset"], report["queries"]) == ("own", 2)
    assert list(report["arms"]) == ["keyword", "vector", "pipeline"]
    assert list(report["arms"]["pipeline"]) == ["nDCG@10", "Recall@100", "MRR@10", "P@1"]
    assert report["kinds"]["one"]["pipeline"]["P@1"] == 1
    assert report["intervals"]["kinds"]["two"]["keyword"]["P@1"] == [1, 1]
    assert done.stderr == "warning: 1 query without a relevant document in qrels.tsv left out\n"


def test_tables_for_people(folder: Path) -> None:
    done = tansaku(folder, folder, "--cache", folder.parent / "kept", "--fresh", "--pipeline", "mpep_query")
    assert done.returncode == 0, done.stderr
    assert "own: 2 queries" in done.stdout
    assert "nDCG@10" in done.stdout
    assert "2 chunks; " in done.stdout
    assert [path.name[:4] for path in (folder.parent / "kept").iterdir()] == ["own-"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "error: nowhere: no such folder"),
        (("own", "--pipeline", "none"), "error: there is no pipeline 'none'"),
        (("own", "--profile", "none"), "error: there is no profile 'none'"),
    ],
)
def test_wrong_names_take_one_line(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    done = tansaku(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


def test_help_shows_an_example(folder: Path) -> None:
    done = tansaku(folder, "--help")
    assert done.returncode == 0
    assert "tansaku evaluate my-questions" in done.stdout
    assert tansaku(folder).returncode == 2

"""A data folder, a profile without a model and a dataset of our own writing."""

import gzip
import json
import sys
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
# For word_embedders, and for benchmarks, which is not installed.
sys.path[:0] = [path for path in (str(HERE), str(HERE.parents[1])) if path not in sys.path]

CORPUS = [
    {"id": "MPEP-608", "title": "Drawings", "text": "Drawings show every feature of the claims.\nLines are black."},
    {"id": "MPEP-608.01", "title": "Colour", "text": "A petition is needed before colour photographs are accepted."},
    {"id": "MPEP-710", "title": "Period for Reply", "text": "A reply is due within three months of the mailing date."},
    {"id": "37CFR-1.136", "title": "Extensions", "text": "The time for reply is extended on payment of a fee."},
    {"id": "35USC-41", "title": "Fees", "text": "The Director charges a fee for each extension of time."},
    {"id": "note-7", "title": "", "text": "Nothing in here is about anything that is asked."},
]
QUERIES = [
    {"id": "q1", "text": "must drawings show each feature", "kind": "plain"},
    {"id": "q2", "text": "are colour photographs accepted", "kind": "plain"},
    {"id": "q3", "text": "fee for an extension of the time for reply", "kind": "hard", "exclude_doc": "37CFR-1.136"},
    {"id": "q4", "text": "MPEP 710", "kind": "number"},
]
QRELS = [
    ("q1", "MPEP-608", 1),
    ("q2", "MPEP-608.01", 1),
    ("q3", "35USC-41", 2),
    ("q3", "MPEP-710", 1),
    ("q4", "MPEP-710", 1),
]


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder."""
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "word_embedders")
    return tmp_path / "data"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """The embedded profile with embedders that count words."""
    path = Path(__file__).parents[2] / "pipelines" / "yaml" / "profiles" / "embedded.yaml"
    names = yaml.safe_load(path.read_text(encoding="utf-8"))
    names["embedder"] = {
        "query": {"type": "word_embedders.WordTextEmbedder"},
        "passage": {"type": "word_embedders.WordDocumentEmbedder"},
    }
    (tmp_path / "words.yaml").write_text(yaml.safe_dump(names), encoding="utf-8")
    return tmp_path / "words.yaml"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Six documents, four questions."""
    folder = tmp_path / "own-questions"
    folder.mkdir()
    with gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in CORPUS)
    (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in QUERIES), encoding="utf-8")
    (folder / "qrels.tsv").write_text("".join(f"{q}\t{d}\t{g}\n" for q, d, g in QRELS), encoding="utf-8")
    return folder

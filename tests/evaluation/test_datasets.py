"""Reading datasets: what is read, and what a wrong file is told."""

import gzip
import json
from pathlib import Path

import pytest

from evaluation.datasets import DatasetError, Query, load_dataset
from pipelines.errors import UnknownNameError

CORPUS = [{"id": "d1", "title": "Fees", "text": "A fee is due."}, {"id": "d2", "title": "", "text": "Nothing."}]
QUERIES = [
    {"id": "q1", "text": "when is a fee due", "kind": "easy"},
    {"id": "q2", "text": "what else", "kind": "hard", "exclude_doc": "d2"},
    {"id": "q3", "text": "not judged"},
]
QRELS = "q1\td1\t1\nq1\td2\t0\nq2\td1\t2\n"


def write(folder: Path, corpus: object = CORPUS, queries: object = QUERIES, qrels: str | None = QRELS) -> Path:
    """A dataset folder; a string is written as it is, None leaves the file out."""
    for name, content in (("corpus.jsonl", corpus), ("queries.jsonl", queries), ("qrels.tsv", qrels)):
        lines = "".join(json.dumps(record) + "\n" for record in content) if isinstance(content, list) else content
        if lines is not None:
            (folder / name).write_text(str(lines), encoding="utf-8")
    return folder


def test_reads_corpus_queries_and_judgements(tmp_path: Path) -> None:
    dataset = load_dataset(write(tmp_path))
    assert dataset.name == tmp_path.name
    assert dataset.doc_ids == {"d1", "d2"}
    assert dataset.queries == (Query("q1", "when is a fee due", "easy"), Query("q2", "what else", "hard", "d2"))
    assert dataset.qrels == {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}
    assert dataset.kinds == {"easy": ["q1"], "hard": ["q2"]}
    assert dataset.notes == ("1 query without a relevant document in qrels.tsv left out",)


def test_reads_gzip_byte_order_mark_heading_and_blank_lines(tmp_path: Path) -> None:
    write(tmp_path, corpus=None, qrels="\ufeffquery-id\tcorpus-id\tscore\r\n\r\nq1\td1\t1\r\n")
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n\n" for record in CORPUS)
    dataset = load_dataset(tmp_path)
    assert dataset.corpus_path.name == "corpus.jsonl.gz"
    assert dataset.qrels == {"q1": {"d1": 1}}


def test_reads_the_files_that_beir_publishes(tmp_path: Path) -> None:
    write(tmp_path, [{"_id": "7", "title": "t", "text": "x"}], [{"_id": "1", "text": "y", "metadata": {}}], None)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\t7\t1\n", encoding="utf-8")
    assert load_dataset(tmp_path).qrels == {"1": {"7": 1}}


def test_judgements_of_unknown_queries_are_told_but_no_error(tmp_path: Path) -> None:
    dataset = load_dataset(write(tmp_path, queries=QUERIES[:1]))
    assert dataset.notes == ("qrels.tsv holds 1 judgement of queries that queries.jsonl doesn't have",)


@pytest.mark.parametrize(
    ("files", "place", "message"),
    [
        ({"corpus": None}, "", "there is no corpus.jsonl.gz or corpus.jsonl in it"),
        ({"queries": None}, "", "there is no queries.jsonl or queries.jsonl.gz in it"),
        ({"qrels": None}, "", "there is no qrels.tsv or qrels/test.tsv in it"),
        ({"corpus": ""}, "corpus.jsonl", "holds no documents"),
        ({"queries": "\n"}, "queries.jsonl", "holds no queries"),
        ({"qrels": ""}, "qrels.tsv", "no query of queries.jsonl has a relevant document here"),
        ({"qrels": "q1\td1\t0\n"}, "qrels.tsv", "no query of queries.jsonl has a relevant document here"),
        ({"corpus": '{"id": "d1", "text": "x"}\n{"id": '}, "corpus.jsonl:2", "not JSON"),
        ({"corpus": "[]\n"}, "corpus.jsonl:1", "a JSON object is expected, not list"),
        ({"corpus": '{"text": "x"}\n'}, "corpus.jsonl:1", "'id' must be a string, not None"),
        ({"corpus": '{"id": "d1", "text": 3}\n'}, "corpus.jsonl:1", "'text' must be a string, not 3"),
        ({"corpus": '{"id": " ", "text": "x"}\n'}, "corpus.jsonl:1", "'id' is empty"),
        ({"corpus": [CORPUS[0], CORPUS[0]]}, "corpus.jsonl:2", "the id 'd1' was used in line 1 already"),
        ({"queries": '\n{"id": "q1", "text": " "}\n'}, "queries.jsonl:2", "the text of query 'q1' is empty"),
        ({"queries": '{"id": "q1", "text": "x", "kind": 3}'}, "queries.jsonl:1", "'kind' must be a string, not 3"),
        ({"qrels": "q1\td1\n"}, "qrels.tsv:1", "query, document and grade, parted by tabs, are expected"),
        ({"qrels": "q1\td1\tyes\n"}, "qrels.tsv:1", "the grade must be a whole number, not 'yes'"),
        ({"qrels": "q1\td1\t1\nq1\td9\t1\n"}, "qrels.tsv:2", "the corpus has no document 'd9'"),
        ({"qrels": "q1\td1\t1\nq1\td1\t2\n"}, "qrels.tsv:2", "'q1' and document 'd1' were judged above already"),
    ],
)
def test_a_wrong_file_is_told_with_file_and_line(tmp_path: Path, files: dict[str, object], place: str, message: str):
    with pytest.raises(DatasetError) as raised:
        load_dataset(write(tmp_path, **files))  # type: ignore[arg-type]
    assert str(raised.value).startswith(f"{tmp_path / place}: " if place else f"{tmp_path}: ")
    assert message in str(raised.value)


def test_broken_gzip_and_missing_folder(tmp_path: Path) -> None:
    write(tmp_path, corpus=None)
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(b'{"id": "d1", "text": "x"}\n' * 50)[:-9])
    with pytest.raises(DatasetError, match=r"corpus\.jsonl\.gz:\d+: "):
        load_dataset(tmp_path)
    with pytest.raises(UnknownNameError, match="no such folder"):
        load_dataset(tmp_path / "nowhere")

"""Questions with known answers, in the layout of the BEIR benchmark."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pipelines.counting import counted
from pipelines.errors import TansakuError, UnknownNameError

_CORPUS = ("corpus.jsonl.gz", "corpus.jsonl")
_QUERIES = ("queries.jsonl", "queries.jsonl.gz")
_QRELS = ("qrels.tsv", "qrels/test.tsv")
NO_KIND = "all"


class DatasetError(TansakuError):
    """A dataset can't be read; the message names the file, the line and the fault."""

    def __init__(self, path: Path, line: int, fault: str):
        self.path, self.line, self.fault = path, line, fault
        super().__init__(f"{path}:{line}: {fault}" if line else f"{path}: {fault}")


@dataclass(frozen=True)
class Query:
    """
    A question of a dataset.

    :param id: The name that the judgements use.
    :param text: What is asked.
    :param kind: The group that it is reported in; "" where the dataset has no groups.
    :param exclude_doc: A document that must not count, usually the one that the question was taken from; "" for none.
    """

    id: str
    text: str
    kind: str = ""
    exclude_doc: str = ""


@dataclass(frozen=True)
class Dataset:
    """
    A corpus, questions and judgements.

    :param name: The folder's name.
    :param corpus_path: The corpus file, read by the indexing pipeline.
    :param doc_ids: Identifiers of the corpus.
    :param queries: The questions that have at least one relevant document, in file order.
    :param qrels: Query id -> document id -> grade.
    :param notes: What was left out, for people to read.
    """

    name: str
    corpus_path: Path
    doc_ids: frozenset[str]
    queries: tuple[Query, ...]
    qrels: dict[str, dict[str, int]]
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def kinds(self) -> dict[str, list[str]]:
        """Query ids by kind, kinds in alphabetical order; empty where no query has a kind."""
        kinds: dict[str, list[str]] = {}
        for query in self.queries:
            if query.kind:
                kinds.setdefault(query.kind, []).append(query.id)
        return dict(sorted(kinds.items()))


def load_dataset(folder: Path | str) -> Dataset:
    """
    Read a folder with a corpus, queries and qrels.

    `corpus.jsonl` (or `.jsonl.gz`) holds one object a line with `id`, `title` and `text`, `queries.jsonl` one with
    `id`, `text` and optionally `kind` and `exclude_doc`; `qrels.tsv` has query, document and grade, with or without a
    heading line. BEIR's own files (`_id`, `qrels/test.tsv`) are read as well.

    Usage example:
    ```python
    dataset = load_dataset("my-questions")
    print(len(dataset.queries), dataset.kinds)
    ```

    :param folder: The dataset's folder.
    :returns: The dataset.
    :raises UnknownNameError: If the folder isn't there.
    :raises DatasetError: If a file is missing or a line is wrong.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UnknownNameError(f"{folder}: no such folder")
    corpus_path = _find(folder, _CORPUS)
    doc_ids = _read_doc_ids(corpus_path)
    queries_path = _find(folder, _QUERIES)
    queries = _read_queries(queries_path)
    qrels_path = _find(folder, _QRELS)
    qrels, unknown = _read_qrels(qrels_path, set(queries), doc_ids)
    judged = tuple(query for query in queries.values() if any(grade > 0 for grade in qrels.get(query.id, {}).values()))
    if not judged:
        raise DatasetError(qrels_path, 0, f"no query of {queries_path.name} has a relevant document here")
    notes = []
    if unknown:
        judgements = counted(unknown, "judgement")
        notes.append(f"{qrels_path.name} holds {judgements} of queries that {queries_path.name} doesn't have")
    if len(judged) < len(queries):
        left_out = counted(len(queries) - len(judged), "query", "queries")
        notes.append(f"{left_out} without a relevant document in {qrels_path.name} left out")
    qrels = {query.id: qrels[query.id] for query in judged}
    return Dataset(folder.resolve().name, corpus_path, frozenset(doc_ids), judged, qrels, tuple(notes))


def _find(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise DatasetError(folder, 0, f"there is no {' or '.join(names)} in it")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Non-empty lines with their numbers."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                text = line.lstrip("\ufeff").rstrip("\r\n")
                if text.strip():
                    yield number, text
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DatasetError(path, number + 1, f"can't be read: {error}") from error


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Lines as JSON objects, each with a checked `id` and `text`."""
    seen: dict[str, int] = {}
    for number, line in _lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DatasetError(path, number, f"not JSON: {error}") from error
        if not isinstance(record, dict):
            raise DatasetError(path, number, f"a JSON object is expected, not {type(record).__name__}")
        record.setdefault("id", record.get("_id"))
        for name in ("id", "text"):
            if not isinstance(record.get(name), str):
                raise DatasetError(path, number, f"{name!r} must be a string, not {record.get(name)!r}")
        if not record["id"].strip():
            raise DatasetError(path, number, "'id' is empty")
        if record["id"] in seen:
            raise DatasetError(path, number, f"the id {record['id']!r} was used in line {seen[record['id']]} already")
        seen[record["id"]] = number
        yield number, record


def _read_doc_ids(path: Path) -> set[str]:
    doc_ids = {record["id"] for _, record in _objects(path)}
    if not doc_ids:
        raise DatasetError(path, 0, "holds no documents")
    return doc_ids


def _read_queries(path: Path) -> dict[str, Query]:
    queries = {}
    for number, record in _objects(path):
        if not record["text"].strip():
            raise DatasetError(path, number, f"the text of query {record['id']!r} is empty")
        kind, exclude = record.get("kind") or "", record.get("exclude_doc") or ""
        for name, value in (("kind", kind), ("exclude_doc", exclude)):
            if not isinstance(value, str):
                raise DatasetError(path, number, f"{name!r} must be a string, not {value!r}")
        queries[record["id"]] = Query(record["id"], record["text"], kind, exclude)
    if not queries:
        raise DatasetError(path, 0, "holds no queries")
    return queries


def _read_qrels(path: Path, query_ids: set[str], doc_ids: set[str]) -> tuple[dict[str, dict[str, int]], int]:
    """The judgements, and how many were of unknown queries."""
    qrels: dict[str, dict[str, int]] = {}
    unknown = 0
    for position, (number, line) in enumerate(_lines(path)):
        columns = line.split("\t")
        if position == 0 and columns[0] in ("query-id", "query", "query_id", "qid"):
            continue
        if len(columns) != 3:
            raise DatasetError(path, number, f"query, document and grade, parted by tabs, are expected, not {line!r}")
        query_id, doc_id, grade = (column.strip() for column in columns)
        try:
            value = int(grade)
        except ValueError:
            raise DatasetError(path, number, f"the grade must be a whole number, not {grade!r}") from None
        if doc_id not in doc_ids:
            raise DatasetError(path, number, f"the corpus has no document {doc_id!r}")
        if query_id not in query_ids:
            unknown += 1
            continue
        if doc_id in qrels.setdefault(query_id, {}):
            raise DatasetError(path, number, f"query {query_id!r} and document {doc_id!r} were judged above already")
        qrels[query_id][doc_id] = value
    return qrels, unknown

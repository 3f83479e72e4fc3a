"""Questions with known answers, and what a query pipeline finds for them before memory acts."""

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from cli.output import progress_bars
from components.analysis.analyzed_text import AnalyzedText
from components.retrieval.ranking import Candidate, Candidates, source_of
from components.retrieval.vectors import QueryVectors
from evaluation.datasets import load_dataset
from evaluation.scratch_index import build_scratch_index
from pipelines.loading import build, pipeline_path, resolve, without
from pipelines.settings import Settings

_BOOSTER = "memory_booster.candidates"
_ENDS = (_BOOSTER, "section_lookup.candidates", "loader.candidates")
SHOWN = 10


@dataclass(frozen=True)
class Question:
    """
    A question.

    :param text: What is asked.
    :param answer: The document that answers it.
    :param vector: Its embedding.
    :param found: The chunks that are found, best first.
    """

    text: str
    answer: str
    vector: np.ndarray
    found: Candidates

    @property
    def analysis(self) -> AnalyzedText:
        """The question as the memory's components take it."""
        return AnalyzedText(self.text, "")

    @property
    def vectors(self) -> QueryVectors:
        """Its embedding as the memory's components take it."""
        return QueryVectors((self.vector,), (self.text,))

    @property
    def shown(self) -> list[str]:
        """The ten chunks that people see."""
        return [candidate.id for candidate in self.found.items[:SHOWN]]

    @property
    def right(self) -> str | None:
        """The first of those that is of the right document."""
        return next((chunk for chunk in self.shown if source_of(chunk) == self.answer), None)

    def gain(self, found: Candidates) -> float:
        """nDCG@10 of an order with one right document; documents by their best chunks."""
        ids = list(dict.fromkeys(source_of(candidate.id) for candidate in found.items))[:SHOWN]
        return float(1 / np.log2(ids.index(self.answer) + 2)) if self.answer in ids else 0.0


@dataclass
class AnsweredQuestions:
    """
    A dataset's questions, asked once and kept in a file.

    :param folder: The dataset.
    :param pipeline: The query pipeline.
    :param cache: Where the answers are kept; below the data folder by default.
    """

    folder: Path
    pipeline: str
    cache: Path | None = None
    questions: list[Question] = field(init=False)

    def __post_init__(self) -> None:
        base = self.cache or Settings().data_dir.expanduser() / "evaluation"
        kept = base / f"{self.folder.name}-{Path(self.pipeline).stem}-{self._digest()}-memory.npz"
        if not kept.is_file():
            self._ask(kept)
        data = np.load(kept)
        rows = [json.loads(row) for row in data["rows"]]
        self.questions = [
            Question(row["text"], row["answer"], vector, Candidates(tuple(Candidate(*found) for found in row["found"])))
            for row, vector in zip(rows, data["vectors"], strict=True)
        ]

    def _digest(self) -> str:
        """The same for the same questions and the same pipeline file."""
        read = [*sorted(self.folder.glob("queries.*")), pipeline_path(self.pipeline, Settings())]
        return hashlib.sha256(b"\0".join(path.read_bytes() for path in read)).hexdigest()[:12]

    @cached_property
    def by_answer(self) -> dict[str, list[Question]]:
        """The questions of each document, in the dataset's order."""
        found: dict[str, list[Question]] = defaultdict(list)
        for question in self.questions:
            found[question.answer].append(question)
        return dict(found)

    def _ask(self, kept: Path) -> None:
        dataset = load_dataset(self.folder)
        with progress_bars() as progress:
            index = build_scratch_index(
                dataset.corpus_path, dataset.name, self.pipeline, None, self.cache, False, progress
            )
            definition = resolve(self.pipeline, None, index.settings)
            connections = {connection["receiver"]: connection["sender"] for connection in definition["connections"]}
            sender = next(connections[end] for end in _ENDS if end in connections).split(".")[0]
            later = _behind(definition["connections"], sender)
            pipeline = build(without(definition, later))
            asked = [(n, s) for n, sockets in pipeline.inputs().items() for s in ("query", "text") if s in sockets]
            rows, vectors = [], []
            for done, query in enumerate(dataset.queries):
                outputs = pipeline.run(
                    {n: {s: query.text} for n, s in asked}, include_outputs_from={sender, "embedder"}
                )
                found = [(c.id, c.score, c.tier) for c in outputs[sender]["candidates"].items]
                answer = max(dataset.qrels[query.id].items(), key=lambda pair: pair[1])[0]
                rows.append(json.dumps({"text": query.text, "answer": answer, "found": found}))
                vectors.append(outputs["embedder"]["vectors"].vectors[0])
                progress("asking questions", done + 1, len(dataset.queries))
        np.savez_compressed(kept, rows=np.array(rows), vectors=np.array(vectors))


def _behind(connections: list[dict[str, str]], name: str) -> set[str]:
    """The components that come after one."""
    found: set[str] = set()
    ends = {name}
    while ends:
        ends = {c["receiver"].split(".")[0] for c in connections if c["sender"].split(".")[0] in ends} - found
        found |= ends
    return found

"""Questions with known answers, and what a query pipeline finds for them before memory acts."""

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
from pipelines.loading import build, resolve, without
from pipelines.settings import Settings

_BOOSTER = "memory_booster.candidates"
_ENDS = (_BOOSTER, "section_lookup.candidates", "loader.candidates")


@dataclass(frozen=True)
class Question:
    """
    A question.

    :param text: What is asked.
    :param answer: The document that answers it.
    :param vector: Its embedding.
    :param found: What is found, best first; documents by their best chunks.
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

    def gain(self, found: Candidates) -> float:
        """nDCG@10 of an order with one right document."""
        ids = [candidate.id for candidate in found.items[:10]]
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
        kept = base / f"{self.folder.name}-{Path(self.pipeline).stem}-memory.npz"
        if not kept.is_file():
            self._ask(kept)
        data = np.load(kept)
        rows = [json.loads(row) for row in data["rows"]]
        self.questions = [
            Question(row["text"], row["answer"], vector, Candidates(tuple(Candidate(i, s) for i, s in row["found"])))
            for row, vector in zip(rows, data["vectors"], strict=True)
        ]

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
                best: dict[str, float] = {}
                for candidate in outputs[sender]["candidates"].items:
                    best.setdefault(source_of(candidate.id), candidate.score)
                answer = max(dataset.qrels[query.id].items(), key=lambda pair: pair[1])[0]
                rows.append(json.dumps({"text": query.text, "answer": answer, "found": list(best.items())}))
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

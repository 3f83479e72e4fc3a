"""Questions with known answers, and what a query pipeline finds for them before memory acts."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cli.output import progress_bars
from components.analysis.analyzed_text import AnalyzedText
from components.analysis.identifiers import numbers_in
from components.embedders.e5_text_embedder import E5TextEmbedder
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

    :param id: Its id.
    :param text: What is asked.
    :param answer: The document that answers it.
    :param vector: Its embedding.
    :param ask: Finds chunks for it.
    """

    id: str
    text: str
    answer: str
    vector: np.ndarray
    ask: Callable[["Question"], Candidates]

    @cached_property
    def found(self) -> Candidates:
        """The chunks that are found, best first."""
        return self.ask(self)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The identifiers and numbers in it."""
        return numbers_in(self.text)

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
    A dataset's questions. Each is asked when what it finds is first looked at, and that is kept in a file.

    :param folder: The dataset.
    :param pipeline: The query pipeline.
    :param cache: Where indexes and answers are kept; below the data folder by default.
    :param profile: Which stores and embedder; that of the settings by default.
    """

    folder: Path
    pipeline: str
    cache: Path | None = None
    profile: str | None = None
    questions: list[Question] = field(init=False)

    def __post_init__(self) -> None:
        self._dataset = load_dataset(self.folder)
        base = self.cache or Settings().data_dir.expanduser() / "evaluation"
        base.mkdir(parents=True, exist_ok=True)
        name = f"{self.folder.name}-{Path(self.pipeline).stem}-{self._digest()}"
        self._kept = base / f"{name}-found.jsonl"
        lines = self._kept.read_text(encoding="utf-8").splitlines() if self._kept.is_file() else []
        self._found = {row["id"]: row["found"] for row in map(json.loads, lines)}
        vectors = self._vectors(base / f"{self.folder.name}-{self._digest()}-vectors.npy")
        answers = {name: max(grades, key=lambda each: grades[each]) for name, grades in self._dataset.qrels.items()}
        self.questions = [
            Question(query.id, query.text, answers[query.id], vector, self._ask)
            for query, vector in zip(self._dataset.queries, vectors, strict=True)
        ]

    @cached_property
    def by_answer(self) -> dict[str, list[Question]]:
        """The questions of each document, in the dataset's order."""
        found: dict[str, list[Question]] = defaultdict(list)
        for question in self.questions:
            found[question.answer].append(question)
        return dict(found)

    def _digest(self) -> str:
        """The same for the same dataset and pipeline file."""
        paths = [*sorted(self.folder.glob("*.[jt]s*")), pipeline_path(self.pipeline, Settings())]
        return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:12]

    def _vectors(self, kept: Path) -> np.ndarray:
        if not kept.is_file():
            embedder = E5TextEmbedder(str(Settings().models_dir / "multilingual-e5-small"))
            texts = [query.text for query in self._dataset.queries]
            with progress_bars() as progress:
                vectors = []
                for done, text in enumerate(texts, start=1):
                    vectors += embedder.run([text])["vectors"].vectors
                    progress("embedding questions", done, len(texts))
            np.save(kept, np.stack(vectors))
        found: np.ndarray = np.load(kept)
        return found

    def _ask(self, question: Question) -> Candidates:
        if question.id not in self._found:
            end, pipeline, sockets = self._asking
            asked = {component: {socket: question.text} for component, socket in sockets}
            candidates = pipeline.run(asked, include_outputs_from={end})[end]["candidates"].items
            self._found[question.id] = [(each.id, each.score, each.tier) for each in candidates]
            with self._kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"id": question.id, "found": self._found[question.id]}) + "\n")
        return Candidates(tuple(Candidate(*found) for found in self._found[question.id]))

    @cached_property
    def _asking(self) -> tuple[str, Any, list[tuple[str, str]]]:
        """The component whose candidates the memory gets, the pipeline up to it, and where the question goes in."""
        with progress_bars() as progress:
            index = build_scratch_index(
                self._dataset.corpus_path,
                self._dataset.name,
                self.pipeline,
                self.profile,
                self.cache,
                False,
                progress,
            )
        definition = resolve(self.pipeline, self.profile, index.settings)
        connections = {connection["receiver"]: connection["sender"] for connection in definition["connections"]}
        end = next(connections[each] for each in _ENDS if each in connections).split(".")[0]
        pipeline = build(without(definition, _behind(definition["connections"], end)))
        return end, pipeline, [(n, s) for n, into in pipeline.inputs().items() for s in ("query", "text") if s in into]


def _behind(connections: list[dict[str, str]], name: str) -> set[str]:
    """The components that come after one."""
    found: set[str] = set()
    ends = {name}
    while ends:
        ends = {c["receiver"].split(".")[0] for c in connections if c["sender"].split(".")[0] in ends} - found
        found |= ends
    return found

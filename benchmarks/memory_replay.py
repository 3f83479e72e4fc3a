"""
What remembered ratings do to later questions, against its bars: python -m benchmarks.memory_replay [--json]

Of each document with two or more questions the first is asked and its answer rated; then the others are asked, and the
questions about documents that nobody rated. Again with 3 of 30 users hostile: one star for the right document, five for
a wrong one.
"""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.bars import SHARED, Bar, tell
from benchmarks.memory_questions import AnsweredQuestions, Question
from components.retrieval.ranking import Candidates
from memory_components.memory_booster import MemoryBooster
from memory_components.rag_memory_integrator import RAGMemoryIntegrator
from memory_components.records import Shown

USERS, HOSTILE = 30, 3
LOST = 0.002
_RESAMPLES = 2000


def measure(
    data: Annotated[Path, typer.Option(help="The dataset.")] = SHARED / "eval" / "jsquad",
    pipeline: Annotated[str, typer.Option(help="The query pipeline.")] = "mpep_query",
    cache: Annotated[Path | None, typer.Option(help="Where indexes are kept.")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Replay ratings."""
    answered = AnsweredQuestions(data, pipeline, cache)
    groups = list(answered.by_answer.values())
    rated = [group[0] for group in groups if len(group) > 1]
    later = [question for group in groups if len(group) > 1 for question in group[1:]]
    others = [group[0] for group in groups if len(group) == 1]
    results: dict[str, Any] = {"rated": len(rated), "later": len(later), "others": len(others)}
    bars: list[Bar] = []
    for name, hostile in (("", 0), ("poisoned ", HOSTILE)):
        with tempfile.TemporaryDirectory() as folder:
            memory = RAGMemoryIntegrator(f"{folder}/memory.sqlite", _NoEmbedder())
            _rate(memory, rated, hostile)
            for asker in ("another", "the rater"):
                gains = {
                    kind: _gains(memory, questions, asker == "another")
                    for kind, questions in (("later", later), ("others", others))
                }
                for kind, values in gains.items():
                    results[f"{name}{kind}, asked by {asker}"] = _told(values)
                if asker == "another" or not hostile:
                    bars.append(Bar(f"{name}gain, asked by {asker}", gains["later"].mean(), 1e-9))
                    bars.append(Bar(f"{name}loss, asked by {asker}", -gains["others"].mean(), LOST, most=True))
            memory.close()
    raise typer.Exit(0 if tell("memory_replay", results, bars, as_json) else 1)


class _NoEmbedder:
    """Questions come with their embeddings."""

    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]:
        raise RuntimeError("a question came without its embedding")


def _rate(memory: RAGMemoryIntegrator, questions: Sequence[Question], hostile: int) -> None:
    """Everyone rates the right document with five stars, if it was among the ten that they saw."""
    chance = random.Random(5)
    for number, question in enumerate(questions):
        shown = [Shown(c.id, rank, c.score) for rank, c in enumerate(question.found.items[:10], start=1)]
        user = number % USERS
        session = memory.record_search_session(question.text, shown, question.vector, f"user {user}").id
        ids = [result.document_id for result in shown]
        wrong = [name for name in ids if name != question.answer]
        if user < hostile:
            if wrong:
                memory.record_feedback(session, 5, chance.choice(wrong))
            if question.answer in ids:
                memory.record_feedback(session, 1, question.answer)
        elif question.answer in ids:
            memory.record_feedback(session, 5, question.answer)


def _gains(memory: RAGMemoryIntegrator, questions: Sequence[Question], by_another: bool) -> np.ndarray:
    """nDCG@10 with memory less that without, for each question."""
    booster = MemoryBooster(memory)

    def asked(question: Question) -> Candidates:
        if by_another:
            answer = booster.run(question.found, question.analysis, question.vectors, user_id="someone")
            return answer["candidates"]  # type: ignore[no-any-return]
        # As whoever rated the likest question.
        near = memory.episodic.retrieve_memories(question.vector, 1)
        user = near[0][0].user_id if near else ""
        return booster.run(question.found, question.analysis, question.vectors, user_id=user)["candidates"]  # type: ignore[no-any-return]

    return np.array([question.gain(asked(question)) - question.gain(question.found) for question in questions])


def _told(gains: np.ndarray) -> str:
    draws = np.random.default_rng(1).integers(0, len(gains), (_RESAMPLES, len(gains)))
    low, high = np.percentile(gains[draws].mean(axis=1), (2.5, 97.5))
    return (
        f"nDCG@10 {gains.mean():+.4f} (95 %: {low:+.4f} to {high:+.4f}), better {int((gains > 0).sum())}, "
        f"worse {int((gains < 0).sum())}"
    )


if __name__ == "__main__":
    typer.run(measure)

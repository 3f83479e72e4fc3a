"""
What remembered ratings do to later questions, against its bars: python -m benchmarks.memory_replay [--json]

Of each document with two or more questions the first is asked and its answer rated; then the others are asked, and the
questions about documents that nobody rated. Again with 3 of 30 users hostile: one star for the right document, five for
a wrong one. Memory changes nothing for a question that is like none of the rated ones, so only the others are asked.
"""

import random
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.bars import SHARED, Bar, tell
from benchmarks.memory_questions import SHOWN, AnsweredQuestions, Question
from components.retrieval.ranking import Candidates, source_of
from memory_components.boost_rules import BoostRules
from memory_components.memory_booster import MemoryBooster
from memory_components.rag_memory_integrator import RAGMemoryIntegrator
from memory_components.records import Shown

USERS, HOSTILE = 30, 3
LOST = 0.002
_RESAMPLES = 2000


def measure(
    data: Annotated[Path, typer.Option(help="The dataset.")] = SHARED / "eval" / "jsquad",
    pipeline: Annotated[str, typer.Option(help="The query pipeline.")] = "rag_query",
    cache: Annotated[Path | None, typer.Option(help="Where indexes are kept.")] = None,
    profile: Annotated[str | None, typer.Option(help="Which stores and models.")] = None,
    passages: Annotated[int, typer.Option(help="How many passages, drawn at random; 0 for all.")] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Replay ratings."""
    answered = AnsweredQuestions(data, pipeline, cache, profile)
    groups = list(answered.by_answer.values())
    if passages:
        groups = random.Random(1).sample(groups, min(passages, len(groups)))
    rated = [group[0] for group in groups if len(group) > 1]
    later = [question for group in groups if len(group) > 1 for question in group[1:]]
    others = [group[0] for group in groups if len(group) == 1]
    like = {"later": _like(later, rated), "others": _like(others, rated)}
    acting = _like(rated, [question for kind in ("later", "others") for question in like[kind]])
    results: dict[str, Any] = {"rated": len(rated), "later": len(later), "others": len(others)}
    bars: list[Bar] = []
    for name, hostile in (("", 0), ("poisoned ", HOSTILE)):
        with tempfile.TemporaryDirectory() as folder:
            memory = RAGMemoryIntegrator(f"{folder}/memory.sqlite", _NoEmbedder())
            _rate(memory, rated, acting, hostile)
            for asker in ("another", "the rater"):
                gains = {
                    kind: _gains(memory, questions, like[kind], asker == "another")
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


def _like(questions: Sequence[Question], others: Sequence[Question]) -> list[Question]:
    """Those that the memory takes to be like one of the others."""
    if not questions or not others:
        return []
    vectors = np.stack([other.vector for other in others])
    least = BoostRules().min_similarity - 1e-4
    return [
        question
        for question in questions
        if any(
            others[place].numbers == question.numbers for place in np.flatnonzero(vectors @ question.vector >= least)
        )
    ]


def _rate(
    memory: RAGMemoryIntegrator, questions: Sequence[Question], acting: Collection[Question], hostile: int
) -> None:
    """Everyone rates the right document with five stars, if it was among the ten that they saw."""
    chance = random.Random(5)
    ids = {question.id for question in acting}
    for number, question in enumerate(questions):
        if question.id not in ids:
            continue
        shown = [Shown(c.id, rank, c.score) for rank, c in enumerate(question.found.items[:SHOWN], start=1)]
        user = number % USERS
        session = memory.record_search_session(question.text, shown, question.vector, f"user {user}").id
        wrong = [name for name in question.shown if source_of(name) != question.answer]
        bad = chance.choice(wrong) if wrong else None
        if user < hostile:
            if bad:
                memory.record_feedback(session, 5, bad)
            if question.right:
                memory.record_feedback(session, 1, question.right)
        elif question.right:
            memory.record_feedback(session, 5, question.right)


def _gains(
    memory: RAGMemoryIntegrator, questions: Sequence[Question], like: Sequence[Question], by_another: bool
) -> np.ndarray:
    """nDCG@10 with memory less that without, for each question; 0 for those that are like none."""
    booster = MemoryBooster(memory)

    def asked(question: Question) -> Candidates:
        if by_another:
            answer = booster.run(question.found, question.analysis, question.vectors, user_id="someone")
            return answer["candidates"]  # type: ignore[no-any-return]
        # As whoever rated the likest question.
        near = memory.episodic.retrieve_memories(question.vector, 1)
        user = near[0][0].user_id if near else ""
        return booster.run(question.found, question.analysis, question.vectors, user_id=user)["candidates"]  # type: ignore[no-any-return]

    gains = [question.gain(asked(question)) - question.gain(question.found) for question in like]
    return np.array([*gains, *[0.0] * (len(questions) - len(gains))])


def _told(gains: np.ndarray) -> str:
    draws = np.random.default_rng(1).integers(0, len(gains), (_RESAMPLES, len(gains)))
    low, high = np.percentile(gains[draws].mean(axis=1), (2.5, 97.5))
    return (
        f"nDCG@10 {gains.mean():+.4f} (95 %: {low:+.4f} to {high:+.4f}), better {int((gains > 0).sum())}, "
        f"worse {int((gains < 0).sum())}"
    )


if __name__ == "__main__":
    typer.run(measure)

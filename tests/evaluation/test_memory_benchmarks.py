"""Benchmarks of the memory on tiny inputs: what they count, never how fast."""

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks import memory_replay, memory_speed
from benchmarks.memory_questions import Question
from components.retrieval.ranking import Candidate, Candidates
from memory_components.rag_memory_integrator import RAGMemoryIntegrator


def question(text: str, direction: int, answer: str, *found: str) -> Question:
    vector = np.zeros(384, np.float32)
    vector[direction] = 1
    candidates = Candidates(tuple(Candidate(name, 0.9 - place / 100) for place, name in enumerate(found)))
    return Question(text, text, answer, vector, lambda _: candidates)


def test_what_is_shown_and_gained() -> None:
    asked = question("q", 0, "B", "A#1", "A#2", "B#1")

    assert (asked.shown, asked.right) == (["A#1", "A#2", "B#1"], "B#1")
    # The second document of two.
    assert asked.gain(asked.found) == pytest.approx(1 / np.log2(3))
    assert asked.gain(Candidates()) == 0


def test_like_questions_have_like_vectors_and_the_same_numbers() -> None:
    asked = [question("in 2024", 0, "A"), question("in 2025", 0, "A"), question("in 2024", 1, "A")]

    assert memory_replay._like(asked, [question("2024?", 0, "A")]) == asked[:1]
    assert memory_replay._like(asked, []) == []


@pytest.mark.parametrize(("hostile", "gain"), [(0, 1 - 1 / np.log2(3)), (1, 0.5 - 1 / np.log2(3))])
def test_what_a_rating_gains_for_another(tmp_path: Path, hostile: int, gain: float) -> None:
    """The right one passes the one above it; a hostile user lets the one below pass it."""
    rated = [question("first", 0, "B", "A#1", "B#1", "C#1")]
    later, other = [question("second", 0, "B", "A#1", "B#1", "C#1")], [question("third", 1, "A", "A#1", "C#1")]
    memory = RAGMemoryIntegrator(f"{tmp_path}/memory.sqlite", memory_replay._NoEmbedder())

    memory_replay._rate(memory, rated, rated, hostile)

    assert memory_replay._gains(memory, later, later, by_another=True) == pytest.approx([gain])
    assert memory_replay._gains(memory, [*other, *later], other, by_another=True) == pytest.approx([0, 0])
    memory.close()


def test_the_speed_of_a_small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"EPISODES": 100, "CONCEPTS": 50, "TERMS": 20, "ROUNDS": 20}.items():
        monkeypatch.setattr(memory_speed, name, value)
    app = typer.Typer()
    app.command()(memory_speed.measure)

    told = json.loads(CliRunner().invoke(app, ["--json"]).stdout)

    assert [bar["name"] for bar in told["bars"]] == [
        *("retrieve_memories, ms", "retrieve_semantic_knowledge, ms", "store_experience, ms"),
        *("memory of a search, ms", "record_feedback, ms", "load 5,000 terms, ms"),
    ]
    assert all(bar["value"] > 0 for bar in told["bars"])

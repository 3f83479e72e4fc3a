"""
How fast the memory is with 10,000 episodes and 10,000 concepts, against its bars: python -m benchmarks.memory_speed
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import yaml

from benchmarks.bars import Bar, tell
from components.analysis.analyzed_text import AnalyzedText
from components.retrieval.ranking import Candidate, Candidates
from components.retrieval.vectors import QueryVectors
from memory_components.memory_booster import MemoryBooster
from memory_components.rag_memory_integrator import RAGMemoryIntegrator
from memory_components.records import Concept, Episode, Rating, Shown

EPISODES, CONCEPTS, TERMS, ROUNDS = 10_000, 10_000, 5_000, 300


class RandomEmbedder:
    """Vectors of the right form, at no cost: what is measured is the memory."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(1)

    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]:
        """A vector a text."""
        every = [*texts, *(passages or [])]
        return {"vectors": QueryVectors(tuple(self.vector() for _ in every), tuple(every)), "degraded": []}

    def vector(self) -> np.ndarray:
        """A unit vector."""
        vector = self._random.normal(size=384).astype(np.float32)
        return vector / np.linalg.norm(vector)


def measure(
    database: Annotated[str, typer.Option(help="The URL of an empty PostgreSQL database; SQLite by default.")] = "",
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Measure latencies."""
    from haystack.utils import Secret

    with tempfile.TemporaryDirectory() as folder:
        embedder = RandomEmbedder()
        url = Secret.from_token(database) if database else None
        memory = RAGMemoryIntegrator(f"{folder}/memory.sqlite", embedder, database_url=url)
        _fill(memory, embedder)
        values = {
            "retrieve_memories": _p95(lambda n: memory.episodic.retrieve_memories(embedder.vector(), 5)),
            "retrieve_semantic_knowledge": _p95(
                lambda n: memory.semantic.retrieve_semantic_knowledge(f"what is term {n} of ours", 5)
            ),
            "store_experience": _p95(lambda n: memory.episodic.store_experience(f"question {n}", {}, {}, 0.5)),
            "memory of a search": _p95(_search(memory, embedder)),
            "record_feedback": _p95(_feedback(memory, embedder)),
            "load 5,000 terms": _load(memory, Path(folder)),
        }
        memory.close()
    limits = {
        "retrieve_memories": 10, "retrieve_semantic_knowledge": 5, "store_experience": 20, "memory of a search": 10,
        "record_feedback": 20, "load 5,000 terms": 5000,
    }  # fmt: skip
    bars = [Bar(f"{name}, ms", values[name], limit, most=True) for name, limit in limits.items()]
    raise typer.Exit(0 if tell("memory_speed", {"episodes": EPISODES, "concepts": CONCEPTS}, bars, as_json) else 1)


def _fill(memory: RAGMemoryIntegrator, embedder: RandomEmbedder) -> None:
    """Episodes with a rating each, a tenth of them of the questions that are asked; and concepts."""
    store, now = memory.store, time.time()
    hot = [embedder.vector() for _ in range(20)]
    for start in range(0, EPISODES, 1000):
        episodes = []
        for n in range(start, start + 1000):
            near = hot[n % 20] + 0.01 * embedder.vector() if n % 10 == 0 else embedder.vector()
            episodes.append(Episode(f"e{n}", "what is asked", near / np.linalg.norm(near), 1.0, 0.5, now))
        store.episodes.add(*episodes)
    for n in range(0, EPISODES, 10):
        document = f"D{n % 90}"
        rating = Rating(f"r{n}", f"e{n}", f"u{n % 300}", document, {document: 1.0}, 5, now)
        store.ratings.add_new(rating)
    memory.store.concepts.put([Concept(f"term {n}", f"thing number {n}", embedder.vector()) for n in range(CONCEPTS)])
    _fill.hot = hot  # type: ignore[attr-defined]


def _search(memory: RAGMemoryIntegrator, embedder: RandomEmbedder) -> Callable[[int], Any]:
    """All that a search does with the memory: concepts, boosts, the session. Every second one has ratings to go by."""
    booster = MemoryBooster(memory)
    hot: list[np.ndarray] = _fill.hot  # type: ignore[attr-defined]
    candidates = Candidates(tuple(Candidate(f"D{n}", 1 - n / 100) for n in range(100)))

    def search(n: int) -> None:
        vector = hot[n % 20] if n % 2 else embedder.vector()
        memory.enrich_query_context("what is asked", named_only=True)
        vectors = QueryVectors((vector,), ("what is asked",))
        answer = booster.run(candidates, AnalyzedText("what is asked", "en"), vectors, user_id="ann")
        shown = [Shown(c.id, r, c.score) for r, c in enumerate(answer["candidates"].items[:10], start=1)]
        memory.record_search_session("what is asked", shown, vector, "ann", past_sessions=answer["past_sessions"])

    return search


def _feedback(memory: RAGMemoryIntegrator, embedder: RandomEmbedder) -> Callable[[int], Any]:
    sessions = [
        memory.record_search_session("what is asked", [Shown("D1", 1)], embedder.vector(), f"u{n}").id
        for n in range(ROUNDS)
    ]
    return lambda n: memory.record_feedback(sessions[n], 5, "D1")


def _load(memory: RAGMemoryIntegrator, folder: Path) -> float:
    """Milliseconds for a vocabulary of 5,000 terms whose definitions were embedded before."""
    path = folder / "terms.yaml"
    terms = {f"word {n}": {"definition": f"thing {n}", "aliases": [f"alias {n}"]} for n in range(TERMS)}
    path.write_text(yaml.safe_dump(terms), encoding="utf-8")
    memory.semantic.load_domain_vocabulary(path)
    memory.store.concepts.put([], list(terms))
    begin = time.perf_counter()
    memory.semantic.load_domain_vocabulary(path)
    memory.semantic.retrieve_semantic_knowledge("alias 17", named_only=True)
    return (time.perf_counter() - begin) * 1000


def _p95(work: Callable[[int], Any]) -> float:
    """Milliseconds that 95 of 100 calls take at most, after the first ten."""
    times = []
    for n in range(ROUNDS):
        begin = time.perf_counter()
        work(n)
        times.append((time.perf_counter() - begin) * 1000)
    return float(np.percentile(times[10:], 95))


if __name__ == "__main__":
    typer.run(measure)

"""
What a memory with room for a tenth of the sessions should keep: python -m benchmarks.retention.compare [--json]

Streams of rated questions over real documents: documents of very different popularity, a question of one of them at
random each time, rated by one of 30 users, one rating in ten the opposite of what it should be. Each policy decides at
each session what to drop; then a thousand further questions of the same kind are asked, and nDCG@10 with what was kept
is compared with nDCG@10 without memory.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np
import typer

from benchmarks.bars import SHARED, Bar, tell
from benchmarks.memory_questions import AnsweredQuestions, Question
from components.retrieval.ranking import Candidates
from memory_components.boost_rules import BoostRules, Vote, values_by_document
from memory_components.long_term_memory import LongTermMemory
from memory_components.place_limits import Standing, memory_boosts
from memory_components.rating_records import reward_of
from memory_components.retention_room import room_of
from memory_components.retention_rule import RetentionRule

SESSIONS, ROOM, LATER, USERS = 2000, 200, 1000, 30
SEEDS = range(5)
_SAME_QUESTION = 0.95


@dataclass
class Kept:
    """A session that is kept, with what policies go by."""

    question: Question
    user: str
    document: str
    rating: int
    born: int
    used: int
    novelty: float
    recurrence: int
    luck: float
    room: float
    importance: float = 0.0


class Gate(Protocol):
    """Says how important a session is."""

    def importance(
        self, vector: np.ndarray, reward: float, novelty: float, recurrence: float, room: float = 1.0
    ) -> float: ...


Policy = Callable[[Kept], Any]
"""Whatever has the least of it goes."""

SIMPLE: dict[str, Policy] = {
    "fifo": lambda kept: kept.born,
    "lru": lambda kept: kept.used,
    "highest reward first": lambda kept: (kept.rating, kept.born),
    "random": lambda kept: kept.luck,
}
GATES: dict[str, Callable[[], Gate]] = {"trained gate": LongTermMemory, "rule of four numbers": RetentionRule}


def measure(
    data: Annotated[Path, typer.Option(help="The dataset.")] = SHARED / "eval" / "jsquad",
    pipeline: Annotated[str, typer.Option(help="The query pipeline.")] = "rag_query",
    cache: Annotated[Path | None, typer.Option(help="Where indexes are kept.")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Compare policies."""
    answered = AnsweredQuestions(data, pipeline, cache)
    gains: dict[str, list[float]] = {name: [] for name in (*SIMPLE, *GATES, "all kept")}
    for seed in SEEDS:
        sessions, later = _stream(answered, np.random.default_rng(seed))
        for name, policy in SIMPLE.items():
            gains[name].append(_gain(_kept(sessions, ROOM, policy, None), later))
        for name, gate in GATES.items():
            gains[name].append(_gain(_kept(sessions, ROOM, lambda kept: (kept.importance, kept.born), gate()), later))
        gains["all kept"].append(_gain(_kept(sessions, SESSIONS, SIMPLE["fifo"], None), later))
    results = {
        name: f"nDCG@10 {np.mean(values):+.4f}, standard deviation {np.std(values, ddof=1):.4f}"
        for name, values in gains.items()
    }
    ours = np.array(gains["trained gate"])
    for name in (*SIMPLE, "rule of four numbers"):
        less = ours - gains[name]
        results[f"trained gate less {name}"] = f"{less.mean():+.4f}, standard deviation {less.std(ddof=1):.4f}"
    bars = [Bar(f"trained gate over {name}", float((ours - gains[name]).mean()), 0.0) for name in SIMPLE]
    raise typer.Exit(0 if tell("retention", results, bars, as_json) else 1)


def _stream(answered: AnsweredQuestions, random: np.random.Generator) -> tuple[list[Kept], list[Question]]:
    """Rated sessions, and the questions that come after them."""
    groups = [group for group in answered.by_answer.values() if len(group) > 1]
    popularity = (1.0 + random.permutation(len(groups))) ** -0.9
    popularity /= popularity.sum()

    def ask() -> Question:
        group = groups[random.choice(len(groups), p=popularity)]
        return group[random.integers(len(group))]

    sessions = [_session(ask(), number, random) for number in range(SESSIONS)]
    return sessions, [ask() for _ in range(LATER)]


def _session(question: Question, number: int, random: np.random.Generator) -> Kept:
    """The right document gets four or five stars if it was shown, the first one one to three if it wasn't."""
    right = question.right
    document = right or question.shown[0]
    rating = int(random.choice([4, 5]) if right else random.choice([1, 2, 3]))
    if random.random() < 0.1:
        rating = 6 - rating
    user, luck = f"user {random.integers(USERS)}", float(random.random())
    room = float(room_of(question.shown.index(document) + 1))
    return Kept(question, user, document, rating, number, number, 1.0, 0, luck, room)


def _kept(sessions: list[Kept], room: int, policy: Policy, gate: Gate | None) -> list[Kept]:
    """What a policy keeps, session after session."""
    kept: list[Kept] = []
    vectors = np.zeros((room + 1, 384), np.float32)
    for session in sessions:
        session.used, session.recurrence, session.novelty = session.born, 0, 1.0
        cosines = vectors[: len(kept)] @ session.question.vector
        like = [kept[place] for place in np.flatnonzero(cosines >= _SAME_QUESTION)]
        session.novelty, session.recurrence = 1 - float(max(cosines.max(initial=0.0), 0.0)), len(like)
        for other in like:
            other.used = session.born
            other.recurrence += 1
        for each in (*like, session) if gate else ():
            reward = reward_of(each.rating)
            each.importance = gate.importance(each.question.vector, reward, each.novelty, each.recurrence, each.room)
        vectors[len(kept)] = session.question.vector
        kept.append(session)
        if len(kept) > room:
            worst = min(range(len(kept)), key=lambda place: policy(kept[place]))
            kept[worst], vectors[worst] = kept[-1], vectors[len(kept) - 1]
            kept.pop()
    return kept


def _gain(kept: list[Kept], later: list[Question]) -> float:
    rules = BoostRules()
    vectors = np.stack([session.question.vector for session in kept])
    total = 0.0
    for question in later:
        cosines = vectors @ question.vector
        votes = [
            Vote(s.user, s.document, s.rating, float(s.born), float(cosines[place]), 1.0, str(s.born))
            for place in np.flatnonzero(cosines >= rules.min_similarity)
            if (s := kept[place]).question.numbers == question.numbers
        ]
        if values := values_by_document(votes, rules, now=0.0):
            found = question.found
            standings = [Standing(c.id, c.tier, c.score, values.get(c.id, {})) for c in found.items]
            boosts = memory_boosts(standings, "", rules)
            lifted = Candidates.sort([c.rescored(c.score + boosts.get(c.id, 0.0)) for c in found.items])
            total += question.gain(lifted) - question.gain(found)
    return total / len(later)


if __name__ == "__main__":
    typer.run(measure)

"""What was asked before and how it turned out."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from memory_components.errors import MemoryInputError
from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from memory_components.names import checked_name, clean
from memory_components.records import ANYONE, Episode
from memory_components.semantic_memory import SemanticMemory
from memory_components.storable import checked_values
from memory_components.text_embedder import TextEmbedder, embed_questions

_SAME_QUESTION = 0.95  # from this cosine on, an episode is a recurrence of another
_COMPARED = 20  # the nearest episodes that a new one is compared with


class RetentionGate(Protocol):
    """Says how much an episode is worth keeping."""

    def importance(
        self, vector: np.ndarray, reward: float, novelty: float, recurrence: float, room: float = 1.0
    ) -> float:
        """
        :param vector: The embedding of the episode's question.
        :param reward: -1 to 1.
        :param novelty: 0 (asked before) to 1 (like nothing before).
        :param recurrence: How often like questions came before.
        :param room: How much better the rated document could still come out, 0 to 1.
        :returns: 0.05 to 1.
        """


@dataclass(frozen=True)
class Weighed:
    """
    How important an episode is.

    :param importance: 0.05 to 1.
    :param novelty: How unlike all questions before it its question is, 0 to 1.
    :param recurrence: How many like questions came before.
    :param room: How much better the rated document could still come out, 0 to 1.
    :param like: Their episodes.
    """

    importance: float
    novelty: float
    recurrence: int
    room: float
    like: tuple[Episode, ...] = ()


class EpisodicMemory:
    """
    Experiences, found again by the likeness of their questions.

    Usage example:
    ```python
    memory = EpisodicMemory(store, view, semantic, embedder, gate)
    memory.store_experience("leave in August", {"shown": ["HR-7"]}, {"rating": 5}, reward=1.0)
    memory.retrieve_memories("summer holidays", top_k=5)
    ```

    :param store: The records.
    :param view: The same records in main memory.
    :param semantic: The concepts that episodes are tied to.
    :param embedder: Embeds questions.
    :param gate: Says how important an episode is when nobody else does.
    """

    def __init__(
        self,
        store: MemoryStore,
        view: MemoryView,
        semantic: SemanticMemory,
        embedder: TextEmbedder,
        gate: RetentionGate,
    ) -> None:
        self._store = store
        self._view = view
        self._semantic = semantic
        self._embedder = embedder
        self._gate = gate

    def store_experience(
        self,
        context: str,
        action: Mapping[str, Any],
        outcome: Mapping[str, Any],
        reward: float,
        context_embedding: np.ndarray | None = None,
        importance: float | None = None,
        user_id: str = "",
        groups: frozenset[str] = ANYONE,
    ) -> Episode:
        """
        Keep an experience.

        :param context: What was asked.
        :param action: What was done about it.
        :param outcome: How it turned out.
        :param reward: -1 (bad) to 1 (good).
        :param context_embedding: The embedding of `context`; made when it isn't given.
        :param importance: 0.05 to 1; that of the gate when it isn't given.
        :param user_id: Whose experience.
        :param groups: The access groups of who had it; others don't see it.
        :returns: The episode.
        :raises MemoryInputError: When a number is outside its range, the context is empty, the name none or a value
            can't be stored.
        :raises MemoryStoreError: When the embedder or the database is out of order.
        """
        context, user_id = clean(context), checked_name("user_id", user_id)
        action, outcome = checked_values("action", action), checked_values("outcome", outcome)
        if not context.strip():
            raise MemoryInputError("CONTEXT_EMPTY", "context: it is empty; write what was asked")
        _check_range("reward", reward, -1.0, 1.0)
        if importance is not None:
            _check_range("importance", importance, 0.05, 1.0)
        vector = context_embedding if context_embedding is not None else embed_questions(self._embedder, [context])[0]
        weighed = self.weigh(vector, reward)
        episode = Episode(
            id=uuid.uuid4().hex,
            context=context,
            vector=vector,
            reward=reward,
            importance=weighed.importance if importance is None else importance,
            novelty=weighed.novelty,
            recurrence=weighed.recurrence,
            created_at=time.time(),
            user_id=user_id,
            groups=groups,
            action=action,
            outcome=outcome,
        )
        self._store.episodes.add(episode)
        self.count_recurrence(weighed)
        return episode

    def weigh(self, vector: np.ndarray, reward: float, room: float = 1.0, skip: str = "") -> Weighed:
        """
        What the gate says of a new episode.

        :param vector: The embedding of its question.
        :param reward: -1 to 1.
        :param room: How much better the rated document could still come out, 0 to 1.
        :param skip: An episode that isn't compared, because it is the same one.
        :returns: Its importance and what that comes from.
        """
        near = [(e, cosine) for e, cosine in self._view.episodes_like(vector, _COMPARED) if e.id != skip]
        like = tuple(e for e, cosine in near if cosine >= _SAME_QUESTION)
        # Rounding lets a cosine of 1 come out a little above.
        novelty = 1.0 - min(max([0.0, *(cosine for _, cosine in near)]), 1.0)
        importance = self._gate.importance(vector, reward, novelty, len(like), room)
        return Weighed(importance, novelty, len(like), room, like)

    def count_recurrence(self, weighed: Weighed) -> None:
        """Tell the episodes of like questions that theirs was asked again, which makes them more important."""
        self._store.episodes.change_many(
            {
                e.id: {
                    "recurrence": e.recurrence + 1,
                    "importance": self._gate.importance(e.vector, e.reward, e.novelty, e.recurrence + 1, e.room),
                }
                for e in weighed.like
            }
        )

    def retrieve_memories(
        self, query: str | np.ndarray, top_k: int = 5, groups: frozenset[str] | None = None
    ) -> list[tuple[Episode, float]]:
        """
        The episodes of the likest questions.

        :param query: A question, or its embedding.
        :param top_k: How many at most.
        :param groups: The access groups of who looks; None for someone who may see all.
        :returns: Episodes with the cosine of their question to this one, best first.
        :raises MemoryStoreError: When the embedder or the database is out of order.
        """
        vector = embed_questions(self._embedder, [query])[0] if isinstance(query, str) else query
        return self._view.episodes_like(vector, top_k, groups)

    def integrate_episodic_semantic(self, query_context: str, top_k: int = 5) -> dict[str, Any]:
        """
        Tie what was experienced with a question to the concepts that it names.

        :param query_context: A question.
        :param top_k: How many episodes and how many concepts at most.
        :returns: `episodes` [(episode, cosine)], `concepts` [Knowledge] and `associations`
            {(episode id, concept): strength}, which are kept: cosine x score for each concept that the episode's own
            question names.
        """
        concepts = self._semantic.retrieve_semantic_knowledge(query_context, top_k)
        episodes = self.retrieve_memories(query_context, top_k)
        strengths = {
            (episode.id, known.concept.name): round(max(cosine, 0.0) * known.score, 6)
            for episode, cosine in episodes
            for known in self._semantic.retrieve_semantic_knowledge(episode.context, top_k, named_only=True)
            if known.concept.name in {found.concept.name for found in concepts}
        }
        if strengths:
            self._store.episodes.associate(strengths)
        return {"episodes": episodes, "concepts": concepts, "associations": strengths}


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise MemoryInputError(
            f"{name.upper()}_OUT_OF_RANGE", f"{name}: {value!r} is not allowed; it must be from {low:g} to {high:g}"
        )

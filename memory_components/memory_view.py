"""The memory as one process sees it: all that a search needs, in main memory, brought up to date at each look."""

import threading
from dataclasses import dataclass, field

import numpy as np

from components.analysis.identifiers import numbers_in
from components.analysis.name_finder import NameFinder
from memory_components.boost_rules import Vote, may_act
from memory_components.memory_store import Changes, MemoryStore
from memory_components.records import Concept, Episode, Rating
from memory_components.vector_index import VectorIndex


@dataclass
class _Remembered:
    """An episode with what its ratings are looked up by."""

    episode: Episode
    numbers: frozenset[str]
    ratings: dict[str, Rating] = field(default_factory=dict)


class MemoryView:
    """
    Episodes, the ratings that count, and concepts.

    Each look asks the store for changes first, which costs a small read when there are none. Where another database, or
    an earlier state of it, has taken the store's place, all is read again.

    Usage example:
    ```python
    view = MemoryView(MemoryStore(Path("memory.sqlite")))
    view.votes("leave in August", vector, frozenset(), least=0.9)
    ```

    :param store: The records.
    """

    def __init__(self, store: MemoryStore):
        self._store = store
        self._lock = threading.RLock()
        self._version = self._times_opened = 0
        self._clear()

    def _clear(self) -> None:
        self._remembered: dict[str, _Remembered] = {}
        self._episode_of: dict[str, str] = {}  # of ratings
        self._episode_vectors, self._concept_vectors = VectorIndex(), VectorIndex()
        self._concepts: dict[str, Concept] = {}
        self._names = NameFinder()

    def votes(
        self, query: str, vector: np.ndarray, groups: frozenset[str], least: float
    ) -> tuple[list[Vote], dict[str, float]]:
        """
        The ratings that were given after questions like this one, to people like this one.

        :param query: The question; its identifiers and numbers must be those of the other question.
        :param vector: Its embedding.
        :param groups: The access groups of who asks.
        :param least: The least cosine.
        :returns: The votes; and the episodes that they come from, with their cosines. A session's episode has its id.
        """
        numbers = numbers_in(query)
        votes: list[Vote] = []
        used: dict[str, float] = {}
        with self._refreshed():
            for name, similarity in self._episode_vectors.above(vector, least):
                found = self._remembered[name]
                if found.numbers != numbers or not found.ratings or not may_act(found.episode.groups, groups):
                    continue
                used[name] = similarity
                for rating in found.ratings.values():
                    votes += [
                        Vote(rating.user_id, document, rating.rating, rating.rated_at, similarity, weight, name)
                        for document, weight in rating.weights.items()
                    ]
        return votes, used

    def episodes_like(
        self, vector: np.ndarray, top_k: int, groups: frozenset[str] | None = None
    ) -> list[tuple[Episode, float]]:
        """
        The episodes whose questions are nearest.

        :param vector: The embedding of a question.
        :param top_k: How many at most.
        :param groups: The access groups of who looks; None for someone who may see all.
        :returns: Episodes with their cosines, the best first.
        """
        with self._refreshed():
            depth = top_k if groups is None else len(self._episode_vectors)
            found = [
                (self._remembered[name].episode, cosine)
                for name, cosine in self._episode_vectors.nearest(vector, depth)
            ]
        return [(e, cosine) for e, cosine in found if groups is None or may_act(e.groups, groups)][:top_k]

    def episodes(self) -> list[tuple[Episode, list[Rating]]]:
        """All episodes with the ratings that count, by id."""
        with self._refreshed():
            return [(found.episode, list(found.ratings.values())) for _, found in sorted(self._remembered.items())]

    def concepts(self) -> dict[str, Concept]:
        """All concepts by name."""
        with self._refreshed():
            return dict(self._concepts)

    def concepts_named_in(self, text: str) -> list[tuple[Concept, str]]:
        """The concepts whose name or alias stands in a text, in order, each with the name as it stands there."""
        with self._refreshed():
            return [(self._concepts[concept], name) for concept, name in self._names.find(text)]

    def concepts_like(self, vector: np.ndarray, top_k: int) -> list[tuple[Concept, float]]:
        """The concepts whose definitions are nearest to a question, with their cosines, the best first."""
        with self._refreshed():
            return [(self._concepts[name], cosine) for name, cosine in self._concept_vectors.nearest(vector, top_k)]

    def _refreshed(self) -> threading.RLock:
        """Read what changed; gives the lock under which it can be looked at."""
        with self._lock:
            changes = self._store.changes_since(self._version)
            times_opened = self._store.database.times_opened
            is_earlier = changes is not None and changes.version < self._version
            if self._version and (is_earlier or times_opened != self._times_opened):
                changes = self._store.changes_since(0)
                self._clear()
                self._version = 0
            self._times_opened = times_opened
            if changes:
                self._apply(changes)
                self._version = changes.version
        return self._lock

    def _apply(self, changes: Changes) -> None:
        for episode in changes.episodes:
            known = self._remembered.get(episode.id)
            if known is None or known.episode.context != episode.context:
                ratings = known.ratings if known else {}
                self._remembered[episode.id] = _Remembered(episode, numbers_in(episode.context), ratings)
            else:
                known.episode = episode
            self._episode_vectors.put(episode.id, episode.vector)
        for rating in changes.ratings:
            self._drop_rating(rating.id)
            if rating.revoked_at is None and rating.episode_id in self._remembered:
                self._remembered[rating.episode_id].ratings[rating.id] = rating
                self._episode_of[rating.id] = rating.episode_id
        for concept in changes.concepts:
            self._drop_concept(concept.name)
            self._concepts[concept.name] = concept
            self._concept_vectors.put(concept.name, concept.vector)
            self._names.add(concept.name, (concept.name, *concept.aliases))
        for kind, name in changes.deleted:
            {"episode": self._drop_episode, "rating": self._drop_rating, "concept": self._drop_concept}[kind](name)

    def _drop_episode(self, name: str) -> None:
        if found := self._remembered.get(name):
            for rating in list(found.ratings):
                self._drop_rating(rating)
            del self._remembered[name]
            self._episode_vectors.remove(name)

    def _drop_rating(self, name: str) -> None:
        if episode := self._episode_of.pop(name, None):
            del self._remembered[episode].ratings[name]

    def _drop_concept(self, name: str) -> None:
        if self._concepts.pop(name, None):
            self._concept_vectors.remove(name)
            self._names.remove(name)

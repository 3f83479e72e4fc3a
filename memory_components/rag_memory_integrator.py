"""The memory as searches use it: one object over all its parts."""

import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from haystack import default_from_dict, default_to_dict
from haystack.utils import Secret

from components.retrieval.ranking import Candidate
from memory_components.episodic_memory import EpisodicMemory, RetentionGate
from memory_components.errors import MemoryStoreError
from memory_components.explanation import explain_session
from memory_components.feedback import (
    Feedback,
    check_rating,
    episode_of_session,
    rating_of,
    room_for,
)
from memory_components.forgetting import Forgetter
from memory_components.long_term_memory import LongTermMemory
from memory_components.memory_config import MemoryConfig
from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from memory_components.names import checked_name, clean
from memory_components.rating_records import reward_of
from memory_components.recall import MemoryBoosts, Question, recall_boosts
from memory_components.records import ANYONE, Concept, Session, Shown
from memory_components.retention_rule import RetentionRule
from memory_components.semantic_memory import Knowledge, SemanticMemory
from memory_components.text_embedder import TextEmbedder, embed_questions
from memory_components.time_limit import TimeLimit


@dataclass(frozen=True)
class QueryContext:
    """
    What the memory knows about a question.

    :param concepts: Concepts that the question names or is near to.
    :param related: Names of concepts tied to those that it names.
    :param entities: What the question names: `text`, `type`, `concept`, and `boost`, the factor of chunks that hold it.
    """

    concepts: tuple[Knowledge, ...] = ()
    related: tuple[str, ...] = ()
    entities: tuple[Mapping[str, Any], ...] = ()


class _Parts:
    """The parts of one memory, shared by all that use it in a process."""

    def __init__(self, place: Path | str, config: MemoryConfig, embedder: TextEmbedder):
        self.config = config
        self.store = MemoryStore(place)
        self.view = MemoryView(self.store)
        self.semantic = SemanticMemory(self.store, self.view, embedder, config.semantic.min_similarity)
        self.episodic = EpisodicMemory(self.store, self.view, self.semantic, embedder, _gate(config))
        self.forgetter = Forgetter(self.store, self.view, config.forgetting, time.time)


_shared: "weakref.WeakValueDictionary[tuple[Any, ...], _Parts]" = weakref.WeakValueDictionary()
_sharing = threading.Lock()


class RAGMemoryIntegrator:
    """
    Sessions, ratings, episodes and concepts of one corpus or service.

    All integrators of a process over the same database share one memory; making one costs nothing until it is used.

    Usage example:
    ```python
    memory = RAGMemoryIntegrator(path="memory.sqlite", embedder=embedder, config="config/memory_config.yaml")
    session = memory.record_search_session("leave in August", [Shown("HR-7#1", 1, 0.9)], user_id="ann")
    memory.record_feedback(session.id, rating=5, doc_id="HR-7#1")
    ```
    """

    def __init__(
        self,
        path: str,
        embedder: TextEmbedder,
        config: str | None = None,
        database_url: Secret | None = None,
        search_seconds: float = 2.0,
    ):
        """
        :param path: The SQLite file, made where it isn't there.
        :param embedder: Embeds questions and definitions.
        :param config: The configuration file; None for the defaults.
        :param database_url: The URL of a PostgreSQL database that is used in place of the file, where it is set.
        :param search_seconds: How long a step of a search waits for the database before the search goes on without.
        :raises ValueError: If `search_seconds` is not positive.
        """
        self.path = path
        self.embedder = embedder
        self.config = config
        self.database_url = database_url
        self.search_seconds = search_seconds
        self._limit = TimeLimit("the memory", search_seconds, MemoryStoreError)
        self._parts: _Parts | None = None

    @classmethod
    def from_config(cls, config: Path | str, path: str, embedder: TextEmbedder) -> "RAGMemoryIntegrator":
        """
        A memory with the settings of a file, which is read at once.

        :param config: The configuration file, `config/memory_config.yaml`.
        :param path: The SQLite file.
        :param embedder: Embeds questions and definitions.
        :returns: The memory.
        :raises MemoryConfigError: When the file is wrong.
        :raises VocabularyError: When the vocabulary file that it names is wrong.
        """
        memory = cls(path, embedder, str(config))
        memory.warm_up()
        return memory

    def to_dict(self) -> dict[str, Any]:
        """This memory for a pipeline file; the database's URL stays a reference to the environment."""
        url = self.database_url.to_dict() if self.database_url else None
        embedder = self.embedder.to_dict() if hasattr(self.embedder, "to_dict") else default_to_dict(self.embedder)
        return default_to_dict(
            self,
            path=self.path,
            embedder=embedder,
            config=self.config,
            database_url=url,
            search_seconds=self.search_seconds,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "RAGMemoryIntegrator":
        """The memory of `to_dict`."""
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """
        Open the database, read the configuration and load the vocabulary, once.

        :raises MemoryConfigError: When the configuration is wrong.
        :raises VocabularyError: When the vocabulary is wrong.
        :raises MemoryStoreError: When the database or the embedder is out of order.
        """
        self._opened()

    @property
    def semantic(self) -> SemanticMemory:
        """The concepts."""
        return self._opened().semantic

    @property
    def episodic(self) -> EpisodicMemory:
        """The episodes."""
        return self._opened().episodic

    @property
    def store(self) -> MemoryStore:
        """The records."""
        return self._opened().store

    @property
    def forgetter(self) -> Forgetter:
        """Forgetting."""
        return self._opened().forgetter

    def concepts(self) -> dict[str, Concept]:
        """All concepts by name."""
        return self._opened().view.concepts()

    def enrich_query_context(self, query: str, top_k: int = 5, named_only: bool = False) -> QueryContext:
        """
        What the memory knows about a question.

        :param query: The question.
        :param top_k: How many concepts at most.
        :param named_only: Only concepts that the question names; nothing is embedded then.
        :returns: Concepts, related concepts, and entities with their factors: base x (1 + confidence / 2).
        :raises MemoryStoreError: When the memory is out of order, or doesn't answer in time.
        """
        return self._limit.run(lambda: self._query_context(query, top_k, named_only))

    def _query_context(self, query: str, top_k: int, named_only: bool) -> QueryContext:
        parts = self._opened()
        rules = parts.config.semantic
        concepts = parts.semantic.retrieve_semantic_knowledge(query, top_k, named_only)
        named = [known for known in concepts if known.matched]
        related = [other for known in named for other in parts.semantic.related_concepts(known.concept.name)]
        entities = [
            {
                "text": known.matched,
                "type": known.concept.entity_type,
                "concept": known.concept.name,
                "boost": min(
                    rules.factors.get(known.concept.entity_type, 1.0) * (1 + known.concept.confidence * 0.5),
                    rules.max_factor,
                ),
            }
            for known in named
            if known.concept.entity_type
        ]
        return QueryContext(tuple(concepts), tuple(dict.fromkeys(related)), tuple(entities))

    def compute_memory_boost(
        self,
        query: str,
        vector: np.ndarray,
        candidates: Sequence[Candidate],
        user_id: str = "",
        groups: frozenset[str] = ANYONE,
    ) -> MemoryBoosts:
        """
        What past ratings add to the candidates of a search.

        A rating of a chunk acts on that chunk, one of a whole record on the record's best candidate.

        :param query: The question.
        :param vector: Its embedding.
        :param candidates: The candidates, best first.
        :param user_id: Who asks; "" for someone unknown.
        :param groups: The access groups of who asks.
        :returns: The boosts.
        :raises MemoryStoreError: When the memory is out of order, or doesn't answer in time.
        """

        def recalled() -> MemoryBoosts:
            parts = self._opened()
            return recall_boosts(parts.view, Question(query, vector, user_id, groups), candidates, parts.config.boost)

        return self._limit.run(recalled)

    def record_search_session(
        self,
        query: str,
        shown: Sequence[Shown],
        vector: np.ndarray | None = None,
        user_id: str = "",
        groups: frozenset[str] = ANYONE,
        past_sessions: Mapping[str, float] | None = None,
    ) -> Session:
        """
        Keep an answer, so that it can be rated.

        :param query: The question.
        :param shown: The results, best first.
        :param vector: The question's embedding, where there is one already.
        :param user_id: Who asked; "" for someone unknown.
        :param groups: The access groups of who asked.
        :param past_sessions: What `compute_memory_boost` gave.
        :returns: The session, whose id goes into the answer.
        """
        parts, now = self._opened(), time.time()
        session = Session(
            id="",
            user_id=checked_name("user_id", user_id),
            query=clean(query),
            vector=vector,
            shown=tuple(shown),
            created_at=now,
            expires_at=now + parts.config.sessions.feedback_hours * 3600,
            groups=groups,
            past_sessions=past_sessions or {},
        )
        return parts.store.sessions.add_new(session)

    def record_feedback(
        self, session_id: str, rating: int, doc_id: str | None = None, comment: str = "", user_id: str = ""
    ) -> Feedback:
        """
        Keep a rating. The same one given twice is one.

        :param session_id: The answer that it is about.
        :param rating: 1 to 5.
        :param doc_id: The result that it is about, or the record of one; all results when it isn't given.
        :param comment: What else was said.
        :param user_id: Who rates; the one who searched when it isn't given.
        :returns: What became of it.
        :raises MemoryInputError: SESSION_NOT_FOUND, RATING_OUT_OF_RANGE, DOCUMENT_NOT_SHOWN, or USER_MISMATCH for a
            rating of someone else's answer.
        :raises MemoryStoreError: When the database or the embedder is out of order.
        """
        rating = check_rating(rating)
        parts, now = self._opened(), time.time()
        session = parts.store.sessions.open(session_id, now)
        given = rating_of(session, rating, doc_id or "", comment, user_id, now)
        vector = session.vector if session.vector is not None else embed_questions(self.embedder, [session.query])[0]
        known = parts.store.ratings.get(given.id)
        weighed = parts.episodic.weigh(vector, reward_of(rating), room_for(session, doc_id or ""), session.id)
        kept = parts.store.ratings.add(given, episode_of_session(session, vector, rating, weighed))
        if known is None:
            parts.episodic.count_recurrence(weighed)
        return Feedback(kept.id, kept.episode_id, weighed.importance, kept.rated_at)

    def start_forgetting(self) -> None:
        """Forget in the background from now on, as often as the configuration says."""
        parts = self._opened()
        if parts.config.upkeep.forget_every_hours:
            parts.forgetter.start(parts.config.upkeep.forget_every_hours)

    def explain(self, session_id: str) -> dict[str, Any]:
        """
        What the memory did to an answer, and by whose ratings.

        :raises MemoryInputError: SESSION_NOT_FOUND, when there is no such session.
        """
        return explain_session(self._opened().store, session_id)

    def health(self) -> dict[str, Any]:
        """
        How many episodes and concepts there are, where, and "error" ("" when nothing is wrong).

        :raises MemoryStoreError: When the database can't be read and written.
        """
        parts = self._opened()
        parts.store.database.check_writable()
        episodes, concepts = parts.store.episodes.count(), len(parts.view.concepts())
        place = parts.store.database.name
        return {"database": place, "episodes": episodes, "concepts": concepts, "error": parts.semantic.error}

    def close(self) -> None:
        """Close the database; the next use opens it again."""
        if self._parts is not None:
            self._parts.store.close()

    def _opened(self) -> _Parts:
        if self._parts is None:
            url = self.database_url.resolve_value() if self.database_url else None
            key = (url or str(Path(self.path).absolute()), self.config)
            with _sharing:
                parts = _shared.get(key)
                if parts is None:
                    config = MemoryConfig.read(Path(self.config)) if self.config else MemoryConfig()
                    parts = _Parts(url or Path(self.path), config, self.embedder)
                    if config.semantic.vocabulary:
                        parts.semantic.load_domain_vocabulary(config.semantic.vocabulary)
                    _shared[key] = parts
            self._parts = parts
        return self._parts


def _gate(config: MemoryConfig) -> RetentionGate:
    return LongTermMemory() if config.upkeep.gate == "trained" else RetentionRule()

"""What things of the domain are called, what they are and what they have to do with each other."""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx
import numpy as np

from components.query.domain_vocabulary import Term, VocabularyError, read_vocabulary
from memory_components.memory_store import MemoryStore
from memory_components.memory_view import MemoryView
from memory_components.names import checked_given_name, clean
from memory_components.records import Concept
from memory_components.text_embedder import TextEmbedder, embed_passages, embed_questions, text_digest

logger = logging.getLogger(__name__)

VOCABULARY, API = "vocabulary", "api"
_LOOK_SECONDS = 5.0
_BATCH = 256


@dataclass(frozen=True)
class Knowledge:
    """
    A concept that has to do with a text.

    :param concept: The concept.
    :param score: 1 for one that the text names, else the cosine between the two.
    :param matched: The name as it stands in the text; "" for one found by its meaning.
    """

    concept: Concept
    score: float
    matched: str = ""


@dataclass(frozen=True)
class Loaded:
    """How many concepts a vocabulary file added, changed, left and removed."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0


class SemanticMemory:
    """
    The concepts of a domain: those of a vocabulary file and those that people add.

    Usage example:
    ```python
    memory = SemanticMemory(store, view, embedder)
    memory.load_domain_vocabulary(Path("config/domain_terms.yaml"))
    memory.retrieve_semantic_knowledge("EV-2024-001の進捗", top_k=3)[0].concept.definition
    ```

    :param store: The records.
    :param view: The same records in main memory.
    :param embedder: Embeds definitions and questions.
    :param min_similarity: The least cosine of a concept found by its meaning.
    """

    def __init__(
        self, store: MemoryStore, view: MemoryView, embedder: TextEmbedder, min_similarity: float = 0.8
    ) -> None:
        self._store = store
        self._view = view
        self._embedder = embedder
        self._min_similarity = min_similarity
        self._watched: Path | None = None
        self._stamp: tuple[int, int] | None = None
        self._look_at = 0.0
        self._loading = threading.Lock()
        self.error = ""

    def load_domain_vocabulary(self, path: Path | str) -> Loaded:
        """
        Make the concepts of a vocabulary file those of the memory. Definitions are embedded once, whatever becomes of
        the rest of the file; concepts that others added stay, unless a term has the same name.

        :param path: The file; it is read again when it changed, see `reload_if_changed`.
        :returns: What it changed.
        :raises VocabularyError: When it is wrong; nothing is changed then.
        :raises MemoryStoreError: When the embedder or the database is out of order.
        """
        path = Path(path)
        self._watched, self._stamp = path, _stamp(path)
        terms = read_vocabulary(path)
        known = self._view.concepts()
        loaded = {name for name, concept in known.items() if concept.origin == VOCABULARY}
        new = [term for term in terms if term.name not in known or _differs(term, known[term.name])]
        vectors = self._embedded([_text(term.name, term.definition) for term in new])
        concepts = [_concept(term, vector) for term, vector in zip(new, vectors, strict=True)]
        removed = sorted(loaded - {term.name for term in terms})
        if concepts or removed:
            self._store.concepts.put(concepts, removed)
        added = sum(term.name not in known for term in new)
        self.error = ""
        return Loaded(added, len(new) - added, len(terms) - len(new), len(removed))

    def reload_if_changed(self) -> None:
        """Read the vocabulary file again when it changed; a wrong one leaves the concepts as they are, and `error`."""
        if self._watched is None or time.monotonic() < self._look_at or not self._loading.acquire(blocking=False):
            return
        try:
            self._look_at = time.monotonic() + _LOOK_SECONDS
            if _stamp(self._watched) != self._stamp:
                logger.info("the vocabulary changed: %s", self.load_domain_vocabulary(self._watched))
        except VocabularyError as error:
            self.error = str(error)
            logger.warning("the vocabulary stays as it was: %s", error)
        finally:
            self._loading.release()

    def store_concept(
        self,
        name: str,
        definition: str,
        related: Sequence[str] = (),
        aliases: Sequence[str] = (),
        entity_type: str = "",
        confidence: float = 1.0,
    ) -> Concept:
        """
        Keep a concept, in place of the one of that name.

        :param name: What it is called.
        :param definition: What it is.
        :param related: Names of other concepts; they may come later.
        :param aliases: Other names of it.
        :param entity_type: PROJECT_ID, PERSON, PRODUCT, DATE or ORG; "" for none.
        :param confidence: 0 to 1.
        :returns: The concept.
        :raises MemoryInputError: NAME_EMPTY, NAME_TOO_LONG or NAME_MALFORMED, when a name is none.
        :raises MemoryStoreError: When the embedder or the database is out of order.
        """
        name, definition = checked_given_name("concept", name), clean(definition)
        others = tuple(dict.fromkeys(checked_given_name("related_concepts", each) for each in related))
        also = tuple(dict.fromkeys(checked_given_name("aliases", each) for each in aliases))
        (vector,) = self._embedded([_text(name, definition)])
        concept = Concept(name, definition, vector, others, also, entity_type, confidence, API)
        self._store.concepts.put([concept])
        return concept

    def retrieve_semantic_knowledge(
        self, text: str, top_k: int = 5, named_only: bool = False, vector: np.ndarray | None = None
    ) -> list[Knowledge]:
        """
        Concepts that have to do with a text: those it names by a name or an alias, then those near it in meaning.

        :param text: A question.
        :param top_k: How many at most.
        :param named_only: Leave those out that are only near in meaning; nothing is embedded then.
        :param vector: The text's embedding, where there is one already.
        :returns: The concepts, best first.
        :raises MemoryStoreError: When the embedder or the database is out of order.
        """
        self.reload_if_changed()
        named = [Knowledge(concept, 1.0, name) for concept, name in self._view.concepts_named_in(text)]
        if named_only or len(named) >= top_k or not text.strip():
            return named[:top_k]
        if vector is None:
            (vector,) = embed_questions(self._embedder, [text])
        known = {found.concept.name for found in named}
        near = [
            Knowledge(concept, cosine)
            for concept, cosine in self._view.concepts_like(vector, top_k)
            if cosine >= self._min_similarity and concept.name not in known
        ]
        return [*named, *near][:top_k]

    def related_concepts(self, name: str, depth: int = 1) -> list[str]:
        """
        Concepts that are tied to one, in either direction.

        :param name: The concept.
        :param depth: Over how many ties.
        :returns: Their names, the nearest first; none for an unknown concept.
        """
        graph = self.graph()
        if name not in graph:
            return []
        distances = networkx.single_source_shortest_path_length(graph, name, cutoff=depth)
        return sorted(set(distances) - {name}, key=lambda other: (distances[other], other))

    def graph(self) -> "networkx.Graph[str]":
        """The concepts as a graph whose edges are `related`."""
        concepts = self._view.concepts()
        graph: networkx.Graph[str] = networkx.Graph()
        graph.add_nodes_from(concepts)
        names = {alias: name for name, concept in concepts.items() for alias in (*concept.aliases, name)}
        graph.add_edges_from(
            (name, names[other]) for name, concept in concepts.items() for other in concept.related if other in names
        )
        return graph

    def _embedded(self, texts: Sequence[str]) -> list[np.ndarray]:
        digests = [text_digest(self._embedder, text) for text in texts]
        known = self._store.concepts.cached_vectors(digests)
        missing = [(digest, text) for digest, text in zip(digests, texts, strict=True) if digest not in known]
        for start in range(0, len(missing), _BATCH):
            part = dict(missing[start : start + _BATCH])
            vectors = dict(zip(part, embed_passages(self._embedder, list(part.values())), strict=True))
            self._store.concepts.cache_vectors(vectors)
            known.update(vectors)
        return [known[digest] for digest in digests]


def _text(name: str, definition: str) -> str:
    return f"{name}: {definition}"


def _concept(term: Term, vector: np.ndarray) -> Concept:
    return Concept(
        term.name, term.definition, vector, term.related, term.aliases, term.type, term.confidence, VOCABULARY
    )


def _differs(term: Term, concept: Concept) -> bool:
    now = (concept.definition, concept.related, concept.aliases, concept.entity_type, concept.confidence)
    wanted = (term.definition, term.related, term.aliases, term.type, term.confidence)
    return now != wanted or concept.origin != VOCABULARY


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size

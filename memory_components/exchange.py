"""The memory as JSON lines, to look at, keep and carry elsewhere."""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from memory_components.errors import MemoryInputError
from memory_components.rag_memory_integrator import RAGMemoryIntegrator
from memory_components.rating_records import restored
from memory_components.records import Concept, Episode, Rating, packed, unpacked
from memory_components.text_embedder import embed_passages, embed_questions

_DIMENSION = 384


def export_lines(memory: RAGMemoryIntegrator) -> Iterator[str]:
    """
    Episodes, ratings, concepts and the ties between episodes and concepts, one JSON object a line.

    Usage example:
    ```python
    Path("memory.jsonl").write_text("\\n".join(export_lines(memory)))
    ```

    :param memory: The memory.
    :returns: Lines with `kind`: "episode", "concept", "rating" or "association".
    """
    changes = memory.store.changes_since(0)
    if changes is None:
        return
    for episode in changes.episodes:
        yield _line("episode", {**vars(episode), "groups": sorted(episode.groups), "vector": _text(episode.vector)})
    for concept in changes.concepts:
        yield _line("concept", {**vars(concept), "vector": _text(concept.vector)})
    for rating in changes.ratings:
        yield _line("rating", vars(rating))
    tied = memory.store.episodes.concepts_of([episode.id for episode in changes.episodes])
    for episode_id, strengths in tied.items():
        for concept_name, strength in strengths.items():
            values = {"episode_id": episode_id, "concept": concept_name, "strength": strength}
            yield _line("association", values)


def import_lines(memory: RAGMemoryIntegrator, lines: Iterable[str]) -> dict[str, int]:
    """
    Take in what `export_lines` gave. What is there already stays, so that taking in twice is as once.

    :param memory: The memory.
    :param lines: The lines; empty ones are left out. An episode or concept without a `vector` is embedded.
    :returns: How many lines of each kind were read.
    :raises MemoryInputError: LINE_MALFORMED, naming the line; those before it were taken in.
    :raises MemoryStoreError: When the database or the embedder is out of order.
    """
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
            kind = values.pop("kind")
            _TAKERS[kind](memory, values)
        except MemoryInputError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
            reason = f"{type(error).__name__}: {error}"
            message = f"line {number} is none that `tansaku memory export` writes ({reason})"
            raise MemoryInputError("LINE_MALFORMED", message, line=number) from error
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def _take_episode(memory: RAGMemoryIntegrator, values: dict[str, Any]) -> None:
    vector = _vector(values) if values.get("vector") else embed_questions(memory.embedder, [values["context"]])[0]
    groups = frozenset(values.pop("groups", ()))
    memory.store.episodes.add(Episode(**{**values, "groups": groups, "vector": vector}))


def _take_concept(memory: RAGMemoryIntegrator, values: dict[str, Any]) -> None:
    text = f"{values['name']}: {values['definition']}"
    vector = _vector(values) if values.get("vector") else embed_passages(memory.embedder, [text])[0]
    lists = {name: tuple(values.get(name, ())) for name in ("related", "aliases")}
    memory.store.concepts.add_new(Concept(**{**values, **lists, "vector": vector}))


def _take_rating(memory: RAGMemoryIntegrator, values: dict[str, Any]) -> None:
    rating: Rating = restored(values)
    episode = memory.store.episodes.get(rating.episode_id)
    if episode is None:
        raise ValueError(f"its episode {rating.episode_id!r} isn't there; episodes come before their ratings")
    memory.store.ratings.add_new(rating)


def _take_association(memory: RAGMemoryIntegrator, values: dict[str, Any]) -> None:
    memory.store.episodes.associate({(values["episode_id"], values["concept"]): float(values["strength"])})


_TAKERS = {
    "episode": _take_episode,
    "concept": _take_concept,
    "rating": _take_rating,
    "association": _take_association,
}


def _line(kind: str, values: Mapping[str, Any]) -> str:
    return json.dumps({"kind": kind, **values}, ensure_ascii=False, default=dict)


def _text(vector: np.ndarray) -> str:
    return base64.b64encode(packed(vector)).decode()


def _vector(values: Mapping[str, Any]) -> np.ndarray:
    vector = unpacked(base64.b64decode(values["vector"], validate=True), _DIMENSION)
    if vector.shape != (_DIMENSION,) or not np.isfinite(vector).all():
        raise ValueError(f"its vector has not {_DIMENSION} numbers")
    return vector

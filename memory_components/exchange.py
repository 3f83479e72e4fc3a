"""The memory as JSON lines, to look at, keep and carry elsewhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from memory_components.errors import MemoryInputError
from memory_components.exchange_lines import (
    ConceptLine,
    EpisodeLine,
    ExchangeLine,
    RatingLine,
    TieLine,
    read_line,
    vector_of,
    written_line,
)
from memory_components.memory_store import NewRecords
from memory_components.rag_memory_integrator import RAGMemoryIntegrator
from memory_components.text_embedder import embed_passages, embed_questions


def export_lines(memory: RAGMemoryIntegrator) -> Iterator[str]:
    """
    Episodes, concepts, ratings and the ties between episodes and concepts, one JSON object a line.

    What others write meanwhile is in it or not, but never without what it belongs to.

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
    episodes = {episode.id for episode in changes.episodes}
    concepts = {concept.name for concept in changes.concepts}
    for episode in changes.episodes:
        yield written_line("episode", episode)
    for concept in changes.concepts:
        yield written_line("concept", concept)
    for rating in changes.ratings:
        if rating.episode_id in episodes:
            yield written_line("rating", rating)
    for episode_id, strengths in memory.store.episodes.concepts_of(sorted(episodes)).items():
        for concept_name, strength in strengths.items():
            if concept_name in concepts:
                tie = {"episode_id": episode_id, "concept": concept_name, "strength": strength}
                yield written_line("association", tie)


def import_lines(memory: RAGMemoryIntegrator, lines: Iterable[str]) -> dict[str, int]:
    """
    Take in what `export_lines` gave, all of it or nothing.

    What is there already stays, so that taking in twice is as once.

    :param memory: The memory.
    :param lines: The lines; empty ones are left out. An episode or concept without a `vector` is embedded.
    :returns: How many lines of each kind were read.
    :raises MemoryInputError: LINE_MALFORMED, naming the first wrong line; nothing was taken in.
    :raises MemoryStoreError: When the database or the embedder is out of order; nothing was taken in.
    """
    read = _Reading(memory)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            read.take(read_line(line))
        except (ValueError, RecursionError) as error:
            message = f"line {number} is none that `tansaku memory export` writes ({' '.join(str(error).split())})"
            raise MemoryInputError("LINE_MALFORMED", message, line=number) from error
    memory.store.take_in(read.records)
    return read.counts


@dataclass
class _Reading:
    """What was read so far."""

    memory: RAGMemoryIntegrator
    records: NewRecords = field(default_factory=NewRecords)
    counts: dict[str, int] = field(default_factory=dict)
    names: set[tuple[str, str]] = field(default_factory=set)

    def take(self, line: ExchangeLine) -> None:
        """
        Take a line in.

        :raises ValueError: When it belongs to what is neither in a line before nor there.
        """
        match line:
            case EpisodeLine():
                vector = vector_of(line)
                if vector is None:
                    vector = embed_questions(self.memory.embedder, [line.context])[0]
                self.records.episodes.append(line.record(vector))
                self.names.add(("episode", line.id))
            case ConceptLine():
                vector = vector_of(line)
                if vector is None:
                    vector = embed_passages(self.memory.embedder, [f"{line.name}: {line.definition}"])[0]
                self.records.concepts.append(line.record(vector))
                self.names.add(("concept", line.name))
            case RatingLine():
                self._require("episode", line.episode_id)
                self.records.ratings.append(line.record())
            case TieLine():
                self._require("episode", line.episode_id)
                self._require("concept", line.concept)
                self.records.ties[line.episode_id, line.concept] = line.strength
        self.counts[line.kind] = self.counts.get(line.kind, 0) + 1

    def _require(self, kind: str, name: str) -> None:
        there = (kind, name) in self.names
        if not there and kind == "episode":
            there = self.memory.store.episodes.get(name) is not None
        elif not there:
            there = name in self.memory.concepts()
        if not there:
            raise ValueError(f"{kind} {name!r} is neither there nor in a line before")
        self.names.add((kind, name))

"""Carriers between retrievers, joiners and boosters; immutable, so that a pipeline hands them on without copying."""

from dataclasses import dataclass, field
from typing import Any

from haystack import Document


@dataclass(frozen=True)
class Ranking:
    """
    One ranked list of chunks from one retriever for one query variant.

    :param entries: (chunk id, raw score) pairs, best first, ties by id.
    :param query: The query variant that was searched.
    :param weight: How much this variant counts beside the arm's other rankings.
    """

    entries: tuple[tuple[str, float], ...] = ()
    query: str = ""
    weight: float = 1.0

    def __deepcopy__(self, memo: dict[int, Any]) -> "Ranking":
        return self


@dataclass(frozen=True)
class Candidate:
    """
    A chunk on its way to the answer, with every score it got.

    :param id: The chunk's id, the same in all stores.
    :param score: The score that the list is ordered by.
    :param tier: 0 = the thing that the query names, 1 = passages that cite it, 2 = all others.
    :param scores: keyword_rank, keyword_score, vector_rank, vector_score, rrf_score, fused_score, ...
    """

    id: str
    score: float
    tier: int = 2
    scores: dict[str, float | int | None] = field(default_factory=dict)

    def rescored(self, score: float, **scores: float | int | None) -> "Candidate":
        """A copy with another score, and with `scores` added to the explained ones."""
        return Candidate(self.id, score, self.tier, {**self.scores, **scores})


@dataclass(frozen=True)
class Candidates:
    """
    An ordered list of candidates.

    :param items: The candidates, best first.
    """

    items: tuple[Candidate, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Candidates":
        return self

    @staticmethod
    def sort(items: list[Candidate]) -> "Candidates":
        """Order by tier, then score, then id: never by which arm came first."""
        return Candidates(tuple(sorted(items, key=lambda c: (c.tier, -c.score, c.id))))


@dataclass(frozen=True)
class Results:
    """
    The chunks of an answer.

    A list of Documents would be copied, document by document, at each step of a pipeline.

    :param documents: The chunks, best first, with `tier` and `scores` in their meta.
    """

    documents: tuple[Document, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Results":
        return self


def source_of(chunk_id: str) -> str:
    """
    The record that a chunk was cut from.

    >>> source_of("MPEP-608.01(o)#3")
    'MPEP-608.01(o)'
    """
    return chunk_id.rpartition("#")[0] or chunk_id

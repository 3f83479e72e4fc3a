"""What the joiners share: their inputs, and what comes before and after fusion."""

from dataclasses import replace
from typing import Any

from components.retrieval.ranking import Candidates, Ranking


def check_settings(weights: dict[str, float], k: int, top_k: int | None) -> None:
    """
    :raises ValueError: If there is no weight, one is below 0, all are 0, `k` is below 0 or `top_k` below 1.
    """
    wrong = {name: weight for name, weight in weights.items() if weight < 0}
    if not weights or wrong or not any(weights.values()):
        raise ValueError(f"weights must hold numbers of 0 or more, one of them above 0, not {wrong or weights!r}")
    if k < 0:
        raise ValueError(f"k must be 0 or more, not {k!r}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k must be 1 or more, or None, not {top_k!r}")


def joined_arms(weights: dict[str, float]) -> dict[str, Any]:
    """Input types of a joiner: the required chunks and one list of rankings an arm, all optional."""
    return dict.fromkeys(weights, list[Ranking])


def keep_required(arms: dict[str, list[Ranking]], required: frozenset[str] | None) -> dict[str, list[Ranking]]:
    """The rankings without the chunks that are not required, where any are."""
    if required is None:
        return arms
    return {
        name: [replace(r, entries=tuple(entry for entry in r.entries if entry[0] in required)) for r in rankings]
        for name, rankings in arms.items()
    }


def named_by_chunk(candidates: Candidates, chunk_of: dict[str, str] | None) -> Candidates:
    """Candidates of grouped fusion under the id of each record's best chunk."""
    if chunk_of is None:
        return candidates
    return Candidates(tuple(replace(candidate, id=chunk_of[candidate.id]) for candidate in candidates.items))

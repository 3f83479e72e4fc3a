"""
Fusion of rankings, as pure functions.

Reciprocal rank fusion: Cormack, Clarke, Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009. Convex combination of min-max normalised scores: Bruch, Gai, Ingber, "An Analysis of
Fusion Functions for Hybrid Retrieval", TOIS 2023.
"""

from collections.abc import Mapping, Sequence

from components.retrieval.ranking import Candidate, Candidates, Ranking, source_of

Arms = Mapping[str, Sequence[Ranking]]


def reciprocal_rank_scores(arms: Arms, weights: Mapping[str, float], k: int) -> dict[str, float]:
    """
    Sum of weight / (k + rank) over all rankings, divided by its largest possible value (first in every ranking).

    :param arms: The rankings of each arm; an arm without any ranking took no part.
    :param weights: Each arm's weight, multiplied with that of a ranking.
    :param k: The constant that flattens the ranks, 60 in the paper.
    :returns: id -> score in 0..1.
    """
    scores: dict[str, float] = {}
    largest = 0.0
    for name, rankings in arms.items():
        for ranking in rankings:
            weight = weights[name] * ranking.weight
            largest += weight / (k + 1)
            for rank, (chunk_id, _) in enumerate(ranking.entries, start=1):
                scores[chunk_id] = scores.get(chunk_id, 0.0) + weight / (k + rank)
    return {chunk_id: min(score / largest, 1.0) for chunk_id, score in scores.items()} if largest else {}


def convex_scores(
    arms: Arms, weights: Mapping[str, float], silent: Mapping[str, frozenset[str]] | None = None
) -> dict[str, float]:
    """
    Weighted mean of the arms' scores, each arm min-max normalised; 0 where an arm lacks the chunk.

    The scores that the variants of a query get in one arm add up, so that a variant that finds little weighs little; a
    ranking that lacks a chunk gives it its own lowest score. An arm whose scores are all the same gives each of its
    chunks 1. A ranking without entries takes no part: where no keyword matched, the vectors decide alone.

    :param arms: The rankings of each arm.
    :param weights: Each arm's weight; that of a ranking counts within its arm.
    :param silent: Chunks that an arm can say nothing of, by arm: of these the others decide alone.
    :returns: id -> score in 0..1.
    """
    scores: dict[str, float] = {}
    total = 0.0
    for name, rankings in arms.items():
        added = _added_scores([ranking for ranking in rankings if ranking.entries])
        if not added:
            continue
        total += weights[name]
        low, high = min(added.values()), max(added.values())
        for chunk_id, score in added.items():
            normal = (score - low) / (high - low) if high > low else 1.0
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weights[name] * normal
    if not total:
        return {}
    totals = dict.fromkeys(scores, total)
    for name, chunk_ids in (silent or {}).items():
        if any(ranking.entries for ranking in arms.get(name, ())) and total > weights[name]:
            found = {chunk_id for ranking in arms[name] for chunk_id, _ in ranking.entries}
            totals.update(dict.fromkeys((chunk_ids & scores.keys()) - found, total - weights[name]))
    return {chunk_id: score / totals[chunk_id] for chunk_id, score in scores.items()}


def _added_scores(rankings: Sequence[Ranking]) -> dict[str, float]:
    """The weighted sum of each chunk's scores; a ranking that lacks it gives its lowest one, or 0 where that is all."""
    if len(rankings) == 1:
        return dict(rankings[0].entries)
    lowest = [_lowest([score for _, score in ranking.entries]) for ranking in rankings]
    least = sum(ranking.weight * low for ranking, low in zip(rankings, lowest, strict=True))
    added: dict[str, float] = {}
    for ranking, low in zip(rankings, lowest, strict=True):
        for chunk_id, score in ranking.entries:
            added[chunk_id] = added.get(chunk_id, least) + ranking.weight * (score - low)
    return added


def _lowest(scores: Sequence[float]) -> float:
    low = min(scores)
    return low if low < max(scores) else min(low, 0.0)


def grouped(arms: Arms) -> tuple[Arms, dict[str, str]]:
    """
    Rankings of records in place of chunks: a record stands where its best chunk stood.

    :param arms: Rankings of chunks.
    :returns: Rankings of record ids, and for each record the chunk that came highest in any ranking.
    """
    best: dict[str, tuple[int, str]] = {}
    result: dict[str, list[Ranking]] = {}
    for name, rankings in arms.items():
        result[name] = []
        for ranking in rankings:
            first: dict[str, tuple[str, float]] = {}
            for chunk_id, score in ranking.entries:
                record = source_of(chunk_id)
                if record not in first:
                    first[record] = (record, score)
                    place = (len(first), chunk_id)
                    best[record] = min(best.get(record, place), place)
            result[name].append(Ranking(tuple(first.values()), ranking.query, ranking.weight))
    return result, {record: chunk_id for record, (_, chunk_id) in best.items()}


def explained(
    scores: Mapping[str, float], arms: Arms, top_k: int | None = None, **others: Mapping[str, float]
) -> Candidates:
    """
    Candidates in order, each with its best rank and score in each arm.

    :param scores: The fused score of each chunk, which is the order.
    :param arms: The rankings they came from.
    :param top_k: How many of the best chunks; None for all.
    :param others: More scores by name, such as `rrf_score`.
    :returns: The chunks of `scores`, ties by id.
    """
    best = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))[:top_k]
    places: dict[str, dict[str, float | int | None]] = {chunk_id: {} for chunk_id in best}
    for name, rankings in arms.items():
        rank_name, score_name = f"{name}_rank", f"{name}_score"
        for ranking in rankings:
            for rank, (chunk_id, score) in enumerate(ranking.entries, start=1):
                place = places.get(chunk_id)
                if place is not None and (place.get(rank_name) or rank) >= rank:
                    place[rank_name], place[score_name] = rank, score
    empty: dict[str, float | int | None] = {f"{name}_{what}": None for name in arms for what in ("rank", "score")}
    return Candidates(
        tuple(
            Candidate(
                chunk_id,
                scores[chunk_id],
                scores={**empty, **places[chunk_id], **{n: s[chunk_id] for n, s in others.items()}},
            )
            for chunk_id in best
        )
    )

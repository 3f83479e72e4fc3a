"""Joins rankings by a convex combination of their scores."""

from haystack import component

from components.retrieval.fusion import Arms, convex_scores, explained, grouped, reciprocal_rank_scores
from components.retrieval.joining import check_settings, joined_arms, keep_required, named_by_chunk
from components.retrieval.ranking import Candidates, Ranking

_BEST = 10


@component
class ConvexJoiner:
    """
    Joins the rankings of named arms by the weighted mean of their min-max normalised scores.

    It has the inputs of `RRFJoiner`, so that one takes the other's place by changing the type in the pipeline's YAML.
    Unlike ranks, scores keep how far apart two chunks are (Bruch et al., TOIS 2023). `rrf_score` is reported beside
    `fused_score`. Ties break by id.

    Usage example:

    ```python
    joiner = ConvexJoiner(weights={"keyword": 1.0, "vector": 1.0})
    joiner.run(keyword=[Ranking((("a#1", 7.0), ("b#1", 3.0)))], vector=[Ranking((("b#1", 0.9),))])["candidates"]
    # a#1 with 0.5, then b#1 with 0.5: ties by id
    ```
    """

    def __init__(self, weights: dict[str, float], k: int = 60, group_by_source: bool = False, top_k: int | None = None):
        """
        :param weights: Each arm's name and weight.
        :param k: The constant of the `rrf_score` that is reported beside.
        :param group_by_source: Fuse records instead of chunks, as in `RRFJoiner`.
        :param top_k: How many candidates go on; None for all.
        :raises ValueError: If there is no weight, one is below 0, all are 0, `k` is below 0 or `top_k` below 1.
        """
        check_settings(weights, k, top_k)
        self.weights = weights
        self.k = k
        self.group_by_source = group_by_source
        self.top_k = top_k
        component.set_input_types(self, **joined_arms(weights))

    @component.output_types(candidates=Candidates)
    def run(
        self,
        required: frozenset[str] | None = None,
        elsewhere: frozenset[str] | None = None,
        **arms: list[Ranking],
    ) -> dict[str, Candidates]:
        """
        Fuse.

        :param required: When given, only these chunks are kept (those that hold all quoted phrases).
        :param elsewhere: Chunks in other languages than the query: of these the arm "keyword" can say nothing, and the
            others decide alone. The more of them are among the others' best ten, the less it counts on the whole: it
            is a question across languages then.
        :param arms: For each name in `weights` its rankings; an arm that did not run gives none.
        :returns: `candidates`, best first, with `fused_score`, `rrf_score` and each arm's rank and score.
        """
        kept: Arms = keep_required(arms, required)
        chunk_of = None
        if self.group_by_source:
            kept, chunk_of = grouped(kept)
        weights = self.weights
        silent = None
        if elsewhere and "keyword" in weights and chunk_of is None:
            silent = {"keyword": elsewhere}
            weights = {**weights, "keyword": weights["keyword"] * _reach(kept, elsewhere)}
        scores = convex_scores(kept, weights, silent)
        rrf = reciprocal_rank_scores(kept, self.weights, self.k)
        candidates = explained(scores, kept, self.top_k, fused_score=scores, rrf_score=rrf)
        return {"candidates": named_by_chunk(candidates, chunk_of)}


def _reach(arms: Arms, elsewhere: frozenset[str]) -> float:
    """The share of the best ten of all arms but "keyword" that words could have found."""
    rankings = [ranking for name, found in arms.items() if name != "keyword" for ranking in found]
    best = [chunk_id for ranking in rankings for chunk_id, _ in ranking.entries[:_BEST]]
    return sum(chunk_id not in elsewhere for chunk_id in best) / len(best) if best else 1.0

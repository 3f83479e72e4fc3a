"""Joins rankings by a convex combination of their scores."""

from haystack import component

from components.retrieval.fusion import Arms, convex_scores, explained, grouped, reciprocal_rank_scores
from components.retrieval.joining import check_settings, joined_arms, keep_required, named_by_chunk
from components.retrieval.ranking import Candidates, Ranking


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
    def run(self, required: frozenset[str] | None = None, **arms: list[Ranking]) -> dict[str, Candidates]:
        """
        Fuse.

        :param required: When given, only these chunks are kept (those that hold all quoted phrases).
        :param arms: For each name in `weights` its rankings; an arm that did not run gives none.
        :returns: `candidates`, best first, with `fused_score`, `rrf_score` and each arm's rank and score.
        """
        kept: Arms = keep_required(arms, required)
        chunk_of = None
        if self.group_by_source:
            kept, chunk_of = grouped(kept)
        scores = convex_scores(kept, self.weights)
        rrf = reciprocal_rank_scores(kept, self.weights, self.k)
        candidates = explained(scores, kept, self.top_k, fused_score=scores, rrf_score=rrf)
        return {"candidates": named_by_chunk(candidates, chunk_of)}

"""Joins rankings by reciprocal rank fusion."""

from haystack import component

from components.retrieval.fusion import Arms, explained, grouped, reciprocal_rank_scores
from components.retrieval.joining import check_settings, joined_arms, keep_required, named_by_chunk
from components.retrieval.ranking import Candidates, Ranking


@component
class RRFJoiner:
    """
    Joins the rankings of named arms by weighted reciprocal rank fusion.

    Each name in `weights` is an input that takes any number of rankings, one a query variant; all their scores add up.
    Chunks are the same when their ids are. `rrf_score` = sum of weight / (k + rank) over its largest possible value
    (Cormack et al., SIGIR 2009): 1 for a chunk that is first everywhere. Ties break by id.

    Usage example:

    ```python
    joiner = RRFJoiner(weights={"keyword": 1.0, "vector": 1.2})
    pipeline.connect("keyword_retriever.rankings", "joiner.keyword")
    pipeline.connect("vector_retriever.rankings", "joiner.vector")
    joiner.run(keyword=[Ranking((("a#1", 7.0),))], vector=[Ranking((("a#1", 0.9),))])["candidates"]
    ```
    """

    def __init__(self, weights: dict[str, float], k: int = 60, group_by_source: bool = False, top_k: int | None = None):
        """
        :param weights: Each arm's name and weight.
        :param k: The constant that flattens ranks; 60 in the paper.
        :param group_by_source: Fuse records instead of chunks: a record stands where its best chunk does, and that
            chunk is returned.
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
        :param elsewhere: Chunks in other languages than the query; ranks can't tell what an arm couldn't find.
        :param arms: For each name in `weights` its rankings; an arm that did not run gives none.
        :returns: `candidates`, best first, with `rrf_score` and each arm's rank and score.
        """
        kept: Arms = keep_required(arms, required)
        chunk_of = None
        if self.group_by_source:
            kept, chunk_of = grouped(kept)
        scores = reciprocal_rank_scores(kept, self.weights, self.k)
        candidates = explained(scores, kept, self.top_k, rrf_score=scores)
        return {"candidates": named_by_chunk(candidates, chunk_of)}

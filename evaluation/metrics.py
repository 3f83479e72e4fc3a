"""How good rankings are: the usual measures by ir-measures, with bootstrap intervals."""

import functools
from collections.abc import Mapping, Sequence

import numpy as np
from ir_measures import RR, P, Qrel, R, ScoredDoc, iter_calc, nDCG

MEASURES = {"nDCG@10": nDCG @ 10, "Recall@100": R @ 100, "MRR@10": RR @ 10, "P@1": P @ 1}
_RESAMPLES = 2000
_SEED = 20240229


def per_query(
    qrels: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Sequence[str]], query_ids: Sequence[str]
) -> dict[str, np.ndarray]:
    """
    Measure each ranking.

    Usage example:
    ```python
    values = per_query({"q1": {"d1": 1}}, {"q1": ["d2", "d1"]}, ["q1"])
    assert values["MRR@10"].tolist() == [0.5]
    ```

    :param qrels: Query id -> document id -> grade; grades of 1 and more are relevant.
    :param rankings: Query id -> document ids, best first, each once. A query without a ranking found nothing.
    :param query_ids: The queries, in the order of the values.
    :returns: By measure, one value a query.
    """
    judgements = [Qrel(query, doc, grade) for query in query_ids for doc, grade in qrels[query].items()]
    # Falling scores: evaluation tools sort by score and break ties in their own way.
    run = [
        ScoredDoc(query, doc, float(-rank)) for query in query_ids for rank, doc in enumerate(rankings.get(query, ()))
    ]
    names = {str(measure): name for name, measure in MEASURES.items()}
    position = {query: index for index, query in enumerate(query_ids)}
    values = {name: np.zeros(len(query_ids)) for name in MEASURES}
    # The judgements alone give zeros, and ir-measures wants a run that isn't empty.
    for metric in iter_calc(MEASURES.values(), judgements, run) if run else ():
        values[names[str(metric.measure)]][position[metric.query_id]] = metric.value
    return values


def means(values: Mapping[str, np.ndarray], at: Sequence[int] | None = None) -> dict[str, float]:
    """
    Means over queries.

    :param values: By measure, one value a query.
    :param at: Positions of the queries that count; all of them if None.
    :returns: By measure, the mean.
    """
    return {name: float(np.mean(array if at is None else array[list(at)])) for name, array in values.items()}


def bootstrap_intervals(
    values: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray] | None = None, at: Sequence[int] | None = None
) -> dict[str, list[float]]:
    """
    The 95 % bootstrap interval of each mean, or of its difference to another system's on the same queries.

    Always the same draws (a fixed seed), so that a run can be repeated and all differences are paired.

    :param values: By measure, one value a query.
    :param other: The system to subtract, query by query; None for the means themselves.
    :param at: Positions of the queries that count; all of them if None.
    :returns: By measure, lower and upper bound.
    """
    names = list(values)
    table = np.stack([values[name] - other[name] if other is not None else values[name] for name in names], axis=1)
    if at is not None:
        table = table[list(at)]
    count = len(table)
    bounds = np.percentile(_draws(count) @ table / count, (2.5, 97.5), axis=0)
    return {name: [float(bounds[0, index]), float(bounds[1, index])] for index, name in enumerate(names)}


@functools.lru_cache(maxsize=16)
def _draws(count: int) -> np.ndarray:
    """How often each resample drew each query, as a matrix: one product gives all resampled sums."""
    draws = np.random.default_rng(_SEED).integers(0, count, size=(_RESAMPLES, count))
    cells = draws + np.arange(_RESAMPLES)[:, None] * count
    return np.bincount(cells.ravel(), minlength=_RESAMPLES * count).reshape(_RESAMPLES, count).astype(np.float32)

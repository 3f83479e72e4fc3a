"""Measures how robust a search is against spellings, and whether it tells things that are named apart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ir_measures import RR, Measure, P, Qrel, R, ScoredDoc, SetF, SetP, SetR, Success, iter_calc, nDCG

from components.retrieval.ranking import source_of
from evaluation.cases import EntityCase, VariationCase

if TYPE_CHECKING:
    from haystack import Document

DEPTH, UNBOOSTED = 20, 5
BOOST = "entity_boost"
VARIATION_MEASURES = {"MRR": RR, "nDCG@10": nDCG @ 10, "Recall@10": R @ 10, "P@1": P @ 1, "Found@10": Success @ 10}
ENTITY_MEASURES = {"Recall": SetR, "Precision": SetP, "F1": SetF, "MRR": RR, "nDCG@10": nDCG @ 10}

Search = Callable[[str], "Sequence[Document]"]
"""Gives the chunks that a query finds, best first."""


@dataclass(frozen=True)
class QueryResult:
    """
    What one query found.

    :param case: The number of its case, from 1.
    :param query: The query.
    :param found: The documents that count, best first.
    :param wanted: The documents that should be found.
    :param wrong: Those among `found` that must not be.
    :param values: By measure, how good it is.
    """

    case: int
    query: str
    found: tuple[str, ...]
    wanted: tuple[str, ...]
    wrong: tuple[str, ...]
    values: dict[str, float]


def evaluate_variations(cases: Sequence[VariationCase], search: Search) -> list[QueryResult]:
    """
    Search for each case's document in all its spellings.

    Usage example:
    ```python
    results = evaluate_variations(load_cases().variations, arms.documents)
    print(spreads(results))
    ```

    :param cases: The cases.
    :param search: The search.
    :returns: A result a spelling, with `VARIATION_MEASURES`; the canonical form comes first in its case.
    """
    asked = [
        (number, query, (case.ground_truth_doc_id,), _documents(search(query))[:DEPTH], ())
        for number, case in enumerate(cases, start=1)
        for query in case.queries
    ]
    return _measured(asked, VARIATION_MEASURES)


def evaluate_entities(cases: Sequence[EntityCase], search: Search) -> list[QueryResult]:
    """
    Search for what each case names, and cut the answer where it stops to hold that.

    The cut: of the first 20 documents those count that hold the entity for the search itself, that is, those with a
    chunk whose score was raised by an entity (`entity_boost` above 1). Where no chunk was raised, because the search
    found no entity in the query or none in its results, the first 5 documents count.

    :param cases: The cases.
    :param search: The search.
    :returns: A result a case, with `ENTITY_MEASURES`; recall, precision and F1 are of the documents that count.
    """
    asked = []
    for number, case in enumerate(cases, start=1):
        chunks = search(case.query)
        documents = _documents(chunks)[:DEPTH]
        holding = {source_of(chunk.id) for chunk in chunks if (chunk.meta.get("scores", {}).get(BOOST) or 1) > 1}
        counted = [name for name in documents if name in holding] or documents[:UNBOOSTED]
        wrong = tuple(name for name in counted if name in case.should_not_match)
        asked.append((number, case.query, case.ground_truth_doc_ids, counted, wrong))
    return _measured(asked, ENTITY_MEASURES)


def spreads(results: Sequence[QueryResult]) -> list[float]:
    """
    How much the spellings of one case differ.

    :param results: From `evaluate_variations`.
    :returns: For each case its best reciprocal rank less its worst: 0 when all spellings rank the document alike.
    """
    by_case: dict[int, list[float]] = {}
    for result in results:
        by_case.setdefault(result.case, []).append(result.values["MRR"])
    return [max(values) - min(values) for values in by_case.values()]


def mean_values(results: Sequence[QueryResult]) -> dict[str, float]:
    """
    The mean of each measure over queries.

    :param results: At least one result.
    :returns: By measure.
    """
    return {name: sum(r.values[name] for r in results) / len(results) for name in results[0].values}


def _measured(
    asked: Sequence[tuple[int, str, tuple[str, ...], Sequence[str], tuple[str, ...]]], measures: Mapping[str, Measure]
) -> list[QueryResult]:
    qrels = [Qrel(str(place), doc, 1) for place, (_, _, wanted, _, _) in enumerate(asked) for doc in wanted]
    # Falling scores: evaluation tools sort by score and break ties in their own way.
    run = [
        ScoredDoc(str(place), doc, float(-rank))
        for place, (_, _, _, found, _) in enumerate(asked)
        for rank, doc in enumerate(found)
    ]
    names = {str(measure): name for name, measure in measures.items()}
    values = [dict.fromkeys(measures, 0.0) for _ in asked]
    for metric in iter_calc(list(measures.values()), qrels, run) if run else ():
        values[int(metric.query_id)][names[str(metric.measure)]] = metric.value
    return [
        QueryResult(case, query, tuple(found), wanted, wrong, values[place])
        for place, (case, query, wanted, found, wrong) in enumerate(asked)
    ]


def _documents(chunks: "Sequence[Document]") -> list[str]:
    """Documents in the order of their best chunks."""
    return list(dict.fromkeys(source_of(chunk.id) for chunk in chunks))

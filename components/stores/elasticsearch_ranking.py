"""Rankings and scores from an Elasticsearch or OpenSearch index."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from components.stores.elasticsearch_index import MOST_HITS, ElasticsearchIndex
from components.stores.elasticsearch_queries import Weights, frequency_search, score_query, search_query
from components.stores.elasticsearch_records import ID_ONLY, id_of
from components.stores.filters import Condition
from components.stores.ranked_hits import best, rounded_scores, with_all_ties
from components.stores.term_clause import Phrase

Item = TypeVar("Item")

_MOST_CLAUSES = 900  # OpenSearch takes 1,024 in one query, those of phrases and filters among them
_MOST_FREQUENCIES = 1000
_POOL = 1000
# With the statistics of all shards, so that an index in several parts ranks like one in one part.
_ALL_SHARDS = {"search_type": "dfs_query_then_fetch"}


def rank(
    index: ElasticsearchIndex, weights: Weights, phrases: Sequence[Phrase], condition: Condition | None, top_k: int
) -> list[tuple[str, float]]:
    """
    Rank documents by the weighted sum of their terms' BM25 scores.

    Of a query with more terms than the server takes, terms that no document holds are left out. Where there are still
    too many, documents are found by parts of the query, rarest terms first, and scored by all of it; only a document
    that is among the first 1,000 of no part can be missed.

    :param index: The index.
    :param weights: (text field, term) -> weight.
    :param phrases: (text field, tokens in a row) that a document must hold.
    :param condition: The parsed filter.
    :param top_k: How many documents at most.
    :returns: (id, score), best first, ties by id.
    """
    if len(weights) <= _MOST_CLAUSES:
        return _rank_at_once(index, weights, phrases, condition, top_k)
    weights = _rarest_first(index, weights)
    parts = [dict(part) for part in _parts(weights.items(), _MOST_CLAUSES)]
    if len(parts) == 1:
        return _rank_at_once(index, weights, phrases, condition, top_k)
    found: set[str] = set()
    for part in parts:
        found.update(name for name, _ in _rank_at_once(index, part, phrases, condition, max(top_k, _POOL)))
    return best(list(score_documents(index, sorted(found), weights).items()), top_k)


def score_documents(index: ElasticsearchIndex, ids: Sequence[str], weights: Weights) -> dict[str, float]:
    """
    Score given documents as `rank` does.

    :param index: The index.
    :param ids: The documents' ids.
    :param weights: (text field, term) -> weight.
    :returns: id -> score; 0.0 for a document that holds none of the terms or isn't there.
    """
    scores = dict.fromkeys(ids, 0.0)
    for some in _parts(scores, MOST_HITS):
        for part in _parts(weights.items(), _MOST_CLAUSES):
            body = {**ID_ONLY, "query": score_query(some, dict(part)), "size": len(some)}
            for hit in index.hits_of(body, _ALL_SHARDS):
                scores[id_of(hit)] += hit["_score"]
    return dict(zip(scores, rounded_scores(list(scores.values())), strict=True))


def count_holders(index: ElasticsearchIndex, field: str, terms: Iterable[str]) -> dict[str, int]:
    """
    Count the documents that hold each term.

    :param index: The index.
    :param field: The text field.
    :param terms: The terms.
    :returns: term -> number of documents.
    """
    counts = dict.fromkeys(terms, 0)
    for some in _parts(counts, _MOST_FREQUENCIES):
        answer = index.search(frequency_search(field, some))
        if answer:
            buckets = answer["aggregations"]["terms"]["buckets"]
            counts.update({term: bucket["doc_count"] for term, bucket in zip(some, buckets, strict=True)})
    return counts


def _rank_at_once(
    index: ElasticsearchIndex, weights: Weights, phrases: Sequence[Phrase], condition: Condition | None, top_k: int
) -> list[tuple[str, float]]:
    query = search_query(weights, phrases, condition)
    if query is None:
        return []
    body = {**ID_ONLY, "query": query}

    def fetch(limit: int) -> list[list[tuple[float, str]]]:
        if limit <= MOST_HITS:
            hits = index.hits_of({**body, "size": limit}, _ALL_SHARDS)
        else:
            hits = list(index.all_hits({**body, "sort": ["_score", "id"]}, limit, params=_ALL_SHARDS))
        scores = rounded_scores([hit["_score"] for hit in hits])
        return [list(zip(scores, map(id_of, hits), strict=True))]

    [hits] = with_all_ties(fetch, lambda hit: hit[0], top_k)
    return best([(name, score) for score, name in hits], top_k)


def _rarest_first(index: ElasticsearchIndex, weights: Weights) -> Weights:
    """The terms that documents hold; one that none holds when none holds any."""
    counts: dict[tuple[str, str], int] = {}
    for field in dict.fromkeys(field for field, _ in weights):
        terms = [term for other, term in weights if other == field]
        counts |= {(field, term): count for term, count in count_holders(index, field, terms).items()}
    held = sorted((key for key in weights if counts[key]), key=lambda key: (counts[key], key))
    return {key: weights[key] for key in held or list(weights)[:1]}


def _parts(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of at most so many."""
    whole = list(items)
    return (whole[start : start + size] for start in range(0, len(whole), size))

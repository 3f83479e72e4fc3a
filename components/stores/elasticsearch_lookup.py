"""Documents of an Elasticsearch or OpenSearch index by their ids, by a filter and in an order."""

from collections.abc import Collection, Iterator, Sequence

from haystack import Document

from components.stores.elasticsearch_filters import ID
from components.stores.elasticsearch_index import MOST_HITS, ElasticsearchIndex
from components.stores.elasticsearch_queries import Query, id_query
from components.stores.elasticsearch_records import (
    DIGEST,
    ID_ONLY,
    digest_search,
    document_of,
    id_of,
    sorted_by,
)

_PAGE = 1000  # documents read at a time


def all_ids(index: ElasticsearchIndex, query: Query) -> Iterator[str]:
    """
    Ids of all documents that match, read in pages.

    :param index: The index.
    :param query: What they match.
    :returns: The ids, sorted.
    """
    return (id_of(hit) for hit in index.all_hits({**ID_ONLY, "query": query, "sort": [ID]}))


def all_documents(index: ElasticsearchIndex, query: Query) -> list[Document]:
    """
    All documents that match.

    :param index: The index.
    :param query: What they match.
    :returns: The documents, sorted by id.
    """
    body = {"query": query, "sort": [ID], "track_total_hits": False}
    return [document_of(hit) for hit in index.all_hits(body, page=_PAGE)]


def first_documents(
    index: ElasticsearchIndex, query: Query, top_k: int, sort_by: str, descending: bool
) -> tuple[list[Document], int]:
    """
    The first documents that match, in an order.

    :param index: The index.
    :param query: What they match.
    :param top_k: How many at most.
    :param sort_by: The meta field to sort by.
    :param descending: Whether the largest come first.
    :returns: The documents, and how many match in all.
    """
    body = {"query": query, "sort": sorted_by(sort_by, descending), "track_total_hits": True}
    answer = index.search({**body, "size": min(top_k, _PAGE)})
    if not answer:
        return [], 0
    hits = answer["hits"]["hits"] if top_k <= _PAGE else index.all_hits(body, top_k, _PAGE)
    return [document_of(hit) for hit in hits], answer["hits"]["total"]["value"]


def documents_by_id(index: ElasticsearchIndex, ids: Sequence[str]) -> list[Document]:
    """
    Documents by their ids.

    :param index: The index.
    :param ids: The ids.
    :returns: The documents in that order, without those that aren't there.
    """
    wanted, found = list(dict.fromkeys(ids)), {}
    for start in range(0, len(wanted), _PAGE):
        some = wanted[start : start + _PAGE]
        for hit in index.hits_of({"query": id_query(some), "size": len(some), "track_total_hits": False}):
            found[hit["_id"]] = hit
    return [document_of(found[document_id]) for document_id in ids if document_id in found]


def digests_by_id(index: ElasticsearchIndex, ids: Collection[str]) -> dict[str, int]:
    """
    What tells whether documents are unchanged.

    :param index: The index.
    :param ids: The documents' ids.
    :returns: id -> digest, of those that are there.
    """
    names, found = list(ids), {}
    for start in range(0, len(names), MOST_HITS):
        for hit in index.hits_of(digest_search(names[start : start + MOST_HITS])):
            found[id_of(hit)] = hit["fields"][DIGEST][0]
    return found

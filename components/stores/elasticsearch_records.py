"""Documents as records of an Elasticsearch index, and the index that holds them."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from haystack import Document

from components.stores.elasticsearch_filters import FILTERS, ID
from components.stores.elasticsearch_queries import TEXT, id_query
from components.stores.indexed_document import IndexedDocument
from components.stores.stored_json import document_from_record

# Elasticsearch 8 and OpenSearch 2 keep BM25's constant factor k1 + 1, as the other stores do; Lucene itself and
# OpenSearch 3 leave it out, which makes all scores smaller alike and changes no ranking.
BM25 = {"type": "BM25", "k1": 1.2, "b": 0.75}

DIGEST = "digest"
MARK = "mark"
ORDER = "order"
DOCUMENT = "document"

# Lucene counts the documents that hold a field, where other engines count all of them. With a token of its own in each
# empty field, which nobody searches for, both count the same, and so a term is equally rare in all stores.
EMPTY = "\ue000"

# So few bits that the marks of 100 million documents add up without rounding.
_MARK_BITS = 0x3FF_FFFF

# Reads ids from their columns; stored documents, which are packed in blocks, stay untouched.
ID_ONLY: dict[str, Any] = {"stored_fields": "_none_", "docvalue_fields": [ID], "track_total_hits": False}

# What it finds changes with any document that is written or deleted. Servers keep the answer until then.
VERSION_SEARCH: dict[str, Any] = {
    "size": 0,
    "track_total_hits": True,
    "aggs": {"marks": {"sum": {"field": MARK}}},
}


def index_body(
    settings: Mapping[str, Any], text_fields: Collection[str], sort_fields: Collection[str]
) -> dict[str, Any]:
    """
    Settings and mapping of an index.

    :param settings: Index settings beside ours, such as `{"number_of_shards": 3}`.
    :param text_fields: Its text fields.
    :param sort_fields: Integer meta fields to sort by.
    :returns: The body of the request that creates it.
    """
    # What a batch writes shows when it ends, by a refresh of its own, and not in parts.
    ours = {"refresh_interval": "-1", "similarity": {"default": BM25}}
    number = {"type": "long", "index": False}
    text = {"type": "text", "analyzer": "whitespace"}
    properties = {
        ID: {"type": "keyword"},
        FILTERS: {"type": "keyword", "doc_values": False},
        DIGEST: number,
        MARK: number,
        ORDER: {"properties": dict.fromkeys(sorted(sort_fields), number)},
        TEXT: {"properties": dict.fromkeys(sorted(text_fields), text)},
        DOCUMENT: {"type": "object", "enabled": False},
    }
    # Tokens are searched, never read back: stored, they would double the index.
    source = {"excludes": [TEXT, FILTERS]}
    return {
        "settings": {"index": {**settings, **ours}},
        "mappings": {"dynamic": "strict", "_source": source, "properties": properties},
    }


def record_json(record: IndexedDocument, text_fields: Collection[str]) -> bytes:
    """
    What is sent to be indexed of a document.

    :param record: The document's record.
    :param text_fields: The index's text fields.
    :returns: JSON in one line.
    """
    tokens = {name: record.tokens.get(name, "") for name in text_fields}
    fields = {
        ID: record.id,
        FILTERS: record.filters,
        DIGEST: record.digest,
        MARK: record.digest & _MARK_BITS,
        ORDER: record.order,
        TEXT: {name: text if text.strip() else EMPTY for name, text in tokens.items()},
    }
    head = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    return b'%s,"%s":%s}' % (head[:-1], DOCUMENT.encode(), record.record)


def document_of(hit: Mapping[str, Any]) -> Document:
    """
    The document of a hit.

    :param hit: A hit with its `_source`.
    :returns: The document.
    """
    return document_from_record(hit["_source"][DOCUMENT])


def id_of(hit: Mapping[str, Any]) -> str:
    """
    The id of a hit.

    :param hit: A hit of an `ID_ONLY` search.
    :returns: Its id.
    """
    return hit["fields"][ID][0]


def sorted_by(sort_field: str, descending: bool) -> list[Any]:
    """
    An order of documents; ties by id.

    :param sort_field: The meta field; documents without it count as the largest.
    :param descending: Whether the largest come first.
    :returns: The value of a search's `sort`.
    """
    order, missing = ("desc", "_first") if descending else ("asc", "_last")
    return [{f"{ORDER}.{sort_field}": {"order": order, "missing": missing}}, ID]


def digest_search(ids: Sequence[str]) -> dict[str, Any]:
    """
    A search for what tells an unchanged document.

    :param ids: The documents' ids.
    :returns: The body; each hit has the `fields` id and digest.
    """
    return {**ID_ONLY, "query": id_query(ids), "docvalue_fields": [ID, DIGEST], "size": len(ids)}

"""Documents as records of a Tantivy index."""

from collections.abc import Sequence

import tantivy

from components.stores.indexed_document import LAST, IndexedDocument, hash64

ID_FIELD = "_id"
FILTER_FIELD = "_filters"
KEY_FIELD = "_key"
DIGEST_FIELD = "_digest"
JSON_FIELD = "_json"


def to_tantivy(record: IndexedDocument, sort_fields: Sequence[str]) -> tantivy.Document:
    """
    Make the record to write.

    :param record: What is indexed of a document.
    :param sort_fields: Integer meta fields to sort by.
    :returns: Tantivy's document.
    """
    document = tantivy.Document()
    document.add_text(ID_FIELD, record.id)
    document.add_integer(KEY_FIELD, id_key(record.id))
    document.add_integer(DIGEST_FIELD, record.digest)
    document.add_bytes(JSON_FIELD, record.record)
    for token in record.filters:
        document.add_text(FILTER_FIELD, token)
    for name in sort_fields:
        document.add_integer(sort_field(name), record.order.get(name, LAST))
    for name, text in record.tokens.items():
        document.add_text(name, text)
    return document


def id_key(document_id: str) -> int:
    """
    A number for an id, since Tantivy gives numbers of many hits a hundred times faster than strings.

    :param document_id: The document's id.
    :returns: 64 bits of its hash.
    """
    return hash64(document_id.encode())


def sort_field(name: str) -> str:
    """
    The index's field for a meta field to sort by.

    :param name: The meta field's name.
    :returns: Its name in the index.
    """
    return f"_sort_{name}"

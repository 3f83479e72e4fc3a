"""Documents as records of a Tantivy index."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import tantivy
from haystack import Document

from components.stores.filter_tokens import filter_tokens
from components.stores.stored_json import document_to_json

ID_FIELD = "_id"
FILTER_FIELD = "_filters"
KEY_FIELD = "_key"
DIGEST_FIELD = "_digest"
JSON_FIELD = "_json"

_LAST = 2**62  # sorts documents without a value behind all others


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """
    What the index takes from a document.

    :param id: The document's id.
    :param record: What is stored, as JSON.
    :param tokens: Text field -> tokens joined by spaces.
    :param filters: Tokens for filters.
    :param order: Meta field to sort by -> value.
    :param digest: Hash of all this, to tell an unchanged document.
    """

    id: str
    record: bytes
    tokens: dict[str, str]
    filters: list[str]
    order: dict[str, int]
    digest: int

    @staticmethod
    def of(document: Document, sort_fields: Sequence[str]) -> "IndexedDocument":
        """
        Take what the index needs from a document.

        :param document: The document.
        :param sort_fields: Integer meta fields to sort by.
        :returns: The record.
        :raises ValueError: If its tokens, a value to sort by or its meta can't be indexed.
        """
        meta = dict(document.meta)
        tokens = meta.pop("index", {})
        if not isinstance(tokens, dict) or not all(isinstance(text, str) for text in tokens.values()):
            raise ValueError(f"document {document.id!r}: meta['index'] must map text fields to strings, not {tokens!r}")
        order = {name: meta[name] for name in sort_fields if meta.get(name) is not None}
        for name, value in order.items():
            if not isinstance(value, int) or not -_LAST < value < _LAST:
                raise ValueError(f"document {document.id!r}: meta[{name!r}] must be an integer, not {value!r}")
        record = document_to_json(document, meta).encode()
        digest = _hash64(record + json.dumps(tokens, sort_keys=True).encode())
        return IndexedDocument(document.id, record, tokens, filter_tokens(meta), order, digest)

    def check_fields(self, text_fields: Collection[str]) -> None:
        """
        Check that the index has the document's text fields.

        :param text_fields: The index's text fields.
        :raises ValueError: If one is missing.
        """
        for name in self.tokens:
            if name not in text_fields:
                allowed = ", ".join(sorted(text_fields)) or "none"
                raise ValueError(f"document {self.id!r}: the index has no text field {name!r}; it has: {allowed}")

    def to_tantivy(self, sort_fields: Sequence[str]) -> tantivy.Document:
        """
        Make the record to write.

        :param sort_fields: Integer meta fields to sort by.
        :returns: Tantivy's document.
        """
        document = tantivy.Document()
        document.add_text(ID_FIELD, self.id)
        document.add_integer(KEY_FIELD, id_key(self.id))
        document.add_integer(DIGEST_FIELD, self.digest)
        document.add_bytes(JSON_FIELD, self.record)
        for token in self.filters:
            document.add_text(FILTER_FIELD, token)
        for name in sort_fields:
            document.add_integer(sort_field(name), self.order.get(name, _LAST))
        for name, text in self.tokens.items():
            document.add_text(name, text)
        return document


def id_key(document_id: str) -> int:
    """
    A number for an id, since Tantivy gives numbers of many hits a hundred times faster than strings.

    :param document_id: The document's id.
    :returns: 64 bits of its hash.
    """
    return _hash64(document_id.encode())


def sort_field(name: str) -> str:
    """
    The index's field for a meta field to sort by.

    :param name: The meta field's name.
    :returns: Its name in the index.
    """
    return f"_sort_{name}"


def _hash64(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big", signed=True)

"""What keyword stores index of a document."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from haystack import Document

from components.stores.filter_tokens import filter_tokens
from components.stores.stored_json import document_to_json

LAST = 2**62  # sorts documents without a value behind all others


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
            if not isinstance(value, int) or not -LAST < value < LAST:
                raise ValueError(f"document {document.id!r}: meta[{name!r}] must be an integer, not {value!r}")
        record = document_to_json(document, meta).encode()
        digest = hash64(record + json.dumps(tokens, sort_keys=True).encode())
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


def hash64(data: bytes) -> int:
    """
    Hash bytes.

    :param data: The bytes.
    :returns: A signed number of 64 bits.
    """
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big", signed=True)

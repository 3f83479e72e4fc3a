"""Documents as the JSON that embedded stores keep."""

import json
import marshal
import threading
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream


def document_to_json(document: Document, meta: Mapping[str, Any]) -> str:
    """
    Write a document down, without embeddings and score.

    :param document: The document.
    :param meta: The meta to store in place of its own.
    :returns: Compact JSON.
    :raises ValueError: If the meta holds something that JSON can't.
    """
    # Document.to_dict copies everything deeply, which takes five times as long as the rest of this
    data: dict[str, Any] = {"id": document.id, "content": document.content, "meta": meta}
    if document.blob is not None:
        data["blob"] = document.blob.to_dict()
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError) as error:
        raise ValueError(f"document {document.id!r}: its meta can't be stored: {error}") from error


def document_from_json(text: str | bytes) -> Document:
    """
    Read a document back.

    :param text: What `document_to_json` returned.
    :returns: The document.
    """
    return document_from_record(json.loads(text))


class RecordCache:
    """
    Keeps the records that were read last in a form that is read twice as fast as JSON.

    Each call makes a new document, so that nobody changes what others get.

    :param size: How many records are kept at most.
    """

    def __init__(self, size: int = 20_000):
        self._size = size
        self._records: dict[int, bytes] = {}
        self._lock = threading.Lock()

    def document(self, digest: int, read: Callable[[], bytes]) -> Document:
        """
        Make a document from its record.

        :param digest: Hash of the record, so that a changed record has another one.
        :param read: Reads the record's JSON.
        :returns: A new document.
        """
        kept = self._records.get(digest)
        if kept is not None:
            return document_from_record(marshal.loads(kept))
        data = json.loads(read())
        with self._lock:
            if len(self._records) >= self._size:
                del self._records[next(iter(self._records))]
            self._records[digest] = marshal.dumps(data)
        return document_from_record(data)


def document_from_record(data: dict[str, Any]) -> Document:
    """
    Make a document of its stored JSON.

    :param data: What `document_to_json` wrote, as a dictionary; the document takes its meta as it is.
    :returns: The document.
    """
    blob = ByteStream.from_dict(data["blob"]) if "blob" in data else None
    return Document(id=data["id"], content=data["content"], meta=data["meta"], blob=blob)


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is not a JSON type")

"""Documents as the JSON that embedded stores keep."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from haystack import Document

_NOT_STORED = ("embedding", "sparse_embedding", "score")


def document_to_json(document: Document, meta: Mapping[str, Any]) -> str:
    """
    Write a document down, without embeddings and score.

    :param document: The document.
    :param meta: The meta to store in place of its own.
    :returns: Compact JSON.
    :raises ValueError: If the meta holds something that JSON can't.
    """
    data = document.to_dict(flatten=False)
    data["meta"] = meta
    data = {key: value for key, value in data.items() if value is not None and key not in _NOT_STORED}
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
    data = json.loads(text)
    if data.keys() <= {"id", "content", "meta"}:  # Document.from_dict takes twice the time
        return Document(id=data["id"], content=data.get("content"), meta=data["meta"])
    return Document.from_dict(data)


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is not a JSON type")

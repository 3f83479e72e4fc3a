"""Writing many documents to an Elasticsearch or OpenSearch index."""

import json
import random
import time
from dataclasses import dataclass

from haystack.document_stores.errors import DocumentStoreError

from components.stores.elasticsearch_client import ElasticsearchClient, Patience, error_reason
from components.stores.store_errors import StoreUnavailableError

MOST_BYTES = 5_000_000
_TOO_MANY = 429
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Operation:
    document_id: str
    lines: bytes


class BulkWriter:
    """
    Sends deletes and documents in requests of some megabytes.

    Documents that the server has no room for now are sent again, by themselves; what it refuses is kept and told at
    the end, so that one bad document doesn't keep the others out.

    :param client: The server.
    :param path: The index's path.
    :param patience: How long to wait and how often to try.
    :param most_bytes: Size of a request; a document larger than that has one of its own.
    """

    def __init__(self, client: ElasticsearchClient, path: str, patience: Patience, most_bytes: int = MOST_BYTES):
        self._client = client
        self._path = f"{path}/_bulk"
        self._patience = patience
        self._most_bytes = most_bytes
        self._waiting: list[_Operation] = []
        self._bytes = 0
        self._sent = 0
        self._refused: dict[str, str] = {}

    def delete(self, document_id: str) -> None:
        """
        Delete a document, if it is there.

        :param document_id: Its id.
        """
        self._put(_Operation(document_id, _line("delete", document_id)))

    def add(self, document_id: str, source: bytes) -> None:
        """
        Add or replace a document.

        :param document_id: Its id.
        :param source: Its JSON, in one line.
        """
        self._put(_Operation(document_id, _line("index", document_id) + source + b"\n"))

    def flush(self) -> None:
        """
        Send what waits.

        :raises StoreUnavailableError: If the server can't be reached, or has no room after the last try.
        """
        waits = list(self._patience.waits)
        self._sent += len(self._waiting)
        while self._waiting:
            self._waiting = self._send(self._waiting)
            if self._waiting:
                if not waits:
                    raise StoreUnavailableError(
                        f"the server {self._client.name} is too busy to write {len(self._waiting)} documents"
                    )
                time.sleep(waits.pop(0) * random.uniform(0.5, 1.0))
        self._bytes = 0

    def raise_refused(self) -> None:
        """
        Tell what the server refused.

        :raises DocumentStoreError: If it refused something; the message names documents and reasons.
        """
        if self._refused:
            shown = [f"{name!r}: {reason}" for name, reason in list(self._refused.items())[:_SHOWN]]
            more = ["..."] if len(self._refused) > _SHOWN else []
            raise DocumentStoreError(
                f"the server {self._client.name} refused {len(self._refused)} of {self._sent} documents: "
                + "; ".join(shown + more)
            )

    def _put(self, operation: _Operation) -> None:
        if self._waiting and self._bytes + len(operation.lines) > self._most_bytes:
            self.flush()
        self._waiting.append(operation)
        self._bytes += len(operation.lines)

    def _send(self, operations: list[_Operation]) -> list[_Operation]:
        """Send a request; those that the server had no room for are returned."""
        answer = self._client.request(
            "POST",
            self._path,
            self._patience,
            b"".join(operation.lines for operation in operations),
            {"filter_path": "errors,items.*.status,items.*.error"},
        )
        if not answer["errors"]:
            return []
        again = []
        for operation, item in zip(operations, answer["items"], strict=True):
            [result] = item.values()
            if result["status"] == _TOO_MANY:
                again.append(operation)
            elif "error" in result:
                self._refused[operation.document_id] = error_reason(result["error"])
        return again


def _line(action: str, document_id: str) -> bytes:
    return json.dumps({action: {"_id": document_id}}).encode() + b"\n"

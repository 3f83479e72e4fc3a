"""What all our stores share: writes and deletes that take effect together at the end of a batch."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic

from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from components.stores.pending_changes import PendingChanges, Record


class BatchState:
    """The open batch of one path; all stores of the process on that path share it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.depth = 0
        self.pending: PendingChanges[Any] | None = None


class BatchedStore(ABC, Generic[Record]):
    """
    Gives a store the writing half of Haystack's protocol, and batches.

    :param state: The state that the stores on one path share.
    """

    def __init__(self, state: BatchState):
        self._state = state

    @contextmanager
    def batch(self) -> Iterator[None]:
        """
        Make everything written and deleted inside one commit; an exception inside leaves the store as it was.

        Reads inside see the store as it was before. A batch inside a batch is part of it, and so is what other store
        objects on the same path write meanwhile.

        ```python
        with store.batch():
            store.delete_where({"field": "meta.origin", "operator": "==", "value": "folder/a.html"})
            store.write_documents(documents)
        ```
        """
        with self._state.lock:
            self._state.depth += 1
        complete = False
        try:
            yield
            complete = True
        finally:
            with self._state.lock:
                self._state.depth -= 1
                if self._state.depth == 0:
                    pending, self._state.pending = self._state.pending, None
                    if complete and pending:
                        self._apply(pending)

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """
        Write documents; outside a batch they are on disk when this returns.

        :param documents: The documents.
        :param policy: What to do with a document whose id is there already; NONE means FAIL.
        :returns: The number of documents written.
        :raises ValueError: If `documents` isn't a list of Documents, or one can't be stored.
        :raises DuplicateDocumentError: If an id is there already and the policy is FAIL; nothing is written then.
        """
        with self._state.lock, self.batch():
            return self._open_pending().write(documents, policy)

    def delete_documents(self, document_ids: list[str]) -> None:
        """
        Delete documents; ids that aren't in the store are ignored.

        :param document_ids: The documents' ids.
        """
        with self._state.lock, self.batch():
            self._open_pending().delete(document_ids)

    def delete_where(self, filters: Mapping[str, Any] | None) -> int:
        """
        Delete all documents that match a filter.

        :param filters: The filter; None for all documents.
        :returns: The number of documents deleted.
        :raises FilterError: If the filter is malformed.
        """
        with self._state.lock, self.batch():
            return self._open_pending().delete_where(self.ids(filters), filters)

    def each_id(self) -> Iterator[str]:
        """
        Get the ids of all documents one after the other, however many there are.

        :returns: The ids, in any order.
        """
        return iter(self.ids())

    def present(self, ids: Collection[str]) -> set[str]:
        """
        Tell which documents are there.

        :param ids: Ids.
        :returns: Those of them that the store holds.
        """
        return self._stored(ids)

    def _open_pending(self) -> PendingChanges[Record]:
        if self._state.pending is None:
            self._state.pending = PendingChanges(self._stored, self._prepare)
        return self._state.pending

    @abstractmethod
    def ids(self, filters: Mapping[str, Any] | None = None) -> list[str]:
        """Ids of the documents that match a filter, sorted."""

    @abstractmethod
    def _stored(self, ids: Collection[str]) -> set[str]:
        """Those of the ids that the store holds."""

    @abstractmethod
    def _prepare(self, document: Document) -> Record:
        """The store's record of a document; ValueError when it can't be stored."""

    @abstractmethod
    def _apply(self, pending: PendingChanges[Record]) -> None:
        """Make the changes and return when they are on disk; an embedded store makes all or none of them."""

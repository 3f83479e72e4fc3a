"""Writes and deletes that wait for the end of a batch, so that a batch changes a store at once or not at all."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy

from components.stores.filters import matches

Record = TypeVar("Record")


class _Written(NamedTuple, Generic[Record]):
    record: Record
    meta: Mapping[str, Any]


class PendingChanges(Generic[Record]):
    """
    The net effect of a series of writes and deletes: what to delete and what to write at the end.

    :param stored: Tells which of some ids the store holds already.
    :param prepare: Makes the store's record of a document, or raises ValueError when it can't be stored.
    """

    def __init__(self, stored: Callable[[Collection[str]], set[str]], prepare: Callable[[Document], Record]):
        self._stored = stored
        self._prepare = prepare
        self._written: dict[str, _Written[Record]] = {}
        self._deleted: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._written or self._deleted)

    @property
    def records(self) -> list[Record]:
        """Records to write; those with ids that the store holds take their place."""
        return [written.record for written in self._written.values()]

    @property
    def deleted(self) -> set[str]:
        """Ids of documents to delete."""
        return self._deleted - self._written.keys()

    def write(self, documents: list[Document], policy: DuplicatePolicy) -> int:
        """
        Add documents.

        :param documents: The documents.
        :param policy: What to do with a document whose id is there already; NONE means FAIL.
        :returns: The number of documents that will be written.
        :raises ValueError: If `documents` isn't a list of Documents, or one can't be stored; nothing is added then.
        :raises DuplicateDocumentError: If an id is there already and the policy is FAIL; nothing is added then.
        """
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise ValueError(f"documents must be a list of haystack Documents, not {documents!r:.200}")
        present: set[str] = set()
        if policy != DuplicatePolicy.OVERWRITE:
            ids = {document.id for document in documents}
            present = (self._stored(ids) - self._deleted) | (ids & self._written.keys())
        accepted: dict[str, _Written[Record]] = {}
        for document in documents:
            if policy != DuplicatePolicy.OVERWRITE and (document.id in present or document.id in accepted):
                if policy == DuplicatePolicy.SKIP:
                    continue
                raise DuplicateDocumentError(f"the document {document.id!r} is in the store already")
            accepted[document.id] = _Written(self._prepare(document), document.meta)
        self._written.update(accepted)
        return len(accepted)

    def delete(self, ids: Collection[str]) -> None:
        """
        Delete documents; ids that aren't there are ignored.

        :param ids: The documents' ids.
        """
        self._deleted |= self._stored(ids)
        for document_id in ids:
            self._written.pop(document_id, None)

    def delete_where(self, stored_ids: Iterable[str], filters: Mapping[str, Any] | None) -> int:
        """
        Delete the documents that match a filter.

        :param stored_ids: Ids of the documents in the store that match.
        :param filters: The filter, for documents that were written since.
        :returns: The number of documents deleted.
        """
        stale = {i for i in stored_ids if i not in self._deleted and i not in self._written}
        fresh = {i for i, written in self._written.items() if matches(written.meta, filters, i)}
        self.delete(stale | fresh)
        return len(stale | fresh)

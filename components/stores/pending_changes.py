"""Writes and deletes that wait for the end of a batch, so that a batch changes a store at once or not at all."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy

from components.stores.filters import matches


class PendingChanges:
    """
    The net effect of a series of writes and deletes: what to delete and what to write at the end.

    :param stored: Tells which of the given ids the store holds already.
    """

    def __init__(self, stored: Callable[[Collection[str]], set[str]]):
        self._stored = stored
        self.written: dict[str, Document] = {}
        self.deleted: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.written or self.deleted)

    def write(self, documents: Any, policy: DuplicatePolicy) -> int:
        """
        Add documents.

        :param documents: The documents.
        :param policy: What to do with a document whose id is there already; NONE means FAIL.
        :returns: The number of documents that will be written.
        :raises ValueError: If `documents` isn't a list of Documents.
        :raises DuplicateDocumentError: If an id is there already and the policy is FAIL; nothing is added then.
        """
        if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
            raise ValueError(f"documents must be a list of haystack Documents, not {documents!r:.200}")
        if policy == DuplicatePolicy.OVERWRITE:
            present: set[str] = set()
        else:
            ids = {document.id for document in documents}
            present = (self._stored(ids) - self.deleted) | (ids & self.written.keys())
        accepted: dict[str, Document] = {}
        for document in documents:
            if policy != DuplicatePolicy.OVERWRITE and (document.id in present or document.id in accepted):
                if policy == DuplicatePolicy.SKIP:
                    continue
                raise DuplicateDocumentError(f"the document {document.id!r} is in the store already")
            accepted[document.id] = document
        self.written.update(accepted)
        return len(accepted)

    def delete(self, ids: Iterable[str]) -> None:
        """
        Delete documents; ids that aren't there are ignored.

        :param ids: The documents' ids.
        """
        for document_id in ids:
            self.written.pop(document_id, None)
            self.deleted.add(document_id)

    def delete_where(self, stored_ids: Iterable[str], filters: Mapping[str, Any] | None) -> int:
        """
        Delete the documents that match a filter.

        :param stored_ids: Ids of the documents in the store that match.
        :param filters: The filter, for documents that were written since.
        :returns: The number of documents deleted.
        """
        doomed = {i for i in stored_ids if i not in self.written and i not in self.deleted}
        doomed.update(i for i, document in self.written.items() if matches(document.meta, filters, i))
        self.delete(doomed)
        return len(doomed)

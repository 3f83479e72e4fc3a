"""Errors of stores on servers."""

from haystack.document_stores.errors import DocumentStoreError


class StoreUnavailableError(DocumentStoreError, ConnectionError):
    """The server can't be reached or can't answer now. It may later, so searches go on without it."""


class StoreTimeoutError(StoreUnavailableError):
    """The server gave no answer in time."""

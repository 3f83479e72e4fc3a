"""
A keyword document store on an Elasticsearch (8) or OpenSearch (2) server, over tokens that were made before.

It isn't a sub-class of Haystack's ElasticsearchDocumentStore, of which nothing would stay: that one maps each meta
field as the server guesses it, so that filters mean something else than in the other stores, it has neither index
settings nor weighted terms, and its client refuses OpenSearch.
"""

import logging
import re
import threading
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary

from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DocumentStoreError
from haystack.utils import Secret

from components.stores.batched_store import BatchedStore, BatchState
from components.stores.elasticsearch_client import ElasticsearchClient, Patience, authorization
from components.stores.elasticsearch_index import ElasticsearchIndex, Layout
from components.stores.elasticsearch_lookup import (
    all_documents,
    all_ids,
    digests_by_id,
    documents_by_id,
    first_documents,
)
from components.stores.elasticsearch_queries import filter_query
from components.stores.elasticsearch_ranking import count_holders, rank, score_documents
from components.stores.elasticsearch_records import VERSION_SEARCH, record_json
from components.stores.filters import parse_filters
from components.stores.indexed_document import IndexedDocument
from components.stores.pending_changes import PendingChanges
from components.stores.ranked_hits import check_top_k
from components.stores.store_errors import StoreUnavailableError
from components.stores.term_clause import Phrase, TermClause, added_weights, check_phrase, check_text_field

logger = logging.getLogger(__name__)

_MOST_ID_BYTES = 512
_DEFAULT_HOST = "http://127.0.0.1:9200"
_SEARCH_WAITS = (0.1, 0.4)
_WRITE_WAITS = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
_INDEX_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

_states: "WeakValueDictionary[tuple[Any, ...], BatchState]" = WeakValueDictionary()
_states_lock = threading.Lock()


class ElasticsearchKeywordStore(BatchedStore[IndexedDocument]):
    """
    Stores documents with their tokens on a server and ranks them by BM25 (k1 1.2, b 0.75), as TantivyDocumentStore.

    A document brings its tokens in `meta["index"]`: text field -> tokens joined by spaces. They are indexed, not
    stored; neither are embeddings. Any meta field can be filtered on. Any number of processes may read and write; what
    a batch writes shows in all of them when it ends. A batch that fails halfway, because the server went away, is
    partly there: repeat it. The index is created by the first write.

    When the server can't be reached or is busy, methods raise StoreUnavailableError, an OSError; when it refuses a
    request, DocumentStoreError.

    ```python
    store = ElasticsearchKeywordStore("chunks", "https://es:9200", api_key=Secret.from_env_var("ELASTIC_API_KEY"))
    store.write_documents([Document(id="1", content="Claims", meta={"order": 1, "index": {"words": "claims"}})])
    store.search([TermClause("words", "claims")], top_k=5)  # [("1", 0.287682)]
    ```
    """

    beside_content = (
        "hosts",
        "api_key",
        "username",
        "password",
        "ca_certs",
        "verify_certs",
        "search_timeout",
        "write_timeout",
    )
    """Parameters that say how to reach the server; what the index holds doesn't depend on them."""

    def __init__(
        self,
        index: str,
        hosts: str | list[str] | Secret = _DEFAULT_HOST,
        text_fields: list[str] | None = None,
        sort_fields: Sequence[str] = ("order",),
        api_key: Secret | None = None,
        username: Secret | None = None,
        password: Secret | None = None,
        ca_certs: str | None = None,
        verify_certs: bool = True,
        settings: dict[str, Any] | None = None,
        search_timeout: float = 10.0,
        write_timeout: float = 60.0,
    ):
        """
        Create the store; nothing is connected yet.

        :param index: The name of the index, or of an alias that stands for one.
        :param hosts: URLs of the server's nodes, in a list or separated by commas; the default, too, where a secret
            that may be missing is.
        :param text_fields: The index's text fields; None for those of the index that is there, or else those of the
            documents written first.
        :param sort_fields: Integer meta fields that `find` can sort by.
        :param api_key: An API key as Elasticsearch encodes it.
        :param username: A user, instead of a key.
        :param password: The user's password.
        :param ca_certs: File of the certificate authorities that are trusted, instead of the usual ones.
        :param verify_certs: Whether the server's certificate is checked.
        :param settings: Settings of an index that is created, such as `{"number_of_shards": 3}`.
        :param search_timeout: Seconds that the server may take to answer a search.
        :param write_timeout: Seconds that it may take to write a few megabytes.
        :raises ValueError: If a name can't be used.
        """
        if not _INDEX_NAME.fullmatch(index):
            raise ValueError(f"index: {index!r} is not allowed; use lower-case letters, digits, '.', '_' and '-'")
        for name in text_fields or []:
            if not _FIELD_NAME.fullmatch(name):
                raise ValueError(f"text_fields: {name!r} is not allowed; a name starts with a letter")
        self.index = index
        self.hosts = hosts
        self.text_fields = text_fields
        self.sort_fields = list(sort_fields)
        self.api_key = api_key
        self.username = username
        self.password = password
        self.ca_certs = ca_certs
        self.verify_certs = verify_certs
        self.settings = settings
        self.search_timeout = search_timeout
        self.write_timeout = write_timeout
        self._opened: ElasticsearchIndex | None = None
        self._version: Hashable = None
        with _states_lock:
            key = (index, tuple(hosts) if isinstance(hosts, list) else hosts)
            super().__init__(_states.setdefault(key, BatchState()))

    def to_dict(self) -> dict[str, Any]:
        """
        Serialize the store.

        :returns: Its type and init parameters.
        """
        return default_to_dict(
            self,
            index=self.index,
            hosts=self.hosts,
            text_fields=self.text_fields,
            sort_fields=self.sort_fields,
            api_key=self.api_key,
            username=self.username,
            password=self.password,
            ca_certs=self.ca_certs,
            verify_certs=self.verify_certs,
            settings=self.settings,
            search_timeout=self.search_timeout,
            write_timeout=self.write_timeout,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ElasticsearchKeywordStore":
        """
        Make a store from its serialized form.

        :param data: What `to_dict` returned.
        :returns: The store.
        """
        return default_from_dict(cls, data)

    def close(self) -> None:
        """Close the connections; the store opens them again when it is used."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.client.close()

    def warm_up(self) -> None:
        """Connect and check the index; a server that can't be reached yet is only logged."""
        try:
            self._layout()
        except StoreUnavailableError as error:
            logger.warning("the keyword store isn't ready: %s", error)

    def set_alias(self, alias: str) -> None:
        """
        Let an alias stand for the store's index, and for no other one any more, in one step.

        :param alias: Its name.
        """
        self._server().set_alias(alias)

    def remove(self) -> None:
        """Delete the index on the server with all that it holds, if it is there."""
        self._server().remove()

    def count_documents(self) -> int:
        """
        Count the documents.

        :returns: Their number; 0 when there is no index.
        """
        return self._server().count() if self._layout() else 0

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """
        Get all documents that match a filter, sorted by id.

        :param filters: The filter; None for all documents.
        :returns: The documents.
        :raises FilterError: If the filter is malformed.
        """
        query = filter_query(parse_filters(filters))
        return all_documents(self._server(), query) if self._layout() else []

    def ids(self, filters: Mapping[str, Any] | None = None) -> list[str]:
        """
        Get the ids of all documents that match a filter.

        :param filters: The filter; None for all documents.
        :returns: The ids, sorted.
        :raises FilterError: If the filter is malformed.
        """
        query = filter_query(parse_filters(filters))
        return list(all_ids(self._server(), query)) if self._layout() else []

    def each_id(self) -> Iterator[str]:
        """
        Get the ids of all documents one after the other, read in pages of one state of the index.

        :returns: The ids, sorted.
        """
        return all_ids(self._server(), filter_query(None)) if self._layout() else iter(())

    def get_many(self, ids: Sequence[str]) -> list[Document]:
        """
        Get documents by their ids.

        :param ids: The ids.
        :returns: The documents in that order, without those that aren't there.
        """
        return documents_by_id(self._server(), ids) if self._layout() else []

    def find(
        self,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 50,
        sort_by: str = "order",
        descending: bool = False,
    ) -> tuple[list[Document], int]:
        """
        Get the first documents that match a filter, in an order.

        :param filters: The filter; None for all documents.
        :param top_k: How many documents at most.
        :param sort_by: The integer meta field to sort by; ties by id. Documents without it count as the largest.
        :param descending: Whether the largest come first.
        :returns: The documents, and how many match in all.
        :raises FilterError: If the filter is malformed.
        :raises ValueError: If `top_k` is below 1, or `sort_by` isn't one of the store's sort fields.
        """
        check_top_k(top_k)
        if sort_by not in self.sort_fields:
            raise ValueError(f"sort_by: {sort_by!r} is not allowed; the store sorts by {', '.join(self.sort_fields)}")
        query = filter_query(parse_filters(filters))
        return first_documents(self._server(), query, top_k, sort_by, descending) if self._layout() else ([], 0)

    def search(
        self,
        clauses: Iterable[TermClause],
        filters: Mapping[str, Any] | None = None,
        top_k: int = 10,
        phrases: Sequence[Phrase] = (),
    ) -> list[tuple[str, float]]:
        """
        Rank documents by the weighted sum of their terms' BM25 scores.

        :param clauses: The terms; a document needs one of them, unless phrases are given.
        :param filters: The filter, applied inside the search; it doesn't change scores.
        :param top_k: How many documents at most.
        :param phrases: (text field, tokens in a row) that a document must hold; they don't add to the score, except
            when there are no clauses.
        :returns: (id, score), best first, ties by id.
        :raises FilterError: If the filter is malformed.
        :raises ValueError: If `top_k` is below 1, or a text field isn't in the index.
        """
        check_top_k(top_k)
        condition, layout = parse_filters(filters), self._layout()
        if layout is None:
            return []
        for phrase in phrases:
            check_phrase(phrase, layout.text_fields)
        return rank(self._server(), _checked_weights(clauses, layout), phrases, condition, top_k)

    def score(self, ids: Sequence[str], clauses: Iterable[TermClause]) -> dict[str, float]:
        """
        Score given documents as `search` does.

        :param ids: The documents' ids.
        :param clauses: The terms.
        :returns: id -> score; 0.0 for a document that holds none of the terms or isn't there.
        :raises ValueError: If a text field isn't in the index.
        """
        layout = self._layout()
        if layout is None:
            return dict.fromkeys(ids, 0.0)
        return score_documents(self._server(), ids, _checked_weights(clauses, layout))

    def document_frequencies(self, field: str, terms: Iterable[str]) -> dict[str, int]:
        """
        Count the documents that hold each term.

        :param field: The text field.
        :param terms: The terms.
        :returns: term -> number of documents.
        :raises ValueError: If the text field isn't in the index.
        """
        layout = self._layout()
        if layout is None:
            return dict.fromkeys(terms, 0)
        check_text_field(field, layout.text_fields)
        return count_holders(self._server(), field, terms)

    def version(self) -> Hashable:
        """
        Tell states of the store apart, for those who keep what they computed from its documents.

        :returns: A value that changes with what the store holds, whoever wrote it; the same object until then.
        """
        answer = self._server().search(VERSION_SEARCH)
        if not answer:
            return None
        version = (answer["hits"]["total"]["value"], answer["aggregations"]["marks"]["value"])
        if version != self._version:
            self._version = version
        return self._version

    def _server(self) -> ElasticsearchIndex:
        opened = self._opened
        if opened is None:
            hosts = (_value(self.hosts) or _DEFAULT_HOST) if isinstance(self.hosts, Secret) else self.hosts
            client = ElasticsearchClient(
                hosts if isinstance(hosts, list) else [host.strip() for host in str(hosts).split(",")],
                authorization(_value(self.api_key), _value(self.username), _value(self.password)),
                self.ca_certs,
                self.verify_certs,
            )
            searching = Patience(self.search_timeout, _SEARCH_WAITS)
            writing = Patience(self.write_timeout, _WRITE_WAITS)
            opened = self._opened = ElasticsearchIndex(client, self.index, searching, writing)
        return opened

    def _layout(self, fresh: bool = False) -> Layout | None:
        """The index's fields, or None without an index."""
        layout = self._server().layout(fresh)
        if layout is None:
            return None
        other = self.text_fields is not None and layout.text_fields != frozenset(self.text_fields)
        if other or not layout.sort_fields.issuperset(self.sort_fields):
            raise DocumentStoreError(
                f"the index {self.index} on {self._server().client.name} was built with other settings (its text "
                f"fields are {', '.join(sorted(layout.text_fields)) or 'none'}, it sorts by "
                f"{', '.join(sorted(layout.sort_fields)) or 'none'}); delete it and build the index again"
            )
        return layout

    def _stored(self, ids: Collection[str]) -> set[str]:
        return set(self._digests(ids))

    def _prepare(self, document: Document) -> IndexedDocument:
        size = len(document.id.encode())
        if size > _MOST_ID_BYTES:
            # the server would refuse all documents of the request
            raise ValueError(f"document {document.id!r:.100}: its id has {size} bytes; allowed are {_MOST_ID_BYTES}")
        record = IndexedDocument.of(document, self.sort_fields)
        if self.text_fields is not None:
            record.check_fields(self.text_fields)
        return record

    def _apply(self, pending: PendingChanges[IndexedDocument]) -> None:
        added, server, layout = pending.records, self._server(), self._layout(fresh=True)
        fields: Collection[str]
        if self.text_fields is not None:
            fields = self.text_fields
        else:
            fields = layout.text_fields if layout else {name for record in added for name in record.tokens}
        for record in added:
            record.check_fields(fields)
        if layout is None and added:
            server.create(self.settings or {}, fields, self.sort_fields)
            self._layout(fresh=True)
        digests = self._digests([record.id for record in added])
        changed = [record for record in added if digests.get(record.id) != record.digest]
        if changed or pending.deleted:
            server.write(pending.deleted, ((record.id, record_json(record, fields)) for record in changed))

    def _digests(self, ids: Collection[str]) -> dict[str, int]:
        return digests_by_id(self._server(), ids) if self._layout() else {}


def _value(secret: Secret | None) -> str | None:
    return None if secret is None else secret.resolve_value()


def _checked_weights(clauses: Iterable[TermClause], layout: Layout) -> dict[tuple[str, str], float]:
    weights = added_weights(clauses)
    for field in {field for field, _ in weights}:
        check_text_field(field, layout.text_fields)
    return weights

"""A keyword document store in a folder: Tantivy over tokens that were made before."""

import contextlib
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import tantivy
from haystack import Document, default_from_dict, default_to_dict
from tantivy import DocAddress, Order, Query

from components.stores.batched_store import BatchedStore
from components.stores.filters import parse_filters
from components.stores.indexed_document import IndexedDocument
from components.stores.pending_changes import PendingChanges
from components.stores.ranked_hits import best, check_top_k, rounded_scores, with_all_ties
from components.stores.tantivy_checksums import damaged_files
from components.stores.tantivy_index import Snapshot, TantivyIndex
from components.stores.tantivy_queries import (
    filter_query,
    id_query,
    restricted,
    scored,
    search_query,
)
from components.stores.tantivy_records import (
    DIGEST_FIELD,
    ID_FIELD,
    JSON_FIELD,
    KEY_FIELD,
    sort_field,
)
from components.stores.term_clause import Phrase, TermClause, check_text_field

Hits = list[tuple[Any, DocAddress]]

_MOST_WARM = 200_000


class TantivyDocumentStore(BatchedStore[IndexedDocument]):
    """
    Stores documents with their tokens and ranks them by BM25 (k1 1.2, b 0.75).

    A document brings its tokens in `meta["index"]`: text field -> tokens joined by spaces. They are indexed, not
    stored; neither are embeddings. Any meta field can be filtered on. One process may write at a time, any number may
    read, and their next call sees what was committed. Nothing is created on disk before the first write.

    ```python
    store = TantivyDocumentStore("index/keyword", text_fields=["title", "words"])
    store.write_documents([Document(id="1", content="Claims", meta={"order": 1, "index": {"words": "claims"}})])
    store.search([TermClause("words", "claims")], top_k=5)  # [("1", 0.287682)]
    ```
    """

    def __init__(self, path: str | Path, text_fields: list[str] | None = None, sort_fields: Sequence[str] = ("order",)):
        """
        Create the store; nothing is opened yet.

        :param path: The index's folder.
        :param text_fields: The index's text fields; None for those of the index that is there, or else those of the
            documents written first.
        :param sort_fields: Integer meta fields that `find` can sort by.
        :raises ValueError: If a text field's name can't be used.
        """
        for name in text_fields or []:
            if name.startswith("_") or not tantivy.SchemaBuilder.is_valid_field_name(name):
                raise ValueError(f"text_fields: {name!r} is not allowed; a name starts with a letter")
        self.path = Path(path)
        self.text_fields = text_fields
        self.sort_fields = list(sort_fields)
        self._index = TantivyIndex.at(self.path)
        super().__init__(self._index.batch_state)

    def to_dict(self) -> dict[str, Any]:
        """
        Serialize the store.

        :returns: Its type and init parameters.
        """
        return default_to_dict(self, path=str(self.path), text_fields=self.text_fields, sort_fields=self.sort_fields)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TantivyDocumentStore":
        """
        Make a store from its serialized form.

        :param data: What `to_dict` returned.
        :returns: The store.
        """
        return default_from_dict(cls, data)

    def close(self) -> None:
        """Let another process write; the store opens itself again when it is used."""
        self._index.close()

    def warm_up(self) -> None:
        """Read ids, of 200,000 documents at most (one second), which the first searches would have to read."""
        snapshot = self._snapshot()
        if snapshot:
            self._ids_of(snapshot, _all_hits(snapshot, Query.all_query(), _MOST_WARM))

    def find_damage(self) -> str:
        """
        Read all files of the last commit and compare their checksums.

        :returns: What is damaged; "" when nothing is.
        """
        broken = damaged_files(self.path)
        return f"{self.path}: damaged or missing: {', '.join(broken)}" if broken else ""

    def count_documents(self) -> int:
        """
        Count the documents.

        :returns: Their number; 0 when there is no index.
        """
        snapshot = self._snapshot()
        return snapshot.searcher.num_docs if snapshot else 0

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """
        Get all documents that match a filter, sorted by id.

        :param filters: The filter; None for all documents.
        :returns: The documents.
        :raises FilterError: If the filter is malformed.
        """
        condition, snapshot = parse_filters(filters), self._snapshot()
        if snapshot is None:
            return []
        hits = _all_hits(snapshot, filter_query(snapshot, condition))
        documents = self._documents(snapshot, [address for _, address in hits])
        return sorted(documents, key=lambda document: document.id)

    def ids(self, filters: Mapping[str, Any] | None = None) -> list[str]:
        """
        Get the ids of all documents that match a filter.

        :param filters: The filter; None for all documents.
        :returns: The ids, sorted.
        :raises FilterError: If the filter is malformed.
        """
        condition, snapshot = parse_filters(filters), self._snapshot()
        if snapshot is None:
            return []
        hits = _all_hits(snapshot, filter_query(snapshot, condition))
        return sorted(self._ids_of(snapshot, hits))

    def get_many(self, ids: Sequence[str]) -> list[Document]:
        """
        Get documents by their ids.

        :param ids: The ids.
        :returns: The documents in that order, without those that aren't there.
        """
        snapshot = self._snapshot()
        if snapshot is None or not ids:
            return []
        hits = _all_hits(snapshot, id_query(snapshot, ids), len(ids))
        found = {document.id: document for document in self._documents(snapshot, [address for _, address in hits])}
        return [found[document_id] for document_id in ids if document_id in found]

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
        condition, snapshot = parse_filters(filters), self._snapshot()
        if snapshot is None:
            return [], 0
        query, total = filter_query(snapshot, condition), 0

        def fetch(limit: int) -> list[Hits]:
            nonlocal total
            field = sort_field(sort_by)
            order = Order.Desc if descending else Order.Asc
            result = snapshot.searcher.search(query, limit, order_by_field=field, order=order)
            total = int(result.count)  # type: ignore[attr-defined]  # tantivy's stubs lack it
            return [result.hits]

        [hits] = with_all_ties(fetch, lambda hit: hit[0], top_k)
        keys = [-key if descending else key for key, _ in hits]
        ordered = sorted(zip(keys, self._ids_of(snapshot, hits), range(len(hits)), strict=True))
        return self._documents(snapshot, [hits[position][1] for _, _, position in ordered[:top_k]]), total

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
        condition, snapshot = parse_filters(filters), self._snapshot()
        if snapshot is None:
            return []
        query = search_query(snapshot, clauses, phrases)
        if query is None:
            return []
        if condition is not None:
            query = restricted(query, filter_query(snapshot, condition))
        return self._ranked(snapshot, query, top_k)

    def score(self, ids: Sequence[str], clauses: Iterable[TermClause]) -> dict[str, float]:
        """
        Score given documents as `search` does.

        :param ids: The documents' ids.
        :param clauses: The terms.
        :returns: id -> score; 0.0 for a document that holds none of the terms or isn't there.
        :raises ValueError: If a text field isn't in the index.
        """
        scores = dict.fromkeys(ids, 0.0)
        snapshot = self._snapshot()
        if snapshot is None or not scores:
            return scores
        query = search_query(snapshot, clauses)
        if query is not None:
            query = scored(id_query(snapshot, scores), query)
            scores.update(self._ranked(snapshot, query, len(scores)))
        return scores

    def document_frequencies(self, field: str, terms: Iterable[str]) -> dict[str, int]:
        """
        Count the documents that hold each term.

        :param field: The text field.
        :param terms: The terms.
        :returns: term -> number of documents.
        :raises ValueError: If the text field isn't in the index.
        """
        snapshot = self._snapshot()
        if snapshot is None:
            return dict.fromkeys(terms, 0)
        check_text_field(field, snapshot.text_fields)
        return {term: snapshot.searcher.doc_freq(field, term) for term in terms}

    def version(self) -> Hashable:
        """
        Tell states of the store apart, for those who keep what they computed from its documents.

        :returns: A value that changes with each commit, of any process.
        """
        return self._snapshot()

    def _snapshot(self) -> Snapshot | None:
        return self._index.snapshot(self.text_fields, self.sort_fields)

    def _ranked(self, snapshot: Snapshot, query: Query, top_k: int) -> list[tuple[str, float]]:
        def fetch(limit: int) -> list[Hits]:
            hits = snapshot.searcher.search(query, limit, count=False).hits
            scores = rounded_scores([score for score, _ in hits])
            return [[(score, hit[1]) for score, hit in zip(scores, hits, strict=True)]]

        [hits] = with_all_ties(fetch, lambda hit: hit[0], top_k)
        ranked = list(zip(self._ids_of(snapshot, hits), [score for score, _ in hits], strict=True))
        return best(ranked, top_k)

    def _ids_of(self, snapshot: Snapshot, hits: Hits) -> list[str]:
        addresses = [address for _, address in hits]
        keys = snapshot.searcher.fast_field_values(KEY_FIELD, addresses)
        known = self._index.ids
        with contextlib.suppress(KeyError):
            return [known[key] for key in keys]  # type: ignore[index]  # every document has a key
        for key, address in zip(keys, addresses, strict=True):
            if key not in known:
                known[int(key or 0)] = snapshot.searcher.doc(address).get_first(ID_FIELD) or ""
        return [known[int(key or 0)] for key in keys]

    def _documents(self, snapshot: Snapshot, addresses: list[DocAddress]) -> list[Document]:
        digests = snapshot.searcher.fast_field_values(DIGEST_FIELD, addresses)
        return [
            self._index.records.document(int(digest or 0), partial(_record, snapshot, address))
            for digest, address in zip(digests, addresses, strict=True)
        ]

    def _stored(self, ids: Collection[str]) -> set[str]:
        snapshot = self._snapshot()
        if snapshot is None or not ids:
            return set()
        return set(self._ids_of(snapshot, _all_hits(snapshot, id_query(snapshot, ids), len(ids))))

    def _prepare(self, document: Document) -> IndexedDocument:
        record = IndexedDocument.of(document, self.sort_fields)
        if self.text_fields is not None:
            record.check_fields(self.text_fields)
        return record

    def _apply(self, pending: PendingChanges[IndexedDocument]) -> None:
        added = pending.records
        fields: Collection[str]
        if self.text_fields is not None:
            fields = self.text_fields
        else:
            snapshot = self._snapshot()
            fields = snapshot.text_fields if snapshot else {name for record in added for name in record.tokens}
            for record in added:
                record.check_fields(fields)
        unchanged = self._unchanged(added)
        added = [record for record in added if record.id not in unchanged]
        if added or pending.deleted:
            self._index.commit(pending.deleted, added, fields, self.sort_fields)

    def _unchanged(self, added: list[IndexedDocument]) -> set[str]:
        """Ids of documents that the index holds just so: rewriting them would only leave deleted ones behind."""
        snapshot = self._snapshot()
        if snapshot is None or not snapshot.searcher.num_docs or not added:
            return set()
        hits = _all_hits(snapshot, id_query(snapshot, [record.id for record in added]), len(added))
        digests = snapshot.searcher.fast_field_values(DIGEST_FIELD, [address for _, address in hits])
        stored = dict(zip(self._ids_of(snapshot, hits), digests, strict=True))
        return {record.id for record in added if stored.get(record.id) == record.digest}


def _all_hits(snapshot: Snapshot, query: Query, limit: int | None = None) -> Hits:
    limit = snapshot.searcher.num_docs if limit is None else limit
    return snapshot.searcher.search(query, max(limit, 1), count=False).hits


def _record(snapshot: Snapshot, address: DocAddress) -> bytes:
    record: Any = snapshot.searcher.doc(address).get_first(JSON_FIELD)
    return record

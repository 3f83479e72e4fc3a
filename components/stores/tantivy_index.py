"""A Tantivy index in a folder, shared by all stores of a process that use the same folder."""

import contextlib
import json
import os
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakValueDictionary

import tantivy
from haystack.document_stores.errors import DocumentStoreError

from components.stores.batched_store import BatchState
from components.stores.indexed_document import IndexedDocument
from components.stores.stored_json import RecordCache
from components.stores.tantivy_records import (
    DIGEST_FIELD,
    FILTER_FIELD,
    ID_FIELD,
    JSON_FIELD,
    KEY_FIELD,
    sort_field,
    to_tantivy,
)
from components.stores.writable_copy import linked_folder

_TOKENIZER = "whitespace"
_WRITER_MEMORY = 100_000_000

_shared: "WeakValueDictionary[str, TantivyIndex]" = WeakValueDictionary()
_shared_lock = threading.Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """The index as of one commit."""

    searcher: tantivy.Searcher
    schema: tantivy.Schema
    text_fields: frozenset[str]


class TantivyIndex:
    """
    Reads the last commit, also of other processes, and writes; creates the index on the first write.

    Get it with `TantivyIndex.at`: a folder takes one writer, so the stores of a process share one object.

    :param path: The index's folder.
    """

    def __init__(self, path: Path):
        self.path = path
        self.batch_state = BatchState()
        self.ids: dict[int, str] = {}  # ids by key: to read one from disk takes 20 us
        self.records = RecordCache()
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._seen: tuple[int, ...] = ()
        self._writer: tantivy.IndexWriter | None = None

    @staticmethod
    def at(path: Path) -> "TantivyIndex":
        """
        The index in a folder.

        :param path: The folder; it needn't exist.
        :returns: The object that all stores of this process share.
        """
        key = os.path.realpath(path)
        with _shared_lock:
            index = _shared.get(key)
            if index is None:
                index = _shared[key] = TantivyIndex(Path(key))
            return index

    def snapshot(self, text_fields: Collection[str] | None, sort_fields: Collection[str]) -> Snapshot | None:
        """
        The last commit.

        :param text_fields: The text fields that the index should have; None for whatever it has.
        :param sort_fields: The fields to sort by that it should have.
        :returns: The state, or None as long as there is no index.
        :raises DocumentStoreError: If the index has other fields.
        """
        try:
            status = os.stat(self.path / "meta.json")
        except FileNotFoundError:
            self._snapshot, self._seen = None, ()
            return None
        seen = (status.st_ino, status.st_mtime_ns, status.st_size)
        if seen != self._seen:
            with self._lock:
                # `seen` is older than what is opened now, so a commit in between shows with the next call
                self._snapshot, self._seen = self._read(text_fields, sort_fields), seen
        snapshot = self._snapshot
        if snapshot is not None and text_fields is not None and snapshot.text_fields != frozenset(text_fields):
            raise self._other_settings()
        return snapshot

    def commit(
        self,
        deleted: Collection[str],
        added: Sequence[IndexedDocument],
        text_fields: Collection[str],
        sort_fields: Sequence[str],
    ) -> None:
        """
        Delete and add documents in one commit.

        :param deleted: Ids of documents to delete.
        :param added: Documents to add, or to put in place of those with the same id.
        :param text_fields: The text fields of the index, if it has to be created.
        :param sort_fields: The fields to sort by.
        :raises DocumentStoreError: If the index has other fields, or another process is writing.
        """
        writer = self._open_writer(text_fields, sort_fields)
        try:
            for document_id in [*deleted, *(document.id for document in added)]:
                writer.delete_documents_by_term(ID_FIELD, document_id)
            for document in added:
                writer.add_document(to_tantivy(document, sort_fields))
            writer.commit()
        except BaseException:
            writer.rollback()
            raise

    def close(self) -> None:
        """Close the writer, so that another process may write."""
        with self.batch_state.lock:
            if self._writer is not None:
                self._writer.wait_merging_threads()
                self._writer = None

    def _open_writer(self, text_fields: Collection[str], sort_fields: Collection[str]) -> tantivy.IndexWriter:
        if self._writer is None:
            self.path.mkdir(parents=True, exist_ok=True)
            index = self._open(self.path, text_fields, sort_fields)
            try:
                self._writer = index.writer(_WRITER_MEMORY, 1)
            except ValueError as error:
                if "LockBusy" in str(error):
                    raise DocumentStoreError(f"another process is writing the keyword index {self.path}") from error
                raise
        return self._writer

    def _read(self, text_fields: Collection[str] | None, sort_fields: Collection[str]) -> Snapshot:
        text_fields = self._text_fields_on_disk() if text_fields is None else text_fields
        # the engine makes a lock file for reading, too
        with linked_folder(self.path) as folder:
            index = self._open(folder, text_fields, sort_fields)
            index.config_reader("manual")
            index.reload()
            return Snapshot(index.searcher(), index.schema, frozenset(text_fields))

    def _open(self, folder: Path, text_fields: Collection[str], sort_fields: Collection[str]) -> tantivy.Index:
        try:
            index = tantivy.Index(_schema(text_fields, sort_fields), str(folder))
        except ValueError as error:
            if "schema" in str(error).lower():
                raise self._other_settings() from error
            raise DocumentStoreError(f"the keyword index {self.path} can't be opened: {error}") from error
        builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
        index.register_tokenizer(_TOKENIZER, builder.build())
        return index

    def _other_settings(self) -> DocumentStoreError:
        return DocumentStoreError(
            f"the keyword index {self.path} was built with other settings (its text fields are "
            f"{', '.join(self._text_fields_on_disk()) or 'none'}); remove that folder and build the index again"
        )

    def _text_fields_on_disk(self) -> list[str]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            schema = json.loads((self.path / "meta.json").read_text(encoding="utf-8"))["schema"]
            return [field["name"] for field in schema if not field["name"].startswith("_")]
        return []


def _schema(text_fields: Collection[str], sort_fields: Collection[str]) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(ID_FIELD, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(FILTER_FIELD, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field(KEY_FIELD, fast=True)
    builder.add_integer_field(DIGEST_FIELD, fast=True)
    builder.add_bytes_field(JSON_FIELD, stored=True)
    for name in sorted(sort_fields):
        builder.add_integer_field(sort_field(name), fast=True)
    for name in sorted(text_fields):
        builder.add_text_field(name, tokenizer_name=_TOKENIZER)
    return builder.build()

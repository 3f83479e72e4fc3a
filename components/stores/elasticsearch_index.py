"""An index on an Elasticsearch or OpenSearch server: its fields, writing it, and reading all of a search."""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from haystack.document_stores.errors import DocumentStoreError

from components.stores.circuit_breaker import CircuitBreaker
from components.stores.elasticsearch_bulk import BulkWriter
from components.stores.elasticsearch_client import ElasticsearchClient, Patience, RequestRefusedError
from components.stores.elasticsearch_records import index_body

MOST_HITS = 10_000  # the server's limit for one answer

_NO_INDEX = "index_not_found_exception"
_KEEP_ALIVE = "1m"
_WHOLE = {"allow_partial_search_results": "false"}  # an answer without one of the shards would look like all


@dataclass(frozen=True, slots=True)
class Layout:
    """The fields of an index."""

    text_fields: frozenset[str]
    sort_fields: frozenset[str]


class ElasticsearchIndex:
    """
    One index, or an alias of one, by its name.

    :param client: The server.
    :param name: The index's name.
    :param search_patience: How long to wait for answers to searches.
    :param write_patience: How long to wait for writes.
    """

    def __init__(self, client: ElasticsearchClient, name: str, search_patience: Patience, write_patience: Patience):
        self.name = name
        self.client = client
        self._path = f"/{quote(name, safe='')}"
        self._search_patience = search_patience
        self._write_patience = write_patience
        self._layout: Layout | None = None
        self._breaker = CircuitBreaker.of(client.name)

    def layout(self, fresh: bool = False) -> Layout | None:
        """
        The index's fields.

        :param fresh: Whether to ask the server although the answer is known.
        :returns: The fields, or None as long as there is no index.
        :raises DocumentStoreError: If the index isn't one of ours, or the name stands for several.
        """
        if self._layout is None or fresh:
            self._layout = self._read_layout()
        return self._layout

    def create(self, settings: Mapping[str, Any], text_fields: Collection[str], sort_fields: Collection[str]) -> None:
        """
        Create the index, unless another process just did.

        :param settings: Index settings beside ours.
        :param text_fields: Its text fields.
        :param sort_fields: Integer meta fields to sort by.
        """
        body = index_body(settings, text_fields, sort_fields)
        try:
            self.client.request("PUT", self._path, self._write_patience, body)
        except RequestRefusedError as error:
            if error.kind != "resource_already_exists_exception":
                raise

    def write(self, deleted: Iterable[str], added: Iterable[tuple[str, bytes]]) -> None:
        """
        Delete and add documents; searches see it when this returns.

        :param deleted: Ids of documents to delete.
        :param added: Ids of documents to add or replace, and their JSON.
        :raises DocumentStoreError: If the server refuses some; the others are written then.
        """
        writer = BulkWriter(self.client, self._path, self._write_patience)
        for document_id in deleted:
            writer.delete(document_id)
        for document_id, source in added:
            writer.add(document_id, source)
        writer.flush()
        self.client.request("POST", f"{self._path}/_refresh", self._write_patience)
        writer.raise_refused()

    def set_alias(self, alias: str) -> None:
        """
        Let an alias stand for this index, and for no other one any more, in one step.

        :param alias: Its name.
        """
        found = self._if_there("GET", f"/_resolve/index/{quote(alias, safe='')}")
        before = [index for known in found.get("aliases", []) for index in known["indices"]]
        actions = [{"remove": {"index": index, "alias": alias}} for index in before if index != self.name]
        body = {"actions": [*actions, {"add": {"index": self.name, "alias": alias}}]}
        self.client.request("POST", "/_aliases", self._write_patience, body)

    def remove(self) -> None:
        """Delete the index with all that it holds, if it is there."""
        self._if_there("DELETE", self._path)
        self._layout = None

    def count(self) -> int:
        """
        Count the documents.

        :returns: Their number.
        """
        return int(self._read("GET", "_count").get("count", 0))

    def search(self, body: Mapping[str, Any], params: Mapping[str, str] | None = None) -> dict[str, Any]:
        """
        Search once.

        :param body: The search.
        :param params: Parameters of the URL.
        :returns: The answer; an empty one when the index has gone.
        """
        return self._read("POST", "_search", body, {**_WHOLE, **(params or {})})

    def hits_of(self, body: Mapping[str, Any], params: Mapping[str, str] | None = None) -> list[Any]:
        """
        The hits of a search that the server answers at once.

        :param body: The search; its `size` is 10,000 at most.
        :param params: Parameters of the URL.
        :returns: The hits.
        """
        answer = self.search(body, params)
        return answer["hits"]["hits"] if answer else []

    def all_hits(
        self,
        body: Mapping[str, Any],
        limit: int | None = None,
        page: int = MOST_HITS,
        params: Mapping[str, str] | None = None,
    ) -> Iterator[Any]:
        """
        All hits of a search, of one state of the index.

        :param body: The search; the last thing that it sorts by is the id.
        :param limit: How many hits at most; None for all.
        :param page: How many are read at a time.
        :param params: Parameters of the URL.
        :returns: The hits.
        """
        size = page if limit is None else min(page, limit)
        found = self.hits_of({**body, "size": size}, params)
        if len(found) < size or len(found) == limit:
            yield from found
            return
        count, after = 0, body
        with self._point_in_time() as point:
            while found and count != limit:
                size = page if limit is None else min(page, limit - count)
                paged = {**after, "size": size, "pit": point}
                answer = self._request("POST", "/_search", paged, {**_WHOLE, **(params or {})})
                found = answer["hits"]["hits"]
                yield from found
                count += len(found)
                after = {**body, "search_after": found[-1]["sort"]} if found else body

    @contextlib.contextmanager
    def _point_in_time(self) -> Iterator[dict[str, str]]:
        """Keeps the index's present state readable; the one thing that both servers call by other names."""
        params = {"keep_alive": _KEEP_ALIVE}
        if self.client.is_elasticsearch:
            point = self._request("POST", f"{self._path}/_pit", None, params)["id"]
            path, body = "/_pit", {"id": point}
        else:
            path = f"{self._path}/_search/point_in_time"
            point = self._request("POST", path, None, params)["pit_id"]
            path, body = "/_search/point_in_time", {"pit_id": [point]}
        try:
            yield {"id": point, "keep_alive": _KEEP_ALIVE}
        finally:
            # Left open, it ends by itself after a minute.
            with contextlib.suppress(DocumentStoreError):
                self._request("DELETE", path, body)

    def _read_layout(self) -> Layout | None:
        found = self._read("GET", "_mapping")
        if not found:
            return None
        if len(found) > 1:
            raise DocumentStoreError(f"{self.name} on {self.client.name} must stand for one index, not {sorted(found)}")
        [index] = found.values()
        fields = index["mappings"].get("properties", {})
        if any(name not in fields for name in index_body({}, (), ())["mappings"]["properties"]):
            raise DocumentStoreError(
                f"the index {self.name} on {self.client.name} was not made by this store; name another index"
            )
        text, order = (frozenset(fields[name].get("properties", {})) for name in ("text", "order"))
        return Layout(text, order)

    def _if_there(self, method: str, path: str) -> dict[str, Any]:
        try:
            return self.client.request(method, path, self._write_patience)
        except RequestRefusedError as error:
            if error.kind != _NO_INDEX:
                raise
            return {}

    def _read(
        self, method: str, action: str, body: Mapping[str, Any] | None = None, params: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        try:
            return self._request(method, f"{self._path}/{action}", body, params)
        except RequestRefusedError as error:
            if error.kind != _NO_INDEX:
                raise
            self._layout = None
            return {}

    def _request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, params: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        with self._breaker.guard():
            return self.client.request(method, path, self._search_patience, body, params)

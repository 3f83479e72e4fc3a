"""The keyword stores that the tests of this folder run on. A new store is one line in KEYWORD_STORES."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from components.stores.elasticsearch_document_store import ElasticsearchKeywordStore
from components.stores.tantivy_document_store import TantivyDocumentStore
from tests.servers.search_server import SearchServer

KeywordStore = TantivyDocumentStore | ElasticsearchKeywordStore


class NewStore(Protocol):
    """Makes store objects; those of the same name share one index."""

    def __call__(self, name: str = "keyword", **parameters: Any) -> KeywordStore: ...


Opener = Callable[[Path, "Servers"], "Opened"]
Opened = Callable[..., KeywordStore]


class Servers:
    """The servers of a test session: those that the environment names, others started on first use."""

    def __init__(self, stack: ExitStack):
        self._stack = stack
        self._urls: dict[str, str] = {}

    def url(self, kind: str) -> str:
        """
        The URL of a server that runs.

        :param kind: `elasticsearch` or `opensearch`.
        :returns: Its URL.
        """
        if kind not in self._urls:
            named = os.environ.get(f"{kind.upper()}_URL")
            self._urls[kind] = named or self._stack.enter_context(SearchServer(kind)).url
        return self._urls[kind]


@contextmanager
def tantivy(folder: Path, servers: Servers) -> Iterator[NewStore]:
    """Indexes in a folder."""
    yield lambda name="keyword", **parameters: TantivyDocumentStore(folder / name, **parameters)


def on_server(kind: str) -> Callable[[Path, Servers], Any]:
    """Indexes on a server, deleted at the end."""

    @contextmanager
    def opened(folder: Path, servers: Servers) -> Iterator[NewStore]:
        prefix, url = f"test-{uuid.uuid4().hex}", servers.url(kind)
        made: list[ElasticsearchKeywordStore] = []

        def new(name: str = "keyword", **parameters: Any) -> KeywordStore:
            made.append(ElasticsearchKeywordStore(f"{prefix}-{name}", url, **parameters))
            return made[-1]

        yield new
        for store in made:
            delete_index(url, store.index)
            store.close()

    return opened

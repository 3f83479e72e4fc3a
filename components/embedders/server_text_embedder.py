"""The query side of an embedding server."""

import threading
from typing import Any

import numpy as np
from haystack import component
from haystack.utils import Secret

from components.embedders.embedding_server import EmbeddingServer, EmbeddingServerError
from components.lru_cache import LRUCache
from components.optional_service import OptionalService
from components.retrieval.vectors import QueryVectors

_CACHE_SIZE = 512
_MAX_FAILURES, _PAUSE, _SLOTS = 3, 2.0, 32
_PROBE = "warm up"


@component
class ServerTextEmbedder:
    """
    Embeds queries, and hypothetical passages beside them, by an embedding server that speaks OpenAI's protocol.

    While the server is down, too slow or answers with something else than the index's vectors, the search goes on
    without: there are no vectors then, and `degraded` says "vector". After three failures in a row the server isn't
    asked for two seconds. All texts of a search go in one request, which Haystack's OpenAITextEmbedder doesn't do.

    ```python
    embedder = ServerTextEmbedder("http://tei:80/v1", "intfloat/multilingual-e5-small", query_prefix="query: ")
    embedder.run(texts=["What is new matter?"])["vectors"]
    ```
    """

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int = 384,
        query_prefix: str = "",
        passage_prefix: str = "",
        api_key: Secret | None = None,
        timeout: float = 2.0,
    ):
        """
        :param url: The endpoint without `/embeddings`, for example "http://tei:80/v1".
        :param model: The model's name there.
        :param dimension: Length of its vectors.
        :param query_prefix: What the model wants in front of queries, for example "query: ".
        :param passage_prefix: The same for passages.
        :param api_key: The server's key; None where it wants none.
        :param timeout: Seconds that a search waits for its vectors.
        :raises ValueError: If a number is out of range.
        """
        self.url = url
        self.model = model
        self.dimension = dimension
        self.query_prefix = query_prefix
        self.passage_prefix = passage_prefix
        self.api_key = api_key
        self.timeout = timeout
        # A little less than a search waits, so that what is told is what went wrong there.
        self._server = EmbeddingServer(url, model, dimension, api_key, 0.9 * timeout)
        self._service = OptionalService("embedding server", timeout, _MAX_FAILURES, _PAUSE, _SLOTS)
        self._cache: LRUCache[str, np.ndarray] = LRUCache(_CACHE_SIZE)
        self._state_lock = threading.Lock()
        self._ready, self._error, self._is_warmed_up = False, "", False

    def warm_up(self) -> None:
        """Ask the server once; a failure is logged, shows in `health`, and doesn't keep a search from starting."""
        if not self._is_warmed_up:
            self._is_warmed_up = True
            self._service.call(lambda: self._ask([_PROBE]))

    def health(self) -> dict[str, Any]:
        """
        What the embedder is and whether its last answer could be used. After a failure the server is asked again, so
        that a process heals to which no searches are sent until it is well.

        :returns: "model", "url", "ready", and "error" ("" when nothing failed).
        """
        if self._error:
            self._service.call(lambda: self._ask([_PROBE]))
        return {"model": self.model, "url": self.url, "ready": self._ready, "error": self._error}

    @component.output_types(vectors=QueryVectors, degraded=list[str])
    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]:
        """
        Embed the variants of a query.

        :param texts: The query's variants.
        :param passages: Hypothetical answers; their vectors come after the queries'.
        :returns: `vectors`, one a text, and `degraded`, which is ["vector"] when there are none because of a failure.
        """
        wanted = [self.query_prefix + text for text in texts]
        wanted += [self.passage_prefix + text for text in passages or []]
        found = {text: self._cache.get(text) for text in dict.fromkeys(wanted)}
        if missing := [text for text, vector in found.items() if vector is None]:
            vectors = self._service.call(lambda: self._ask(missing))
            if vectors is None:
                self._note(self._error or f"the embedding server {self.url} gave no answer within {self.timeout:g} s")
                return {"vectors": QueryVectors(), "degraded": ["vector"]}
            found.update(zip(missing, vectors, strict=True))
        named = (*texts, *(passages or []))
        return {"vectors": QueryVectors(tuple(found[text] for text in wanted), named), "degraded": []}  # type: ignore[misc]

    def _ask(self, texts: list[str]) -> list[np.ndarray]:
        """Vectors of texts, kept for the next search; also when this one doesn't wait for them any more."""
        try:
            rows = self._server.embed(texts)
        except EmbeddingServerError as error:
            self._note(str(error))
            raise
        rows.flags.writeable = False
        for text, row in zip(texts, rows, strict=True):
            self._cache.put(text, row)
        self._note("")
        return list(rows)

    def _note(self, error: str) -> None:
        with self._state_lock:
            self._ready, self._error = not error, error

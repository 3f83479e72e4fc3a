"""Asks an embedding server (Text Embeddings Inference, vLLM, Infinity) by OpenAI's protocol."""

import weakref
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from haystack.utils import Secret
from openai import OpenAI, OpenAIError

_NO_KEY = "none"  # the client wants a key; servers of one's own take any
_SHORTEST = 1e-12


class EmbeddingServerError(RuntimeError):
    """The server can't be reached, refuses, or answers with something else than vectors; the message names it."""


class EmbeddingServer:
    """
    Embeds texts by `POST {url}/embeddings`.

    What is answered is checked, since a vector of another text or model would only show as poor results: as many
    vectors as texts, each in the place that its `index` names, of the length that the index takes.

    ```python
    server = EmbeddingServer("http://tei:80/v1", "intfloat/multilingual-e5-small", dimension=384)
    server.embed(["query: What is new matter?"])  # (1, 384), float32, of length 1
    ```

    :param url: The endpoint without `/embeddings`.
    :param model: The model's name there.
    :param dimension: Length of its vectors.
    :param api_key: The server's key; None where it wants none.
    :param timeout: Seconds for one answer.
    :param max_retries: How often a request is sent again, with growing pauses, when the server is busy (429), not ready
        (503) or can't be reached.
    :raises ValueError: If `dimension` is below 1.
    """

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int,
        api_key: Secret | None = None,
        timeout: float = 60.0,
        max_retries: int = 0,
    ):
        if dimension < 1:
            raise ValueError(f"dimension: {dimension!r} is not allowed; it must be at least 1")
        self.url = url
        self.model = model
        self.dimension = dimension
        self._api_key = api_key
        self._timeout = timeout
        self._max_retries = max_retries

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """
        Embed texts in one request.

        :param texts: The texts, with the prefixes that the model wants.
        :returns: One row a text: (n, dimension) float32 of length 1.
        :raises EmbeddingServerError: If the server fails, or its answer isn't that.
        """
        # A lone surrogate, which broken JSON can bring, can't be sent.
        clean = [text.encode(errors="replace").decode() for text in texts]
        try:
            answer = self._client.embeddings.create(model=self.model, input=clean, encoding_format="float")
            found = {item.index: item.embedding for item in answer.data}
        except OpenAIError as error:
            raise EmbeddingServerError(f"the embedding server {self.url} failed: {_in_a_line(error)}") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise self._unusable("no list of vectors; is its path right (it often ends in /v1)?") from error
        if sorted(found) != list(range(len(clean))) or len(answer.data) != len(clean):
            raise self._unusable(f"{len(answer.data)} vectors for {len(clean)} texts")
        return self._checked([found[place] for place in range(len(clean))])

    @cached_property
    def _client(self) -> OpenAI:
        key = self._api_key.resolve_value() if self._api_key else None
        client = OpenAI(api_key=key or _NO_KEY, base_url=self.url, timeout=self._timeout, max_retries=self._max_retries)
        # Its connections stay open for the next request; nobody else closes them.
        weakref.finalize(self, client.close)
        return client

    def _checked(self, vectors: list[Any]) -> np.ndarray:
        lengths = sorted({len(vector) for vector in vectors} - {self.dimension})
        if lengths:
            raise self._unusable(
                f"vectors of {lengths[0]} numbers where the index takes {self.dimension}; name the model that the "
                "index was made with, or build the index anew with the other dimension"
            )
        rows = np.array(vectors, np.float32).reshape(len(vectors), self.dimension)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or (norms < _SHORTEST).any():
            raise self._unusable("a vector that has no direction")
        return rows / norms

    def _unusable(self, what: str) -> EmbeddingServerError:
        return EmbeddingServerError(f"the embedding server {self.url} answered for model {self.model!r} with {what}")


def _in_a_line(error: OpenAIError) -> str:
    cause = f" ({error.__cause__})" if error.__cause__ and str(error.__cause__) else ""
    text = " ".join(f"{error}{cause}".split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:297]}..."

"""The document side of an embedding server."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from haystack import Document, component
from haystack.utils import Secret

from components.embedders.embedding_server import EmbeddingServer


@component
class ServerDocumentEmbedder:
    """
    Embeds documents by an embedding server that speaks OpenAI's protocol.

    Haystack's OpenAIDocumentEmbedder takes the vectors in the order in which they come, whatever `index` they name,
    fails on servers that tell no usage, and doesn't check their length.

    ```python
    embedder = ServerDocumentEmbedder("http://tei:80/v1", "intfloat/multilingual-e5-small", prefix="passage: ")
    embedder.run(documents=[Document(content="A claim must ...", meta={"heading_path": "2100 > 2163"})])["documents"]
    ```
    """

    beside_recipe = ("url", "api_key", "batch_size", "timeout", "max_retries")
    """Parameters that change nothing about the vectors."""

    def __init__(
        self,
        url: str,
        model: str,
        dimension: int = 384,
        prefix: str = "",
        heading_field: str = "heading_path",
        api_key: Secret | None = None,
        batch_size: int = 32,
        timeout: float = 60.0,
        max_retries: int = 8,
    ):
        """
        :param url: The endpoint without `/embeddings`, for example "http://tei:80/v1".
        :param model: The model's name there.
        :param dimension: Length of its vectors.
        :param prefix: What the model wants in front of passages, for example "passage: ".
        :param heading_field: Name of the meta field whose text goes before the content; "" for none.
        :param api_key: The server's key; None where it wants none.
        :param batch_size: How many texts a request holds; servers have limits (Text Embeddings Inference 32).
        :param timeout: Seconds for one answer.
        :param max_retries: How often a request is sent again, with pauses that grow to eight seconds, when the server
            is busy (429), not ready (503) or can't be reached.
        :raises ValueError: If a number is below 1.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size: {batch_size} is not allowed; it must be at least 1")
        self.url = url
        self.model = model
        self.dimension = dimension
        self.prefix = prefix
        self.heading_field = heading_field
        self.api_key = api_key
        self.batch_size = batch_size
        self.timeout = timeout
        self.max_retries = max_retries
        self._server = EmbeddingServer(url, model, dimension, api_key, timeout, max_retries)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """
        Embed documents.

        :param documents: The documents; they aren't changed.
        :returns: `documents`: copies with an embedding.
        :raises EmbeddingServerError: If the server fails after the last try, or answers with something else.
        """
        embedded: list[Document] = []
        for batch in _batches(documents, self.batch_size):
            vectors = self._server.embed([self._text(document) for document in batch])
            pairs = zip(batch, vectors.tolist(), strict=True)
            embedded += [replace(document, embedding=vector) for document, vector in pairs]
        return {"documents": embedded}

    def _text(self, document: Document) -> str:
        heading = document.meta.get(self.heading_field) if self.heading_field else None
        return self.prefix + (f"{heading}\n" if heading else "") + (document.content or "")


def _batches(documents: Sequence[Document], size: int) -> Iterator[list[Document]]:
    rest = iter(documents)
    while batch := list(islice(rest, size)):
        yield batch

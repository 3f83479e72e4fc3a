"""Vectors that another index has already, so that comparing stores needn't embed again."""

from typing import Any

from haystack import Document, component

from components.embedders.e5_document_embedder import E5DocumentEmbedder
from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore


@component
class KnownVectors:
    """
    Takes chunks' vectors from an embedded store by their ids; embeds those that it lacks.

    ```python
    KnownVectors("indexes/us-patent-law/vectors", "models/multilingual-e5-small").run(documents=chunks)["documents"]
    ```

    :param path: The folder of the embedded vector store.
    :param model: The embedder's model.
    """

    recipe = E5DocumentEmbedder.recipe

    def __init__(self, path: str, model: str):
        self.path, self.model = path, model
        self._store = QdrantEdgeDocumentStore(path)
        self._embedder = E5DocumentEmbedder(model=model)

    def warm_up(self) -> None:
        """Load the model."""
        self._embedder.warm_up()

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """
        Give chunks their vectors.

        :param documents: The chunks.
        :returns: `documents`, with embeddings.
        """
        vectors = self._store.get_vectors([document.id for document in documents])
        unknown = [document for document in documents if document.id not in vectors]
        made = {d.id: d.embedding for d in self._embedder.run(documents=unknown)["documents"]} if unknown else {}
        known = {**vectors, **made}
        return {"documents": [Document(d.id, d.content, meta=d.meta, embedding=known[d.id]) for d in documents]}

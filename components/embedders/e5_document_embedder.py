"""The document side of the packaged embedder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Document, component

from components.embedders.e5_engine import E5Engine, shared_engine
from components.embedders.e5_model import MODEL_NAME, MODEL_VERSION, prepare_model


@component
class E5DocumentEmbedder:
    """
    Embeds documents as passages with the packaged multilingual-e5-small.

    The heading path goes in front of the text, so that a passage that never names its subject is still found by it.

    ```python
    embedder = E5DocumentEmbedder(model="models/multilingual-e5-small")
    embedder.run(documents=[Document(content="A claim must ...", meta={"heading_path": "2100 > 2163"})])["documents"]
    ```

    :param model: The model's folder, made on first use.
    :param heading_field: Name of the meta field whose text goes before the content; "" for none.
    :param workers: How many texts are embedded side by side.
    """

    recipe = f"{MODEL_NAME}, version {MODEL_VERSION}"
    """What the vectors are made by; vectors of another recipe can't be compared with these."""

    def __init__(self, model: str, heading_field: str = "heading_path", workers: int = 2) -> None:
        if workers < 1:
            raise ValueError(f"workers: {workers} is not allowed; it must be at least 1")
        self.model = model
        self.heading_field = heading_field
        self.workers = workers
        self._engine: E5Engine | None = None

    def warm_up(self) -> None:
        """
        Prepare and load the model, once.

        :raises ModelError: When the model isn't there and can't be made, or can't be loaded.
        """
        if self._engine is None:
            self._engine = shared_engine(prepare_model(Path(self.model)), self.workers)

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """
        Embed documents.

        :param documents: The documents; they aren't changed.
        :returns: `documents`: copies with an embedding.
        """
        self.warm_up()
        assert self._engine is not None
        vectors = self._engine.embed([self._text(document) for document in documents], "passage")
        embedded = zip(documents, vectors.tolist(), strict=True)
        return {"documents": [replace(document, embedding=vector) for document, vector in embedded]}

    def _text(self, document: Document) -> str:
        heading = document.meta.get(self.heading_field) if self.heading_field else None
        return f"{heading}\n{document.content or ''}" if heading else document.content or ""

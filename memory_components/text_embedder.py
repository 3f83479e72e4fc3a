"""What the memory needs of an embedder."""

import hashlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from memory_components.errors import MemoryStoreError


class TextEmbedder(Protocol):
    """A component that embeds questions and passages, such as `components.embedders.E5TextEmbedder`."""

    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]: ...


def embed_questions(embedder: TextEmbedder, texts: Sequence[str]) -> list[np.ndarray]:
    """
    Embed questions.

    :returns: One unit vector a text.
    :raises MemoryStoreError: When the embedder is out of order: made-up vectors would mislead later searches.
    """
    return _vectors(embedder, embedder.run(texts=list(texts)), len(texts))


def embed_passages(embedder: TextEmbedder, texts: Sequence[str]) -> list[np.ndarray]:
    """Embed passages; as `embed_questions`."""
    return _vectors(embedder, embedder.run(texts=[], passages=list(texts)), len(texts))


def text_digest(embedder: TextEmbedder, text: str) -> str:
    """What an embedding is kept under: the same for the same text and the same model."""
    state = _health(embedder)
    named = f"{state.get('model', type(embedder).__name__)} {state.get('version', '')}\0{text}"
    return hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()


def _vectors(embedder: TextEmbedder, answer: dict[str, Any], count: int) -> list[np.ndarray]:
    vectors = list(answer["vectors"].vectors)
    if len(vectors) != count:
        reason = _health(embedder).get("error") or "it gave no vectors"
        raise MemoryStoreError(f"the embedder is out of order, so nothing can be remembered: {reason}")
    return vectors


def _health(embedder: TextEmbedder) -> dict[str, Any]:
    return embedder.health() if hasattr(embedder, "health") else {}

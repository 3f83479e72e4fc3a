"""Embedders without a model, for pipelines under test: each word adds to one of the vector's numbers."""

import re
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
from haystack import Document, component

from components.retrieval.vectors import QueryVectors

_WORDS = re.compile(r"[a-z]{3,}|[\u3040-\u30ff\u4e00-\u9fff]")  # of Japanese text each character


def vector(text: str) -> np.ndarray:
    """A unit vector that is near those of texts with the same words."""
    numbers = np.zeros(384, dtype=np.float32)
    for word in re.findall(_WORDS, text.lower()):
        numbers[zlib.crc32(word.encode()) % 384] += 1
    numbers[0] += 0.01
    return numbers / np.linalg.norm(numbers)


@component
class WordTextEmbedder:
    """The query side."""

    @component.output_types(vectors=QueryVectors, degraded=list[str])
    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]:
        every = [*texts, *(passages or [])]
        return {"vectors": QueryVectors(tuple(map(vector, every)), tuple(every)), "degraded": []}


@component
class WordDocumentEmbedder:
    """The document side; `embedded` holds what was embedded since the module was imported."""

    embedded: list[str] = []

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        self.embedded.extend(document.id for document in documents)
        return {"documents": [replace(d, embedding=vector(d.content or "").tolist()) for d in documents]}

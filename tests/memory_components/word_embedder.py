"""An embedder of one word a direction: questions with the same words are alike, and each cosine can be counted."""

import re
from typing import Any

import numpy as np
from haystack import component

from components.retrieval.vectors import QueryVectors

WORDS: dict[str, int] = {}


@component
class OneWordEmbedder:
    """
    :param broken: Give no vectors, as an embedder that is out of order.
    """

    def __init__(self, broken: bool = False):
        self.broken = broken
        self.count = 0

    def health(self) -> dict[str, Any]:
        return {"model": "words", "version": 1, "error": "no model" if self.broken else ""}

    @component.output_types(vectors=QueryVectors, degraded=list[str])
    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]:
        every = [*texts, *(passages or [])]
        if self.broken:
            return {"vectors": QueryVectors(), "degraded": ["vector"]}
        self.count += len(every)
        return {"vectors": QueryVectors(tuple(map(words_vector, every)), tuple(every)), "degraded": []}


def words_vector(text: str) -> np.ndarray:
    """A unit vector with a direction for each word."""
    vector = np.zeros(384, np.float32)
    for word in re.findall(r"\w+", text.lower()):
        vector[WORDS.setdefault(word, len(WORDS))] += 1
    return vector / (np.linalg.norm(vector) or 1)

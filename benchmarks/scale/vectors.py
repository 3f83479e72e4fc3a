"""Vectors in Qdrant's engine: what they take on disk, and how long a search among them takes."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from haystack import Document
from haystack.document_stores.types import DuplicatePolicy

from benchmarks.scale.chunks import SyntheticChunks, synthetic_vectors
from benchmarks.scale.keyword import size_of
from components.stores.qdrant_edge_document_store import QdrantEdgeDocumentStore

_DIMENSION, _QUESTIONS = 384, 100


def vector_figures(folder: Path, wanted: int) -> dict[str, Any]:
    """
    Write vectors, once with the text and metadata of their chunks as the servers' profiles do, once without.

    :param folder: Where to.
    :param wanted: How many.
    :returns: "written", and of each kind "seconds", "bytes" and "search_ms".
    """
    vectors = synthetic_vectors(wanted + _QUESTIONS, _DIMENSION)
    stores = {
        "with_text": QdrantEdgeDocumentStore(folder / "with_text", _DIMENSION, store_content=True),
        "vectors_alone": QdrantEdgeDocumentStore(folder / "vectors_alone", _DIMENSION, meta_fields=[]),
    }
    figures: dict[str, Any] = {"written": wanted}
    for name, store in stores.items():
        seconds = _write(store, vectors[:wanted])
        times = _search_ms(store, vectors[wanted:])
        figures[name] = {"seconds": round(seconds, 1), "bytes": size_of(folder / name), "search_ms": times}
        store.close()
    return figures


def _write(store: QdrantEdgeDocumentStore, vectors: np.ndarray) -> float:
    """Seconds in the store; in one batch, since each commit of this store copies all of it."""
    chunks = _chunks()
    documents = [replace(next(chunks), embedding=vector.tolist()) for vector in vectors]
    started = time.monotonic()
    store.write_documents(documents, DuplicatePolicy.OVERWRITE)
    return time.monotonic() - started


def _chunks() -> Iterator[Document]:
    made, number = SyntheticChunks(), 0
    while True:
        for chunk in made.batch(number).chunks:
            yield replace(chunk, meta={name: value for name, value in chunk.meta.items() if name != "index"})
        number += 1


def _search_ms(store: QdrantEdgeDocumentStore, questions: np.ndarray) -> dict[str, float]:
    store.warm_up()
    times = []
    for question in questions:
        started = time.perf_counter()
        store.search(question.tolist(), top_k=200)
        times.append(1000 * (time.perf_counter() - started))
    p50, p95 = np.percentile(times[len(times) // 10 :], (50, 95))
    return {"p50": round(float(p50), 1), "p95": round(float(p95), 1)}

"""The query side of the packaged embedder."""

import logging
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
from haystack import component

from components.embedders.e5_engine import E5Engine, Kind, shared_engine
from components.embedders.e5_model import MODEL_NAME, MODEL_VERSION, prepare_model
from components.embedders.model_error import ModelError
from components.retrieval.vectors import QueryVectors

logger = logging.getLogger(__name__)

_CACHE_SIZE = 512
_RETRY_SECONDS = 30.0


@component
class E5TextEmbedder:
    """
    Embeds queries, and hypothetical passages beside them, with the packaged multilingual-e5-small.

    When the model can't be loaded or run, the search goes on without it: there are no vectors then, never made-up
    ones, and `degraded` says "vector".

    ```python
    embedder = E5TextEmbedder(model="models/multilingual-e5-small")
    embedder.run(texts=["What is new matter?"])["vectors"]
    ```

    :param model: The model's folder.
    :param prepare: Make the folder on first use when it isn't there. Without it, a missing model is a failure.
    """

    def __init__(self, model: str, prepare: bool = True) -> None:
        self.model = model
        self.prepare = prepare
        self._engine: E5Engine | None = None
        self._error = ""
        self._retry_at = 0.0
        self._cache: OrderedDict[tuple[Kind, str], np.ndarray] = OrderedDict()
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """
        Prepare and load the model, once. A failure is logged, shows in `health` and `degraded`, and is tried again
        after half a minute: the model may have been prepared meanwhile.
        """
        if self._engine is not None:
            return
        with self._lock:
            if self._engine is not None or time.monotonic() < self._retry_at:
                return
            directory = Path(self.model)
            try:
                engine = shared_engine(prepare_model(directory) if self.prepare else directory)
                engine.embed(["warm up"])
                self._engine, self._error = engine, ""
            except Exception as error:
                self._retry_at = time.monotonic() + _RETRY_SECONDS
                self._error = str(error) if isinstance(error, ModelError) else f"{type(error).__name__}: {error}"
                logger.warning("Searches go without vectors: %s", self._error)

    def health(self) -> dict[str, Any]:
        """
        What the embedder is and whether it works.

        :returns: "model", "version", "ready", and "error" ("" when nothing failed).
        """
        return {"model": MODEL_NAME, "version": MODEL_VERSION, "ready": self._engine is not None, "error": self._error}

    @component.output_types(vectors=QueryVectors, degraded=list[str])
    def run(self, texts: list[str], passages: list[str] | None = None) -> dict[str, Any]:
        """
        Embed the variants of a query.

        :param texts: The query's variants.
        :param passages: Hypothetical answers, embedded as passages are; their vectors come after the queries'.
        :returns: `vectors`, one a text, and `degraded`, which is ["vector"] when there are none because of a failure.
        """
        self.warm_up()
        wanted: list[tuple[Kind, str]] = [("query", text) for text in texts]
        wanted += [("passage", text) for text in passages or []]
        if self._engine is None:
            return {"vectors": QueryVectors(), "degraded": ["vector"]}
        try:
            vectors = tuple(self._embed(self._engine, kind, text) for kind, text in wanted)
        except Exception as error:
            logger.warning("Embedding a query failed, this search goes without vectors: %s", error)
            return {"vectors": QueryVectors(), "degraded": ["vector"]}
        return {"vectors": QueryVectors(vectors, tuple(text for _, text in wanted)), "degraded": []}

    def _embed(self, engine: E5Engine, kind: Kind, text: str) -> np.ndarray:
        with self._lock:
            if (kind, text) in self._cache:
                self._cache.move_to_end((kind, text))
                return self._cache[kind, text]
        vector = engine.embed([text], kind)[0]
        vector.flags.writeable = False
        with self._lock:
            self._cache[kind, text] = vector
            while len(self._cache) > _CACHE_SIZE:
                self._cache.popitem(last=False)
        return vector

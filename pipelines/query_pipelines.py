"""A query pipeline, and the same one without its vector arm, for an index whose vectors can't be searched."""

import threading
import time
from typing import TYPE_CHECKING, Any

from pipelines.embedding import LOADING
from pipelines.errors import PartError
from pipelines.loading import Definition, build, prepare_haystack, resolve, without_idle
from pipelines.scanning import Progress
from pipelines.settings import Settings
from pipelines.step_times import time_steps

prepare_haystack()

from components.optional_service import Unavailable  # noqa: E402  # imports Haystack

if TYPE_CHECKING:
    from haystack import Pipeline

_ABSENT: Definition = {
    "embedder": {"type": "components.embedders.absent_text_embedder.AbsentTextEmbedder", "init_parameters": {}},
    "vector_retriever": {
        "type": "components.retrieval.absent_vector_retriever.AbsentVectorRetriever",
        "init_parameters": {},
    },
}
"""What stands in for the vector arm."""


class QueryPipelines:
    """
    Builds both pipelines when they are first asked for.

    Usage example:
    ```python
    QueryPipelines("mpep_query", "embedded", Settings(), progress).ready(embeds=True).run({...})
    ```

    :param name: The pipeline's name or the path of its file.
    :param profile: The profile.
    :param settings: Where indexes and models are.
    :param progress: Called before and after an embedder is loaded, which may take seconds.
    """

    def __init__(self, name: str, profile: str, settings: Settings, progress: Progress):
        self._name, self._profile, self._settings = name, profile, settings
        self._progress = progress
        self._pipelines: dict[bool, Pipeline] = {}
        self._lock = threading.Lock()
        self.warm_up_ms: dict[str, float] = {}
        """How long each component took to load its models."""

    def ready(self, embeds: bool) -> "Pipeline":
        """
        A pipeline.

        :param embeds: Whether queries are embedded, by models that are loaded now; if not, answers say that they were
            made without vectors.
        :returns: The pipeline.
        :raises ConfigError: When it can't be built, or a part of it can't be loaded.
        """
        with self._lock:
            if embeds not in self._pipelines:
                # Kept even if it can't be warmed up: its stores are asked then for what is wrong.
                self._pipelines[embeds] = self._build(embeds)
                if embeds:
                    self._progress(LOADING, 0, 1)
                    self._warm_up(self._pipelines[embeds])
                    self._progress(LOADING, 1, 1)
            return self._pipelines[embeds]

    def _warm_up(self, pipeline: "Pipeline") -> None:
        """What `Pipeline.warm_up` does, with the time of each component."""
        for name in pipeline.graph.nodes:
            component: Any = pipeline.get_component(name)
            if hasattr(component, "warm_up"):
                started = time.perf_counter()
                try:
                    component.warm_up()
                except Exception as error:  # whatever a model's or dictionary's own code raises
                    if hasattr(component, "document_store"):  # a store's errors say what is to be done
                        raise
                    raise PartError({name: str(error) or type(error).__name__}) from error
                self.warm_up_ms[name] = round((time.perf_counter() - started) * 1000, 1)

    def problems(self) -> dict[str, str]:
        """
        What is wrong with the parts of the pipeline that is loaded; stores aside, which come and go.

        :returns: By component, why it can't be used.
        """
        pipeline = self.any()
        found: dict[str, str] = {}
        for name in pipeline.graph.nodes if pipeline else ():
            component: Any = pipeline.get_component(name) if pipeline else None
            reasons = [part.reason for part in vars(component).values() if isinstance(part, Unavailable)]
            if hasattr(component, "health"):
                reasons.append(str(component.health().get("error") or ""))
            if reason := "; ".join(dict.fromkeys(filter(None, reasons))):
                found[name] = reason
        return found

    def any(self) -> "Pipeline | None":
        """One that is built, rather the one with vectors; both have the same keyword stores."""
        return self._pipelines.get(True) or self._pipelines.get(False)

    def _build(self, embeds: bool) -> "Pipeline":
        definition = without_idle(resolve(self._name, self._profile, self._settings))
        if not embeds:
            definition["components"] |= {
                name: spec for name, spec in _ABSENT.items() if name in definition["components"]
            }
        pipeline = build(definition)
        time_steps(pipeline)
        return pipeline

"""One generation of an index as a process searches it."""

import threading
from typing import TYPE_CHECKING, Any

from pipelines.errors import IndexMissingError
from pipelines.index_watch import IndexState
from pipelines.manifest import IndexInfo
from pipelines.query_pipelines import QueryPipelines
from pipelines.scanning import Progress
from pipelines.settings import Settings
from pipelines.store_outage import count_reachable
from pipelines.vector_state import VectorState

if TYPE_CHECKING:
    from haystack import Pipeline


class ServedIndex:
    """
    The query pipeline over one generation, what that holds, and how many searches use it.

    Usage example:
    ```python
    index = ServedIndex("us-patent-law", "mpep_query", "embedded", Settings(), watch.state(), no_progress)
    index.ready_pipeline().run({...})
    ```

    :param corpus: The corpus.
    :param pipeline: The query pipeline's name or file.
    :param profile: The profile.
    :param settings: Where indexes and models are.
    :param state: Which generation, and what it holds.
    :param progress: Called while models are loaded.
    """

    def __init__(
        self, corpus: str, pipeline: str, profile: str, settings: Settings, state: IndexState, progress: Progress
    ):
        own = settings.of_generation(state.generation)
        self._corpus = corpus
        self.generation = state.generation
        self.info: IndexInfo = state.info
        self.vectors = VectorState(corpus, profile, own)
        self.pipelines = QueryPipelines(pipeline, profile, own, progress)
        self._searches = 0
        self._changed = threading.Condition()

    def warm_up(self) -> None:
        """
        Load the pipeline and its models; does nothing the second time.

        :raises ConfigError: When the pipeline can't be built.
        """
        # With its embedder even if there are no vectors yet: they may come any moment.
        self.pipelines.ready(embeds=True)
        self.ready_pipeline()

    def ready_pipeline(self) -> "Pipeline":
        """The pipeline, without its vector arm where the vectors can't be searched."""
        return self.pipelines.ready(embeds=not self.vectors.problem(self.info))

    def stores(self) -> dict[str, Any]:
        """The document stores of the query pipeline that is loaded, by name; none before."""
        pipeline = self.pipelines.any()
        if pipeline is None:
            return {}
        retriever: Any = pipeline.get_component("keyword_retriever")
        found = {"keyword": retriever.document_store, "parents": retriever.parent_store}
        found["vector"] = getattr(pipeline.get_component("vector_retriever"), "document_store", None)
        return {name: store for name, store in found.items() if store is not None}

    def store_of(self, name: str) -> Any:
        """
        The keyword store of a component of the query pipeline.

        :param name: The component.
        :returns: The store.
        """
        pipeline = self.pipelines.any() or self.pipelines.ready(embeds=False)
        return getattr(pipeline.get_component(name), "document_store")  # noqa: B009

    def refuse_empty(self, name: str) -> None:
        """
        Make sure that nothing was found because nothing is there to be found. To be asked after a search that found
        nothing, since it costs a request on servers.

        :param name: The component whose keyword store was searched.
        :raises IndexMissingError: When it lost what the manifest knows: an empty answer would pass for a true one.
        """
        counts, _ = count_reachable({name: self.store_of(name)})
        if counts.get(name) == 0:
            raise IndexMissingError(self._corpus)

    def __enter__(self) -> "ServedIndex":
        with self._changed:
            self._searches += 1
        return self

    def __exit__(self, *exception: object) -> None:
        with self._changed:
            self._searches -= 1
            self._changed.notify_all()

    def close(self) -> None:
        """Wait for the searches under way, then let go of the stores."""
        with self._changed:
            self._changed.wait_for(lambda: not self._searches)
        for store in self.stores().values():
            store.close()

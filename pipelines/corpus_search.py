"""The query pipeline of one corpus over its index: loaded once, run for each query, and asked how it is."""

import gc
import logging
from collections.abc import Mapping
from typing import Any, NamedTuple

from pipelines.corpora import get_corpus
from pipelines.counting import counted
from pipelines.errors import IndexMissingError
from pipelines.loading import prepare_haystack
from pipelines.manifest import IndexInfo, read_index_info
from pipelines.query_pipelines import QueryPipelines
from pipelines.scanning import Progress, no_progress
from pipelines.settings import Settings
from pipelines.vector_state import VectorState, names_damage

prepare_haystack()

from haystack import Pipeline  # noqa: E402  # Haystack reads the environment when it is imported

logger = logging.getLogger(__name__)


class PipelineRun(NamedTuple):
    """
    What one run of a query pipeline gave.

    :param outputs: The outputs that no other component takes, by component.
    :param degraded: What the answer was made without, sorted.
    :param edition: Which state of the corpus answered: its `name`, `version` and `editions`.
    """

    outputs: dict[str, Any]
    degraded: list[str]
    edition: dict[str, Any]


class CorpusSearch:
    """
    What all searches share, whatever they ask and answer.

    Usage example:
    ```python
    search = CorpusSearch("us-patent-law")
    search.run({"analyzer": {"query": "new matter"}, ...}).outputs["highlighter"]["documents"]
    ```

    :param corpus: The corpus.
    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :param pipeline: The query pipeline's name or file; that of the corpus by default.
    :param progress: Called while models are loaded.
    """

    def __init__(
        self,
        corpus: str,
        profile: str | None = None,
        settings: Settings | None = None,
        pipeline: str | None = None,
        progress: Progress = no_progress,
    ):
        self.corpus = corpus
        self.settings = settings or Settings()
        self.profile = profile or self.settings.profile
        self._name = pipeline or get_corpus(corpus).query
        self._pipelines = QueryPipelines(self._name, self.profile, self.settings, progress)
        self.vectors = VectorState(corpus, self.profile, self.settings)
        self._info: tuple[tuple[int, ...], IndexInfo] | None = None

    @names_damage
    def warm_up(self) -> None:
        """
        Load the pipeline and its models; does nothing the second time.

        :raises IndexMissingError: When the corpus has no index.
        :raises ConfigError: When the pipeline can't be built.
        """
        self.info()
        # With its embedder even if there are no vectors yet: they may come any moment.
        self._pipelines.ready(embeds=True)
        self._ready_pipeline()
        # What was loaded lives as long as the process: the collector needn't walk it at every full round.
        gc.collect()
        gc.freeze()

    def run(self, inputs: Mapping[str, Mapping[str, Any]]) -> PipelineRun:
        """
        Run the query pipeline.

        :param inputs: The components' inputs.
        :returns: The outputs, with what they were made without and of which state of the corpus.
        :raises IndexMissingError: When the corpus has no index, or its keyword store lost what the manifest knows.
        """
        info = self.info()
        pipeline = self._ready_pipeline()
        self.filled_store("keyword_retriever")
        outputs = pipeline.run({name: dict(values) for name, values in inputs.items()})
        named = {part for output in outputs.values() for part in output.get("degraded", [])}
        if info.vectors < info.chunks:  # embedding goes on: the vector arm sees a part of the chunks
            named.add("vector")
        degraded = sorted(named)
        if degraded:
            logger.warning("an answer was made without: %s", ", ".join(degraded))
        return PipelineRun(outputs, degraded, self._edition(info))

    @names_damage
    def health(self) -> dict[str, Any]:
        """
        What is ready.

        :returns: `ready`, `pipelines`, `stores` (counts), `corpus` (version and editions), `embedder`, `degraded` and,
            if that is not empty or nothing is ready, why in `detail`.
        """
        try:
            info = self.info()
        except IndexMissingError as error:
            return {"ready": False, "detail": str(error)}
        pipeline = self._pipelines.any()
        if pipeline is None:
            return {"ready": False, "detail": f"{self._name} is not loaded yet"}
        embedder = pipeline.get_component("embedder")
        state = embedder.health() if hasattr(embedder, "health") else {}
        problem = self.vector_problem()
        unreadable = {"vector"} if self.vectors.damage(info) else set()
        counts = {name: s.count_documents() for name, s in self.stores().items() if name not in unreadable}
        stores = {name: counts.get(name, 0) for name in ("keyword", "vector")}
        if not problem and stores["vector"] < stores["keyword"]:
            problem = f"{counted(stores['keyword'] - stores['vector'], 'chunk')} still without vectors"
        problem = problem or state.get("error", "")
        return {
            "ready": stores["keyword"] > 0,
            "pipelines": {self._name: "ready"},
            "stores": stores,
            "corpus": {
                **self._edition(info),
                "sections": info.sections,
                "chunks": info.chunks,
                "pending_sources": info.pending_sources,
            },
            "embedder": state,
            "degraded": ["vector"] if problem else [],
            **({"detail": problem} if problem else {}),
        }

    def vector_problem(self) -> str:
        """
        Why searches go without vectors.

        :returns: A sentence with the way out; "" when they are searched.
        :raises IndexMissingError: When the corpus has no index.
        """
        return self.vectors.problem(self.info())

    def info(self) -> IndexInfo:
        """
        What the index holds; read again when another process changed it.

        :raises IndexMissingError: When the corpus has no index.
        """
        folder = self.settings.index_dir(self.corpus)
        stamps = []
        for name in ("manifest.sqlite", "manifest.sqlite-wal"):
            try:
                stamps.append((folder / name).stat().st_mtime_ns)
            except FileNotFoundError:
                stamps.append(0)
        if self._info is None or self._info[0] != tuple(stamps):
            self._info = (tuple(stamps), read_index_info(folder, self.corpus))
        return self._info[1]

    def stores(self) -> dict[str, Any]:
        """The document stores of the query pipeline that is loaded, by name; none before."""
        pipeline = self._pipelines.any()
        if pipeline is None:
            return {}
        retriever: Any = pipeline.get_component("keyword_retriever")
        found = {"keyword": retriever.document_store, "parents": retriever.parent_store}
        found["vector"] = getattr(pipeline.get_component("vector_retriever"), "document_store", None)
        return {name: store for name, store in found.items() if store is not None}

    def filled_store(self, name: str) -> Any:
        """
        The keyword store of a component of the query pipeline.

        :param name: The component.
        :returns: The store.
        :raises IndexMissingError: When it lost what the manifest knows: an empty answer would pass for a true one.
        """
        pipeline = self._pipelines.any() or self._pipelines.ready(embeds=False)
        store = getattr(pipeline.get_component(name), "document_store")  # noqa: B009
        if not store.count_documents():
            raise IndexMissingError(self.corpus)
        return store

    def _edition(self, info: IndexInfo) -> dict[str, Any]:
        return {"name": self.corpus, "version": info.corpus_version, "editions": info.editions}

    def _ready_pipeline(self) -> Pipeline:
        return self._pipelines.ready(embeds=not self.vector_problem())

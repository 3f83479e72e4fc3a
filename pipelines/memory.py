"""The memory that a profile defines, and the pipeline that takes ratings for it."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pipelines.errors import ConfigError, TansakuError
from pipelines.loading import build, instantiate, resolve, resolved_names
from pipelines.settings import Settings

if TYPE_CHECKING:
    from memory_components.rag_memory_integrator import RAGMemoryIntegrator

MEMORY_CORPUS = "company-docs"
"""The corpus whose answers can be rated."""

FEEDBACK_PIPELINE = "rag_feedback"
_WRITER = "feedback_writer"


class MemoryUnavailableError(TansakuError):
    """The memory, or what it needs, is out of order."""


def open_memory(profile: str | None = None, settings: Settings | None = None) -> "RAGMemoryIntegrator":
    """
    The memory that a profile calls `memory`, opened.

    Usage example:
    ```python
    open_memory().health()
    ```

    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :returns: The memory; all of a process over the same database share one state.
    :raises ConfigError: When the profile defines none, or its configuration or vocabulary is wrong.
    :raises MemoryUnavailableError: When its database or embedder is out of order.
    """
    settings = settings or Settings()
    profile = profile or settings.profile
    spec = resolved_names(profile, MEMORY_CORPUS, settings).get("memory")
    if not spec:
        raise ConfigError(f"profile {profile!r} defines no memory; write `memory:` as in embedded.yaml")
    memory: RAGMemoryIntegrator = instantiate(spec)
    with memory_errors():
        memory.warm_up()
    return memory


@contextmanager
def memory_errors() -> Iterator[None]:
    """
    Turn what the memory raises into errors that a user can put right.

    :raises ConfigError: For a wrong configuration or vocabulary.
    :raises MemoryUnavailableError: When the database or the embedder is out of order.
    :raises TansakuError: For what the memory can't use.
    """
    from components.query.domain_vocabulary import VocabularyError
    from memory_components.errors import MemoryInputError, MemoryStoreError
    from memory_components.memory_config import MemoryConfigError

    try:
        yield
    except (VocabularyError, MemoryConfigError) as error:
        raise ConfigError(str(error)) from error
    except MemoryStoreError as error:
        raise MemoryUnavailableError(str(error)) from error
    except MemoryInputError as error:
        raise TansakuError(str(error)) from error


class MemoryService:
    """
    One process's memory, opened at its first use, and again with each use until that works.

    Usage example:
    ```python
    service = MemoryService()
    service.give_feedback(session_id=session_id, rating=5, doc_id="HR-7#1")["feedback"]
    ```

    :param profile: The profile; that of the settings by default.
    :param settings: Read from the environment by default.
    :param seconds: How long a search, or a health check, waits for its database.
    """

    def __init__(self, profile: str | None = None, settings: Settings | None = None, seconds: float = 2.0):
        from memory_components.time_limit import TimeLimit

        self._profile = profile
        self._settings = settings
        self._opening = threading.Lock()
        self._memory: RAGMemoryIntegrator | None = None
        self._pipeline: Any = None
        self._keeping = TimeLimit("the memory of answers", seconds, MemoryUnavailableError)
        self._checking = TimeLimit("the memory", seconds, MemoryUnavailableError)

    @property
    def memory(self) -> "RAGMemoryIntegrator":
        """
        The memory; its forgetting runs in the background from the first use on, as its configuration says.

        :raises ConfigError: When its configuration is wrong.
        :raises MemoryUnavailableError: When its database or embedder is out of order.
        """
        with self._opening:
            if self._memory is None:
                memory = open_memory(self._profile, self._settings)
                memory.start_forgetting()
                self._memory = memory
            return self._memory

    def keep_answer(
        self,
        query: str,
        results: Sequence[Mapping[str, Any]],
        vector: Any = None,
        user_id: str = "",
        groups: Sequence[str] | None = None,
        past_sessions: Mapping[str, float] | None = None,
    ) -> str:
        """
        Keep an answer, so that it can be rated.

        :param query: The question.
        :param results: The answer's results, best first: `id`, `rank`, `score`, `memory_boost`.
        :param vector: The question's embedding, where there is one already.
        :param user_id: Who asked; "" for someone unknown.
        :param groups: The access groups of who asked.
        :param past_sessions: The sessions whose ratings acted on the answer.
        :returns: The session's id.
        :raises ConfigError: When the memory's configuration is wrong.
        :raises MemoryUnavailableError: When its database is out of order, or doesn't answer in time.
        """
        from memory_components.records import Shown

        shown = [Shown(hit["id"], hit["rank"], hit["score"], hit["memory_boost"]) for hit in results]

        def kept() -> str:
            with memory_errors():
                memory = self.memory
                return memory.record_search_session(
                    query, shown, vector, user_id, frozenset(groups or ()), past_sessions
                ).id

        return self._keeping.run(kept)

    def give_feedback(self, **arguments: Any) -> dict[str, Any]:
        """
        Run the pipeline that takes ratings.

        :param arguments: Those of `FeedbackWriter.run`.
        :returns: Its outputs: `feedback`, and `refused`, one of which is empty.
        :raises ConfigError: When the pipeline file is wrong.
        """
        _ = self.memory  # opened with errors that callers understand
        with self._opening:
            if self._pipeline is None:
                pipeline = build(resolve(FEEDBACK_PIPELINE, self._profile, self._settings))
                pipeline.warm_up()
                self._pipeline = pipeline
        outputs: dict[str, Any] = self._pipeline.run({_WRITER: arguments})[_WRITER]
        return outputs

    def health(self) -> dict[str, Any]:
        """
        Tell whether searches are answered with memory.

        :returns: `status`, "ready" or "failed", and the numbers of the memory or the reason.
        """

        def checked() -> dict[str, Any]:
            with memory_errors():
                return self.memory.health()

        try:
            found = self._checking.run(checked)
        except TansakuError as error:
            return {"status": "failed", "detail": str(error)}
        return {"status": "failed" if found["error"] else "ready", **found}

    def close(self) -> None:
        """End the background work and close the database."""
        with self._opening:
            if self._memory is not None:
                self._memory.forgetter.stop()
                self._memory.close()
                self._memory = None

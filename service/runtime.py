"""What the endpoints of one process share: a search over each corpus that is served, made ready in the background."""

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from pipelines.corpora import CORPORA, get_corpus
from pipelines.errors import ConfigError, IndexMissingError, TansakuError
from pipelines.generations import chosen_manifest
from pipelines.manifest import Manifest, read_index_info
from pipelines.manifest_database import Place
from pipelines.memory import MEMORY_CORPUS, MemoryService
from pipelines.settings import Settings
from service.errors import NotReadyError
from service.settings import ServiceSettings

logger = logging.getLogger(__name__)

RETRY_SECONDS = 2.0


class Searching(Protocol):
    """What the runtime needs of a search; a `pipelines.corpus_search.CorpusSearch` is one."""

    def warm_up(self) -> None: ...

    def health(self) -> dict[str, Any]: ...


Builders = Mapping[str, Callable[[], Searching]]
"""What makes the search of each corpus that is served."""


class ServedCorpus:
    """
    One corpus that a service answers from.

    Usage example:
    ```python
    served = ServedCorpus("us-patent-law", MpepSearch, ServiceSettings())
    served.start()
    served.search().section("608.01(o)")
    ```

    :param corpus: The corpus.
    :param build: Makes its search.
    :param settings: The service's settings.
    :param give_up: Called with the reason when production or staging can't start.
    """

    def __init__(
        self,
        corpus: str,
        build: Callable[[], Searching],
        settings: ServiceSettings,
        give_up: Callable[[str], None] | None = None,
    ):
        self.corpus = corpus
        self._give_up = give_up
        self._build, self._settings = build, settings
        self._search: Searching | None = None
        self._phase = "the service is starting"
        self._failed = False
        self._stopping = threading.Event()
        self._indexing: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._prepare, name=f"prepare-{corpus}", daemon=True)

    def start(self) -> None:
        """Begin to make the search ready; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End what is still under way. An index run that is ended here is finished by the next one."""
        self._stopping.set()
        if (indexing := self._indexing) and indexing.poll() is None:
            indexing.terminate()
        if self._thread.is_alive():
            self._thread.join(timeout=self._settings.shutdown_seconds)

    def search(self) -> Any:
        """
        Give the search.

        :returns: The search, warmed up.
        :raises NotReadyError: While it is being made ready, or when that failed.
        """
        if self._search is None:
            raise NotReadyError(f"{self._phase} (GET /health says when it is ready)")
        return self._search

    def health(self) -> tuple[str, dict[str, Any]]:
        """
        Tell whether searches are answered.

        :returns: "starting", "ready" or "failed", and the parts with their state.
        """
        if self._search is None:
            return "failed" if self._failed else "starting", {"detail": self._phase}
        try:
            parts = self._search.health()
        except TansakuError as error:
            return "failed", {"detail": str(error)}
        except Exception:
            logger.exception("the health check failed")
            return "failed", {"detail": "the health check failed; the log has the details"}
        return "ready" if parts.pop("ready", True) else "failed", parts

    def _prepare(self) -> None:
        """Try until it works: what was missing, an index above all, may be there later."""
        if self._settings.samples:
            self._index_samples()
        while self._search is None and not self._stopping.is_set():
            try:
                search = self._build()
                search.warm_up()
            except Exception as error:
                known = isinstance(error, TansakuError)
                phase = str(error) if known else "the start failed; the log has the details"
                if phase != self._phase:
                    logger.warning("not ready: %s", phase, exc_info=not known)
                self._phase, self._failed = phase, True
                if self._give_up and isinstance(error, ConfigError) and Settings().is_strict:
                    self._give_up(phase)
                    return
                self._stopping.wait(RETRY_SECONDS)
            else:
                self._search = search
                logger.info("ready: %s", self.corpus)

    def _index_samples(self) -> None:
        """
        Give an empty index the project's samples, or finish doing so while searches are answered from what is there.

        `tansaku index` runs as a process of its own: its memory is given back, and the writer's lock is never ours.
        """
        samples, place = get_corpus(self.corpus).samples, chosen_manifest(Settings(), self.corpus)
        if not _lacks_samples(place, self.corpus, samples):
            return
        begun = _has_chunks(place, self.corpus)
        if begun:
            logger.info("the samples of %s were not indexed to the end; that is done now, beside searches", self.corpus)
        else:
            self._phase = "the index is empty, so the project's samples are being indexed first"
            logger.info("%s; your own sources: tansaku index %s PATH...", self._phase, self.corpus)
        tansaku = [sys.executable, "-c", "from cli.main import run; run()"]
        command = [*tansaku, "index", self.corpus, str(samples), "--profile", self._settings.profile]
        # Standard output stays free for what `tansaku serve --json` prints.
        self._indexing = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        waiting = threading.Thread(target=self._await_samples, args=(self._indexing,), daemon=True)
        waiting.start()
        if not begun:
            waiting.join()

    def _await_samples(self, indexing: "subprocess.Popen[bytes]") -> None:
        if (code := indexing.wait()) and not self._stopping.is_set():
            logger.error("the samples could not be indexed: exit code %s", code)


def _has_chunks(place: Place, corpus: str) -> bool:
    try:
        return read_index_info(place, corpus).chunks > 0
    except TansakuError:
        return False


def _lacks_samples(place: Place, corpus: str, samples: Path) -> bool:
    """Whether there is no index, or one of the samples alone that was left unfinished."""
    try:
        info = read_index_info(place, corpus)
    except IndexMissingError:
        return True
    except TansakuError as error:
        logger.error("the index can't be read: %s", error)
        return False
    if not info.pending_sources and info.vectors == info.chunks:
        return False
    with Manifest(place) as manifest:
        return all(Path(row["path"]).is_relative_to(samples) for row in manifest.rows("SELECT path FROM roots"))


class Runtime:
    """
    Makes the searches ready when the service starts and hands them to the endpoints.

    Usage example:
    ```python
    runtime = Runtime(ServiceSettings())
    runtime.start()
    runtime.search("us-patent-law").section("608.01(o)")
    ```

    :param settings: The service's settings.
    :param builders: What makes the search of each corpus that is served; those of `served_corpora` when not given.
    """

    def __init__(self, settings: ServiceSettings, builders: Builders | None = None):
        self.settings = settings
        self.memory = MemoryService(settings.profile)
        builders = _builders(settings, self.memory) if builders is None else builders
        self.give_up: Callable[[str], None] | None = None
        """What ends the process when production or staging can't start; nothing by default."""
        self._served = {name: ServedCorpus(name, build, settings, self._given_up) for name, build in builders.items()}

    @property
    def corpora(self) -> list[str]:
        """The corpora that are served."""
        return list(self._served)

    def start(self) -> None:
        """Begin to make all searches ready; returns at once."""
        for served in self._served.values():
            served.start()

    def stop(self) -> None:
        """End what is still under way."""
        for served in self._served.values():
            served.stop()
        self.memory.close()

    def _given_up(self, reason: str) -> None:
        if self.give_up:
            self.give_up(reason)

    def search(self, corpus: str) -> Any:
        """
        Give the search over a corpus.

        :param corpus: The corpus.
        :returns: Its search, warmed up: `pipelines.mpep.MpepSearch` of us-patent-law, for example.
        :raises NotReadyError: While it is being made ready, when that failed, or when it isn't served.
        """
        if corpus not in self._served:
            raise NotReadyError(f"this service doesn't serve {corpus}; start it with: tansaku serve --corpus {corpus}")
        return self._served[corpus].search()

    def health(self) -> tuple[bool, dict[str, Any]]:
        """
        Tell whether searches are answered.

        :returns: Whether all corpora that are served can be searched, and their parts with their state.
        """
        states: dict[str, str] = {}
        answer: dict[str, Any] = {"pipelines": {}, "stores": {}, "corpora": {}, "embedder": {}}
        degraded: set[str] = set()
        for name, served in self._served.items():
            states[name], parts = served.health()
            answer["pipelines"] |= parts.get("pipelines", {})
            answer["stores"][name] = parts.get("stores", {})
            answer["embedder"] = parts.get("embedder") or answer["embedder"]
            detail = {"detail": parts["detail"]} if "detail" in parts else {}
            answer["corpora"][name] = {"status": states[name], **parts.get("corpus", {}), **detail}
            degraded.update(parts.get("degraded", []))
        if MEMORY_CORPUS in self._served:
            answer["memory"] = self.memory.health()
            degraded.update(["memory"] if answer["memory"]["status"] == "failed" else [])
        status = next((state for state in ("failed", "starting") if state in states.values()), "ready")
        details = [parts["detail"] for parts in answer["corpora"].values() if "detail" in parts]
        told = {"detail": "; ".join(dict.fromkeys(details))} if details else {}
        return status == "ready", {"status": status, **told, **answer, "degraded": sorted(degraded)}


def served_corpora(settings: ServiceSettings) -> list[str]:
    """
    The corpora that a service serves.

    :param settings: The service's settings.
    :returns: Those that the settings name; else those that have an index; else the first that there is.
    :raises ArgumentError: When the settings name one that doesn't exist.
    """
    if settings.named_corpora:
        return [get_corpus(name).name for name in settings.named_corpora]
    return [name for name in CORPORA if _has_index(name)] or list(CORPORA)[:1]


def _has_index(corpus: str) -> bool:
    try:
        read_index_info(chosen_manifest(Settings(), corpus), corpus)
    except IndexMissingError:
        return False
    except TansakuError:
        pass  # one that can't be read is shown, not hidden
    return True


def _builders(settings: ServiceSettings, memory: MemoryService) -> Builders:
    def build_rag() -> Searching:
        from pipelines.rag import RagSearch

        return RagSearch(profile=settings.profile, memory=memory)

    def build_mpep() -> Searching:
        from pipelines.mpep import MpepSearch

        return MpepSearch(profile=settings.profile)

    searches: Builders = {"us-patent-law": build_mpep, "company-docs": build_rag}
    return {name: searches[name] for name in served_corpora(settings)}


_shared: Runtime | None = None


def share(runtime: Runtime) -> None:
    """Make a runtime the one that Hayhooks' wrappers get; they are built by Hayhooks and take no arguments."""
    global _shared  # noqa: PLW0603
    _shared = runtime


def shared_runtime() -> Runtime:
    """
    Give the process's runtime.

    :returns: The runtime that `share` was given.
    :raises NotReadyError: When there is none.
    """
    if _shared is None:
        raise NotReadyError("the wrappers belong to the service; start it with: tansaku serve")
    return _shared

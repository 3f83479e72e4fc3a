"""What the endpoints of one process share: the search over the index, made ready in the background."""

import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from pipelines.corpora import get_corpus
from pipelines.errors import IndexMissingError, TansakuError
from pipelines.generations import chosen_manifest
from pipelines.manifest import Manifest, read_index_info
from pipelines.manifest_database import Place
from pipelines.settings import Settings
from service.errors import NotReadyError
from service.settings import ServiceSettings

logger = logging.getLogger(__name__)

CORPUS = "us-patent-law"
RETRY_SECONDS = 2.0


class MpepTools(Protocol):
    """What the endpoints need of a search; `pipelines.mpep.MpepSearch` is one."""

    def warm_up(self) -> None: ...

    def search(
        self,
        query: str,
        top_k: int = 5,
        retrieve_k: int | None = None,
        source_filter: str | None = None,
        is_statute: bool | None = None,
        is_regulation: bool | None = None,
        is_update: bool | None = None,
    ) -> dict[str, Any]: ...

    def section(self, section_number: str, max_chunks: int = 50) -> dict[str, Any]: ...

    def health(self) -> dict[str, Any]: ...


class Runtime:
    """
    Builds the search when the service starts and hands it to the endpoints.

    Usage example:
    ```python
    runtime = Runtime(ServiceSettings())
    runtime.start()
    runtime.mpep().section("608.01(o)")
    ```

    :param settings: The service's settings.
    :param build: Makes the search; `pipelines.mpep.MpepSearch` with the settings' profile when not given.
    """

    def __init__(self, settings: ServiceSettings, build: Callable[[], MpepTools] | None = None):
        self.settings = settings
        self._build = build or self._build_from_profile
        self._search: MpepTools | None = None
        self._phase = "the service is starting"
        self._failed = False
        self._stopping = threading.Event()
        self._indexing: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._prepare, name="prepare-search", daemon=True)

    def start(self) -> None:
        """Begin to make the search ready; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End what is still under way. An index run that is ended here is finished by the next one."""
        self._stopping.set()
        if (indexing := self._indexing) and indexing.poll() is None:
            indexing.terminate()
        if self._thread.is_alive():
            self._thread.join(timeout=self.settings.shutdown_seconds)

    def mpep(self) -> MpepTools:
        """
        Give the search over US patent law.

        :returns: The search, warmed up.
        :raises NotReadyError: While it is being made ready, or when that failed.
        """
        if self._search is None:
            raise NotReadyError(f"{self._phase} (GET /health says when it is ready)")
        return self._search

    def health(self) -> tuple[bool, dict[str, Any]]:
        """
        Tell whether searches are answered.

        :returns: Whether they are, and the parts with their state.
        """
        if self._search is None:
            return False, {"status": "failed" if self._failed else "starting", "detail": self._phase}
        try:
            parts = self._search.health()
        except TansakuError as error:
            return False, {"status": "failed", "detail": str(error)}
        except Exception:
            logger.exception("the health check failed")
            return False, {"status": "failed", "detail": "the health check failed; the log has the details"}
        ready = bool(parts.get("ready", True))
        return ready, {"status": "ready" if ready else "failed", **parts}

    def _build_from_profile(self) -> MpepTools:
        from pipelines.mpep import MpepSearch

        return MpepSearch(profile=self.settings.profile)

    def _prepare(self) -> None:
        """Try until it works: what was missing, an index above all, may be there later."""
        if self.settings.samples:
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
                self._stopping.wait(RETRY_SECONDS)
            else:
                self._search = search
                logger.info("ready")

    def _index_samples(self) -> None:
        """
        Give an empty index the project's samples, or finish doing so.

        `tansaku index` runs as a process of its own: its memory is given back, and the writer's lock is never ours.
        """
        samples = get_corpus(CORPUS).samples
        if not _lacks_samples(chosen_manifest(Settings(), CORPUS), samples):
            return
        self._phase = "the index is empty, so the project's samples are being indexed first"
        logger.info("%s; your own sources: tansaku index %s PATH...", self._phase, CORPUS)
        tansaku = [sys.executable, "-c", "from cli.main import run; run()"]
        command = [*tansaku, "index", CORPUS, str(samples), "--profile", self.settings.profile]
        # Standard output stays free for what `tansaku serve --json` prints.
        self._indexing = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
        if (code := self._indexing.wait()) and not self._stopping.is_set():
            logger.error("the samples could not be indexed: exit code %s", code)


def _lacks_samples(place: Place, samples: Path) -> bool:
    """Whether there is no index, or one of the samples alone that was left unfinished."""
    try:
        info = read_index_info(place, CORPUS)
    except IndexMissingError:
        return True
    except TansakuError as error:
        logger.error("the index can't be read: %s", error)
        return False
    if not info.pending_sources and info.vectors == info.chunks:
        return False
    with Manifest(place) as manifest:
        return all(Path(row["path"]).is_relative_to(samples) for row in manifest.rows("SELECT path FROM roots"))


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

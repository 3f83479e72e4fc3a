"""Builds an index anew beside the one that is searched, and goes back to an earlier one: `tansaku index --rebuild`."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipelines.corpora import Corpus
from pipelines.earlier_vectors import earlier_vectors
from pipelines.errors import TansakuError
from pipelines.generation_checks import find_problems
from pipelines.generation_removal import remove_generation
from pipelines.generations import FAILED, Generation, Generations
from pipelines.index_lock import index_lock
from pipelines.index_report import IndexReport
from pipelines.index_stores import open_stores
from pipelines.indexing import IndexRun
from pipelines.loading import resolve
from pipelines.manifest import IndexInfo, Manifest
from pipelines.manifest_database import database_exists, manifest_place
from pipelines.scanning import Progress, no_progress
from pipelines.settings import Settings

logger = logging.getLogger(__name__)

Proof = Callable[[Settings], list[str]]
"""Searches the generation that settings name, and says what is wrong with it."""

CHECKING = "checking the new generation"


class RebuildRefusedError(TansakuError):
    """A new generation did not stand its checks; the one before is searched on."""


@dataclass(frozen=True)
class Rebuilt:
    """
    What a rebuild did.

    :param generation: The number of the generation that is searched now.
    :param before: That of the one before.
    :param removed: Old generations that were removed.
    :param report: What the run over the new one found.
    """

    generation: int
    before: int
    removed: list[int]
    report: IndexReport


class GenerationKeeper:
    """
    Makes, checks, switches and removes generations of a corpus's index.

    Usage example:
    ```python
    keeper = GenerationKeeper(get_corpus("us-patent-law"))
    keeper.rebuild([Path("law")]).generation
    keeper.roll_back()
    ```

    :param corpus: Whose index.
    :param settings: Where it is; read from the environment by default.
    :param profile: Which stores; that of the settings by default.
    :param progress: Called with a step's name, what is done and what there is to do.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings | None = None,
        profile: str | None = None,
        progress: Progress = no_progress,
    ):
        self._corpus, self._profile, self._progress = corpus, profile, progress
        self._settings = settings or Settings()
        self._generations = Generations(self._settings, corpus.name)

    def rebuild(
        self, paths: list[Path], *, keep: int = 2, proof: Proof = lambda settings: [], workers: int | None = None
    ) -> Rebuilt:
        """
        Build a new generation of all that is under some paths, check it, and search it from then on. A rebuild that
        was stopped is finished by the next one. Vectors of texts that did not change are taken over.

        :param paths: Files, folders and archives.
        :param keep: How many old generations stay, 1 or more: searches under way finish on the last one.
        :param proof: Checks beside the usual ones.
        :param workers: Processes that convert sources; one a core by default.
        :returns: What was done.
        :raises RebuildRefusedError: When the new generation does not stand the checks.
        :raises IndexLockedError: When another process writes this index.
        """
        with index_lock(self._settings, self._corpus.name):
            before = self._generations.active()
            self._remove([each.number for each in self._generations.all() if each.state == FAILED])
            number = self._generations.start()
            own = self._settings.of_generation(number)
            run = IndexRun(self._corpus, own, self._profile, self._progress, workers)
            with earlier_vectors(self._corpus, self._settings.of_generation(before), self._profile) as earlier:
                report = run.run_locked(paths, prune=True, earlier=earlier)
            self._progress(CHECKING, 0, 1)
            problems = find_problems(self._corpus, own, self._profile, report, before) or proof(own)
            self._progress(CHECKING, 1, 1)
            if problems:
                self._generations.fail(number, "; ".join(problems))
                raise RebuildRefusedError(
                    f"generation {number} of {self._corpus.name} isn't used, {before} stays: {'; '.join(problems)}"
                )
            self._switch(number)
            removed = self._generations.surplus(keep, before)
            self._remove(removed)
        return Rebuilt(number, before, removed, report)

    def roll_back(self, to: int | None = None) -> int:
        """
        Search an earlier generation again.

        :param to: Its number; the last one before the active one by default.
        :returns: Its number.
        :raises ArgumentError: When there is no such generation.
        :raises TansakuError: When none is kept, or it isn't whole any more.
        :raises IndexLockedError: When another process writes this index.
        """
        with index_lock(self._settings, self._corpus.name):
            number = self._generations.before(to)
            info = self._info(number)
            counts = {name: store.count_documents() for name, store in self._stores(number).items()}
            if info is None or counts["keyword"] != info.chunks:
                raise TansakuError(
                    f"generation {number} of {self._corpus.name} isn't whole any more; {counts} is there"
                )
            self._switch(number)
        return number

    def listed(self) -> list[tuple[Generation, IndexInfo | None]]:
        """All generations with what they hold; None where nothing was indexed yet."""
        return [(each, self._info(each.number)) for each in self._generations.all()]

    def _switch(self, number: int) -> None:
        self._generations.activate(number)
        logger.info("generation %d of %s is active", number, self._corpus.name)
        # For others than Tansaku, which goes by the list: the names on servers without a generation.
        for store in self._stores(number).values():
            name = str(getattr(store, "index", None) or getattr(store, "collection", ""))
            if name.endswith(f"-g{number}"):
                store.set_alias(name.removesuffix(f"-g{number}"))
            store.close()

    def _remove(self, numbers: list[int]) -> None:
        for number in numbers:
            self._generations.forget(number)
            remove_generation(self._settings.of_generation(number), self._corpus.name, self._stores(number))

    def _stores(self, number: int) -> dict[str, Any]:
        own = self._settings.of_generation(number)
        return open_stores(resolve(self._corpus.indexing, self._profile, own, self._corpus.name))

    def _info(self, number: int) -> IndexInfo | None:
        place = manifest_place(self._settings, self._corpus.name, number)
        if not database_exists(place):
            return None
        with Manifest(place) as manifest:
            return manifest.info()

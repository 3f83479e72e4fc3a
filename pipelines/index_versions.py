"""What an index was made with and what it is now: what has to be made again, and the corpus version."""

import hashlib
import logging
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipelines import PROJECT
from pipelines.component_types import find_class
from pipelines.errors import EmbedderChangedError
from pipelines.generations import chosen_generation
from pipelines.loading import Definition, without
from pipelines.manifest import RECIPE, Manifest
from pipelines.production import EMBEDDER, KEYWORD_WRITER, PARENTS_WRITER, VECTOR_WRITER
from pipelines.settings import Settings
from pipelines.vector_recipe import VectorRecipe, portable

logger = logging.getLogger(__name__)

_ANALYSIS_PACKAGES = ("analysis", "converters", "splitters")


class IndexVersions:
    """
    Compares what an index was made with to what it would be made with now, and marks in its manifest what is outdated.

    :param manifest: The index's manifest.
    :param definition: The resolved indexing pipeline.
    :param settings: Where the index and models are.
    :param corpus: Whose index it is.
    """

    def __init__(self, manifest: Manifest, definition: Definition, settings: Settings, corpus: str):
        self._manifest = manifest
        self._definition = definition
        self._settings = settings
        self._corpus = corpus
        self._folder = settings.generation_dir(corpus, chosen_generation(settings, corpus))

    def refuse_other_embedder(self) -> None:
        """
        Making all vectors anew takes hours, and a forgotten option is the usual reason for another embedder.

        :raises EmbedderChangedError: When there are vectors by another embedder than the pipeline's.
        """
        before, now = (
            VectorRecipe.read(self._manifest.fact(RECIPE)),
            VectorRecipe.of(self._definition, self._settings, self._corpus),
        )
        if before and before.type and now.type and not now.renews(before) and (count := self._manifest.count_vectors()):
            raise EmbedderChangedError(self._corpus, count, before.label, now.label)

    def replace_changed_stores(self) -> None:
        """A store that the profile defines otherwise than before starts anew: fields can't be added to an index."""
        for name in (KEYWORD_WRITER, PARENTS_WRITER, VECTOR_WRITER):
            spec = self._definition["components"].get(name, {}).get("init_parameters", {}).get("document_store")
            before, now = self._manifest.fact(name), self._portable(spec)
            path = Path((spec or {}).get("init_parameters", {}).get("path") or self._folder)
            if before and before != now and path.is_relative_to(self._folder) and path != self._folder:
                logger.warning("The store behind %s is defined otherwise than before; it is built anew", name)
                with self._manifest.transaction():
                    if name == VECTOR_WRITER:
                        self._manifest.change("UPDATE chunks SET vector_text = NULL, vector_meta = NULL")
                    else:
                        self._manifest.change(
                            "UPDATE sources SET state = 'pending' WHERE state = 'done' AND digest != ''"
                        )
                shutil.rmtree(path, ignore_errors=True)
            if before != now:
                self._manifest.set_fact(name, now)

    def expire(self, stored: int) -> None:
        """
        Everything is indexed again when the pipeline or the code behind it is not what it was, or the store was lost.

        :param stored: How many chunks the keyword store holds.
        """
        manifest = self._manifest
        produced = self._fingerprint()
        is_lost = manifest.count_chunks() > 0 and stored == 0
        if is_lost:
            logger.warning("The keyword store is empty; all sources are indexed again")
        with manifest.transaction():
            if is_lost or manifest.fact("pipeline") != produced:
                manifest.change("UPDATE sources SET state = 'pending' WHERE state = 'done' AND digest != ''")
                manifest.set_fact("pipeline", produced)

    def set_corpus_version(self) -> None:
        """The version changes with the index's content only: the day of the change and a hash over all chunks."""
        digest = hashlib.sha256()
        for row in self._manifest.stream(
            "SELECT id, text_hash, meta_hash FROM chunks WHERE text_hash IS NOT NULL ORDER BY id"
        ):
            digest.update("\t".join(row).encode() + b"\n")
        content = digest.hexdigest()[:10]
        if not self._manifest.fact("corpus_version").endswith(content):
            self._manifest.set_fact("corpus_version", f"{datetime.now(UTC):%Y-%m-%d}-{content}")

    def _fingerprint(self) -> str:
        """A hash that changes when sources would give other chunks: of the pipeline and of the code that it runs."""
        relevant = _without_connections(without(self._definition, (EMBEDDER, VECTOR_WRITER)))
        digest = hashlib.sha256(self._portable(relevant).encode())
        for package in _ANALYSIS_PACKAGES:
            for file in sorted((PROJECT / "components" / package).rglob("*.py")):
                digest.update(file.name.encode() + file.read_bytes())
        return digest.hexdigest()

    def _portable(self, value: Any) -> str:
        return portable(value, self._settings, self._corpus)


def _without_connections(definition: Definition) -> Definition:
    """The definition without what its stores name in an attribute `beside_content`, such as a server's time limit."""
    components = {}
    for name, spec in definition["components"].items():
        parameters = spec.get("init_parameters") or {}
        if store := parameters.get("document_store"):
            beside = getattr(find_class(store["type"]), "beside_content", ())
            kept = {key: value for key, value in (store.get("init_parameters") or {}).items() if key not in beside}
            parameters = {**parameters, "document_store": {**store, "init_parameters": kept}}
        components[name] = {**spec, "init_parameters": parameters}
    return {**definition, "components": components}

"""Vectors that an earlier generation of an index has of the same texts, so that a rebuild embeds only what is new."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from pipelines.corpora import Corpus
from pipelines.index_stores import open_stores
from pipelines.loading import resolve
from pipelines.manifest import RECIPE, Manifest
from pipelines.manifest_database import database_exists, manifest_place
from pipelines.settings import Settings
from pipelines.vector_recipe import VectorRecipe

logger = logging.getLogger(__name__)


class EarlierVectors:
    """
    Looks vectors up by chunk and text.

    Usage example:
    ```python
    with earlier_vectors(get_corpus("us-patent-law"), Settings().of_generation(1), "embedded") as earlier:
        earlier.of_chunks(manifest.todo(512))
    ```

    :param manifest: The earlier generation's manifest.
    :param store: Its vector store.
    """

    def __init__(self, manifest: Manifest, store: Any):
        self._manifest, self._store = manifest, store

    @property
    def recipe(self) -> VectorRecipe | None:
        """What the vectors were made by."""
        return VectorRecipe.read(self._manifest.fact(RECIPE))

    def of_chunks(self, rows: Sequence[Any]) -> dict[str, Any]:
        """
        The vectors of chunks that have the text they had.

        :param rows: Chunks, as another manifest knows them.
        :returns: Vectors by the chunks' ids; nothing of chunks whose text is another, or that had no vector, nor when
            the store can't be read.
        """
        known = self._manifest.rows("SELECT id, vector_text FROM chunks WHERE id IN ?", [row["id"] for row in rows])
        texts = {row["id"]: row["vector_text"] for row in known}
        same = [row["id"] for row in rows if texts.get(row["id"]) == row["text_hash"]]
        with _told():
            return dict(self._store.get_vectors(same)) if same else {}
        return {}


@contextmanager
def earlier_vectors(corpus: Corpus, settings: Settings, profile: str | None) -> Iterator[EarlierVectors | None]:
    """
    Open the vectors of a generation.

    :param corpus: Whose index.
    :param settings: Name the generation.
    :param profile: Which stores.
    :returns: They; None when there are none, or they can't be opened.
    """
    place = manifest_place(settings, corpus.name, settings.generation or 1)
    with ExitStack() as stack:
        earlier = None
        with _told():
            stores = open_stores(resolve(corpus.indexing, profile, settings, corpus.name))
            for store in stores.values():
                stack.callback(store.close)
            if "vector" in stores and database_exists(place):
                earlier = EarlierVectors(stack.enter_context(Manifest(place)), stores["vector"])
        yield earlier


@contextmanager
def _told() -> Iterator[None]:
    """Whatever is wrong with an earlier generation, a rebuild is the way out: then all texts are embedded."""
    try:
        yield
    except Exception as error:
        logger.warning("Vectors of the generation before can't be taken over: %s", error)

"""The vector pass of an index run: every chunk of the keyword store gets its vector, and only those do."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pipelines.counting import counted
from pipelines.errors import TansakuError
from pipelines.loading import Definition, build
from pipelines.manifest import RECIPE, Manifest
from pipelines.production import EMBEDDER, VECTOR_WRITER
from pipelines.scanning import Progress
from pipelines.vector_recipe import VectorRecipe

if TYPE_CHECKING:
    from haystack import Document

logger = logging.getLogger(__name__)

LOADING, EMBEDDING = "loading the embedder", "embedding chunks"
# Each write publishes a new state of the vector store, so it is worth a few seconds of embedding.
BATCH, STEP = 512, 64


class VectorPass:
    """
    Brings the vector store up to date with the manifest, in batches; what is done stays done when the process dies.

    :param manifest: The corpus's manifest.
    :param definition: The resolved indexing pipeline, with `embedder` and `vector_writer`.
    :param get_chunks: Gets chunks by id from the keyword store.
    :param corpus: Whose index it is, for messages.
    """

    def __init__(
        self,
        manifest: Manifest,
        definition: Definition,
        get_chunks: "Callable[[list[str]], list[Document]]",
        corpus: str,
    ):
        self._manifest = manifest
        self._corpus = corpus
        self._get_chunks = get_chunks
        # Not warmed up before there is something to embed: loading the model takes seconds.
        self._pipeline = build(_embedding_part(definition))
        self._embedder: Any = self._pipeline.get_component(EMBEDDER)
        self._writer = cast(Any, self._pipeline.get_component(VECTOR_WRITER))
        self.store: Any = self._writer.document_store

    def close(self) -> None:
        """Let other processes write the vector store."""
        self.store.close()

    def renew(self, recipe: VectorRecipe) -> list[str]:
        """
        Take all vectors out of the store when another recipe made them.

        :param recipe: What vectors are made by now.
        :returns: A note for the user, if there were such vectors.
        """
        notes = []
        before = VectorRecipe.read(self._manifest.fact(RECIPE))
        if before and before != recipe and (count := self.store.count_documents()):
            notes.append(
                f"{counted(count, 'vector')} by another recipe ({before.label}) taken out, and chunks embedded anew "
                f"by the present one ({recipe.label})"
            )
            # Emptied first: should the process die in between, the manifest still tells the recipe of what is there.
            self.store.delete_where(None)
        if self._manifest.fact(RECIPE) != str(recipe):
            with self._manifest.transaction():
                if before != recipe:
                    self._manifest.change("UPDATE chunks SET vector_text = NULL, vector_meta = NULL")
                self._manifest.set_fact(RECIPE, str(recipe))
        return notes

    def check(self) -> None:
        """Find chunks again whose vectors are not in the store although the manifest says so."""
        embedded = self._manifest.rows("SELECT count(*) FROM chunks WHERE vector_text IS NOT NULL")[0][0]
        if embedded <= self.store.count_documents():
            return
        present = set(self.store.ids(None))
        rows = self._manifest.rows("SELECT id FROM chunks WHERE vector_text IS NOT NULL")
        missing = [row["id"] for row in rows if row["id"] not in present]
        logger.warning("The vector store lacks %s; made again", counted(len(missing), "vector"))
        self._manifest.forget_vectors(missing)

    def remove_stale(self) -> None:
        """Delete the vectors of chunks that are gone."""
        stale = [row["id"] for row in self._manifest.rows("SELECT id FROM chunks WHERE text_hash IS NULL")]
        if not stale:
            return
        # Forgotten first: should the process die in between, a chunk that comes back gets a new vector.
        self._manifest.forget_vectors(stale)
        self.store.delete_documents(stale)
        self._manifest.change("DELETE FROM chunks WHERE text_hash IS NULL AND id IN ?", stale)

    def run(self, progress: Progress) -> int:
        """
        Embed what waits for it. The vector of a chunk whose text is the same as before is kept.

        :param progress: Called after each batch.
        :returns: How many chunks were embedded.
        :raises TansakuError: When the embedder fails, or the keyword store lacks chunks that the manifest knows.
        """
        total = self._manifest.count_todo()
        if not total:
            return 0
        progress(LOADING, 0, 1)
        with self._explained("the embedder can't be made ready"):
            self._pipeline.warm_up()
        progress(LOADING, 1, 1)
        done = embedded = 0
        while rows := self._manifest.todo(BATCH):
            chunks = {chunk.id: chunk for chunk in self._get_chunks(list(rows))}
            if len(chunks) < len(rows):
                raise TansakuError(
                    f"the keyword store lacks {counted(len(rows) - len(chunks), 'chunk')}, for example "
                    f"{min(set(rows) - set(chunks))}; put it right with: tansaku doctor {self._corpus} --repair"
                )
            kept = self._keep_vectors([chunks[i] for i, row in rows.items() if row["vector_text"] == row["text_hash"]])
            new = [chunk for id, chunk in chunks.items() if id not in kept]
            done += len(kept)
            vectors: list[Document] = []
            for start in range(0, len(new), STEP):
                progress(EMBEDDING, done + start, total)
                with self._explained("embedding failed"):
                    vectors += self._embedder.run(documents=new[start : start + STEP])["documents"]
            if vectors:
                self._writer.run(documents=vectors)
            self._manifest.mark_embedded(rows.values())
            done += len(new)
            embedded += len(new)
        progress(EMBEDDING, done, total)
        return embedded

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """Any embedder may be in use, so what it raises is not known; keyword search works without its vectors."""
        try:
            yield
        except Exception as error:
            raise TansakuError(
                f"{what}: {error or type(error).__name__}; the chunks can be found by keywords; embed them later "
                f"with: tansaku index {self._corpus} --resume"
            ) from error

    def _keep_vectors(self, chunks: "list[Document]") -> set[str]:
        """Write chunks again with the vectors that the store has for them; only their metadata changed."""
        from haystack.document_stores.types import DuplicatePolicy

        if not chunks:
            return set()
        vectors = self.store.get_vectors([chunk.id for chunk in chunks])
        known = [replace(chunk, embedding=vectors[chunk.id]) for chunk in chunks if chunk.id in vectors]
        self.store.write_documents(known, DuplicatePolicy.OVERWRITE)
        return {chunk.id for chunk in known}


def _embedding_part(definition: Definition) -> Definition:
    """The embedder and the writer behind it."""
    parts = (EMBEDDER, VECTOR_WRITER)
    return {
        **definition,
        "components": {name: definition["components"][name] for name in parts},
        "connections": [c for c in definition["connections"] if c["sender"].split(".")[0] == EMBEDDER],
    }

"""The vector pass of an index run: every chunk of the keyword store gets its vector, and only those do."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from pipelines.counting import counted
from pipelines.earlier_vectors import EarlierVectors
from pipelines.errors import TansakuError
from pipelines.free_space import require_space_for_vectors
from pipelines.index_stores import patient
from pipelines.loading import Definition, build
from pipelines.manifest import RECIPE, Manifest
from pipelines.production import EMBEDDER, VECTOR_WRITER
from pipelines.scanning import Progress
from pipelines.shards import WHOLE, Shard
from pipelines.vector_recipe import VectorRecipe

if TYPE_CHECKING:
    from haystack import Document

logger = logging.getLogger(__name__)

LOADING, EMBEDDING = "loading the embedder", "embedding chunks"
TAKING_OVER = "taking over vectors of the generation before"
REMOVING, REFRESHING = "removing vectors of replaced text", "updating vectors' metadata"
# Each write publishes a new state of the vector store, so it is worth a few seconds of embedding.
BATCH, STEP = 512, 64
REFRESHED = 4096


class VectorPass:
    """
    Brings the vector store up to date with the manifest, in batches; what is done stays done when the process dies.

    :param manifest: The corpus's manifest.
    :param definition: The resolved indexing pipeline, with `embedder` and `vector_writer`.
    :param get_chunks: Gets chunks by id from the keyword store.
    :param corpus: Whose index it is, for messages.
    :param shard: The part of the sources whose chunks are embedded.
    """

    def __init__(
        self,
        manifest: Manifest,
        definition: Definition,
        get_chunks: "Callable[[list[str]], list[Document]]",
        corpus: str,
        shard: Shard = WHOLE,
    ):
        self._manifest = manifest
        self._corpus = corpus
        self._shard = shard
        self._get_chunks = get_chunks
        # Not warmed up before there is something to embed: loading the model takes seconds.
        self._pipeline = build(patient(_embedding_part(definition)))
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
        embedded = self._manifest.embedded()
        if len(embedded) <= self.store.count_documents():
            return
        missing = sorted(embedded - set(self.store.ids(None)))
        logger.warning("The vector store lacks %s; made again", counted(len(missing), "vector"))
        self._manifest.forget_vectors(missing)

    def remove_outdated(self, progress: Progress) -> None:
        """
        Delete the vectors of chunks that are gone or have another text by now; searches went without all vectors.

        :param progress: Called before and after it.
        """
        if outdated := self._manifest.outdated():
            progress(REMOVING, 0, len(outdated))
            self.store.delete_documents(outdated)
            self._manifest.forget_outdated()
            progress(REMOVING, len(outdated), len(outdated))

    def refresh(self, progress: Progress) -> None:
        """
        Give vectors the metadata of their chunks where that alone changed; nothing is embedded.

        :param progress: Called before each batch and at the end.
        """
        rows = [row for row in self._manifest.with_old_metadata() if self._shard.owns(row["origin"])]
        for start in range(0, len(rows), REFRESHED):
            progress(REFRESHING, start, len(rows))
            batch = rows[start : start + REFRESHED]
            with self._manifest.turn():
                batch = self._manifest.unchanged(batch)
                kept = self._keep_vectors(list(self._chunks_of(batch).values()))
                self._manifest.mark_embedded([row for row in batch if row["id"] in kept])
                if lost := [row["id"] for row in batch if row["id"] not in kept]:
                    self._manifest.forget_vectors(lost)
        if rows:
            progress(REFRESHING, len(rows), len(rows))

    def take_over(self, earlier: EarlierVectors, recipe: VectorRecipe, progress: Progress) -> list[str]:
        """
        Use the vectors that another generation has of the same texts, where the same recipe made them.

        :param earlier: The other generation's vectors.
        :param recipe: What vectors are made by now.
        :param progress: Called before each batch and at the end.
        :returns: A note for the user, if there were such vectors.
        """
        if earlier.recipe != recipe:
            return []
        total, seen, taken = self._manifest.count_todo(), 0, 0
        for rows in self._waiting():
            progress(TAKING_OVER, seen, total)
            vectors = earlier.of_chunks(rows)
            with self._manifest.turn():
                same = self._manifest.unchanged([row for row in rows if row["id"] in vectors])
                self._write(list(self._chunks_of(same).values()), vectors)
                self._manifest.mark_embedded(same)
            seen, taken = seen + len(rows), taken + len(same)
        progress(TAKING_OVER, seen, total)
        return [f"{counted(taken, 'vector')} of unchanged texts taken over from the generation before"] if taken else []

    def run(self, progress: Progress) -> int:
        """
        Embed what waits for it.

        :param progress: Called after each batch.
        :returns: How many chunks were embedded.
        :raises TansakuError: When the embedder fails, or the keyword store lacks chunks that the manifest knows.
        """
        total = self._manifest.count_todo()
        if not total:
            return 0
        require_space_for_vectors(self.store, self._manifest.count_chunks())
        progress(LOADING, 0, 1)
        with self._explained("the embedder can't be made ready"):
            self._pipeline.warm_up()
        progress(LOADING, 1, 1)
        done = 0
        for rows in self._waiting():
            chunks = list(self._chunks_of(rows).values())
            vectors: list[Document] = []
            for start in range(0, len(chunks), STEP):
                progress(EMBEDDING, done + start, total)
                with self._explained("embedding failed"):
                    vectors += self._embedder.run(documents=chunks[start : start + STEP])["documents"]
            require_space_for_vectors(self.store, self._manifest.count_vectors() + len(vectors))
            with self._manifest.turn():
                same = self._manifest.unchanged(rows)
                ids = {row["id"] for row in same}
                if ids:
                    self._writer.run(documents=[vector for vector in vectors if vector.id in ids])
                    self._manifest.mark_embedded(same)
            done += len(rows)
        progress(EMBEDDING, done, total)
        return done

    def _waiting(self) -> Iterator[list[Any]]:
        """Batches of chunks that wait for their vector."""
        after = ""
        while rows := self._manifest.todo(BATCH * self._shard.count, after):
            after = rows[-1]["id"]
            own = [row for row in rows if self._shard.owns(row["origin"])]
            for start in range(0, len(own), BATCH):
                yield own[start : start + BATCH]

    def _chunks_of(self, rows: Sequence[Any]) -> "dict[str, Document]":
        chunks = {chunk.id: chunk for chunk in self._get_chunks([row["id"] for row in rows])}
        if len(chunks) < len(rows):
            raise TansakuError(
                f"the keyword store lacks {counted(len(rows) - len(chunks), 'chunk')}, for example "
                f"{min({row['id'] for row in rows} - set(chunks))}; put it right with: tansaku doctor {self._corpus} "
                "--repair"
            )
        return chunks

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
        return self._write(chunks, self.store.get_vectors([chunk.id for chunk in chunks]))

    def _write(self, chunks: "list[Document]", vectors: Mapping[str, Any]) -> set[str]:
        """Write the chunks that have a vector."""
        from haystack.document_stores.types import DuplicatePolicy

        known = [replace(chunk, embedding=vectors[chunk.id]) for chunk in chunks if chunk.id in vectors]
        if known:
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

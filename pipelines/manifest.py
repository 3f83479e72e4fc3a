"""
The index manifest: which sources a corpus's index was made of, and what of each is in which store.

Invariants, which make a killed run harmless:

- A source is `pending` until its chunks are in the keyword stores; nothing else decides what a run has to do.
- Before a store is touched, `begin` notes what is about to be claimed. If the process dies before `finish`, the claims
  of both versions are known, so whatever it left in the stores is found and replaced.
- A chunk's row says what the keyword store holds (`text_hash`, `meta_hash`; NULL when the chunk is gone) and what its
  vector was made of (`vector_text`, `vector_meta`; NULL when it has none). Before the text is replaced, `begin` makes
  `vector_text` empty: from then on, until the vector is taken out, the vector store may hold one of another text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.errors import IndexMissingError
from pipelines.manifest_database import Place, Row, database_exists, open_database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS roots (name TEXT PRIMARY KEY, path TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    key TEXT PRIMARY KEY, root TEXT NOT NULL, path TEXT NOT NULL, size BIGINT, changed BIGINT);
CREATE TABLE IF NOT EXISTS sources (
    origin TEXT PRIMARY KEY, file TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, state TEXT NOT NULL,
    open BIGINT NOT NULL DEFAULT 0, kind TEXT NOT NULL DEFAULT '', detail TEXT NOT NULL DEFAULT '',
    edition TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', unreadable TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS sources_file ON sources (file);
CREATE INDEX IF NOT EXISTS sources_state ON sources (state);
CREATE TABLE IF NOT EXISTS claims (
    origin TEXT NOT NULL, source_id TEXT NOT NULL, precedence BIGINT NOT NULL,
    PRIMARY KEY (origin, source_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_source_id ON claims (source_id, precedence DESC, origin);
CREATE TABLE IF NOT EXISTS chunks (
    id TEXT PRIMARY KEY, source_id TEXT NOT NULL, origin TEXT NOT NULL, text_hash TEXT, meta_hash TEXT,
    vector_text TEXT, vector_meta TEXT) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS chunks_origin ON chunks (origin);
CREATE INDEX IF NOT EXISTS chunks_source_id ON chunks (source_id);
"""
_TODO = (
    "text_hash IS NOT NULL AND (vector_text IS NULL OR vector_text <> text_hash"
    " OR vector_meta IS NULL OR vector_meta <> meta_hash)"
)
# An index of older manifests says the same in words that a planner takes for others.
_TABLES = f"""{_SCHEMA}
DROP INDEX IF EXISTS chunks_todo;
CREATE INDEX IF NOT EXISTS chunks_waiting ON chunks (id) WHERE {_TODO};
"""

_OUTDATED = "vector_text IS NOT NULL AND (text_hash IS NULL OR vector_text <> text_hash)"

RECIPE = "embedder"
"""The fact that tells what the vectors were made by, see `pipelines.vector_recipe`."""

Claims = Mapping[tuple[str, str], int]
"""(origin, source id) -> precedence: which source offers which record, and how good an edition it is."""


@dataclass(frozen=True)
class ChunkRow:
    """What a chunk is made of: `text_hash` covers what the embedder sees, `meta_hash` all other metadata."""

    id: str
    source_id: str
    origin: str
    text_hash: str
    meta_hash: str


@dataclass(frozen=True)
class Outcome:
    """What became of one source."""

    origin: str
    digest: str
    kind: str = ""
    detail: str = ""
    edition: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Plan:
    """
    What writing a batch of sources means for the stores.

    :param winners: Records that a source of the batch provides from now on: source id -> origin.
    :param displaced: Other sources that must be written again, because a record falls back to them.
    """

    winners: dict[str, str]
    displaced: frozenset[str]


@dataclass(frozen=True)
class IndexInfo:
    """
    What an index holds, for those who search it.

    :param corpus_version: Changes with the content.
    :param sections: Records.
    :param chunks: Chunks.
    :param vectors: Chunks that have a vector of their text.
    :param pending_sources: Sources that wait to be indexed, or to be taken out.
    :param recipe: What the vectors were made by.
    :param editions: Per kind of source, the editions.
    :param outdated_vectors: Vectors of text that was replaced, which the vector store may still hold.
    """

    corpus_version: str
    sections: int
    chunks: int
    vectors: int
    pending_sources: int
    recipe: str = ""
    editions: dict[str, list[str]] = field(default_factory=dict)
    outdated_vectors: int = 0


class Manifest:
    """
    The manifest of one generation of a corpus's index.

    Usage example:
    ```python
    with Manifest(manifest_place(settings, corpus, generation)) as manifest:
        manifest.fact("corpus_version")
    ```

    :param place: The database; made when it isn't there.
    :raises IndexDamagedError: When its file is damaged; so do all methods.
    :raises TansakuError: When it can't be used for another reason, such as a full disk.
    """

    def __init__(self, place: Place):
        self._db = open_database(place, _TABLES)
        # What a database does is a manifest's doing, too.
        self.transaction, self.rows, self.change = self._db.transaction, self._db.rows, self._db.change
        self.stream, self.check, self.close = self._db.stream, self._db.check, self._db.close
        self.turn = self._db.turn

    def __enter__(self) -> "Manifest":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def fact(self, name: str) -> str:
        """A named fact about the index; empty when it isn't known."""
        found = self.rows("SELECT value FROM facts WHERE name = ?", name)
        return found[0]["value"] if found else ""

    def set_fact(self, name: str, value: str) -> None:
        """Note a fact about the index."""
        statement = "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        self.change(statement, name, value)

    def plan(self, origins: Sequence[str], claims: Claims) -> Plan:
        """
        Decide who provides each record that a batch of sources provides, provided or may have provided.

        The highest precedence wins, then the first origin, so the result does not depend on the order of events.

        :param origins: The batch.
        :param claims: What the batch offers now.
        :returns: What has to be written.
        """
        batch = set(origins)
        before = self.rows("SELECT source_id FROM claims WHERE origin IN ?", list(batch))
        records = {row["source_id"] for row in before} | {source_id for _, source_id in claims}
        offers: dict[str, list[tuple[int, str]]] = {record: [] for record in records}
        previous: dict[str, list[tuple[int, str, bool]]] = {record: [] for record in records}
        for row in self.rows(
            "SELECT c.source_id, c.origin, c.precedence, s.open FROM claims c JOIN sources s USING (origin)"
            " WHERE c.source_id IN ?",
            list(records),
        ):
            previous[row["source_id"]].append((-row["precedence"], row["origin"], bool(row["open"])))
            if row["origin"] not in batch:
                offers[row["source_id"]].append((-row["precedence"], row["origin"]))
        for (origin, source_id), precedence in claims.items():
            offers[source_id].append((-precedence, origin))
        winners, displaced = {}, set()
        for record, offered in offers.items():
            winner = min(offered)[1] if offered else ""
            if winner in batch:
                winners[record] = winner
            elif winner:
                # Open sources may have got as far as the stores, whatever their rank.
                in_store = {origin for _, origin, is_open in previous[record] if is_open}
                in_store |= {min(previous[record])[1]} if previous[record] else set()
                if in_store & batch:
                    displaced.add(winner)
        return Plan(winners, frozenset(displaced))

    def begin(self, origins: Sequence[str], claims: Claims, plan: Plan, chunks: Iterable[ChunkRow]) -> None:
        """
        Note that a batch is about to be written, with all that it may put into the stores and the vectors whose text it
        replaces.

        :param origins: The batch.
        :param claims: What the batch offers.
        :param plan: What will be written.
        :param chunks: The chunks that will be written.
        """
        outdated = self._replaced(origins, plan, {chunk.id: chunk.text_hash for chunk in chunks})
        with self.transaction():
            self.change("UPDATE sources SET open = 1 WHERE origin IN ?", list(origins))
            self._add_claims(claims, "NOTHING")
            self.change("UPDATE chunks SET vector_text = '' WHERE id IN ?", outdated)

    def _replaced(self, origins: Sequence[str], plan: Plan, texts: Mapping[str, str]) -> list[str]:
        """Chunks of a batch that had another text; a vector of theirs may be in the store without being noted yet."""
        rows = self.rows(
            "SELECT id, text_hash, vector_text FROM chunks WHERE origin IN ? OR source_id IN ?",
            list(origins),
            list(plan.winners),
        )
        return [
            row["id"]
            for row in rows
            if row["vector_text"] != "" and texts.get(row["id"]) != (row["vector_text"] or row["text_hash"])
        ]

    def finish(
        self, outcomes: Sequence[Outcome], claims: Claims, plan: Plan, chunks: Iterable[ChunkRow], gone: bool = False
    ) -> None:
        """
        Note that a batch is in the keyword stores.

        :param outcomes: One for each source of the batch.
        :param claims: What the batch offers.
        :param plan: What was written.
        :param chunks: The chunks that were written.
        :param gone: The sources do not exist any more, and leave the manifest.
        """
        origins = [outcome.origin for outcome in outcomes]
        batch = "origin IN ?"
        with self.transaction():
            self.change(f"DELETE FROM claims WHERE {batch}", origins)
            self._add_claims(claims, "UPDATE SET precedence = excluded.precedence")
            self.change(f"UPDATE sources SET state = 'pending' WHERE {batch}", list(plan.displaced))
            self.change(
                f"UPDATE chunks SET text_hash = NULL WHERE {batch} OR source_id IN ?",
                origins,
                list(plan.winners),
            )
            self._db.change_many(
                "INSERT INTO chunks (id, source_id, origin, text_hash, meta_hash) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET source_id = excluded.source_id, origin = excluded.origin,"
                " text_hash = excluded.text_hash, meta_hash = excluded.meta_hash",
                [(c.id, c.source_id, c.origin, c.text_hash, c.meta_hash) for c in chunks],
            )
            if gone:
                self.change(f"DELETE FROM sources WHERE {batch}", origins)
                return
            self._db.change_many(
                "UPDATE sources SET state = 'done', open = 0, unreadable = '', digest = ?, kind = ?, detail = ?,"
                " edition = ?, reason = ? WHERE origin = ?",
                [(o.digest, o.kind, o.detail, o.edition, o.reason, o.origin) for o in outcomes],
            )

    def _add_claims(self, claims: Claims, conflict: str) -> None:
        self._db.change_many(
            f"INSERT INTO claims VALUES (?, ?, ?) ON CONFLICT (origin, source_id) DO {conflict}",
            [(origin, source_id, precedence) for (origin, source_id), precedence in claims.items()],
        )

    def count_chunks(self) -> int:
        """How many chunks the keyword store should hold."""
        return int(self.rows("SELECT count(*) FROM chunks WHERE text_hash IS NOT NULL")[0][0])

    def count_vectors(self) -> int:
        """How many chunks have a vector of their text."""
        return int(self.rows("SELECT count(*) FROM chunks WHERE vector_text = text_hash")[0][0])

    def count_todo(self) -> int:
        """How many chunks wait for their vector."""
        return int(self.rows(f"SELECT count(*) FROM chunks WHERE {_TODO}")[0][0])

    def todo(self, limit: int, after: str = "") -> list[Row]:
        """The first chunks behind an id that wait for their vector, in order of their ids."""
        return self.rows(f"SELECT * FROM chunks WHERE {_TODO} AND id > ? ORDER BY id LIMIT ?", after, limit)

    def unchanged(self, rows: Sequence[Row]) -> list[Row]:
        """Those of some chunks whose text and metadata are still the same."""
        ids = [row["id"] for row in rows]
        found = self.rows("SELECT id, text_hash, meta_hash FROM chunks WHERE id IN ?", ids)
        now = {row["id"]: (row["text_hash"], row["meta_hash"]) for row in found}
        return [row for row in rows if now.get(row["id"]) == (row["text_hash"], row["meta_hash"])]

    def with_old_metadata(self) -> list[Row]:
        """The chunks whose vector is of their text and has the metadata that they had before."""
        return self.rows(f"SELECT * FROM chunks WHERE {_TODO} AND vector_text = text_hash ORDER BY id")

    def embedded(self) -> set[str]:
        """The chunks that have a vector of their text."""
        return {row["id"] for row in self.rows("SELECT id FROM chunks WHERE vector_text = text_hash")}

    def mark_embedded(self, rows: Iterable[Row]) -> None:
        """Note that the vectors of these chunks, as they were in `todo`, are in the vector store."""
        with self.transaction():
            self._db.change_many(
                "UPDATE chunks SET vector_text = ?, vector_meta = ? WHERE id = ?",
                [(row["text_hash"], row["meta_hash"], row["id"]) for row in rows],
            )

    def count_outdated(self) -> int:
        """How many vectors of text that was replaced the vector store may hold."""
        return int(self.rows(f"SELECT count(*) FROM chunks WHERE {_OUTDATED}")[0][0])

    def outdated(self) -> list[str]:
        """The chunks that these vectors belong to, and others that are gone."""
        rows = self.rows(f"SELECT id FROM chunks WHERE text_hash IS NULL OR ({_OUTDATED})")
        return [row["id"] for row in rows]

    def forget_outdated(self) -> None:
        """Note that the vector store holds no vectors of text that was replaced."""
        with self.transaction():
            self.change("DELETE FROM chunks WHERE text_hash IS NULL")
            self.change(f"UPDATE chunks SET vector_text = NULL, vector_meta = NULL WHERE {_OUTDATED}")

    def forget_vectors(self, ids: list[str]) -> None:
        """Note that some chunks have no vector."""
        self.change("UPDATE chunks SET vector_text = NULL, vector_meta = NULL WHERE id IN ?", ids)

    def info(self) -> IndexInfo:
        """What the index holds now."""
        editions: dict[str, list[str]] = {}
        for row in self.rows("SELECT DISTINCT kind, edition FROM sources WHERE edition != '' ORDER BY kind, edition"):
            editions.setdefault(row["kind"], []).append(row["edition"])
        return IndexInfo(
            corpus_version=self.fact("corpus_version"),
            sections=int(self.rows("SELECT count(DISTINCT source_id) FROM claims")[0][0]),
            chunks=self.count_chunks(),
            vectors=self.count_vectors(),
            pending_sources=int(self.rows("SELECT count(*) FROM sources WHERE state != 'done'")[0][0]),
            recipe=self.fact(RECIPE),
            editions={kind: _newest(found) for kind, found in editions.items()},
            outdated_vectors=self.count_outdated(),
        )


def read_index_info(place: Place, corpus: str) -> IndexInfo:
    """
    What a generation of a corpus's index holds, for a process that only searches it.

    Usage example:
    ```python
    read_index_info(manifest_place(settings, "us-patent-law", 1), "us-patent-law").corpus_version
    ```

    :param place: Its manifest.
    :param corpus: For the message.
    :returns: Versions and counts.
    :raises IndexMissingError: When there is no index yet.
    """
    if not database_exists(place):
        raise IndexMissingError(corpus)
    with Manifest(place) as manifest:
        info = manifest.info()
    if not info.chunks:
        raise IndexMissingError(corpus)
    return info


def _newest(editions: list[str]) -> list[str]:
    """Of documents that have a day of publication each, the last one tells how far the index goes."""
    return [max(editions)] if all(edition.startswith("published ") for edition in editions) else editions

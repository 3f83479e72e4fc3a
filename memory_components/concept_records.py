"""Concepts as they are stored, and the cache of their embeddings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from memory_components.activity_log import note
from memory_components.database import MemoryDatabase
from memory_components.episode_records import mark_deleted, mark_there
from memory_components.records import Concept, packed, unpacked
from memory_components.tables import concepts, embeddings

_BATCH = 500


class ConceptRecords:
    """
    The concepts of a memory.

    Usage example:
    ```python
    records = ConceptRecords(database)
    records.put([Concept("EV-2024-001", "the battery project", vector, aliases=("next battery",))])
    ```

    :param database: The memory's database.
    """

    def __init__(self, database: MemoryDatabase):
        self._database = database

    def put(self, new: Sequence[Concept], removed: Sequence[str] = ()) -> None:
        """
        Keep concepts, in place of those of the same names, and delete others, in one step.

        :param new: The concepts; how often one was used is kept.
        :param removed: Names of concepts to delete.
        """
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            known = set(connection.execute(select(concepts.c.name)).scalars())
            rows = [_row(concept, version) for concept in new]
            if fresh := [row for row in rows if row["name"] not in known]:
                connection.execute(insert(concepts), fresh)
            if changed := [row for row in rows if row["name"] in known]:
                columns: dict[str, Any] = {
                    name: bindparam(f"new_{name}") for name in changed[0] if name not in ("name", "access_count")
                }
                statement = update(concepts).where(concepts.c.name == bindparam("new_name")).values(columns)
                connection.execute(statement, [{f"new_{key}": row[key] for key in row} for row in changed])
            mark_there(connection, "concept", [concept.name for concept in new])
            gone = [name for name in removed if name in known]
            connection.execute(delete(concepts).where(concepts.c.name.in_(gone)))
            mark_deleted(connection, "concept", gone, version)

    def remove(self, name: str, now: float) -> bool:
        """Delete a concept for good; tells whether there was one."""
        with self._database.write() as connection:
            version = self._database.next_version(connection)
            if not connection.execute(delete(concepts).where(concepts.c.name == name)).rowcount:
                return False
            mark_deleted(connection, "concept", [name], version)
            note(connection, now, "delete", name, {"kind": "concept"})
        return True

    def count_access(self, names: Sequence[str]) -> None:
        """Count a use of each of some concepts; other processes needn't hear of it."""
        used = update(concepts).where(concepts.c.name.in_(names))
        with self._database.write() as connection:
            connection.execute(used.values(access_count=concepts.c.access_count + 1))

    def cached_vectors(self, digests: Sequence[str]) -> dict[str, np.ndarray]:
        """The embeddings that were kept for some texts, by the texts' digests."""
        found: dict[str, np.ndarray] = {}
        with self._database.read() as connection:
            for start in range(0, len(digests), _BATCH):
                wanted = select(embeddings).where(embeddings.c.digest.in_(digests[start : start + _BATCH]))
                found.update({row.digest: unpacked(row.vector) for row in connection.execute(wanted)})
        return found

    def cache_vectors(self, vectors: Mapping[str, np.ndarray]) -> None:
        """Keep embeddings by the digests of their texts."""
        with self._database.write() as connection:
            known = self.cached_vectors(list(vectors))
            new = [{"digest": each, "vector": packed(vectors[each])} for each in vectors if each not in known]
            if new:
                connection.execute(insert(embeddings), new)


def insert_concepts(connection: Connection, new: Sequence[Concept], version: int) -> None:
    """Insert concepts but those whose names are there, in a transaction that holds the clock."""
    known = set(connection.execute(select(concepts.c.name)).scalars())
    rows = {concept.name: _row(concept, version) for concept in new if concept.name not in known}
    if rows:
        connection.execute(insert(concepts), list(rows.values()))
        mark_there(connection, "concept", list(rows))


def concept_of(row: Any) -> Concept:
    """The concept of a row of its table."""
    values = {name: row[name] for name in Concept.__dataclass_fields__ if name not in ("vector", "related", "aliases")}
    related, aliases = tuple(row["related"]), tuple(row["aliases"])
    return Concept(**values, related=related, aliases=aliases, vector=unpacked(row["vector"]))


def _row(concept: Concept, version: int) -> dict[str, Any]:
    values = {**vars(concept), "related": list(concept.related), "aliases": list(concept.aliases)}
    return {**values, "vector": packed(concept.vector), "version": version}

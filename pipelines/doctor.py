"""Compares the manifest with the stores, id by id, and puts right what differs: `tansaku doctor`."""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pipelines.corpora import NO_SOURCE, Corpus
from pipelines.errors import IndexDamagedError, IndexMissingError, TansakuError
from pipelines.generation_removal import remove_generation
from pipelines.generations import chosen_generation
from pipelines.id_comparison import MISSING, UNKNOWN, differences, expected_ids
from pipelines.index_lock import index_lock
from pipelines.index_stores import open_stores
from pipelines.loading import resolve
from pipelines.manifest import RECIPE, Manifest
from pipelines.manifest_database import Place, database_exists, manifest_place, read_path
from pipelines.settings import Settings
from pipelines.store_damage import find_damage
from pipelines.vector_recipe import VectorRecipe

_MOST_NAMED = 1000


@dataclass(frozen=True)
class StoreFindings:
    """
    What differs between a store and the manifest.

    :param documents: How many documents the store holds.
    :param missing: Ids that should be in the store and are not, of many the first thousand that were found.
    :param unknown: Ids that are in the store and should not be; likewise.
    :param missing_count: How many are missing.
    :param unknown_count: How many should not be there.
    :param damage: What of its files is damaged, if that is why nothing else can be told.
    """

    documents: int
    missing: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    missing_count: int = 0
    unknown_count: int = 0
    damage: str = ""

    @property
    def differs(self) -> bool:
        """Whether it isn't what the manifest says."""
        return bool(self.missing_count or self.unknown_count or self.damage)


@dataclass(frozen=True)
class Findings:
    """
    The state of an index.

    :param corpus: Whose index.
    :param stores: Per store, what differs.
    :param unfinished: Sources that wait to be indexed.
    :param without_vectors: Chunks that wait for their vector.
    :param other_recipe: What the vectors were made by, if not by the present embedder.
    :param unreadable: Sources that could not be read, with the reasons.
    :param skipped: Files beside the sources that have nothing to do with the corpus, with what they are.
    """

    corpus: str
    stores: dict[str, StoreFindings]
    unfinished: int
    without_vectors: int
    other_recipe: str
    unreadable: dict[str, str]
    skipped: dict[str, str]

    @property
    def ok(self) -> bool:
        """The stores hold what the manifest says and all sources are in; vectors may still be on their way."""
        differs = any(store.differs for store in self.stores.values())
        return not (differs or self.unfinished or self.other_recipe)

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {"ok": self.ok, **asdict(self)}


class Doctor:
    """
    Examines the index of a corpus.

    Usage example:
    ```python
    findings = Doctor(get_corpus("us-patent-law")).examine()
    findings.ok, findings.stores["vector"].missing
    ```

    :param corpus: Whose index.
    :param settings: Where the index is; read from the environment by default.
    :param profile: Which stores; that of the settings by default.
    """

    def __init__(self, corpus: Corpus, settings: Settings | None = None, profile: str | None = None):
        self._corpus = corpus
        self._settings = settings = settings or Settings()
        generation = chosen_generation(settings, corpus.name)
        self._folder = settings.generation_dir(corpus.name, generation)
        self._manifest = manifest_place(settings, corpus.name, generation)
        if not database_exists(self._manifest):
            raise IndexMissingError(corpus.name)
        settings = settings.of_generation(generation)
        definition = resolve(corpus.indexing, profile, settings, corpus.name)
        self._stores = open_stores(definition)
        self._recipe = VectorRecipe.of(definition, settings, corpus.name)

    def examine(self) -> Findings:
        """
        Compare the manifest with every store.

        :returns: What differs.
        :raises IndexDamagedError: When the manifest is damaged.
        :raises TansakuError: When a store's server can't be reached.
        """
        with _outage_named(), Manifest(self._manifest) as manifest:
            manifest.check()
            return self._examine(manifest)

    def remove_index(self) -> list[Path]:
        """
        Take away an index whose manifest is damaged: nothing else tells what is in its stores.

        :returns: The paths that it was made of, as far as the manifest still tells them and they are there.
        :raises IndexLockedError: When another process writes this index.
        """
        with index_lock(self._settings, self._corpus.name):
            paths = _readable_roots(self._manifest)
            remove_generation(self._settings, self._corpus.name, self._stores)
        return paths

    def repair(self) -> Findings:
        """
        Delete what should not be in the stores, damaged stores with all that they hold, and mark what is missing, so
        that a run of the index makes it again.

        :returns: What is left to do after that.
        :raises IndexLockedError: When another process writes this index.
        :raises IndexDamagedError: When the manifest is damaged, or a store that isn't in the index's folder.
        :raises TansakuError: When a store's server can't be reached.
        """
        with ExitStack() as stack:
            stack.enter_context(_outage_named())
            stack.enter_context(index_lock(self._settings, self._corpus.name))
            manifest = stack.enter_context(Manifest(self._manifest))
            for store in self._stores.values():
                stack.callback(store.close)
            damage = find_damage(self._stores)
            for name, store in self._stores.items():
                if name in damage:
                    self._remove_store(name, damage[name])
                    for page in expected_ids(manifest, name):
                        _mark_missing(manifest, name, page)
                    continue
                for kind, ids in differences(manifest, name, store):
                    if kind == UNKNOWN:
                        store.delete_documents(ids)
                    else:
                        _mark_missing(manifest, name, ids)
            return self._examine(manifest)

    def _examine(self, manifest: Manifest) -> Findings:
        damage = find_damage(self._stores)
        stores = {
            name: StoreFindings(0, damage=damage[name]) if name in damage else _compared(manifest, name, store)
            for name, store in self._stores.items()
        }
        unused = manifest.rows(
            "SELECT origin, kind, reason, unreadable FROM sources WHERE reason != '' OR unreadable != ''"
        )
        skipped = {row["origin"]: row["reason"] for row in unused if row["kind"] == NO_SOURCE and not row["unreadable"]}
        unreadable = {row["origin"]: row["unreadable"] or row["reason"] for row in unused}
        return Findings(
            corpus=self._corpus.name,
            stores=stores,
            unfinished=manifest.info().pending_sources,
            without_vectors=manifest.count_chunks() - manifest.count_vectors() if "vector" in self._stores else 0,
            other_recipe=self._other_recipe(manifest) if "vector" not in damage else "",
            unreadable={origin: reason for origin, reason in unreadable.items() if origin not in skipped},
            skipped=skipped,
        )

    def _remove_store(self, name: str, damage: str) -> None:
        path = Path(getattr(self._stores[name], "path", "/"))
        if self._folder not in path.parents:
            raise IndexDamagedError(self._corpus.name, {name: damage})
        self._stores[name].close()
        shutil.rmtree(path)

    def _other_recipe(self, manifest: Manifest) -> str:
        made_by = VectorRecipe.read(manifest.fact(RECIPE))
        if made_by in (None, self._recipe) or "vector" not in self._stores:
            return ""
        return made_by.label if self._stores["vector"].count_documents() else ""


@contextmanager
def _outage_named() -> Iterator[None]:
    from components.stores.store_errors import StoreUnavailableError

    try:
        yield
    except StoreUnavailableError as error:
        raise TansakuError(f"the index can't be examined: {error}; try again when the server answers") from error


def _compared(manifest: Manifest, name: str, store: Any) -> StoreFindings:
    counts: Counter[str] = Counter()
    named: dict[str, list[str]] = {MISSING: [], UNKNOWN: []}
    for kind, ids in differences(manifest, name, store):
        counts[kind] += len(ids)
        named[kind] += ids[: _MOST_NAMED - len(named[kind])]
    missing, unknown = (sorted(named[kind]) for kind in (MISSING, UNKNOWN))
    return StoreFindings(store.count_documents(), missing, unknown, counts[MISSING], counts[UNKNOWN])


def _mark_missing(manifest: Manifest, store: str, ids: Iterable[str]) -> None:
    with manifest.transaction():
        if store == "vector":
            manifest.forget_vectors(list(ids))
            return
        table, column = ("chunks", "id") if store == "keyword" else ("claims", "source_id")
        manifest.change(
            "UPDATE sources SET state = 'pending' WHERE state = 'done' AND origin IN"
            f" (SELECT origin FROM {table} WHERE {column} IN ?)",
            list(ids),
        )


def _readable_roots(place: Place) -> list[Path]:
    try:
        with Manifest(place) as manifest:
            roots = [read_path(row["path"]) for row in manifest.rows("SELECT path FROM roots")]
    except TansakuError:
        return []
    return [root for root in roots if root.exists()]

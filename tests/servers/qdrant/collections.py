"""Collections and aliases in a folder, each collection a shard of Qdrant Edge, the server's own engine."""

import json
import os
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from tests.servers.qdrant.requests import DISTANCES

_OPTIMIZED_EVERY = 5000  # points written


class ApiError(Exception):
    """
    An answer that is an error.

    :param status: HTTP status.
    :param message: What the server says.
    """

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


class Collection:
    """
    One collection.

    :param folder: Its folder; `config.json` in it is written last, so that a crash leaves no half of a collection.
    :param config: What it is created with, or None to open one that is there.
    """

    def __init__(self, folder: Path, config: dict[str, Any] | None = None):
        self.folder = folder
        self._lock = threading.Lock()
        self._operations = 0
        self._written = 0
        path = str(folder / "shard")
        if config is None:
            self.config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self.shard = edge.EdgeShard.load(path)
        else:
            self.config = config
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "shard").mkdir(parents=True)
            self.shard = edge.EdgeShard.create(path, _edge_config(config))
            self.save()

    def save(self) -> None:
        """Write the configuration to disk."""
        write_json(self.folder / "config.json", self.config)

    def update(self, operation: edge.UpdateOperation, points: int = 0) -> dict[str, Any]:
        """Apply an operation; it is in the shard's write-ahead log then."""
        with self._lock:
            self.shard.update(operation)
            self._operations += 1
            self._written += points
            if self._written >= _OPTIMIZED_EVERY:
                self.shard.optimize()
                self._written = 0
            return {"operation_id": self._operations, "status": "completed"}


class Collections:
    """
    All collections and aliases.

    :param folder: Where they are kept.
    """

    def __init__(self, folder: Path):
        self._folder = folder / "collections"
        self._aliases_file = folder / "aliases.json"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self.aliases: dict[str, str] = {}
        if self._aliases_file.exists():
            self.aliases = json.loads(self._aliases_file.read_text(encoding="utf-8"))
        self._collections: dict[str, Collection] = {}
        for path in sorted(self._folder.iterdir()):
            if (path / "config.json").exists():
                self._collections[path.name] = Collection(path)
            else:
                shutil.rmtree(path)

    def names(self) -> list[str]:
        """The collections' names."""
        return sorted(self._collections)

    def get(self, name: str) -> Collection:
        """A collection by its name or an alias of it."""
        collection = self._collections.get(self.aliases.get(name, name))
        if collection is None:
            raise _missing(name)
        return collection

    def create(self, name: str, config: dict[str, Any]) -> bool:
        """Create a collection."""
        with self._lock:
            if name in self._collections:
                raise ApiError(409, f"Wrong input: Collection `{name}` already exists!")
            if name in self.aliases:
                raise ApiError(
                    400,
                    f"Wrong input: Can't create collection with name {name}. Alias with the same name already exists",
                )
            self._collections[name] = Collection(self._folder / name, config)
            return True

    def delete(self, name: str) -> bool:
        """Delete a collection and its aliases."""
        with self._lock:
            collection = self._collections.pop(name, None)
            if collection is None:
                return False
            self._set_aliases({alias: target for alias, target in self.aliases.items() if target != name})
            (collection.folder / "config.json").unlink()
            shutil.rmtree(collection.folder)
            return True

    def change_aliases(self, actions: Iterable[dict[str, Any]]) -> bool:
        """Create, delete and rename aliases, at once for all who search."""
        with self._lock:
            aliases = dict(self.aliases)
            for action in actions:
                [(kind, names)] = action.items()
                if kind == "create_alias":
                    self._create_alias(aliases, **names)
                elif kind == "delete_alias":
                    aliases.pop(names["alias_name"], None)
                elif names["old_alias_name"] in aliases:
                    aliases[names["new_alias_name"]] = aliases.pop(names["old_alias_name"])
                else:
                    raise ApiError(404, f"Not found: Alias {names['old_alias_name']} does not exists!")
            self._set_aliases(aliases)
            return True

    def _create_alias(self, aliases: dict[str, str], alias_name: str, collection_name: str) -> None:
        if collection_name not in self._collections:
            raise _missing(collection_name)
        if alias_name in self._collections:
            raise ApiError(409, f"Wrong input: Collection `{alias_name}` already exists!")
        aliases[alias_name] = collection_name

    def _set_aliases(self, aliases: dict[str, str]) -> None:
        write_json(self._aliases_file, aliases)
        self.aliases = aliases


def write_json(path: Path, value: Any) -> None:
    """Replace a file, so that a crash leaves the old one or the new one."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(value), encoding="utf-8")
    os.replace(temporary, path)


def _missing(name: str) -> ApiError:
    return ApiError(404, f"Not found: Collection `{name}` doesn't exist!")


def _edge_config(config: dict[str, Any]) -> edge.EdgeConfig:
    vectors = config["vectors"]
    hnsw = {**(config.get("hnsw_config") or {}), **(vectors.get("hnsw_config") or {})}
    # Edge knows where data is held as one setting, the REST API of 1.18 as several flags
    on_disk = {True: edge.Memory.Cold, False: edge.Memory.Cached, None: None}[vectors.get("on_disk")]
    params = edge.EdgeVectorParams(
        size=vectors["size"],
        distance=DISTANCES[vectors["distance"]],
        memory=on_disk,
        hnsw_config=edge.HnswIndexConfig(
            m=_given(hnsw.get("m"), 16),
            ef_construct=_given(hnsw.get("ef_construct"), 100),
            full_scan_threshold=_given(hnsw.get("full_scan_threshold"), 10_000),
        ),
        quantization_config=_quantization(config.get("quantization_config") or vectors.get("quantization_config")),
    )
    return edge.EdgeConfig(
        vectors={"": params},
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=10_000, default_segment_number=1),
        max_search_threads=max(1, (os.cpu_count() or 1) // 2),
        wal_enabled=True,
    )


def _given(value: int | None, default: int) -> int:
    return default if value is None else value


def _quantization(config: dict[str, Any] | None) -> Any:
    if not config:
        return None
    memory = edge.Memory.Pinned
    if "binary" in config:
        return edge.BinaryQuantizationConfig(memory=memory)
    return edge.ScalarQuantizationConfig(edge.ScalarType.Int8, config["scalar"].get("quantile"), memory=memory)

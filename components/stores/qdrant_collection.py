"""How a collection on a Qdrant server is laid out: created by the first write, checked before use."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from haystack.document_stores.errors import DocumentStoreError
from qdrant_client.models import (
    BinaryQuantization,
    BinaryQuantizationConfig,
    CollectionInfo,
    Distance,
    HnswConfigDiff,
    PayloadSchemaType,
    ScalarQuantization,
    ScalarQuantizationConfig,
    ScalarType,
    VectorParams,
)

from components.stores.qdrant_connection import CollectionMissingError, QdrantConnection
from components.stores.qdrant_filters import TOKENS, as_path

# Copies of the vectors that searches look at first; they are in memory, wherever the vectors are.
_QUANTIZATION: dict[str | None, BinaryQuantization | ScalarQuantization | None] = {
    None: None,
    "int8": ScalarQuantization(scalar=ScalarQuantizationConfig(type=ScalarType.INT8, always_ram=True)),
    "binary": BinaryQuantization(binary=BinaryQuantizationConfig(always_ram=True)),
}


@dataclass(frozen=True, slots=True)
class CollectionOptions:
    """
    How a collection is created; one that is there stays as it is.

    :param m: Links of a vector in the HNSW graph; 0 for no graph, so that every search looks at all vectors.
    :param ef_construct: Candidates that the graph is built from.
    :param on_disk: Whether vectors and graph are read from disk when they are needed, instead of kept in memory.
    :param on_disk_payload: The same for the documents' metadata.
    :param quantization: "int8" for copies of a quarter of the size, "binary" for a thirty-second, None for none.
    :param shard_number: How many parts a cluster splits it into; None for the server's default.
    :param replication_factor: How many nodes hold each part; None for the server's default.
    """

    m: int = 16
    ef_construct: int = 100
    on_disk: bool = False
    on_disk_payload: bool = True
    quantization: str | None = None
    shard_number: int | None = None
    replication_factor: int | None = None

    def __post_init__(self) -> None:
        if self.quantization not in _QUANTIZATION:
            raise ValueError(f"quantization: {self.quantization!r} is not allowed; use 'int8', 'binary' or None")

    @classmethod
    def from_dict(cls, options: Mapping[str, Any] | None) -> "CollectionOptions":
        """
        Check options.

        :param options: The options that differ from the defaults.
        :returns: All of them.
        :raises ValueError: If one isn't known or has a value that isn't allowed.
        """
        allowed = [field.name for field in fields(cls)]
        for name in options or {}:
            if name not in allowed:
                raise ValueError(f"collection_options: {name!r} is unknown; allowed are {', '.join(allowed)}")
        return cls(**(options or {}))


class QdrantCollection:
    """
    A collection, or what an alias stands for.

    :param connection: The server.
    :param name: The collection's or the alias's name.
    :param dimension: Length of the vectors.
    :param options: How it is created.
    """

    def __init__(self, connection: QdrantConnection, name: str, dimension: int, options: CollectionOptions):
        self._connection = connection
        self._name = name
        self._dimension = dimension
        self._options = options

    def check(self) -> CollectionInfo:
        """
        Look at it.

        :returns: What the server says of it.
        :raises CollectionMissingError: If it isn't there.
        :raises DocumentStoreError: If it holds vectors of another kind.
        """
        info = self._connection.read("get_collection", collection_name=self._name)
        vectors = info.config.params.vectors
        found = (vectors.size, vectors.distance) if isinstance(vectors, VectorParams) else "named vectors"
        if found != (self._dimension, Distance.COSINE):
            raise DocumentStoreError(
                f"the collection {self._name!r} on {self._connection.url} was built with other settings ({found} "
                f"instead of {self._dimension} numbers, Cosine); remove it and build the index again"
            )
        return info

    def prepare(self, keys: Collection[str]) -> None:
        """
        Create it if it isn't there, and indexes of its payload.

        :param keys: Payload keys that hold numbers.
        :raises DocumentStoreError: If it is there and holds vectors of another kind.
        """
        try:
            info = self.check()
        except CollectionMissingError:
            info = self._create()
        if self._connection.in_memory:
            return
        indexed = {key.strip('"') for key in info.payload_schema}
        if TOKENS not in indexed:
            self._index(TOKENS, PayloadSchemaType.KEYWORD)
        for key in sorted(set(keys) - indexed):
            self._index(as_path(key), PayloadSchemaType.FLOAT)

    def _create(self) -> CollectionInfo:
        options = self._options
        try:
            self._connection.write(
                "create_collection",
                collection_name=self._name,
                vectors_config=VectorParams(size=self._dimension, distance=Distance.COSINE, on_disk=options.on_disk),
                hnsw_config=HnswConfigDiff(m=options.m, ef_construct=options.ef_construct, on_disk=options.on_disk),
                quantization_config=_QUANTIZATION[options.quantization],
                on_disk_payload=options.on_disk_payload,
                shard_number=options.shard_number,
                replication_factor=options.replication_factor,
            )
        except DocumentStoreError as error:
            # another process was faster, or this one at a try whose answer got lost
            if "already exists" not in str(error):
                raise
        return self.check()

    def _index(self, path: str, kind: PayloadSchemaType) -> None:
        self._connection.write(
            "create_payload_index", collection_name=self._name, field_name=path, field_schema=kind, wait=True
        )

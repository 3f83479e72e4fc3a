"""The part of Qdrant 1.18's REST API that Tansaku and its tests use."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import qdrant_edge as edge
from fastapi import Body, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response

from tests.servers.qdrant.collections import ApiError, Collection, Collections
from tests.servers.qdrant.requests import (
    DISTANCES,
    PAYLOAD_TYPES,
    filter_of,
    id_json,
    payload_selector,
    point_id,
    points_of,
    query_of,
    record_json,
)

VERSION = "1.18.0"

Data = Annotated[dict[str, Any], Body()]
Name = str


def build_app(folder: Path, api_key: str | None = None) -> FastAPI:
    """
    The server's application.

    :param folder: Where it keeps its data.
    :param api_key: The key that requests need.
    :returns: An ASGI application.
    """
    app = FastAPI(openapi_url=None)
    collections = Collections(folder)
    _add_errors(app)
    _add_service(app, api_key)
    _add_collections(app, collections)
    _add_aliases(app, collections)
    _add_points(app, collections)
    return app


def _answer(result: Any) -> JSONResponse:
    return JSONResponse({"result": result, "status": "ok", "time": 0.0001})


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"status": {"error": message}, "time": 0.0}, status)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(ApiError)
    async def api_error(request: Request, error: ApiError) -> Response:
        return _error(error.status, str(error))

    @app.exception_handler(RequestValidationError)
    async def no_json(request: Request, error: RequestValidationError) -> Response:
        return _error(400, f"Format error in JSON body: {error.errors()[0]['msg']}")

    @app.exception_handler(404)
    async def no_path(request: Request, error: Exception) -> Response:
        return PlainTextResponse("", 404)


def _no_variant(name: str) -> ApiError:
    return ApiError(400, f"Format error in JSON body: data did not match any variant of untagged enum {name}")


def _parsed(parse: Callable[..., Any], *arguments: Any) -> Any:
    """Parse a part of a request."""
    try:
        return parse(*arguments)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ApiError(400, f"Format error in JSON body: {error}") from error


def _done(work: Callable[..., Any], *arguments: Any) -> Any:
    """Let the engine work."""
    try:
        return work(*arguments)
    except Exception as error:  # the engine has no exception of its own
        raise ApiError(400, f"Wrong input: {error}") from error


def _add_service(app: FastAPI, api_key: str | None) -> None:
    @app.middleware("http")
    async def check_key(request: Request, call_next: Any) -> Response:
        if api_key and request.url.path not in ("/", "/healthz", "/livez", "/readyz"):
            bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
            given = request.headers.get("api-key") or bearer
            if not given:
                return PlainTextResponse("Must provide an API key or an Authorization bearer token", 401)
            if given != api_key:
                return PlainTextResponse("Invalid API key or JWT", 401)
        return await call_next(request)

    @app.get("/")
    def root() -> Response:
        return JSONResponse({"title": "qdrant - vector search engine", "version": VERSION})

    @app.get("/healthz")
    @app.get("/livez")
    @app.get("/readyz")
    def health(request: Request) -> Response:
        name = request.url.path.removeprefix("/")
        return PlainTextResponse("all shards are ready" if name == "readyz" else f"{name} check passed")

    @app.get("/telemetry")
    def telemetry() -> Response:
        return _answer({"id": "tests", "app": {"name": "qdrant", "version": VERSION}})


def _add_collections(app: FastAPI, collections: Collections) -> None:
    @app.get("/collections")
    def names() -> Response:
        return _answer({"collections": [{"name": name} for name in collections.names()]})

    @app.get("/collections/{name}")
    def info(name: Name) -> Response:
        return _answer(_info(collections.get(name)))

    @app.get("/collections/{name}/exists")
    def exists(name: Name) -> Response:
        return _answer({"exists": collections.aliases.get(name, name) in collections.names()})

    @app.put("/collections/{name}")
    def create(name: Name, data: Data) -> Response:
        vectors = data.get("vectors")
        if not isinstance(vectors, dict) or vectors.get("distance") not in DISTANCES:
            raise ApiError(
                400, "Format error in JSON body: data did not match any variant of untagged enum VectorsConfig"
            )
        if not 1 <= vectors.get("size", 0) <= 65_536:
            raise ApiError(
                422, "Validation error in JSON body: [vectors.size: value 0 invalid, must be from 1.0 to 65536.0]"
            )
        return _answer(collections.create(name, data))

    @app.patch("/collections/{name}")
    def change(name: Name, data: Data) -> Response:
        collection = collections.get(name)
        for part, diff in data.items():
            collection.config[part] = {**(collection.config.get(part) or {}), **(diff or {})}
        collection.save()
        return _answer(True)

    @app.delete("/collections/{name}")
    def delete(name: Name) -> Response:
        return _answer(collections.delete(name))

    @app.put("/collections/{name}/index")
    def index(name: Name, data: Data) -> Response:
        schema = data.get("field_schema")
        kind = schema["type"] if isinstance(schema, dict) else schema
        if kind not in PAYLOAD_TYPES:
            raise ApiError(
                400, "Format error in JSON body: data did not match any variant of untagged enum PayloadFieldSchema"
            )
        operation = _parsed(edge.UpdateOperation.create_field_index, data["field_name"], PAYLOAD_TYPES[kind])
        return _answer(_done(collections.get(name).update, operation))

    @app.delete("/collections/{name}/index/{field}")
    def delete_index(name: Name, field: str) -> Response:
        operation = _parsed(edge.UpdateOperation.delete_field_index, field)
        return _answer(_done(collections.get(name).update, operation))


def _add_aliases(app: FastAPI, collections: Collections) -> None:
    def listed(names: set[str] | None) -> Response:
        pairs = sorted(collections.aliases.items())
        aliases = [{"alias_name": a, "collection_name": c} for a, c in pairs if names is None or c in names]
        return _answer({"aliases": aliases})

    @app.post("/collections/aliases")
    def change(data: Data) -> Response:
        return _answer(collections.change_aliases(data["actions"]))

    @app.get("/aliases")
    def all_aliases() -> Response:
        return listed(None)

    @app.get("/collections/{name}/aliases")
    def aliases_of(name: Name) -> Response:
        return listed({name})


def _add_points(app: FastAPI, collections: Collections) -> None:
    def changed(name: str, wait: bool, operation: edge.UpdateOperation, points: int = 0) -> Response:
        result = _done(collections.get(name).update, operation, points)
        return _answer(result if wait else {**result, "status": "acknowledged"})

    @app.put("/collections/{name}/points")
    def upsert(name: Name, data: Data, wait: bool = False) -> Response:
        collections.get(name)
        points = _parsed(points_of, data)
        return changed(name, wait, edge.UpdateOperation.upsert_points(points), len(points))

    @app.post("/collections/{name}/points/delete")
    def delete(name: Name, data: Data, wait: bool = False) -> Response:
        if "filter" in data:
            operation = edge.UpdateOperation.delete_points_by_filter(_parsed(filter_of, data["filter"]))
        else:
            operation = edge.UpdateOperation.delete_points(_parsed(lambda: [point_id(i) for i in data["points"]]))
        return changed(name, wait, operation)

    @app.post("/collections/{name}/points")
    def retrieve(name: Name, data: Data) -> Response:
        shard = collections.get(name).shard
        ids = _parsed(lambda: [point_id(i) for i in data["ids"]])
        payload = payload_selector(data.get("with_payload"), True)
        records = _done(shard.retrieve, ids, payload, data.get("with_vector") or False)
        return _answer([record_json(record) for record in records])

    @app.post("/collections/{name}/points/scroll")
    def scroll(name: Name, data: Data) -> Response:
        shard = collections.get(name).shard
        offset = data.get("offset")
        request = edge.ScrollRequest(
            offset=None if offset is None else _parsed(point_id, offset),
            limit=data.get("limit") or 10,
            filter=_parsed(filter_of, data.get("filter")),
            with_payload=payload_selector(data.get("with_payload"), True),
            with_vector=data.get("with_vector") or False,
        )
        records, following = _done(shard.scroll, request)
        points = [record_json(record) for record in records]
        return _answer({"points": points, "next_page_offset": id_json(following)})

    @app.post("/collections/{name}/points/count")
    def count(name: Name, data: Data) -> Response:
        shard = collections.get(name).shard
        request = edge.CountRequest(exact=data.get("exact") is not False, filter=_parsed(filter_of, data.get("filter")))
        return _answer({"count": _done(shard.count, request)})

    @app.post("/collections/{name}/points/query")
    def query(name: Name, data: Data) -> Response:
        return _answer({"points": searched(name, [data])[0]})

    @app.post("/collections/{name}/points/query/batch")
    def query_batch(name: Name, data: Data) -> Response:
        return _answer([{"points": points} for points in searched(name, data["searches"])])

    def searched(name: str, searches: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        shard = collections.get(name).shard
        requests = [_parsed(query_of, search) for search in searches]
        rankings = _done(shard.query_batch, edge.QueryBatchRequest(requests)) if requests else []
        return [[record_json(hit) for hit in hits] for hits in rankings]


def _info(collection: Collection) -> dict[str, Any]:
    info, config = collection.shard.info(), collection.config
    params = {
        "vectors": config["vectors"],
        "shard_number": config.get("shard_number") or 1,
        "replication_factor": config.get("replication_factor") or 1,
        "write_consistency_factor": 1,
        "on_disk_payload": config.get("on_disk_payload") is not False,
    }
    return {
        "status": "green",
        "optimizer_status": "ok",
        "indexed_vectors_count": info.indexed_vectors_count,
        "points_count": info.points_count,
        "segments_count": info.segments_count,
        "config": {
            "params": {**params, **(config.get("params") or {})},
            "hnsw_config": {**_HNSW, **_set(config.get("hnsw_config"))},
            "optimizer_config": {**_OPTIMIZERS, **_set(config.get("optimizers_config"))},
            "wal_config": {"wal_capacity_mb": 32, "wal_segments_ahead": 0},
            "quantization_config": config.get("quantization_config"),
        },
        "payload_schema": {
            key: {"data_type": str(index.data_type).rpartition(".")[2].lower(), "points": index.points}
            for key, index in info.payload_schema.items()
        },
    }


_HNSW = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000, "max_indexing_threads": 0, "on_disk": False}
_OPTIMIZERS = {
    "deleted_threshold": 0.2,
    "vacuum_min_vector_number": 1000,
    "default_segment_number": 0,
    "indexing_threshold": 10_000,
    "flush_interval_sec": 5,
}


def _set(diff: dict[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (diff or {}).items() if value is not None}

"""Qdrant's REST requests as what Qdrant Edge takes, and its records as REST answers."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import qdrant_edge as edge

DISTANCES = {"Cosine": edge.Distance.Cosine, "Dot": edge.Distance.Dot, "Euclid": edge.Distance.Euclid}
PAYLOAD_TYPES = {str(kind).rpartition(".")[2].lower(): kind for kind in (
    edge.PayloadSchemaType.Keyword,
    edge.PayloadSchemaType.Integer,
    edge.PayloadSchemaType.Float,
    edge.PayloadSchemaType.Bool,
    edge.PayloadSchemaType.Datetime,
    edge.PayloadSchemaType.Uuid,
    edge.PayloadSchemaType.Text,
)}  # fmt: skip
_MATCHES: dict[str, Callable[[Any], Any]] = {
    "value": edge.MatchValue,
    "any": edge.MatchAny,
    "except": edge.MatchExcept,
    "text": edge.MatchText,
}


def point_id(value: Any) -> int | str:
    """A point's id: a number or a UUID."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    try:
        return str(UUID(value))
    except (ValueError, AttributeError, TypeError):
        raise ValueError(
            f"value {value} is not a valid point ID, valid values are either an unsigned integer or a UUID"
        ) from None


def points_of(data: dict[str, Any]) -> list[edge.Point]:
    """The points of an upsert, as a list of points or as a batch of columns."""
    if "batch" in data:
        batch = data["batch"]
        payloads = batch.get("payloads") or [None] * len(batch["ids"])
        rows = zip(batch["ids"], batch["vectors"], payloads, strict=True)
        return [edge.Point(point_id(i), vector, payload or {}) for i, vector, payload in rows]
    return [edge.Point(point_id(p["id"]), p["vector"], p.get("payload") or {}) for p in data["points"]]


def filter_of(data: dict[str, Any] | None) -> edge.Filter | None:
    """A filter."""
    if data is None:
        return None
    unknown = data.keys() - {"must", "should", "must_not"}
    if unknown:
        raise ValueError(f"unknown field `{min(unknown)}`, expected one of `should`, `min_should`, `must`, `must_not`")
    clauses = {name: conditions for name, conditions in data.items() if conditions is not None}
    return edge.Filter(**{name: [_condition(c) for c in _listed(conditions)] for name, conditions in clauses.items()})


def query_of(data: dict[str, Any]) -> edge.QueryRequest:
    """A search for the nearest points, or all points that match."""
    query = data.get("query")
    if isinstance(query, dict):
        query = query["nearest"]
    return edge.QueryRequest(
        limit=data.get("limit") or 10,
        offset=data.get("offset") or 0,
        query=None if query is None else edge.Query.Nearest(query, data.get("using")),
        filter=filter_of(data.get("filter")),
        score_threshold=data.get("score_threshold"),
        params=_params(data.get("params")),
        with_vector=data.get("with_vector") or False,
        with_payload=payload_selector(data.get("with_payload"), False),
    )


def payload_selector(value: Any, default: bool) -> Any:
    """What of the payloads an answer holds."""
    if isinstance(value, dict):
        if "include" in value:
            return edge.PayloadSelector.Include(value["include"])
        return edge.PayloadSelector.Exclude(value["exclude"])
    return default if value is None else value


def record_json(record: edge.Record | edge.ScoredPoint) -> dict[str, Any]:
    """A point in an answer."""
    data: dict[str, Any] = {"id": id_json(record.id)}
    if isinstance(record, edge.ScoredPoint):
        data |= {"version": record.version, "score": record.score}
    if record.payload is not None:
        data["payload"] = record.payload
    if record.vector is not None:
        data["vector"] = record.vector
    return data


def id_json(value: Any) -> int | str | None:
    """A point's id in an answer."""
    return str(value) if isinstance(value, UUID) else value


def _listed(conditions: Any) -> list[Any]:
    return conditions if isinstance(conditions, list) else [conditions]


def _condition(data: dict[str, Any]) -> Any:
    for name, make in _CONDITIONS.items():
        if name in data and not (name in ("is_empty", "is_null") and "key" in data):
            return make(data)
    return filter_of(data)


def _field_condition(data: dict[str, Any]) -> edge.FieldCondition:
    conditions: dict[str, Any] = {}
    if data.get("match") is not None:
        [(kind, value)] = data["match"].items()
        conditions["match"] = _MATCHES[kind](value)
    if data.get("range") is not None:
        bounds = {name: bound for name, bound in data["range"].items() if bound is not None}
        dates = any(isinstance(bound, str) for bound in bounds.values())
        conditions["range"] = edge.RangeDateTime(**bounds) if dates else edge.RangeFloat(**bounds)
    if data.get("values_count") is not None:
        conditions["values_count"] = edge.ValuesCount(**data["values_count"])
    return edge.FieldCondition(data["key"], is_empty=data.get("is_empty"), is_null=data.get("is_null"), **conditions)


def _params(data: dict[str, Any] | None) -> edge.SearchParams | None:
    if data is None:
        return None
    quantization = data.get("quantization")
    return edge.SearchParams(
        hnsw_ef=data.get("hnsw_ef"),
        exact=data.get("exact") or False,
        indexed_only=data.get("indexed_only") or False,
        quantization=None
        if quantization is None
        else edge.QuantizationSearchParams(
            ignore=quantization.get("ignore") or False,
            rescore=quantization.get("rescore"),
            oversampling=quantization.get("oversampling"),
        ),
    )


_CONDITIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "key": _field_condition,
    "has_id": lambda data: edge.HasIdCondition({point_id(value) for value in data["has_id"]}),
    "is_empty": lambda data: edge.IsEmptyCondition(data["is_empty"]["key"]),
    "is_null": lambda data: edge.IsNullCondition(data["is_null"]["key"]),
    "has_vector": lambda data: edge.HasVectorCondition(data["has_vector"]),
    "nested": lambda data: edge.NestedCondition(data["nested"]["key"], filter_of(data["nested"]["filter"])),
}

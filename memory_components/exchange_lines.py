"""One line of an export: what it may hold, and the record that it becomes."""

import base64
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memory_components.records import Concept, Episode, Rating, packed, unpacked
from memory_components.storable import fault_of

_DIMENSION = 384

Id = Annotated[str, Field(min_length=1, max_length=64)]
Name = Annotated[str, Field(max_length=256)]
Time = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class EpisodeLine(_Line):
    """An episode; without `vector`, its context is embedded."""

    kind: Literal["episode"]
    id: Id
    context: Annotated[str, Field(min_length=1)]
    created_at: Time
    vector: str | None = None
    reward: Annotated[float, Field(ge=-1, le=1)] = 0.0
    importance: Annotated[float, Field(ge=0.05, le=1)] = 0.5
    user_id: Name = ""
    groups: list[str] = Field(default_factory=list)
    session_id: Id | None = None
    novelty: Share = 1.0
    recurrence: Annotated[int, Field(ge=0)] = 0
    room: Share = 1.0
    action: dict[str, Any] = Field(default_factory=dict)
    outcome: dict[str, Any] = Field(default_factory=dict)
    consolidated: bool = False
    compressed: bool = False

    def record(self, vector: np.ndarray) -> Episode:
        """The episode."""
        return Episode(**{**_values(self), "groups": frozenset(self.groups), "vector": vector})


class ConceptLine(_Line):
    """A concept; without `vector`, its name and definition are embedded."""

    kind: Literal["concept"]
    name: Annotated[str, Field(min_length=1, max_length=256)]
    definition: str
    vector: str | None = None
    related: list[str] = Field(default_factory=list)
    aliases: list[str] = Field(default_factory=list)
    entity_type: Annotated[str, Field(max_length=32)] = ""
    confidence: Share = 1.0
    origin: Annotated[str, Field(max_length=32)] = "api"
    access_count: Annotated[int, Field(ge=0)] = 0

    def record(self, vector: np.ndarray) -> Concept:
        """The concept."""
        lists = {"related": tuple(self.related), "aliases": tuple(self.aliases)}
        return Concept(**{**_values(self), **lists, "vector": vector})


class RatingLine(_Line):
    """A rating of an episode that comes before it, or is there."""

    kind: Literal["rating"]
    id: Id
    episode_id: Id
    user_id: Name
    document_id: str
    weights: dict[str, Share]
    rating: Annotated[int, Field(ge=1, le=5)]
    rated_at: Time
    comment: str = ""
    revoked_at: Time | None = None

    def record(self) -> Rating:
        """The rating."""
        return Rating(**_values(self))


class TieLine(_Line):
    """A tie between an episode and a concept that come before it, or are there."""

    kind: Literal["association"]
    episode_id: Id
    concept: Name
    strength: Share


ExchangeLine = EpisodeLine | ConceptLine | RatingLine | TieLine
_LINES: TypeAdapter[ExchangeLine] = TypeAdapter(Annotated[ExchangeLine, Field(discriminator="kind")])


def read_line(line: str) -> ExchangeLine:
    """
    Read a line of an export.

    >>> read_line('{"kind": "association", "episode_id": "e1", "concept": "Kaze", "strength": 0.5}').strength
    0.5

    :param line: The line.
    :returns: What it holds.
    :raises ValueError: When it is none; the message says in what.
    """
    values = json.loads(line)
    try:
        read = _LINES.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        raise ValueError(f"{place}: {first['msg']}" if place else first["msg"]) from error
    if fault := fault_of(values):
        raise ValueError(fault)
    return read


def written_line(kind: str, record: Episode | Concept | Rating | Mapping[str, Any]) -> str:
    """
    A record as a line of an export.

    :param kind: "episode", "concept", "rating" or "association".
    :param record: The record.
    :returns: A JSON object without line breaks.
    """
    values = dict(record) if isinstance(record, Mapping) else dict(vars(record))
    if "vector" in values:
        values["vector"] = base64.b64encode(packed(values["vector"])).decode()
    if "groups" in values:
        values["groups"] = sorted(values["groups"])
    return json.dumps({"kind": kind, **values}, ensure_ascii=False, default=dict)


def vector_of(line: EpisodeLine | ConceptLine) -> np.ndarray | None:
    """
    The vector that a line holds; None when it holds none.

    :raises ValueError: When it isn't one of 384 numbers.
    """
    if not line.vector:
        return None
    data = base64.b64decode(line.vector, validate=True)
    vector = unpacked(data, _DIMENSION) if len(data) in (2 * _DIMENSION, 4 * _DIMENSION) else np.empty(0)
    if not vector.any() or not np.isfinite(vector).all():
        raise ValueError(f"vector: it isn't one of {_DIMENSION} numbers")
    return vector


def _values(line: _Line) -> dict[str, Any]:
    return line.model_dump(exclude={"kind", "vector"})

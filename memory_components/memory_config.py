"""What `config/memory_config.yaml` may say."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import yaml

from memory_components.boost_rules import BoostRules
from memory_components.forgetting import ForgettingRules

GATES = ("trained", "rule")


class MemoryConfigError(ValueError):
    """The configuration is wrong; the message names the file, the setting and what is allowed."""


@dataclass(frozen=True)
class SemanticRules:
    """
    How concepts take part.

    :param vocabulary: The vocabulary file; relative to the configuration's folder. None for no file.
    :param min_similarity: The least cosine of a concept found by its meaning.
    :param factors: By entity type, the factor of a chunk that holds the query's entity.
    :param max_factor: The largest factor after confidence raised it.
    """

    vocabulary: str | None = None
    min_similarity: float = 0.8
    factors: dict[str, float] = field(
        default_factory=lambda: {"PROJECT_ID": 5.0, "PRODUCT": 4.0, "PERSON": 3.0, "ORG": 2.5, "DATE": 2.0}
    )
    max_factor: float = 10.0


@dataclass(frozen=True)
class SessionRules:
    """
    How long an answer takes ratings.

    :param feedback_hours: Hours from the search on.
    """

    feedback_hours: float = 24.0


@dataclass(frozen=True)
class UpkeepRules:
    """
    How the memory looks after itself.

    :param gate: What says how important an episode is: "trained" (the recurrent network) or "rule" (four numbers).
    :param forget_every_hours: How often forgetting runs in the background of a service; 0 for never.
    """

    gate: str = "trained"
    forget_every_hours: float = 24.0

    def __post_init__(self) -> None:
        if self.gate not in GATES:
            raise ValueError(f"gate must be one of {', '.join(GATES)}, not {self.gate!r}")


@dataclass(frozen=True)
class MemoryConfig:
    """
    All settings of a memory.

    Usage example:
    ```python
    MemoryConfig.read(Path("config/memory_config.yaml")).boost.half_life_days
    ```
    """

    boost: BoostRules = field(default_factory=BoostRules)
    sessions: SessionRules = field(default_factory=SessionRules)
    semantic: SemanticRules = field(default_factory=SemanticRules)
    forgetting: ForgettingRules = field(default_factory=ForgettingRules)
    upkeep: UpkeepRules = field(default_factory=UpkeepRules)

    @classmethod
    def read(cls, path: Path) -> "MemoryConfig":
        """
        Read a file; what it leaves out has its default.

        :param path: The file.
        :returns: The settings; a relative vocabulary file is one of the file's folder.
        :raises MemoryConfigError: When it can't be read or a setting is unknown or outside what makes sense.
        """
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise MemoryConfigError(f"{path}: can't be read: {' '.join(str(error).split())}") from error
        kinds: dict[str, Any] = {part.name: part.default_factory for part in fields(cls)}
        _check_keys(path, "the file", data, kinds)
        parts = {name: _part(path, name, kinds[name], values or {}) for name, values in data.items()}
        return cls(**parts)


def _part(path: Path, name: str, kind: Any, values: Any) -> Any:
    _check_keys(path, name, values, [part.name for part in fields(kind)])
    if values.get("vocabulary"):
        values = {**values, "vocabulary": str(path.parent / values["vocabulary"])}
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise MemoryConfigError(f"{path}: {name}: {error}") from error


def _check_keys(path: Path, what: str, values: Any, allowed: Any) -> None:
    if not isinstance(values, dict):
        raise MemoryConfigError(f"{path}: {what} must be a mapping, written `name: value`")
    for key in values:
        if key not in allowed:
            raise MemoryConfigError(f"{path}: {what}: {key!r} is none of {', '.join(allowed)}")

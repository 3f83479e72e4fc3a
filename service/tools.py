"""The search functions that the service offers, and what it says about arguments that they don't take."""

import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import docstring_parser
from hayhooks.server.pipelines.registry import PipelineRegistry
from hayhooks.server.utils.base_pipeline_wrapper import BasePipelineWrapper
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from pipelines.errors import ArgumentError


@dataclass(frozen=True)
class Tool:
    """
    One function, as REST and MCP offer it.

    :param name: Its name, and the first part of its REST path.
    :param description: What a person or a model reads to use it.
    :param arguments: The model of its arguments; takes exactly the types it names and no further fields.
    :param wrapper: The Hayhooks wrapper that runs it.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    wrapper: BasePipelineWrapper

    @property
    def corpus(self) -> str:
        """The corpus that it searches."""
        return str(self.wrapper.corpus)  # type: ignore[attr-defined]

    @property
    def path(self) -> str:
        """The REST path that runs it."""
        return f"/{self.name}/run"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return self.arguments.model_json_schema()

    def run(self, arguments: Mapping[str, Any]) -> Any:
        """
        Check the arguments and run the function.

        :param arguments: By name.
        :returns: The function's answer.
        :raises ValueError: When an argument is missing, unknown or not allowed.
        """
        try:
            values = self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            raise ValueError(self.explain(error.errors(include_url=False))) from error
        return self.wrapper.run_api(**values.model_dump())

    def explain(self, errors: Sequence[Any]) -> str:
        """
        Say what is wrong with a call, in the words of `ArgumentError`.

        :param errors: Pydantic's list of what is wrong, from a model or from FastAPI.
        :returns: One sentence an argument, joined by "; ".
        """
        messages: dict[str, None] = {}
        for error in errors:
            # FastAPI puts "body" in front of the place; a choice of types adds more behind the argument's name.
            place = [part for part in error["loc"] if part != "body"]
            properties = self.schema["properties"]
            if error["type"] == "json_invalid":
                messages[f"the body is not valid JSON: {error.get('ctx', {}).get('error', 'it ends too early')}"] = None
            elif not place:
                messages["the body must be a JSON object, sent with Content-Type: application/json"] = None
            elif place[0] not in properties:
                messages[f"{place[0]}: there is no such argument; there are {', '.join(properties)}"] = None
            elif error["type"] == "missing":
                messages[f"{place[0]}: it is missing; it must be {allowed_values(properties[place[0]])}"] = None
            else:
                allowed = allowed_values(properties[place[0]])
                messages[str(ArgumentError(str(place[0]), error["input"], allowed))] = None
        return "; ".join(messages)


def load_tools(registry: PipelineRegistry) -> list[Tool]:
    """
    List the functions of Hayhooks' registry.

    :param registry: What Hayhooks loaded.
    :returns: The tools, by name.
    """
    return [_tool(name, registry) for name in sorted(registry.get_names())]


def _tool(name: str, registry: PipelineRegistry) -> Tool:
    wrapper, metadata = registry.get(name), registry.get_metadata(name)
    if wrapper is None or metadata is None:
        raise LookupError(f"Hayhooks lists {name} but has no wrapper for it")
    loose = metadata["request_model"]
    strict = type(f"{name}_arguments", (_StrictArguments, loose), {"model_config": ConfigDict(title=name)})
    doc = docstring_parser.parse(inspect.getdoc(wrapper.run_api) or "")
    description = "\n\n".join(part for part in (doc.short_description, doc.long_description) if part)
    return Tool(name, description, strict, wrapper)


class _StrictArguments(BaseModel):
    """Hayhooks' own models drop unknown fields and turn "5" into 5, which hides a caller's mistake."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @field_validator("*")
    @classmethod
    def _whole_characters(cls, value: Any) -> Any:
        """Half of a surrogate pair, which JSON can carry, is no text that can be stored or sent."""
        if isinstance(value, str):
            value.encode()
        return value


def allowed_values(schema: Mapping[str, Any]) -> str:
    """
    Say in words what a JSON schema allows.

    Usage example:
    ```python
    allowed_values({"type": "integer", "minimum": 1, "maximum": 20})  # "an integer from 1 to 20"
    ```

    :param schema: The schema of one argument.
    :returns: A phrase that follows "it must be".
    """
    if choices := schema.get("anyOf"):
        return " or ".join(allowed_values(choice) for choice in choices)
    if values := schema.get("enum"):
        return f"one of {', '.join(json.dumps(value, ensure_ascii=False) for value in values)}"
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    kind = schema.get("type")
    if kind == "integer":
        return "an integer" + _range(schema.get("minimum"), schema.get("maximum"))
    if kind == "string":
        counted = _range(schema.get("minLength"), schema.get("maxLength")).replace(" from", " of", 1)
        return "a string" + (f"{counted} characters" if counted else "")
    return {"boolean": "true or false", "null": "null"}.get(str(kind), f"of type {kind}")


def _range(least: int | None, most: int | None) -> str:
    if least is None:
        return "" if most is None else f" up to {most:,}"
    return f" from {least:,} to {most:,}" if most is not None else f" from {least:,} on"

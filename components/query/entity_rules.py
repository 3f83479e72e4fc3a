"""Reads the rules for entities from a YAML file that people edit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from components.query.entity import ENTITY_TYPES

_LISTS = ("honorifics", "legal_forms", "organization_endings")
_EDGE = "(?<![a-z0-9])(?:{})(?![a-z0-9])"
# A part of a longer number is another number: no EV-2024-001 in EV-2024-001-7.
_NUMBER_EDGE = "(?<![a-z0-9-])(?:{})(?![a-z0-9]|-[a-z0-9])"
_NUMBERS = ("PROJECT_ID", "DOCUMENT_ID", "PRODUCT")


class EntityRulesError(ValueError):
    """A file of entity rules is wrong; the message names the file, the line and what to write instead."""


@dataclass(frozen=True)
class EntityRules:
    """
    What names look like.

    Usage example:

    ```python
    EntityRules.read(Path("config/entities.yaml")).find("ev-2024-001の進捗")  # [("PROJECT_ID", 0, 11)]
    ```

    :param patterns: Entity types and their patterns, in the order in which they count.
    :param honorifics: What stands behind a person's name.
    :param legal_forms: What stands before or behind a company's name.
    :param organization_endings: How companies' names end.
    """

    patterns: tuple[tuple[str, re.Pattern[str]], ...] = ()
    honorifics: frozenset[str] = frozenset()
    legal_forms: frozenset[str] = frozenset()
    organization_endings: frozenset[str] = frozenset()

    @staticmethod
    def read(path: Path) -> "EntityRules":
        """
        Read and check a file.

        :param path: The file.
        :returns: The rules.
        :raises EntityRulesError: When it can't be read, or anything in it is wrong.
        """
        try:
            root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        except (OSError, UnicodeDecodeError) as error:
            raise EntityRulesError(f"{path}: can't be read: {error}") from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark else 1
            raise EntityRulesError(f"{path}:{line}: not valid YAML: {getattr(error, 'problem', error)}") from error
        return EntityRules() if root is None else _Reader(path).rules(root)

    def find(self, text: str) -> Iterator[tuple[str, int, int]]:
        """
        What the patterns find, overlaps included.

        :param text: A folded text.
        :returns: Type, start and end of each, in the order of the rules.
        """
        for type_, pattern in self.patterns:
            group = "name" if "name" in pattern.groupindex else 0
            for match in pattern.finditer(text):
                if match.start(group) < match.end(group):
                    yield type_, *match.span(group)


class _Reader:
    """Checks the nodes of one file."""

    def __init__(self, path: Path):
        self._path = path

    def rules(self, root: Any) -> EntityRules:
        parts = self._mapping(root, "the file", ("rules", *_LISTS))
        rules = self._sequence(parts["rules"], "rules") if "rules" in parts else []
        patterns = [pattern for node in rules for pattern in self._rule(node)]
        words = {name: frozenset(self._texts(parts[name], name)) for name in _LISTS if name in parts}
        return EntityRules(tuple(patterns), **words)

    def _rule(self, node: Any) -> list[tuple[str, re.Pattern[str]]]:
        parts = self._mapping(node, "a rule", ("type", "patterns"))
        for name in ("type", "patterns"):
            if name not in parts:
                raise self._fail(node, f"a rule needs `{name}:`")
        type_ = parts["type"].value
        if type_ not in ENTITY_TYPES:
            raise self._fail(parts["type"], f"type {type_!r} is none of {', '.join(ENTITY_TYPES)}")
        nodes = self._sequence(parts["patterns"], "patterns")
        return [(type_, self._pattern(type_, pattern)) for pattern in nodes]

    def _pattern(self, type_: str, node: Any) -> re.Pattern[str]:
        text = node.value if isinstance(node, yaml.ScalarNode) else ""
        if not text:
            raise self._fail(node, "a pattern must be a regular expression in quotes")
        try:
            own = re.compile(text)
            pattern = re.compile((_NUMBER_EDGE if type_ in _NUMBERS else _EDGE).format(text))
        except re.error as error:
            raise self._fail(node, f"{text!r} is no regular expression: {error}") from error
        if own.match(""):
            raise self._fail(node, f"{text!r} matches nothing at all, so it would be found everywhere")
        return pattern

    def _mapping(self, node: Any, what: str, allowed: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise self._fail(node, f"{what} must be a mapping, written `name: value`")
        parts: dict[str, Any] = {}
        for key, value in node.value:
            if key.value not in allowed:
                raise self._fail(key, f"{what}: {key.value!r} is none of {', '.join(allowed)}")
            if key.value in parts:
                raise self._fail(key, f"{what}: {key.value!r} stands twice; keep one of the two")
            parts[key.value] = value
        return parts

    def _sequence(self, node: Any, what: str) -> list[Any]:
        if not isinstance(node, yaml.SequenceNode):
            raise self._fail(node, f"{what} must be a list: [one, two]")
        return list(node.value)

    def _texts(self, node: Any, what: str) -> Iterator[str]:
        for item in self._sequence(node, what):
            if not isinstance(item, yaml.ScalarNode) or not item.value.strip():
                raise self._fail(item, f"{what} must be a list of words: [one, two]")
            yield item.value.strip()

    def _fail(self, node: Any, message: str) -> EntityRulesError:
        return EntityRulesError(f"{self._path}:{node.start_mark.line + 1}: {message}")

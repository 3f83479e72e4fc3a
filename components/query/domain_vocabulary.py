"""Reads the terms of a domain from a YAML file that people edit."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from components.analysis.folding import fold

ENTITY_TYPES = ("PROJECT_ID", "PRODUCT", "PERSON", "ORG", "DATE")
_KEYS = ("definition", "type", "related", "aliases", "confidence")


class VocabularyError(ValueError):
    """A vocabulary file is wrong; the message names the file, the line and what to write instead."""


@dataclass(frozen=True)
class Term:
    """
    A term of the domain.

    :param name: As it is written.
    :param definition: What it is.
    :param type: One of `ENTITY_TYPES`, or "".
    :param related: Names of other terms.
    :param aliases: Other names of it.
    :param confidence: How sure it is that the name means this, 0 to 1.
    :param line: Where it stands in the file.
    """

    name: str
    definition: str
    type: str = ""
    related: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    confidence: float = 1.0
    line: int = 0


def read_vocabulary(path: Path) -> list[Term]:
    """
    Read and check a vocabulary file.

    ```yaml
    EV-2024-001:
      definition: The battery project.
      type: PROJECT_ID
      related: [Kaze]
      aliases: [next battery]
    ```

    :param path: The file.
    :returns: The terms, in the order of the file.
    :raises VocabularyError: When it can't be read, or anything in it is wrong.
    """
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise VocabularyError(f"{path}: can't be read: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise VocabularyError(f"{path}:{line}: not valid YAML: {getattr(error, 'problem', error)}") from error
    if root is None:
        return []
    reader = _Reader(path)
    terms = [reader.term(key, value) for key, value in reader.pairs(root, "the file")]
    reader.check_names(terms)
    return terms


class _Reader:
    """Checks the nodes of one file."""

    def __init__(self, path: Path):
        self._path = path

    def fail(self, line: int, message: str) -> VocabularyError:
        return VocabularyError(f"{self._path}:{line}: {message}")

    def pairs(self, node: Any, what: str) -> list[tuple[Any, Any]]:
        if not isinstance(node, yaml.MappingNode):
            raise self.fail(node.start_mark.line + 1, f"{what} must be a mapping, written `name: value`")
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or not key.value.strip():
                raise self.fail(key.start_mark.line + 1, f"{what} has a name that is no text")
            if key.value in seen:
                raise self.fail(key.start_mark.line + 1, f"{key.value!r} stands twice in {what}; keep one of the two")
            seen.add(key.value)
        return list(node.value)

    def term(self, key: Any, node: Any) -> Term:
        name, line = key.value.strip(), key.start_mark.line + 1
        if len(name) > 256:
            raise self.fail(line, f"the name {name[:40]!r}... is longer than 256 characters")
        values: dict[str, Any] = {}
        for part, value in self.pairs(node, name):
            if part.value not in _KEYS:
                raise self.fail(part.start_mark.line + 1, f"{name}: {part.value!r} is none of {', '.join(_KEYS)}")
            values[part.value] = self._value(name, part.value, value)
        if not values.get("definition"):
            raise self.fail(line, f"{name}: `definition:` is missing")
        return Term(name, line=line, **values)

    def _value(self, name: str, part: str, node: Any) -> Any:
        line = node.start_mark.line + 1
        if part in ("related", "aliases"):
            items = node.value if isinstance(node, yaml.SequenceNode) else None
            if items is None or not all(isinstance(item, yaml.ScalarNode) and item.value.strip() for item in items):
                raise self.fail(line, f"{name}: {part} must be a list of names: [one, two]")
            return tuple(item.value.strip() for item in items)
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail(line, f"{name}: {part} must be a single value")
        if part == "type" and node.value not in ENTITY_TYPES:
            raise self.fail(line, f"{name}: type {node.value!r} is none of {', '.join(ENTITY_TYPES)}")
        return self._confidence(name, node.value, line) if part == "confidence" else node.value.strip()

    def _confidence(self, name: str, text: str, line: int) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1:
            raise self.fail(line, f"{name}: confidence must be a number from 0 to 1, not {text!r}")
        return value

    def check_names(self, terms: list[Term]) -> None:
        """Each name means one term, and related terms are there."""
        owners: dict[str, Term] = {}
        for term in terms:
            for name in (term.name, *term.aliases):
                owner = owners.setdefault(fold(name).text, term)
                if owner is not term:
                    raise self.fail(term.line, f"{term.name}: {name!r} is a name of {owner.name} (line {owner.line})")
        for term in terms:
            for name in term.related:
                if fold(name).text not in owners:
                    raise self.fail(term.line, f"{term.name}: related {name!r} is no term of this file")

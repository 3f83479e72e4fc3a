"""Reads YAML that anybody may have written: bounded in size and depth, every fault with its line."""

import math
from typing import Any

import yaml

MOST_CHARACTERS, MOST_VALUES, MOST_LEVELS, MOST_REFERENCES = 256 << 10, 20_000, 50, 20


class UnusableYamlError(yaml.MarkedYAMLError):
    """Valid YAML that no pipeline file holds for a good reason."""


def fault_of(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    """
    The line and the reason of a fault.

    :param error: From one of the functions below.
    :returns: The line, from 1, and a phrase.
    """
    line = error.problem_mark.line + 1 if error.problem_mark else 1
    return line, str(error.problem) if isinstance(error, UnusableYamlError) else f"not valid YAML: {error.problem}"


def compose_yaml(text: str) -> yaml.Node | None:
    """
    The nodes of a YAML text.

    Usage example:
    ```python
    construct_yaml(compose_yaml("a: [1, 2]"))  # {"a": [1, 2]}
    ```

    :param text: The text; at most 256 KiB.
    :returns: The root; None for an empty text.
    :raises yaml.MarkedYAMLError: When it isn't YAML, nests more than 50 levels deep or, its aliases written out, holds
        more than 20,000 values.
    """
    if len(text) > MOST_CHARACTERS:
        raise UnusableYamlError(problem=f"the file is larger than {MOST_CHARACTERS >> 10} KiB")
    return _BoundedLoader(text).get_single_node()


def construct_yaml(root: yaml.Node | None) -> Any:
    """
    What the nodes of a text stand for.

    :param root: From `compose_yaml`.
    :returns: Plain values, as `yaml.safe_load` makes them.
    :raises yaml.MarkedYAMLError: When one of them stands for nothing that there is, such as the 45th of May, is no
        finite number or holds more than 20 references.
    """
    return None if root is None else _BoundedLoader("").construct_document(root)


class _BoundedLoader(yaml.SafeLoader):
    """
    Counts while it composes, so that a short text that stands for a long one is stopped early.

    `_size` is the number of values so far, aliases written out, `_depth` the levels above the present one and `_height`
    those below.
    """

    def __init__(self, text: str):
        super().__init__(text)
        self._size = self._depth = self._height = 0
        self._measures: dict[int, tuple[int, int]] = {}

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        mark = self.peek_event().start_mark
        is_alias = self.check_event(yaml.AliasEvent)
        size, height = self._size, self._height
        self._size, self._height, self._depth = size + 1, 0, self._depth + 1
        self._check(mark)
        node = super().compose_node(parent, index)
        if is_alias:
            if id(node) not in self._measures:
                raise UnusableYamlError(problem="an alias stands inside what it repeats", problem_mark=mark)
            repeated, self._height = self._measures[id(node)]
            self._size += repeated
            self._check(mark)
        else:
            self._measures[id(node)] = (self._size - size, self._height)
        self._depth, self._height = self._depth - 1, max(height, self._height + 1)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep=deep)
        except (ValueError, OverflowError) as error:
            raise UnusableYamlError(problem=str(error), problem_mark=node.start_mark) from error
        if isinstance(value, float) and not math.isfinite(value):
            problem = f"{str(node.value)[:20]} can't be used; write a finite number"
            raise UnusableYamlError(problem=problem, problem_mark=node.start_mark)
        if isinstance(value, str) and value.count("${") > MOST_REFERENCES:
            problem = f"more than {MOST_REFERENCES} references in one value"
            raise UnusableYamlError(problem=problem, problem_mark=node.start_mark)
        return value

    def _check(self, mark: yaml.Mark) -> None:
        if self._depth + self._height > MOST_LEVELS:
            problem = f"nested more than {MOST_LEVELS} levels deep"
        elif self._size > MOST_VALUES:
            problem = f"more than {MOST_VALUES:,} values, with all aliases written out"
        else:
            return
        raise UnusableYamlError(problem=problem, problem_mark=mark)

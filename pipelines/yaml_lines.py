"""Where things stand in a YAML file, so that a message can name the line."""

from dataclasses import dataclass, field
from typing import Any

import yaml

Place = tuple[str | int, ...]
"""Keys and list positions down to a value: ("components", "splitter", "type")."""


@dataclass
class YamlLines:
    """
    The lines of a YAML text's values.

    :param lines: For each place, the line where its key, or its list item, stands.
    :param scalars: The texts of all scalar values, by place.
    :param duplicates: Keys that stand twice in a mapping; YAML would silently take the last one.
    """

    lines: dict[Place, int] = field(default_factory=dict)
    scalars: dict[Place, str] = field(default_factory=dict)
    duplicates: list[Place] = field(default_factory=list)

    @staticmethod
    def of(root: yaml.Node | None) -> "YamlLines":
        """
        Find the places of a text.

        Usage example:
        ```python
        YamlLines.of(compose_yaml("corpus: rag\\ncomponents:\\n  a: {type: b}\\n")).line("components", "a")  # 3
        ```

        :param root: The text's nodes, from `pipelines.yaml_loader.compose_yaml`.
        :returns: The places.
        """
        found = YamlLines()
        if root is not None:
            found._walk(root, ())
        return found

    def line(self, *place: str | int) -> int:
        """The line of a place, or of the innermost place around it that the text has."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def _walk(self, node: Any, place: Place) -> None:
        self.lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            seen = set()
            for key, value in node.value:
                inner = (*place, str(key.value))
                if inner in seen:
                    self.duplicates.append(inner)
                seen.add(inner)
                self.lines[inner] = key.start_mark.line + 1
                self._walk(value, inner)
        elif isinstance(node, yaml.SequenceNode):
            for position, value in enumerate(node.value):
                self._walk(value, (*place, position))
        else:
            self.scalars[place] = str(node.value)

"""Finds thousands of names in a text, in the time that it takes to read the text."""

from collections import Counter
from collections.abc import Iterable

from components.analysis.folding import fold

_KEY = 2  # the lengths to try at a place are looked up by the first characters there


class NameFinder:
    """
    Names of things, found in a text however they are typed; the longest where several begin at one place.

    Usage example:
    ```python
    finder = NameFinder()
    finder.add("EV-2024-001", ["EV-2024-001", "次世代電池"])
    finder.find("ＥＶ‐２０２４‐００１の進捗")  # [("EV-2024-001", "ＥＶ‐２０２４‐００１")]
    ```
    """

    def __init__(self) -> None:
        self._things: dict[str, dict[str, None]] = {}  # folded name -> things that have it, in order
        self._lengths: dict[str, Counter[int]] = {}  # first characters -> how many folded names there are by length
        self._names: dict[str, list[str]] = {}  # thing -> folded names

    def add(self, thing: str, names: Iterable[str]) -> None:
        """Add a thing with its names; empty ones are left out."""
        folded = [name for name in dict.fromkeys(fold(name).text.strip() for name in names) if name]
        self._names[thing] = folded
        for name in folded:
            if name not in self._things:
                self._lengths.setdefault(name[:_KEY], Counter())[len(name)] += 1
            self._things.setdefault(name, {})[thing] = None

    def remove(self, thing: str) -> None:
        """Take a thing out; nothing happens where there is none."""
        for name in self._names.pop(thing, []):
            del self._things[name][thing]
            if not self._things[name]:
                del self._things[name]
                lengths = self._lengths[name[:_KEY]]
                lengths[len(name)] -= 1
                if not lengths[len(name)]:
                    del lengths[len(name)]

    def find(self, text: str) -> list[tuple[str, str]]:
        """
        The things that a text names.

        :param text: Any text.
        :returns: (thing, its name as it stands in the text), in the order of the text, each thing once.
        """
        found: dict[str, str] = {}
        for thing, start, end in self.places(text):
            found.setdefault(thing, text[start:end])
        return list(found.items())

    def places(self, text: str) -> list[tuple[str, int, int]]:
        """
        All places where a text names things.

        :param text: Any text.
        :returns: (thing, start, end) with offsets into the text, in its order; one a thing where things share a name.
        """
        folded = fold(text)
        found: list[tuple[str, int, int]] = []
        position = 0
        while position < len(folded.text):
            name = self._longest_at(folded.text, position)
            if name:
                start, end = folded.original(position, position + len(name))
                found += [(thing, start, end) for thing in self._things[name]]
            position += len(name) or 1
        return found

    def _longest_at(self, text: str, position: int) -> str:
        for start in (text[position : position + _KEY], text[position]):
            for length in sorted(self._lengths.get(start, ()), reverse=True):
                name = text[position : position + length]
                if name in self._things and _stands_alone(text, position, position + length):
                    return name
        return ""


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Letters and digits of Latin script don't go on before or behind: 001 isn't in 0011."""
    before = start > 0 and _joins(text[start - 1]) and _joins(text[start])
    return not before and not (end < len(text) and _joins(text[end]) and _joins(text[end - 1]))


def _joins(char: str) -> bool:
    return char.isascii() and char.isalnum()

"""Groups of words for the same thing, from text files that people edit."""

from pathlib import Path
from typing import NamedTuple

from components.analysis.folding import fold
from components.analysis.spelling_finder import SpellingFinder
from components.query.watched_files import WatchedFiles

_MOST_WORDS = 50


class SynonymsError(ValueError):
    """A file of synonyms is wrong; the message names the file, the line and what to write instead."""


class Synonyms(NamedTuple):
    """A group of words and the characters of the original text that are one of them."""

    words: tuple[str, ...]
    start: int
    end: int


class _Groups(NamedTuple):
    groups: dict[str, tuple[str, ...]]
    finder: SpellingFinder


class SynonymGroups:
    """
    The groups in a folder's .txt files: one a line, words separated by commas, "#" before comments. A change counts
    from the next question on; a wrong one leaves the groups as they are, with its `error`.

    Usage example:

    ```python
    SynonymGroups(Path("config/synonyms")).find("有休の申請")[0].words  # ("有給休暇", "有休", "年休")
    ```

    :param folder: The folder.
    :raises SynonymsError: When a file is wrong.
    """

    def __init__(self, folder: Path):
        self._groups = WatchedFiles(lambda: sorted(folder.glob("*.txt")), lambda: _read(folder))

    @property
    def error(self) -> str:
        """What is wrong with a file; "" for nothing."""
        return self._groups.error

    def find(self, text: str) -> list[Synonyms]:
        """
        The groups that words of a text are in, in whatever spelling.

        :param text: Any text.
        :returns: Each place in order, the longest word where several begin at one.
        """
        groups, finder = self._groups.value
        return [Synonyms(groups[name], start, end) for name, start, end in finder.places(text)]


def _read(folder: Path) -> _Groups:
    if not folder.is_dir():
        raise SynonymsError(f"{folder}: there is no such folder; make it, or name another one")
    found = _Groups({}, SpellingFinder())
    for path in sorted(folder.glob("*.txt")):
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise SynonymsError(f"{path}: can't be read as UTF-8: {error}") from error
        for number, line in enumerate(lines, start=1):
            text = line.partition("#")[0].strip()
            if text:
                name = f"{path}:{number}"
                words = _words(name, text)
                found.groups[name] = words
                found.finder.add(name, words)
    return found


def _words(name: str, text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.replace("、", ",").replace("，", ",").split(","))
    if not all(words):
        raise SynonymsError(f"{name}: there is nothing between two commas; take one of them out")
    folded = [fold(word).text for word in words]
    if len(words) == 1:
        raise SynonymsError(f"{name}: {text!r} is a single word; write others behind it, separated by commas")
    if len(words) > _MOST_WORDS:
        raise SynonymsError(f"{name}: {len(words)} words are too many for a group; {_MOST_WORDS} are allowed")
    if len(set(folded)) < len(folded):
        twice = next(word for word, own in zip(words, folded, strict=True) if folded.count(own) > 1)
        raise SynonymsError(f"{name}: {twice!r} stands twice; keep one of the two")
    return words

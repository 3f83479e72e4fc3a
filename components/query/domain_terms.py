"""The names of the domain's things, found in texts."""

from pathlib import Path
from typing import NamedTuple

from components.analysis.spelling_finder import SpellingFinder
from components.query.domain_vocabulary import Term, read_vocabulary
from components.query.entity import normalized_value
from components.query.watched_files import WatchedFiles


class NamedTerm(NamedTuple):
    """A term and the characters of the original text that name it."""

    term: Term
    start: int
    end: int


class _Names(NamedTuple):
    """The terms of one reading of the file."""

    terms: dict[str, Term]
    finder: SpellingFinder
    canonical: dict[tuple[str, str], str]


class DomainTerms:
    """
    The terms of a vocabulary file. A changed file counts from the next question on; a wrong one leaves the terms as
    they are, with its `error`.

    Usage example:

    ```python
    DomainTerms(Path("config/domain_terms.yaml")).find("KZ-7の騒音")[0].term.name  # "カゼ"
    ```

    :param path: The file, in the format of `read_vocabulary`.
    :raises VocabularyError: When it is wrong.
    """

    def __init__(self, path: Path):
        self._names = WatchedFiles(lambda: [path], lambda: _read(path))

    @property
    def version(self) -> object:
        """Another one after each change of the file."""
        return self._names.version

    @property
    def error(self) -> str:
        """What is wrong with the file; "" for nothing."""
        return self._names.error

    def find(self, text: str) -> list[NamedTerm]:
        """
        The terms that a text names, in whatever spelling.

        :param text: Any text.
        :returns: Each place in order, the longest name where several begin at one.
        """
        names = self._names.value
        return [NamedTerm(names.terms[name], start, end) for name, start, end in names.finder.places(text)]

    def canonical(self, type_: str, value: str) -> str:
        """
        The value of the term that a name stands for.

        :param type_: The name's entity type.
        :param value: The name's value, see `normalized_value`.
        :returns: The value of the term of that type and name; `value` where there is none.
        """
        return self._names.value.canonical.get((type_, value), value)


def _read(path: Path) -> _Names:
    names = _Names({}, SpellingFinder(), {})
    for term in read_vocabulary(path):
        names.terms[term.name] = term
        names.finder.add(term.name, [term.name, *term.aliases])
        if term.type:
            value = normalized_value(term.type, term.name)
            names.canonical.update({(term.type, normalized_value(term.type, alias)): value for alias in term.aliases})
    return names

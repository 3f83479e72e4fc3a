"""Finds names in a text in all their spellings."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from components.analysis.folding import fold
from components.analysis.identifiers import with_right_marks
from components.analysis.japanese import HONORIFIC, JapaneseTokenizer, word_key
from components.analysis.name_finder import NameFinder

_KATAKANA = re.compile(r"[ァ-ヺー]+")
# Shared, as is what it read last: a query meets several finders in a row.
_TOKENIZER = JapaneseTokenizer("A")


class _Word(NamedTuple):
    """A morpheme's normalised form, whether it is written in katakana, and its characters in the original text."""

    key: tuple[str, bool]
    start: int
    end: int


class SpellingFinder:
    """
    Names of things, found in a text by their letters, as `NameFinder` does, or by their words: 打合せ and うちあわせ
    are 打ち合わせ, 盆休み is お盆休み.

    A word in katakana is no spelling of one that isn't: カゼ, a product, is not 風邪.

    Usage example:
    ```python
    finder = SpellingFinder()
    finder.add("meeting", ["打ち合わせ", "ミーティング"])
    finder.places("打合せのメモ")  # [("meeting", 0, 3)]
    ```
    """

    def __init__(self) -> None:
        self._letters = NameFinder()
        self._words: dict[tuple[tuple[str, bool], ...], dict[str, None]] = {}
        self._most_words = 0

    def add(self, thing: str, names: Iterable[str]) -> None:
        """Add a thing with its names; empty ones are left out."""
        names = list(names)
        self._letters.add(thing, names)
        for name in names:
            keys = spelling_key(name)
            if keys:
                self._words.setdefault(keys, {})[thing] = None
                self._most_words = max(self._most_words, len(keys))

    def places(self, text: str) -> list[tuple[str, int, int]]:
        """
        All places where a text names things.

        :param text: Any text.
        :returns: (thing, start, end) with offsets into the text, in its order; the longest name where several begin at
            one place, and a name's own letters before other spellings.
        """
        found = self._letters.places(text)
        taken = [(start, end) for _, start, end in found]
        for place in self._by_words(_words(text)):
            if all(place[2] <= start or end <= place[1] for start, end in taken):
                found.append(place)
        return sorted(found, key=lambda place: place[1])

    def _by_words(self, words: Sequence[_Word]) -> list[tuple[str, int, int]]:
        found: list[tuple[str, int, int]] = []
        position = 0
        while position < len(words):
            run = _joined_run(words, position, self._most_words)
            length = next((n for n in range(len(run), 0, -1) if tuple(w.key for w in run[:n]) in self._words), 0)
            if length:
                keys = tuple(word.key for word in run[:length])
                found += [(thing, run[0].start, run[length - 1].end) for thing in self._words[keys]]
            position += length or 1
        return found


def spelling_key(name: str) -> tuple[tuple[str, bool], ...]:
    """
    What is the same for all spellings of a name.

    >>> spelling_key("打合せ") == spelling_key("打ち合わせ"), spelling_key("カゼ") == spelling_key("風邪")
    (True, False)

    :param name: A name.
    :returns: Its words; none where it is no unbroken row of them.
    """
    words = _words(name)
    is_whole = bool(words) and words[0].start == 0 and words[-1].end == len(name)
    return (
        tuple(word.key for word in words) if is_whole and len(_joined_run(words, 0, len(words))) == len(words) else ()
    )


@lru_cache(maxsize=8)
def _words(text: str) -> tuple[_Word, ...]:
    """All morphemes, blanks and signs too, without honorific prefixes, whose characters the word behind them takes."""
    folded = with_right_marks(fold(text))
    found: list[_Word] = []
    begin: int | None = None
    for offset, morpheme in _TOKENIZER.morphemes(folded.text):
        start, end = folded.original(offset + morpheme.begin(), offset + morpheme.end())
        form = morpheme.normalized_form()
        if morpheme.part_of_speech()[0] == "接頭辞" and form in HONORIFIC:
            begin = start if begin is None else begin
            continue
        is_katakana = _KATAKANA.fullmatch(morpheme.surface()) is not None
        found.append(_Word((word_key(form), is_katakana), start if begin is None else begin, end))
        begin = None
    return tuple(found)


def _joined_run(words: Sequence[_Word], position: int, most: int) -> Sequence[_Word]:
    """Words in a row with nothing between them."""
    end = position + 1
    while end < min(len(words), position + most) and words[end].start == words[end - 1].end:
        end += 1
    return words[position:end]

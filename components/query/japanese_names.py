"""Finds names of persons and companies by what Sudachi's dictionary says of their parts."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from components.analysis.folding import Folded
from components.analysis.japanese import JapaneseTokenizer
from components.query.entity import NAME_VARIANTS
from components.query.entity_rules import EntityRules

_KATAKANA = re.compile(r"[ァ-ヺー]+")
_KANJI_NAME = re.compile(r"[々ぁ-ゖ㐀-䶿一-鿿豈-﫿]{1,4}")
_LATIN_WORD = re.compile(r"[a-z][a-z0-9&'.-]*")
_JOINTS = frozenset("・=")
_LONGEST = 6  # morphemes of a company's name
# The dictionary knows names in their common characters and in most of the others, but not in these.
_UNKNOWN = {ord(char): NAME_VARIANTS[ord(char)] for char in "髙﨑嵜𠮷栁德瀨濵嶌增邉"}


class Word(NamedTuple):
    """
    A morpheme: its text, its characters in the folded text, its part of speech ("名詞-固有名詞-人名-姓"), whether it
    begins with a capital, and whether the dictionary doesn't have it.
    """

    text: str
    start: int
    end: int
    kind: str
    is_capital: bool = False
    is_unknown: bool = False

    @property
    def is_person(self) -> bool:
        return "人名" in self.kind

    @property
    def is_proper(self) -> bool:
        return "固有名詞" in self.kind

    @property
    def is_noun(self) -> bool:
        return self.kind.startswith(("名詞", "接頭辞", "接尾辞-名詞的"))


class Name(NamedTuple):
    """A person or company in a folded text; `family_end` is the end of a full name's family name, or 0."""

    start: int
    end: int
    family_end: int = 0


def read_words(tokenizer: JapaneseTokenizer, folded: Folded, original: str) -> list[Word]:
    """
    The morphemes of a folded text; characters of names that the dictionary doesn't know are read as
    their common forms.

    :param tokenizer: Sudachi in mode "C".
    :param folded: The folded text.
    :param original: The text as it was before.
    :returns: The morphemes in order.
    """
    found = []
    for offset, morpheme in tokenizer.morphemes(folded.text.translate(_UNKNOWN)):
        start, end = offset + morpheme.begin(), offset + morpheme.end()
        kind = "-".join(morpheme.part_of_speech()[:4])
        is_capital = original[folded.original(start, end)[0]].isupper()
        found.append(Word(morpheme.surface(), start, end, kind, is_capital, morpheme.is_oov()))
    return found


def find_persons(words: Sequence[Word], honorifics: Iterable[str]) -> list[Name]:
    """
    Names of persons: family and given names in a row, katakana names with their joints, what an honorific follows.

    :param words: A text's morphemes.
    :param honorifics: What stands behind a person's name.
    :returns: The names in order.
    """
    titles = tuple(honorifics)
    text = "".join(word.text for word in words)
    found: list[Name] = []
    place = 0
    while place < len(words):
        end = _person_end(words, place)
        if end == place and words[place].is_proper and text.startswith(titles, words[place].end):
            end = place + 1
        if end > place:
            found.append(Name(words[place].start, words[end - 1].end, _family_end(words[place:end])))
        place = max(end, place + 1)
    return found


def find_companies(words: Sequence[Word], rules: EntityRules) -> list[Name]:
    """
    Names of companies: nouns beside a legal form, nouns that end as companies' names do.

    :param words: A text's morphemes.
    :param rules: The legal forms and endings.
    :returns: The names in order, legal form included.
    """
    found: list[Name] = []
    for place, word in enumerate(words):
        if found and word.start < found[-1].end:
            continue
        if word.text in rules.legal_forms:
            first, last = _beside_legal_form(words, place)
            # "A株式会社B": what stands behind it was no part of a name that stands before it.
            if first < place or last > place:
                found.append(Name(words[first].start, words[last].end))
        elif word.text in rules.organization_endings and not _goes_on(words, place):
            first = _first_noun(words, place)
            if first < place:
                found.append(Name(words[first].start, word.end))
    return found


def _person_end(words: Sequence[Word], place: int) -> int:
    """One past the last morpheme of the name that begins here; `place` where none does."""
    if _KATAKANA.fullmatch(words[place].text):
        return _katakana_name_end(words, place)
    if words[place].is_capital:
        return _latin_name_end(words, place)
    end = place
    while end < len(words) and words[end].is_person and not _KATAKANA.fullmatch(words[end].text):
        end += 1
    if end == place + 1 and words[place].kind.endswith("姓"):
        return _given_name_end(words, end)
    return end


def _katakana_name_end(words: Sequence[Word], place: int) -> int:
    """The end of katakana with joints, of which one part is a person's or all are unknown: ジョン・スミス2世."""
    end, is_person = place, False
    while end < len(words) and _KATAKANA.fullmatch(words[end].text):
        is_person = is_person or words[end].is_person
        end += 1
        following = [word.text for word in words[end : end + 4]]
        if _has_initial(following):
            end += 3
        elif following[:1] and following[0] in _JOINTS and _KATAKANA.fullmatch("".join(following[1:2])):
            end += 1
    if not is_person and not _is_foreign_name(words[place:end]):
        return place
    if end + 1 < len(words) and "数詞" in words[end].kind and words[end + 1].text == "世":
        end += 2
    return end


def _is_foreign_name(parts: Sequence[Word]) -> bool:
    """Whether all parts with joints between them are unknown to the dictionary, as things' names seldom are."""
    names = [word for word in parts if _KATAKANA.fullmatch(word.text)]
    return len(names) < len(parts) and all(word.is_unknown for word in names)


def _has_initial(following: Sequence[str]) -> bool:
    """Whether an initial and another katakana part follow: ・F・ケネディ."""
    if len(following) < 4 or following[0] not in _JOINTS or following[2] not in _JOINTS:
        return False
    initial = following[1]
    return (
        len(initial) == 1 and initial.isascii() and initial.isalpha() and _KATAKANA.fullmatch(following[3]) is not None
    )


def _latin_name_end(words: Sequence[Word], place: int) -> int:
    """The end of two or three words with capitals, the last of them a person's: Emily Ross."""
    for last in (place + 4, place + 2):
        parts = words[place : last + 1]
        is_whole = len(parts) == last - place + 1 and parts[-1].is_person
        if is_whole and all(w.is_capital for w in parts[::2]) and all(w.text == " " for w in parts[1::2]):
            return last + 1
    return place


def _given_name_end(words: Sequence[Word], end: int) -> int:
    """Behind a family name alone: a blank and a given name, which the dictionary may not know as one."""
    if end + 1 >= len(words) or words[end].text != " ":
        return end
    given, after = words[end + 1], words[end + 2 : end + 3]
    is_alone = not after or not after[0].is_noun
    if given.is_person or (is_alone and given.is_noun and _KANJI_NAME.fullmatch(given.text)):
        return end + 2
    return end


def _family_end(name: Sequence[Word]) -> int:
    return name[0].end if len(name) > 1 and name[0].kind.endswith("姓") else 0


def _beside_legal_form(words: Sequence[Word], place: int) -> tuple[int, int]:
    """The first and last morpheme of the company whose legal form stands at `place`."""
    last = place
    while last + 1 < len(words) and last - place < _LONGEST and _is_company_part(words[last + 1]):
        last += 1
    first = _first_noun(words, place)
    return (first, place) if first < place else (place, last)


def _first_noun(words: Sequence[Word], place: int) -> int:
    first = place
    while first > 0 and place - first < _LONGEST and _is_company_part(words[first - 1]):
        first -= 1
    return first


def _goes_on(words: Sequence[Word], place: int) -> bool:
    """Whether the next morpheme belongs to the same compound: 大学 in 大学院 doesn't end a name."""
    return place + 1 < len(words) and _is_company_part(words[place + 1])


def _is_company_part(word: Word) -> bool:
    if "数詞" in word.kind or "副詞可能" in word.kind:
        return False
    return word.is_noun or word.text in "・&" or _LATIN_WORD.fullmatch(word.text) is not None

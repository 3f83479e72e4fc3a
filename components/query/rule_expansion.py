"""Expands queries by the names of the domain's things and by groups of synonyms."""

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from components.analysis.folding import Folded, fold
from components.analysis.identifiers import with_right_marks
from components.analysis.japanese import JapaneseTokenizer, is_unknown
from components.query.domain_terms import DomainTerms
from components.query.protected_spans import ProtectedSpans, overlaps
from components.query.synonym_groups import SynonymGroups

_KATAKANA = re.compile(r"[ァ-ヺー]{5,20}")


class _Place(NamedTuple):
    """Characters of a query and what may stand there instead."""

    start: int
    end: int
    others: tuple[str, ...]


class RuleExpansion:
    """
    Puts other names in the place of those that a query holds, one in each variant.

    Only whole words are replaced, never identifiers or quoted phrases.

    Usage example:

    ```python
    RuleExpansion(synonyms=SynonymGroups(Path("config/synonyms"))).expand("有休の申請", 2)
    # ["有給休暇の申請", "年休の申請"]
    ```

    :param terms: The domain's vocabulary.
    :param synonyms: Groups of synonyms.
    """

    def __init__(self, terms: DomainTerms | None = None, synonyms: SynonymGroups | None = None):
        self._terms = terms
        self._synonyms = synonyms
        # Middle units: ウェブ of ウェブサーバー is a word of its own, 会議 of 会議室 isn't.
        self._tokenizer = JapaneseTokenizer("B")

    def expand(self, query: str, most: int, protected: ProtectedSpans | None = None) -> list[str]:
        """
        Make variants of a query.

        :param query: The query as typed.
        :param most: How many at most.
        :param protected: What may not be touched, where it is known already.
        :returns: Variants: one for each place with its first other name, then one for each with the second, ...
        """
        protected = protected or ProtectedSpans.of(query)
        places = self._places(query, protected)
        turns = itertools.zip_longest(*(place.others for place in places))
        variants = (
            query[: place.start] + other + query[place.end :]
            for turn in turns
            for place, other in zip(places, turn, strict=True)
            if other is not None
        )
        return list(itertools.islice(dict.fromkeys(variants), most))

    def _places(self, query: str, protected: ProtectedSpans) -> list[_Place]:
        found = [place for place in self._named(query) if not protected.touched_by(place.start, place.end)]
        if not found:
            return []
        edges = self._edges(with_right_marks(fold(query)))
        starts, ends = {start for start, _ in edges}, {end for _, end in edges}
        kept: list[_Place] = []
        for place in sorted(found, key=lambda place: (place.start - place.end, place.start)):
            same = [(other.start, other.end) for other in kept]
            if place.start in starts and place.end in ends and not overlaps(place.start, place.end, same):
                kept.append(place)
        return sorted(kept)

    def _edges(self, folded: Folded) -> list[tuple[int, int]]:
        """Where words begin and end in the original text."""
        found = []
        for offset, morpheme in self._tokenizer.morphemes(folded.text):
            start, end = offset + morpheme.begin(), offset + morpheme.end()
            found.append(folded.original(start, end))
            if is_unknown(morpheme) and _KATAKANA.fullmatch(morpheme.surface()):
                joint = start + self._joint(morpheme.surface())
                found += [folded.original(start, joint), folded.original(joint, end)] if joint > start else []
        return found

    def _joint(self, compound: str) -> int:
        """Where a word that the dictionary lacks (ミーティングメモ) falls into two that it has; 0 for nowhere."""
        return next(
            (n for n in range(2, len(compound) - 1) if all(map(self._is_known, (compound[:n], compound[n:])))), 0
        )

    def _is_known(self, word: str) -> bool:
        morphemes = [morpheme for _, morpheme in self._tokenizer.morphemes(word)]
        return len(morphemes) == 1 and not is_unknown(morphemes[0])

    def _named(self, query: str) -> Iterator[_Place]:
        for term, start, end in self._terms.find(query) if self._terms else []:
            yield _place(query, start, end, (term.name, *term.aliases))
        for words, start, end in self._synonyms.find(query) if self._synonyms else []:
            yield _place(query, start, end, words)


def _place(query: str, start: int, end: int, names: tuple[str, ...]) -> _Place:
    own = fold(query[start:end]).text
    return _Place(start, end, tuple(name for name in names if fold(name).text != own))

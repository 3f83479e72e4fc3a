"""Analysis of texts in Japanese, English and Korean for one index of all three."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from components.analysis.analyzed_text import AnalyzedText, Identifier, Token
from components.analysis.english import STOP_WORDS, plain_words, stem
from components.analysis.folding import Folded, fold
from components.analysis.identifiers import find_identifiers, with_right_marks
from components.analysis.japanese import JapaneseTokenizer, JapaneseWord, bigrams
from components.analysis.query_citations import QUOTED

_LONGEST_PHRASE_QUERY = 32  # words; in longer text quotes are punctuation


@dataclass(frozen=True)
class MultilingualAnalysis:
    """
    Makes the token streams of a text in its language.

    "words" holds identifiers ("id:ev-2024-001") and the words: normalised ones in Japanese, folded ones elsewhere;
    "stems" the same with English stems and without stop words; "synonyms" the groups of Sudachi's synonym dictionary
    ("s:813"), by its long units as well as by the words; "bigrams" pairs of characters of Japanese and Korean runs;
    "phrase" pairs of neighbouring stems, in Japanese and Korean three characters in a row.

    Usage example:

    ```python
    MultilingualAnalysis().analyze("サーバ障害の報告", "ja").terms("words")  # ["サーバ", "障害", "報告"]
    ```

    :param mode: Sudachi's split mode of the words, "A", "B" or "C".
    :param user_dictionary: The path of a compiled Sudachi user dictionary.
    :raises ValueError: If the mode is unknown, or there is no such dictionary.
    """

    mode: str = "A"
    user_dictionary: str | None = None
    _words: JapaneseTokenizer = field(init=False, repr=False, compare=False)
    _units: JapaneseTokenizer = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = JapaneseTokenizer(self.mode, self.user_dictionary)
        units = words if self.mode == "C" else JapaneseTokenizer("C", self.user_dictionary)
        object.__setattr__(self, "_words", words)
        object.__setattr__(self, "_units", units)

    def analyze(self, text: str, language: str, query: bool = False, words_alone: bool = False) -> AnalyzedText:
        """
        Analyse a text.

        :param text: A text or query.
        :param language: "ja", "en", "ko" or "mixed", which is read like Japanese.
        :param query: Whether it is a query: only there, and only up to 32 words, double quotes mark phrases, and stop
            words are no words.
        :param words_alone: Leave out the streams of characters, "bigrams" and "phrase".
        :returns: The streams with offsets into the text; `phrases` in terms of "words".
        """
        folded = with_right_marks(fold(text))
        identifiers = tuple(find_identifiers(folded))
        named = [Token(i.canonical, i.start, i.end) for i in identifiers]
        synonyms: list[Token] = []
        if language in ("ja", "mixed"):
            units = _outside(self._units.words(folded), identifiers)
            words = units if self.mode == "C" else _outside(self._words.words(folded), identifiers)
            synonyms = _groups(units if words is units else [*units, *words])
            every = _in_order([*named, *(Token(*word[:3]) for word in words)])
            stems = _in_order([*named, *(Token(*unit[:3]) for unit in units)])
        else:
            content = _outside(plain_words(folded), identifiers)
            every = _in_order([*named, *content])
            kept = [token for token in content if token.term not in STOP_WORDS or language != "en"]
            stems = _in_order([*named, *(_stemmed(token, language) for token in kept)])
        pairs = [] if words_alone else _outside(bigrams(folded), identifiers)
        streams = {
            "words": tuple(_without_stop_words(every) if query else every),
            "stems": tuple(stems),
            "synonyms": tuple(synonyms),
            "bigrams": tuple(pairs),
            "phrase": () if words_alone else tuple(_phrase_pairs(stems, pairs, language)),
        }
        return AnalyzedText(text, language, streams, identifiers, _phrases(folded, every) if query else ())


def _outside(tokens: Sequence, identifiers: Sequence[Identifier]) -> list:
    """The tokens that aren't a part of an identifier."""
    if not identifiers:
        return list(tokens)
    return [token for token in tokens if all(token.end <= i.start or i.end <= token.start for i in identifiers)]


def _groups(words: Iterable[JapaneseWord]) -> list[Token]:
    found = {Token(f"s:{group}", word.start, word.end) for word in words for group in word.groups}
    terms = {(token.term, token.start): token for token in sorted(found)}
    return _in_order(terms.values())


def _in_order(tokens: Iterable[Token]) -> list[Token]:
    return sorted(tokens, key=lambda token: (token.start, token.end, token.term))


def _stemmed(token: Token, language: str) -> Token:
    return Token(stem(token.term), token.start, token.end) if language == "en" else token


def _without_stop_words(tokens: Iterable[Token]) -> list[Token]:
    return [token for token in tokens if token.term not in STOP_WORDS]


def _phrase_pairs(stems: Sequence[Token], pairs: Sequence[Token], language: str) -> list[Token]:
    if language == "en":
        return [Token(f"{a.term}_{b.term}", a.start, b.end) for a, b in itertools.pairwise(stems)]
    joined = ((a, b) for a, b in itertools.pairwise(pairs) if b.start < a.end)
    return [Token(a.term + b.term[-1], a.start, b.end) for a, b in joined]


def _phrases(folded: Folded, words: Sequence[Token]) -> tuple[tuple[str, ...], ...]:
    if len(words) > _LONGEST_PHRASE_QUERY:
        return ()
    spans = [folded.original(*match.span(1)) for match in QUOTED.finditer(folded.text)]
    found = (tuple(t.term for t in words if start <= t.start and t.end <= end) for start, end in spans)
    return tuple(terms for terms in found if terms)

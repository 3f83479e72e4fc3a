"""English analysis for legal text: protected citations, words, Snowball stems and pairs of stems."""

import itertools
import re
import threading
from collections.abc import Iterable
from functools import lru_cache
from operator import attrgetter

import Stemmer

from components.analysis.analyzed_text import AnalyzedText, Identifier, Token
from components.analysis.citation_series import read_series
from components.analysis.folding import Folded, fold
from components.analysis.legal_citations import ancestors, bare_readings, find_citations
from components.analysis.query_citations import (
    QUOTED,
    find_query_citations,
    without_citation_quotes,
    without_repeats,
)

# Words that carry no topic. "not", "no", "only", "after" and "before" stay: in law they decide.
STOP_WORDS = frozenset(
    """
    a an and are as at be been being by can could did do does for from had has have he her his i if in into is it its
    may might must of on or our she should so such than that the their them then there these they this those to was we
    were what when where which while who whom whose why will with would you your shall any about how
    """.split()  # noqa: SIM905
)
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+(?:'[a-z]+)?")
_LONGEST_PHRASE_QUERY = 32  # words; in longer text, a claim or a report of facts, quotes are punctuation
_local = threading.local()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Snowball (Porter 2) stem of a folded word."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)
    return stemmer.stemWord(word)


def analyze_english(text: str, query: bool = False) -> AnalyzedText:
    """
    Analyse English text for the index fields "words", "stems" and "phrase".

    Citations become one token in their canonical spelling, followed by what holds them (112(b), then 112), so that
    "35 USC 112 (b)" and "35 U.S.C. § 112(b)" meet. "words" are folded words without possessive 's; a text's hold the
    stop words, so that quoted phrases are found as they stand, a query's don't. "stems" and "phrase", pairs of
    neighbouring stems joined by "_", go without stop words. A query that is a bare number or a series of such has all
    their readings as identifiers ("103": MPEP 103 and 35 USC 103); of a range it has what lies between the ends, too.

    :param text: A text or query.
    :param query: Whether it is a query; only there, and only up to 32 words, do double quotes mark phrases,
        except around a number or citation.
    :returns: Tokens with offsets into `text`; `phrases` in terms of the field "words".
    """
    plain, quoted = without_citation_quotes(text) if query else (text, [])
    folded = fold(plain)
    words, identifiers = _words(folded, query)
    if query:
        if len(words) <= _LONGEST_PHRASE_QUERY:
            words, identifiers = _with_quoted(plain, quoted, words, identifiers)
        words, identifiers = _with_series(plain, words, identifiers)
    content = tuple(token for token in words if token.term not in STOP_WORDS)
    stems = tuple(Token(index_stem(token.term), token.start, token.end) for token in content)
    phrase = tuple(Token(f"{a.term}_{b.term}", a.start, b.end) for a, b in itertools.pairwise(stems))
    tokens = {"words": content if query else words, "stems": stems, "phrase": phrase}
    return AnalyzedText(text, "en", tokens, identifiers, _phrases(folded, words) if query else ())


def _with_series(
    text: str, words: tuple[Token, ...], identifiers: tuple[Identifier, ...]
) -> tuple[tuple[Token, ...], tuple[Identifier, ...]]:
    """The words and identifiers of a query, with what its bare numbers and ranges mean."""
    series = read_series(text, identifiers)
    readings = bare_readings(without_repeats(text))
    if readings:
        # One number, though it may look like a range: that of a document, or a heading's.
        is_document = any(name.startswith("fr:") for name in readings)
        inner = [] if is_document else [name for run in series.runs for item in run for name in item.names()]
        named = [(name, 0, len(text)) for name in dict.fromkeys([*readings, *inner])]
    else:
        items = [item for run in series.runs for item in run if series.is_whole or item.last]
        named = [(name, item.start, item.end) for item in items for name in item.names()]
    if not named:
        return words, identifiers
    if readings or series.is_whole:
        words, identifiers = (), ()
    known = {identifier.canonical for identifier in identifiers}
    new = [Identifier(name.split(":")[0], name, *span) for name, *span in named if name not in known]
    tokens = [Token(term, i.start, i.end) for i in new for term in ancestors(i.canonical)]
    place = attrgetter("start", "end")
    return tuple(sorted([*words, *tokens], key=place)), tuple(sorted([*identifiers, *new], key=place))


def _with_quoted(
    text: str, spans: list[tuple[int, int]], words: tuple[Token, ...], identifiers: tuple[Identifier, ...]
) -> tuple[tuple[Token, ...], tuple[Identifier, ...]]:
    """The words and identifiers of a query, with the readings of bare numbers that stood in quotes of their own."""
    for start, end in spans:
        readings = bare_readings(text[start:end])
        if not readings or any(i.start < end and start < i.end for i in identifiers):
            continue
        new = [Identifier(name.split(":")[0], name, start, end) for name in readings]
        tokens = [Token(term, start, end) for name in readings for term in ancestors(name)]
        kept = [token for token in words if token.end <= start or end <= token.start]
        place = attrgetter("start", "end")
        words = tuple(sorted([*kept, *tokens], key=place))
        identifiers = tuple(sorted([*identifiers, *new], key=place))
    return words, identifiers


def plain_words(folded: Folded) -> list[Token]:
    """
    Words alone, for texts that aren't legal: no citations, no stop words left out.

    >>> [token.term for token in plain_words(fold("The user's Files"))]
    ['the', 'user', 'files']

    :param folded: A folded text.
    :returns: Tokens in order, with offsets into the original text.
    """
    found = ((_bare_word(match.group()), *folded.original(*match.span())) for match in _WORD.finditer(folded.text))
    return [Token(term, start, end) for term, start, end in found if term]


def english_words(text: str) -> tuple[Token, ...]:
    """The stream "words" of a text alone, for indexing."""
    return _words(fold(text))[0]


def words_with_stems(text: str, stems: frozenset[str]) -> list[tuple[int, int]]:
    """The ranges of a text's words that have one of some stems, with citations read as words."""
    folded, wanted = fold(text), _Wanted(stems)
    return [folded.original(*match.span()) for match in _WORD.finditer(folded.text) if wanted[match.group()]]


class _Wanted(dict[str, bool]):
    """Whether a folded word has one of some stems, worked out once."""

    def __init__(self, stems: frozenset[str]):
        super().__init__()
        self._stems = stems

    def __missing__(self, word: str) -> bool:
        found = self[word] = index_stem(_bare_word(word)) in self._stems
        return found


def index_terms(words: Iterable[str]) -> dict[str, list[str]]:
    """
    The terms of all streams, from those of the stream "words".

    >>> index_terms(["the", "rejected", "claims"])
    {'words': ['the', 'rejected', 'claims'], 'stems': ['reject', 'claim'], 'phrase': ['reject_claim']}
    """
    terms = list(words)
    stems = [index_stem(term) for term in terms if term not in STOP_WORDS]
    return {"words": terms, "stems": stems, "phrase": [f"{a}_{b}" for a, b in itertools.pairwise(stems)]}


def _phrases(folded: Folded, words: tuple[Token, ...]) -> tuple[tuple[str, ...], ...]:
    phrases: list[tuple[str, ...]] = []
    if len(words) > _LONGEST_PHRASE_QUERY:
        return ()
    for match in QUOTED.finditer(folded.text):
        start, end = folded.original(*match.span(1))
        if terms := tuple(token.term for token in words if start <= token.start and token.end <= end):
            phrases.append(terms)
    return tuple(phrases)


def index_stem(term: str) -> str:
    """The stem of a word, or a canonical identifier as it is."""
    return term if ":" in term else stem(term)


def _words(folded: Folded, query: bool = False) -> tuple[tuple[Token, ...], tuple[Identifier, ...]]:
    """Words and citations in order; the parts of a citation are no words of their own."""
    identifiers = tuple(find_query_citations(folded) if query else find_citations(folded))
    protected = sorted({(i.start, i.end) for i in identifiers})
    tokens = [Token(name, found.start, found.end) for found in identifiers for name in ancestors(found.canonical)]
    position = 0
    same = folded.offsets is None
    for match in _WORD.finditer(folded.text):
        start, end = match.span() if same else folded.original(*match.span())
        while position < len(protected) and protected[position][1] <= start:
            position += 1
        if position < len(protected) and protected[position][0] < end:
            continue
        term = _bare_word(match.group())
        if term:
            tokens.append(Token(term, start, end))
    tokens.sort(key=lambda token: (token.start, token.end))
    return tuple(tokens), identifiers


def _bare_word(word: str) -> str:
    """A folded word without possessive 's and apostrophes."""
    return word.removesuffix("'s").replace("'", "")

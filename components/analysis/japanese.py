"""Japanese analysis with Sudachi: normalised words, synonym groups of its dictionary, character bigrams."""

import re
import threading
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from sudachipy import Config, Dictionary, Morpheme, SplitMode
from sudachipy import Tokenizer as SudachiTokenizer

from components.analysis.analyzed_text import Token
from components.analysis.folding import Folded

MODES = {"A": SplitMode.A, "B": SplitMode.B, "C": SplitMode.C}
# Particles, auxiliaries, symbols, pronouns and determiners.
_DROPPED = frozenset({"助詞", "助動詞", "補助記号", "記号", "空白", "代名詞", "連体詞"})
_AUXILIARY = ("動詞", "非自立可能")  # verbs that mostly carry grammar: する, いる, ある, おく
HONORIFIC = frozenset({"御", "お", "ご"})
"""Prefixes that only make a word polite, in normalised form."""
# Nouns that only carry grammar: こと, もの, ため, よう, など; and the 何 of 何年 and 何人, which is no pronoun.
_GRAMMAR = frozenset({"事", "物", "為", "様", "等", "何"})
# Ids of what is no entry: guessed words have the last dictionary's number, joined ones (1,200) only ones behind it.
_NO_DICTIONARY, _NO_WORD = 0xF000_0000, 0x0FFF_FFFF
_LONGEST_BYTES = 40_000  # Sudachi refuses input of more than 49,149 bytes
_SAFE_END = re.compile(r"[。！？!?\n]|(?<=[、，, ])")
_KATAKANA = re.compile(r"[ァ-ヺー]{4,}")
# A loan word's v-sounds and small vowels, which are written either way.
_SPELLINGS = (
    *(("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴ", "ブ")),
    *(("ァ", "ア"), ("ィ", "イ"), ("ゥ", "ウ"), ("ェ", "エ"), ("ォ", "オ")),
)
_CJK_RUN = re.compile(r"[々〇ぁ-ゖァ-ヺー㐀-䶿一-鿿豈-﫿가-힣]+")


class JapaneseWord(NamedTuple):
    """A content word: its index term, the characters of the original text, the dictionary's groups of synonyms."""

    term: str
    start: int
    end: int
    groups: tuple[int, ...]


class JapaneseTokenizer:
    """
    Sudachi with one way of splitting; safe to use from several threads.

    Usage example:

    ```python
    JapaneseTokenizer().words(fold("お盆休みの予定"))[0].term  # "盆休み"
    ```

    :param mode: "A" (short units), "B" or "C" (named entities stay whole).
    :param user_dictionary: The path of a compiled Sudachi user dictionary.
    :raises ValueError: If the mode is unknown, or there is no such dictionary.
    """

    def __init__(self, mode: str = "A", user_dictionary: str | None = None):
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
        if user_dictionary and not Path(user_dictionary).is_file():
            raise ValueError(
                f"there is no Sudachi user dictionary {user_dictionary!r}; make one with: sudachipy ubuild"
            )
        self._mode = MODES[mode]
        self._user_dictionary = user_dictionary
        self._local = threading.local()

    def words(self, folded: Folded) -> list[JapaneseWord]:
        """
        The content words of a folded text: no particles, auxiliaries, symbols, honorific prefixes.

        :param folded: The text, with the right marks.
        :returns: The words in order.
        """
        found = []
        for offset, morpheme in self.morphemes(folded.text):
            kind, detail, *_ = morpheme.part_of_speech()
            form = morpheme.normalized_form()
            if kind in _DROPPED or (kind, detail) == _AUXILIARY or form in _GRAMMAR:
                continue
            if kind == "接頭辞" and form in HONORIFIC:
                continue
            start, end = folded.original(offset + morpheme.begin(), offset + morpheme.end())
            groups = tuple(morpheme.synonym_group_ids())
            found.append(JapaneseWord(word_key(form), start, end, groups))
        return found

    def morphemes(self, text: str) -> Iterator[tuple[int, Morpheme]]:
        """
        All morphemes of a text of any length.

        :param text: The text, as Sudachi is to read it.
        :returns: Each with the offset of the piece of the text that its `begin` and `end` count from.
        """
        tokenizer: SudachiTokenizer | None = getattr(self._local, "tokenizer", None)
        if tokenizer is None:
            tokenizer = self._local.tokenizer = _dictionary(self._user_dictionary).create(mode=self._mode)
        for start, piece in pieces(text, _LONGEST_BYTES):
            for morpheme in tokenizer.tokenize(piece):
                yield start, morpheme


@lru_cache(maxsize=4)
def _dictionary(user_dictionary: str | None) -> Dictionary:
    return Dictionary(dict="core", config=Config(user=[user_dictionary] if user_dictionary else []))


def pieces(text: str, longest: int) -> Iterator[tuple[int, str]]:
    """
    Cut a text into pieces of at most so many bytes of UTF-8, behind the ends of sentences, commas or blanks.

    >>> list(pieces("雨。風。", 9))
    [(0, '雨。'), (2, '風。')]

    :param text: Any text.
    :param longest: The most bytes that a piece holds, 4 or more.
    :returns: Each piece with its offset in the text.
    """
    start = 0
    while len(text) - start > longest // 4 and len(text[start:].encode()) > longest:
        end = start + longest // 4
        while end < len(text) and len(text[start : end + 1].encode()) <= longest:
            end += 1
        ends = [match.end() for match in _SAFE_END.finditer(text, start, end) if start < match.end() <= end]
        cut = ends[-1] if ends else end
        yield start, text[start:cut]
        start = cut
    yield start, text[start:]


def is_unknown(morpheme: Morpheme) -> bool:
    """
    Whether the dictionary lacks a morpheme. Katakana that Sudachi joined of several doesn't say so by `is_oov`.

    :param morpheme: The morpheme.
    :returns: True when it is no entry of a dictionary.
    """
    word_id = morpheme.word_id()
    return word_id >= _NO_DICTIONARY or word_id & _NO_WORD == _NO_WORD


def word_key(form: str) -> str:
    """
    One spelling for those of a loan word of four or more characters: the long mark at its end, v-sounds, small vowels.

    Shorter words keep theirs, and so do long marks inside: ビール isn't ビル.

    >>> word_key("サーバー"), word_key("ヴァイオリン"), word_key("ビール"), word_key("Excel")
    ('サーバ', 'バイオリン', 'ビール', 'excel')

    :param form: A normalised form.
    :returns: The term that is indexed.
    """
    if not _KATAKANA.fullmatch(form):
        return form.lower()
    for spelling, other in _SPELLINGS:
        form = form.replace(spelling, other)
    return form.removesuffix("ー")


def bigrams(folded: Folded) -> list[Token]:
    """
    Pairs of neighbouring characters in runs of kana, kanji and hangul; a run of one character is its own.

    >>> [token.term for token in bigrams(fold("電池 の"))]
    ['電池', 'の']

    :param folded: The folded text.
    :returns: Tokens in order.
    """
    found = []
    for run in _CJK_RUN.finditer(folded.text):
        text, start = run.group(), run.start()
        width = min(len(text), 2)
        for place in range(len(text) - width + 1):
            begin, end = folded.original(start + place, start + place + width)
            found.append(Token(text[place : place + width], begin, end))
    return found

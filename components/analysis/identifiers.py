"""Project, product and document numbers, which are protected before any normalisation and found exactly."""

import re

from components.analysis.analyzed_text import Identifier
from components.analysis.folding import Folded, fold

# "ev-2024-001", "qms-12", "pj2024-05a": letters, then groups of digits behind hyphens.
_NUMBER = re.compile(r"(?<![a-z0-9-])[a-z]{1,8}\d{0,4}(?:-[a-z]{0,4}\d{1,8}[a-z]?){1,5}(?![a-z0-9]|-[a-z0-9])")
# A run of letters, digits and joining signs that holds a digit: EV-2024-001, 2106.04(a)(2), iso9001, 2024.
_NUMBERED = re.compile(r"(?:[a-z]+[-_/.])*[a-z]*\d[a-z0-9]*(?:[-_/.][a-z0-9]+|\([a-z0-9]+\))*")
# A long vowel mark typed for a hyphen, and a hyphen for a long vowel mark.
_MARK_IN_NUMBER = re.compile(r"(?<=[a-z0-9])ー(?=[a-z]{0,4}\d)")
_HYPHEN_IN_KANA = re.compile(r"(?<=[ァ-ヺ])-(?![a-z0-9])")


def with_right_marks(folded: Folded) -> Folded:
    """
    A folded text with hyphens in numbers and long vowel marks in katakana, however both were typed.

    >>> with_right_marks(fold("EVー2024ー001のサ−バ−")).text
    'ev-2024-001のサーバー'

    :param folded: A folded text.
    :returns: The text with the same offsets.
    """
    text = _MARK_IN_NUMBER.sub("-", folded.text)
    return Folded(_HYPHEN_IN_KANA.sub("ー", text), folded.offsets)


def find_identifiers(folded: Folded) -> list[Identifier]:
    """
    All numbers of projects, products and documents in a text.

    >>> [found.canonical for found in find_identifiers(fold("ＥＶ－２０２４－００１とQMS-12"))]
    ['id:ev-2024-001', 'id:qms-12']

    :param folded: A folded text, with the right marks.
    :returns: Identifiers in order, with offsets into the original text.
    """
    return [
        Identifier("id", f"id:{match.group()}", *folded.original(*match.span()))
        for match in _NUMBER.finditer(folded.text)
    ]


def numbers_in(text: str) -> frozenset[str]:
    """
    All that holds a digit: identifiers, section numbers, years, amounts; however it is typed.

    >>> sorted(numbers_in("ＥＶ‐２０２４‐００１の進捗, MPEP 2106.04(a)(2)"))
    ['2106.04(a)(2)', 'ev-2024-001']

    :param text: A question.
    :returns: The folded strings.
    """
    return frozenset(_NUMBERED.findall(fold(text).text))

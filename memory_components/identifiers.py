"""What two questions must have in common before a rating for one acts on the other."""

import re

from components.analysis.folding import fold

# A run of letters, digits and joining signs that holds a digit: EV-2024-001, 2106.04(a)(2), iso9001, 2024.
_NUMBERED = re.compile(r"(?:[a-z]+[-_/.])*[a-z]*\d[a-z0-9]*(?:[-_/.][a-z0-9]+|\([a-z0-9]+\))*")


def numbers_in(text: str) -> frozenset[str]:
    """
    All that holds a digit: identifiers, section numbers, years, amounts; however it is typed.

    >>> sorted(numbers_in("ＥＶ‐２０２４‐００１の進捗, MPEP 2106.04(a)(2)"))
    ['2106.04(a)(2)', 'ev-2024-001']

    :param text: A question.
    :returns: The folded strings.
    """
    return frozenset(_NUMBERED.findall(fold(text).text))

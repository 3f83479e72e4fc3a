"""The parts of a query that no expansion may touch: identifiers and quoted phrases."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from components.analysis.folding import fold
from components.analysis.identifiers import find_identifiers, numbers_in, with_right_marks
from components.analysis.legal_citations import find_citations

_QUOTED = re.compile(r'"([^"]+)"|「([^「」]+)」|『([^『』]+)』')


@dataclass(frozen=True)
class ProtectedSpans:
    """
    What no expansion of a query may touch.

    :param spans: Characters of identifiers and of quoted phrases, quotes included.
    :param phrases: The quoted phrases, folded.
    :param numbers: All that holds a digit.
    :param is_all: Whether nothing else is in the query.
    """

    spans: tuple[tuple[int, int], ...]
    phrases: tuple[str, ...]
    numbers: frozenset[str]
    is_all: bool

    @staticmethod
    def of(query: str) -> "ProtectedSpans":
        """
        Find them.

        >>> ProtectedSpans.of("EV-2024-001の「試験 計画」").spans
        ((0, 11), (12, 19))

        :param query: A query as typed.
        :returns: What is protected in it.
        """
        folded = with_right_marks(fold(query))
        quotes = [(match, folded.original(*match.span())) for match in _QUOTED.finditer(folded.text)]
        named = [*find_identifiers(folded), *find_citations(query)]
        spans = sorted({*((found.start, found.end) for found in named), *(span for _, span in quotes)})
        phrases = tuple(match.group(match.lastindex or 0).strip() for match, _ in quotes)
        rest = [char for place, char in enumerate(query) if not any(start <= place < end for start, end in spans)]
        return ProtectedSpans(tuple(spans), phrases, numbers_in(query), not any(char.isalnum() for char in rest))

    def touched_by(self, start: int, end: int) -> bool:
        """Whether some characters of the query overlap with what is protected."""
        return overlaps(start, end, self.spans)


def overlaps(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a range overlaps with one of others."""
    return any(start < other_end and other_start < end for other_start, other_end in spans)

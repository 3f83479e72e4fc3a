"""Numbers that a text names together: "608.01(o) and 2106", "35 U.S.C. 112-114", "37 CFR 1.75 to 1.77"."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from components.analysis.analyzed_text import Identifier
from components.analysis.folding import fold
from components.analysis.legal_citations import bare_readings, find_citations

_LONGEST_GAP = 200  # characters between two numbers of a series
_MOST_BETWEEN = 20
_PIECE = re.compile(
    r"(?P<join>[,;.](?!\d)|(?:and/or|and|or)\b)|(?P<range>-|(?:to|through|thru)\b)|(?P<sign>§{1,3}|sections?\b|secs?\.)"
    r"|(?P<number>\d[\w.]*(?:\s?\(\w{1,5}\))*)|(?P<other>\S+)"
)
_BARE_START = re.compile(r"\s{0,8}(?:§{1,3}|sections?\b|secs?\.)?\s{0,8}\d", re.IGNORECASE)
_COUNTED = re.compile(r"(?P<before>.*(?:[:.](?=\d)|\())(?P<part>\d{1,6}|[a-z])\)?")


@dataclass(frozen=True, slots=True)
class Named:
    """
    One number of a series, or a range of them.

    :param start: First character in the text.
    :param end: One past the last character.
    :param readings: The canonical identifiers that it can mean, likeliest first; those of the lower end of a range.
    :param last: Those of a range's upper end; empty for a number.
    """

    start: int
    end: int
    readings: tuple[str, ...]
    last: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """All identifiers: of a range both ends, and of up to 20 numbers what lies between them."""
        between = [name for ends in self.ranges() for name in _between(*ends)]
        return list(dict.fromkeys([*self.readings, *between, *self.last]))

    def ranges(self) -> list[tuple[str, str]]:
        """The pairs of ends of one kind that a range can mean, likeliest first."""
        uppers = {name.rpartition(":")[0]: name for name in reversed(self.last)}
        ends = [(name, uppers.get(name.rpartition(":")[0])) for name in self.readings]
        return [(first, last) for first, last in ends if last]


_Piece = tuple[str, Named | None]  # its kind, and what it names


@dataclass(frozen=True, slots=True)
class Series:
    """
    The numbers of a text.

    :param runs: Numbers joined by commas, "and", "or", "to" and hyphens, run after run.
    :param is_whole: Whether the text is one run and nothing else; only then numbers without a head are read.
    """

    runs: tuple[tuple[Named, ...], ...] = ()
    is_whole: bool = False


def read_series(text: str, citations: Sequence[Identifier] | None = None) -> Series:
    """
    Read lists and ranges of numbers.

    >>> [item.names() for item in read_series("MPEP 608.01(o) and §§ 2106-2108").runs[0]]
    [['mpep:608.01(o)'], ['mpep:2106', 'mpep:2107', 'mpep:2108']]

    :param text: A text.
    :param citations: What `find_citations` found in it, if that is known.
    :returns: The series; without runs when it names nothing, or is one run that holds something unreadable: a number
        of no known form, a range without an end, three numbers joined by hyphens as in a date.
    """
    found = find_citations(text) if citations is None else citations
    if not found and not (len(text) <= _LONGEST_GAP and _BARE_START.match(text)):
        return Series()
    pieces = list(_pieces(text, found))
    if not any(kind == "other" for kind, _ in pieces):
        run = _run(_trimmed(pieces, ("join", "sign")))
        return Series((run,), True) if run else Series()
    cut = [(kind if item is None or kind == "cited" else "other", item) for kind, item in pieces]
    parts = [list(group) for is_cut, group in itertools.groupby(cut, lambda p: p[0] == "other") if not is_cut]
    return Series(tuple(run for part in parts if (run := _run(_trimmed(part)))))


def _pieces(text: str, found: Sequence[Identifier]) -> Iterator[_Piece]:
    """Citations, bare numbers and what stands between them, in order."""
    position = 0
    for (start, end), group in itertools.groupby(found, lambda i: (i.start, i.end)):
        yield from _gap(text, position, start)
        names = [identifier.canonical for identifier in group]
        # "MPEP 2106-2107" is one citation with two ends.
        yield "cited", Named(start, end, (names[0],), tuple(names[1:]))
        position = end
    yield from _gap(text, position, len(text))


def _gap(text: str, start: int, end: int) -> Iterator[_Piece]:
    if end - start > _LONGEST_GAP:
        yield "other", None
        return
    gap = fold(text[start:end])
    for match in _PIECE.finditer(gap.text):
        kind = str(match.lastgroup)
        if kind == "number":
            number = match.group().removesuffix(".")
            first, after = gap.original(match.start(), match.start() + len(number))
            readings = () if number.startswith("0") else tuple(bare_readings(number))
            yield kind, Named(start + first, start + after, readings)
        else:
            yield kind, None


def _trimmed(pieces: list[_Piece], kinds: Sequence[str] = ("join", "range", "sign")) -> list[_Piece]:
    """Pieces without those of some kinds at either end."""
    places = [place for place, (kind, _) in enumerate(pieces) if kind not in kinds]
    return pieces[places[0] : places[-1] + 1] if places else []


def _run(pieces: Iterable[_Piece]) -> tuple[Named, ...]:
    """The numbers of a run; empty when it can't be read."""
    items: list[Named] = []
    joint = "join"
    for kind, item in pieces:
        if item is None:
            if kind == "range" and (joint or not items):
                return ()
            joint = joint if kind == "sign" else kind
        elif not item.readings or not joint or (joint == "range" and (items[-1].last or item.last)):
            return ()
        else:
            if joint == "range":
                items[-1] = replace(items[-1], end=item.end, last=item.readings)
            else:
                items.append(item)
            joint = ""
    return () if joint else tuple(items)


def _between(first: str, last: str) -> list[str]:
    """What lies between two numbers: 113 between 35 U.S.C. 112 and 114, 608.02(k) between 608.02(j) and 608.02(l)."""
    lower, upper = _COUNTED.fullmatch(first), _COUNTED.fullmatch(last)
    if not lower or not upper or lower["before"] != upper["before"]:
        return []
    before, start, end = lower["before"], lower["part"], upper["part"]
    if start.isdigit() and end.isdigit():
        # Decimals of the manual and of its form paragraphs have two digits: 2106.04, 7.05.01.
        width = 2 if first.startswith(("mpep:", "fp:")) and before.endswith(".") else 1
        parts = [f"{number:0{width}}" for number in range(int(start) + 1, int(end))]
    elif start.isalpha() and end.isalpha():
        parts = [chr(code) for code in range(ord(start) + 1, ord(end))]
    else:
        return []
    after = ")" if before.endswith("(") else ""
    return [f"{before}{part}{after}" for part in parts] if len(parts) <= _MOST_BETWEEN else []

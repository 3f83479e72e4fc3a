"""Sentence ends in English legal prose, where most full stops belong to abbreviations and citations."""

import re

# What stands before a full stop without ending a sentence: reporters, courts, parties, references.
_ABBREVIATIONS = frozenset(
    """
    u.s u.s.c c.f.r f.r fed reg cir ct dec dist app supp ed para paras sec secs art arts no nos p pp pt pts ch chs v vs
    inc corp co ltd llc mfg ass'n assoc bros dept div dr mr mrs ms jr sr st ex cf e.g i.e et al seq ibid id viz etc
    jan feb mar apr jun jul aug sep sept oct nov dec ser stat pub rev fig figs hon comm'r bd pat int'l
    """.split()  # noqa: SIM905
)
_BREAK = re.compile(r"(?<=[.!?;:])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9§¶(])|\n+|(?<=[。！？])")
_LAST_WORD = re.compile(r"([^\s(\[]+)\.$")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """
    Split a text at sentence ends, semicolons and colons before a new clause, and line ends.

    >>> sentence_spans("See Ex parte Doe (Fed. Cir. 1999). Then appeal.")
    [(0, 34), (35, 47)]

    :param text: Any text.
    :returns: (start, end) of each sentence without surrounding blanks, in order.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        head = text[start : match.start()]
        if "\n" not in match.group() and _ends_in_abbreviation(head):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _ends_in_abbreviation(head: str) -> bool:
    word = _LAST_WORD.search(head[-24:])
    if not word:
        return False
    stem = word.group(1).lower()
    return stem in _ABBREVIATIONS or len(stem) == 1 or bool(re.fullmatch(r"(?:[a-z]\.)+[a-z]|f\.\d+d?|\d+d", stem))


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    stop = start + len(piece.rstrip())
    if stop > begin:
        spans.append((begin, stop))

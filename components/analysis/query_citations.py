"""
Citations in spellings that only queries are read in: "Rule 132", "USC 112", "112, sixth paragraph", "608.01o",
"chapter 2100", a number in quotes, the id of a passage from an answer.
"""

import re

from components.analysis.analyzed_text import Identifier
from components.analysis.citation_series import read_series
from components.analysis.folding import Folded, fold
from components.analysis.legal_citations import bare_readings, canonical, find_citations

# A quote behind a letter or digit doesn't open one: in 5" pipe it stands for inches.
QUOTED = re.compile(r'(?<!\w)"([^"]*)"(?!\w)')
_SUB = r"(?:\s?\((?:[a-z]{1,2}|[ivxlc]{1,5}|\d{1,3})\))*"
_END = r"(?![\w(])(?!\.\d)"
# Rules of treaties and courts, which stand in front of "rule 26" or behind it.
_OTHER = r"\b(?:pct|epc|treaty|federal|fed\b\.?|frcp|frap|fre\b|civ|court|circuit|cir\b\.?|hague|madrid)"
_FAR = 40  # characters in front of a rule that are looked at
_OTHER_BEFORE = re.compile(rf"{_OTHER}(?:'s)?[\s,:]+$")
_OTHER_BEHIND = re.compile(rf"[\s,]*(?:(?:of|under|in)\s+)?(?:the\s+)?(?:regulations under the\s+)?{_OTHER}")
_RULES = re.compile(
    rf"(?<![\w.])rules?\s{{1,8}}(?P<numbers>\d{{1,3}}{_SUB}"
    rf"(?:(?:\s?[,/]\s?|\s(?:and|or)\s)(?:rule\s)?\d{{1,3}}{_SUB}){{0,9}}){_END}"
)
_RULE_NUMBER = re.compile(rf"\d{{1,3}}{_SUB}")
# Headings inside a section of the manual, 2106.04(a)(2)(III)(C), have no number of their own.
_DEEPER = r"(?:\s?\((?:[ivx]{1,5}|[a-z]|\d{1,2})\))+"
_HEADING = (
    rf"(?P<number>\d{{3,4}}\.\d{{2}}(?:\s?\([a-z]{{1,2}}\d?\))?+(?:\s?\(\d{{1,2}}\))?+){_DEEPER}{_END}",
    r"(?<![\w.])m\.?p\.?e\.?p\.?\s{0,8}(?:§{1,3}|sections?\b|secs?\.)?\s{0,8}",
)
# The paragraphs of section 112 were named by their place before they got letters.
_PLACES = {
    place: letter
    for letter, places in zip(
        "abcdef",
        ("first 1st 1", "second 2nd 2", "third 3rd 3", "fourth 4th 4", "fifth 5th 5", "sixth 6th 6"),
        strict=True,
    )
    for place in places.split()
}
_PARAGRAPH = re.compile(
    r"(?<![\w.,$/-])(?:35\s{0,8}u\.?\s?s\.?\s?c\.?\s{0,8})?(?:§{1,3}|sections?\b|secs?\.)?\s{0,8}112\s{0,8},?\s{0,8}(?:"
    r"(?:¶{1,2}|para(?:graph|\.)?)\s{0,8}(?P<number>[1-6])(?!\w)"
    r"|(?P<place>first|second|third|fourth|fifth|sixth|1st|2nd|3rd|4th|5th|6th)\s{1,8}para(?:graph\b|\.|\b))"
)
# Without "MPEP" in front of it "100.05g" may be a weight.
_UNBRACKETED = re.compile(
    r"(?<![\w.])m\.?p\.?e\.?p\.?\s{0,8}(?:§{1,3}|sections?\b|secs?\.)?\s{0,8}(?P<section>\d{3,4}\.\d{2})(?P<letter>[a-z])"
    r"(?![\w(])"
)
# "MPEP-608.01(o)#3", "35USC-112", "37CFR-1.131", "FR-2024-02623": how answers name passages and what holds them.
_RECORD = re.compile(
    r"(?<![\w-])(?P<scheme>mpep|35usc|37cfr|fr)-(?P<number>\d[\w.-]*(?:\([a-z0-9]{1,3}\))*)(?:#\d{1,5})?(?![\w(])"
)
_SCHEMES = {"mpep": "mpep", "35usc": "usc", "37cfr": "cfr", "fr": "fr"}
_NAMED = (
    ("mpep", re.compile(_HEADING[1] + _HEADING[0])),
    ("mpep", re.compile(r"(?<![\w.,$/-])" + _HEADING[0])),
    ("usc", re.compile(rf"(?<![\w.])u\.?\s?s\.?\s?c\.?\s{{0,8}}(?:§{{1,3}}\s?)?(?P<number>\d{{1,3}}{_SUB}){_END}")),
    ("mpep", re.compile(rf"(?<![\w.])chapter\s{{1,8}}(?P<number>\d{{1,2}}00){_END}(?:\s+of\s+(?:the\s+)?mpep\b)?")),
)
_REPEATED = re.compile(r"\s{0,8}(\d\S{0,20})(?:\s{1,8}\1)+\s{0,8}")


def find_query_citations(folded: Folded) -> list[Identifier]:
    """
    All citations in a query: those of texts, and what only in a query is sure enough to be one.

    "Rule 132" is 37 CFR 1.132 where no treaty's or court's rules are named beside it, "USC 112" is of title 35, and a
    heading inside a section of the manual is the section.

    >>> [found.canonical for found in find_query_citations(fold("rule 132 declaration, USC 112"))]
    ['cfr:37:1.132', 'usc:35:112']

    :param folded: A folded query.
    :returns: Identifiers that don't overlap, in order, with offsets into the original query.
    """
    found = find_citations(folded)
    for kind, number, start, end in _candidates(folded.text):
        first, after = folded.original(start, end)
        overlapping = [other for other in found if first < other.end and other.start < after]
        # The whole, "Rule 131(a)", is meant, not what could stand alone in it, "131(a)".
        inside = all(first <= other.start and other.end <= after for other in overlapping)
        if inside and all((other.start, other.end) != (first, after) for other in overlapping):
            found = [other for other in found if other not in overlapping]
            found.append(Identifier(kind, canonical(kind, number), first, after))
    return sorted(found, key=lambda identifier: (identifier.start, identifier.end))


def _candidates(text: str) -> list[tuple[str, str, int, int]]:
    """Kinds, numbers and places of what may be a citation."""
    found = [(kind, match["number"], *match.span()) for kind, pattern in _NAMED for match in pattern.finditer(text)]
    found += [(_SCHEMES[match["scheme"]], match["number"], *match.span()) for match in _RECORD.finditer(text)]
    for match in _PARAGRAPH.finditer(text):
        found.append(("usc", f"112({_PLACES[match['number'] or match['place']]})", *match.span()))
    for match in _UNBRACKETED.finditer(text):
        found.append(("mpep", f"{match['section']}({match['letter']})", *match.span()))
    for match in _RULES.finditer(text):
        if _OTHER_BEFORE.search(text[max(0, match.start() - _FAR) : match.start()]) or _OTHER_BEHIND.match(
            text, match.end()
        ):
            continue
        for place, part in enumerate(_RULE_NUMBER.finditer(text, *match.span("numbers"))):
            found.append(("cfr", f"1.{part.group()}", part.start() if place else match.start(), part.end()))
    return found


def without_repeats(query: str) -> str:
    """A query that is one number again and again, with the number once; any other as it is."""
    match = _REPEATED.fullmatch(query)
    return match[1] if match else query


def without_citation_quotes(query: str) -> tuple[str, list[tuple[int, int]]]:
    """
    A query with blanks for the quotes around numbers and citations: they name something, and are no phrases.

    >>> without_citation_quotes('what does "2106" say')
    ('what does  2106  say', [(11, 15)])

    :param query: A query as typed.
    :returns: The query, as long as before, and the ranges that stood in such quotes.
    """
    folded = fold(query)
    spans = []
    for match in QUOTED.finditer(folded.text):
        inner = match[1].strip()
        if bare_readings(inner) or read_series(inner, find_query_citations(fold(inner))).is_whole:
            start, end = folded.original(*match.span())
            query = f"{query[:start]} {query[start + 1 : end - 1]} {query[end:]}"
            spans.append((start + 1, end - 1))
    return query, spans

"""
US patent law citations in running text and in queries, each with one canonical spelling.

Canonical forms: "mpep:608.01(o)", "usc:35:112(b)", "cfr:37:1.131(a)", "fp:7.05.01" (form paragraph),
"fr:2024-02623" (Federal Register document number), "frcite:89:11900" (volume and page), "pct:rule:4.10",
"pct:art:8", "paris:art:4". A bare number that is a whole query has every reading that its form allows.
"""

import re
from bisect import bisect, insort
from collections.abc import Iterator
from operator import attrgetter

from components.analysis.analyzed_text import Identifier
from components.analysis.folding import Folded, fold

_SUB = r"(?:\s?\((?:[a-z]{1,2}|[ivxlc]{1,5}|\d{1,3})\))*"
# Bounded, because runs of blanks or signs would be tried again from each of their characters.
_GAP = r"\s{0,8}"
_SIGN = r"(?:§{1,3}|sections?\b|secs?\.)"
_MPEP_SUB = r"(?:\s?\([a-z]{1,2}\d?\))?(?:\s?\(\d{1,2}\))?"
_MPEP_NUMBER = rf"\d{{3,4}}(?:\.\d{{1,2}}{_MPEP_SUB})?(?:-\d{{3,4}}(?:\.\d{{1,2}}{_MPEP_SUB})?)?"
# The title of the next citation is no section: "35 U.S.C. 102, 37 CFR 1.131".
_NO_TITLE = r"(?!\d|\s{0,8}(?:u\.?\s?s\.?\s?c\b|c\.?\s?f\.?\s?r\b|f\.?\s?r\b|fed\.?\s{0,8}reg))"
_USC_NUMBER = rf"\d{{1,4}}[a-z]?{_NO_TITLE}{_SUB}"
_CFR_NUMBER = r"\d{1,3}\.\d{1,4}[a-z]?" + _SUB
_FP_NUMBER = r"\d{1,2}\.\d{1,3}(?:\.\d{1,3})*[a-z]?(?:\.[a-z]{2,5})?(?:\.\d{1,2})?"
_LATIN = r"(?:\s?(?:bis|ter|quater|quinquies|sexies|septies))?"
_PCT_NUMBER = rf"\d{{1,3}}{_LATIN}(?:\.\d{{1,2}}{_LATIN})?" + _SUB
_AND = r"\s{0,8}(?:,?\s{0,8}(?:and|or|to|through|and/or)\s+|[,;/]\s{0,8}|-\s{0,8})" + _SIGN + r"?\s{0,8}"


def _series(head: str, number: str) -> re.Pattern[str]:
    """A citation head, then one number or a list of them: "35 U.S.C. 102, 103 and 112(b)"."""
    return re.compile(rf"(?<![\w.])(?P<head>{head}){_GAP}(?P<numbers>{number}(?:{_AND}{number})*)(?![\d(])(?!\.\d)")


_KINDS: list[tuple[str, re.Pattern[str], re.Pattern[str]]] = [
    (kind, _series(head, number), re.compile(number))
    for kind, head, number in (
        ("pct:rule", r"pct\s+rules?\b", _PCT_NUMBER),
        ("pct:art", r"pct\s+art(?:icles?\b|s?\.)", _PCT_NUMBER),
        ("paris:art", r"paris convention,?\s{0,8}art(?:icles?\b|s?\.)", _PCT_NUMBER),
        ("usc", rf"(?P<title>\d{{1,2}}){_GAP}u\.?\s?s\.?\s?c\.?(?:\s?a\.)?{_GAP}{_SIGN}?", _USC_NUMBER),
        ("cfr", rf"37{_GAP}c\.?\s?f\.?\s?r\.?{_GAP}{_SIGN}?|rules?\b", _CFR_NUMBER),
        ("mpep", rf"m\.?\s?p\.?\s?e\.?\s?p\.?{_GAP}(?:{_SIGN}|chapters?\b)?", _MPEP_NUMBER),
        ("fp", r"¶{1,3}|form paragraphs?\b|\bfps?\.?", _FP_NUMBER),
    )
]
_SIGNED = re.compile(
    rf"(?<![\w.]){_SIGN}{_GAP}(?P<numbers>\d{{1,4}}(?:\.\d{{1,4}})?[a-z]?{_SUB}"
    rf"(?:{_AND}\d{{1,4}}(?:\.\d{{1,4}})?[a-z]?{_SUB})*)(?![\d(])(?!\.\d)"
)
_SIGNED_NUMBER = re.compile(rf"\d{{1,4}}(?:\.\d{{1,4}})?[a-z]?{_SUB}")
_UNIT = r"\s?(?:%|°|(?:percent|dollars|[kcmn]?m|m?[gl]|kg|[kmg]?hz|seconds?)\b)"
_MPEP_ALONE = re.compile(rf"(?<![\w.,$/-])(?<!\$ )\d{{3,4}}\.\d{{2}}{_MPEP_SUB}(?![\w(%]|\.\d|{_UNIT})")
_STATUTE_ALONE = re.compile(r"(?<![\w.,$/(-])[1-3]\d{2}(?:\([a-z]\)(?:\(\d\))?)+(?![\w(])")
# Older documents have shorter numbers, which only a head tells from others.
_FR_DOC = re.compile(r"(?<!\w)fr doc(?:ument)?\.?\s{0,8}(?:nos?\.?\s{0,8})?(?P<number>[a-z]?\d{1,4}-\d{3,6})(?![\w-])")
_FR_NUMBER = re.compile(r"(?<![\w./-])(?:e\d|20\d\d)-(?!(?:19|20)\d\d\b)\d{4,6}(?![\w-])")
_FR_CITE = re.compile(
    r"(?<![\w.])(\d{2,3})\s{0,8}(?:fed\.?\s{0,8}reg\.?|f\.?\s?r\.?)\s{0,8}(\d{1,3}(?:,\d{3})|\d{1,6})(?![\d,]\d)"
)
_ALONE = ((_MPEP_ALONE, "mpep"), (_STATUTE_ALONE, "usc"), (_FR_DOC, "fr"), (_FR_NUMBER, "fr"), (_FR_CITE, "frcite"))
_BARE = re.compile(rf"(?:{_SIGN}{_GAP})?(?P<number>\d[\w.()\s-]*)")


def canonical(kind: str, number: str, title: str = "35") -> str:
    """
    One spelling for a number of a given kind.

    >>> canonical("usc", "112 (b)")
    'usc:35:112(b)'
    """
    number = re.sub(r"\s+", "", number.lower())
    if kind == "usc":
        return f"usc:{title}:{number}"
    return f"cfr:37:{number}" if kind == "cfr" else f"{kind}:{number}"


def ancestors(identifier: str) -> list[str]:
    """
    An identifier and what holds it, nearest first.

    >>> ancestors("mpep:2106.04(a)(2)")
    ['mpep:2106.04(a)(2)', 'mpep:2106.04(a)', 'mpep:2106.04', 'mpep:2106']
    """
    found = [identifier]
    current = identifier
    while current.endswith(")"):
        current = current[: current.rindex("(")]
        found.append(current)
    if identifier.startswith("mpep:") and "." in current:
        found.append(current[: current.index(".")])
    return found


def chapter_of(identifier: str) -> str:
    """
    The chapter of the manual that a number of a full hundred stands for.

    >>> chapter_of("mpep:2100"), chapter_of("mpep:2106")
    ('mpep:c2100', '')
    """
    number = identifier.removeprefix("mpep:")
    is_hundred = number != identifier and number.isdigit() and number.endswith("00")
    return f"mpep:c{number}" if is_hundred else ""


def find_citations(text: str | Folded) -> list[Identifier]:
    """
    All citations in a text, in order, with offsets into the original text.

    Lists ("35 U.S.C. 102 and 103") give one identifier a number, ranges ("2106-2106.07") one an end. A number behind
    "§" or "section" is read by its form: 1 or 2 digits before a dot a rule, 3 or 4 with a dot an MPEP section, no dot:
    a statute up to 399, an MPEP section above.

    :param text: A text, or one that was folded already.
    :returns: Identifiers that don't overlap.
    """
    folded = fold(text) if isinstance(text, str) else text
    found: list[Identifier] = []
    taken: list[tuple[int, int]] = []  # in order

    def add(kind: str, number: str, start: int, end: int, title: str = "35") -> None:
        ends = number.split("-") if kind == "mpep" and "-" in number else [number]
        for part in ends:
            scheme = kind.split(":", maxsplit=1)[0]
            found.append(Identifier(scheme, canonical(kind, part, title), *folded.original(start, end)))
        insort(taken, (start, end))

    def free(start: int, end: int) -> bool:
        place = bisect(taken, (start, end))
        return (not place or taken[place - 1][1] <= start) and (place == len(taken) or taken[place][0] >= end)

    lower = folded.text
    for kind, series, form in _KINDS:
        for match in series.finditer(lower):
            if not free(*match.span()):
                continue
            title = match.groupdict().get("title") or "35"
            for part, start, end in _numbers(match, form):
                if start > match.start() and kind == "usc" and title == "35" and re.match(r"\d{4}", part):
                    continue  # "35 U.S.C. 112, 2012 edition": title 35 has no section with four digits
                add(kind, part, start, end, title)
    for match in _SIGNED.finditer(lower):
        if free(*match.span()):
            for part, start, end in _numbers(match, _SIGNED_NUMBER):
                add(_signed_kind(part), part, start, end)
    for pattern, kind in _ALONE:
        for match in pattern.finditer(lower):
            if free(*match.span()):
                number = ":".join(match.groups()).replace(",", "") or match.group()
                add(kind, number, *match.span())
    return sorted(found, key=attrgetter("start", "end"))


def bare_readings(query: str) -> list[str]:
    """
    The canonical identifiers that a query can mean that is nothing but a number, likeliest first.

    >>> bare_readings("§ 103")
    ['mpep:103', 'usc:35:103']
    >>> bare_readings("1.131(a)")
    ['cfr:37:1.131(a)', 'fp:1.131(a)']

    :param query: A whole query.
    :returns: Canonical identifiers; empty when the query is more than a number.
    """
    match = _BARE.fullmatch(fold(query).text.strip())
    if not match:
        return []
    number = re.sub(r"\s+", "", match.group("number"))
    readings = []
    # Headings of whole numbers are things of their own, "107-109"; others are their parts, "2022.01 - 2022.04".
    if re.fullmatch(_MPEP_NUMBER, number) and not ("-" in number and "." in number):
        readings.append(canonical("mpep", number))
    if match := re.fullmatch(r"(\d{3,4}\.\d{2})([a-z])", number):
        readings.append(canonical("mpep", f"{match[1]}({match[2]})"))
    if re.fullmatch(_USC_NUMBER, number):
        readings.append(canonical("usc", number))
    if re.fullmatch(_CFR_NUMBER, number):
        readings.append(canonical("cfr", number))
    if re.fullmatch(_PCT_NUMBER, number) and "." in number:
        readings.append(canonical("pct:rule", number))
    if re.fullmatch(_FP_NUMBER + _SUB, number):
        readings.append(canonical("fp", number))
    if _FR_NUMBER.fullmatch(number):
        readings.append(canonical("fr", number))
    return readings


def _numbers(match: re.Match[str], number: re.Pattern[str]) -> Iterator[tuple[str, int, int]]:
    """The numbers of a citation with their places; the first with the citation's head."""
    head = True
    for part in number.finditer(match.string, match.start("numbers"), match.end("numbers")):
        yield part.group(), match.start() if head else part.start(), part.end()
        head = False


def _signed_kind(number: str) -> str:
    whole, _, rest = number.partition(".")
    if rest:
        return "cfr" if len(whole) <= 2 else "mpep"
    digits = int(re.match(r"\d+", number).group())  # type: ignore[union-attr]
    return "usc" if digits < 400 else "mpep"

"""A number for each chunk that sorts a corpus of sections in document order."""

import re
from typing import Any

_SOURCES = {"MPEP": 1, "35_USC": 2, "37_CFR": 3, "SUBSEQUENT": 4}
_ORDINAL_BITS = 14
_LAST_ORDINAL = (1 << _ORDINAL_BITS) - 1
# What a source holds beside its own sections, by how it is cited; the first that fits.
_COLLECTIONS = [
    *(("MPEP ", 0), ("35 U.S.C. ", 0), ("37 CFR ", 0), ("PCT Rule ", 2), ("PCT Admin", 3), ("PCT ", 1), ("Paris ", 4)),
    *(("AIA ", 6), ("", 5)),
]
_TREATIES = (1, 2, 3, 4)
_LATIN = ("", "bis", "ter", "quater", "quinquies", "sexies", "septies")
_NUMBER = re.compile(r"(\d+)([a-z]*)(?:\.(\d+)([a-z]*))?((?:\([^)]*\))*)")
# What the id says behind the number: a further text of the same number, a text of some years, former law, a note.
_SUFFIXES = [
    *((r"-v?(\d)\d*", 0), (r"-(?:\d.*-)?(?:thru|transitional)\b.*", 10), (r"-pre-\d.*", 11), (r"-preAIA", 12)),
    *((r"-preAIA-\d", 13), (r"-note", 14), (r"-.*", 15)),
]
_IN_FORCE = 1
# Fields of the key behind the source: name, bits, from the highest on; the ordinal fills the rest.
_FIELDS = (("collection", 3), ("number", 14), ("decimal", 11), ("letter", 8), ("sub", 5), ("variant", 4))
_KINDS = {
    "mpep": ("MPEP", "MPEP "),
    "usc:35": ("35_USC", "35 U.S.C. "),
    "cfr:37": ("37_CFR", "37 CFR "),
    "pct:art": ("MPEP", "PCT Article "),
    "pct:rule": ("MPEP", "PCT Rule "),
    "paris:art": ("MPEP", "Paris Convention Article "),
}


def section_order(meta: dict[str, Any], ordinal: int) -> int:
    """
    Sort key: source, collection, number, decimal, letter, sub-number, variant, then the chunk's ordinal in its section.

    "608.01" < "608.01(a)" < "608.01(z)" < "608.01(aa)" < "608.02", "1.53" < "1.131" for rules, and "13" < "13bis" <
    "14" in treaties. The text of a chapter's own page comes before a section with its number; behind the text in force
    come further texts of the same number ("-v2", "-v3"), texts of some years, former law and notes. Packed into 62
    bits: source 3, then from bit 56 down: collection 3, number 14, decimal 11, letter 8, sub-number 5, variant 4,
    ordinal 14. Keys are equal only beyond what these hold, and for texts without a number.

    :param meta: A record's metadata: `source`, `source_id`, `section`, `number_label`, `pre_aia`, `publication_date`.
    :param ordinal: The chunk's ordinal in its section; 0 for the section itself.
    :returns: An integer that sorts like the printed books.
    """
    source = _SOURCES.get(meta.get("source", ""), 7)
    if source == _SOURCES["SUBSEQUENT"]:
        digits = re.sub(r"\D", "", f"{meta.get('publication_date') or ''}")[:8] or "0"
        number = re.sub(r"\D", "", str(meta.get("section", "")).partition("-")[2])[:5] or "0"
        rest = (int(digits) << 17) + min(int(number), (1 << 17) - 1)
        return (source << 59) + (rest << _ORDINAL_BITS) + min(ordinal, _LAST_ORDINAL)
    return _packed(source, {**_numbers(meta, source), "variant": _variant(meta)}) + min(ordinal, _LAST_ORDINAL)


def order_span(first: str, last: str) -> tuple[int, int] | None:
    """
    The keys of all that is printed from one section to the end of another, which may be the same.

    The last section's own parts are in the span: of 2107 also 2107.01, of 608.01 also 608.01(o), of the hundred that
    stands for a chapter the chapter. Paragraphs of statutes and rules have no keys of their own; theirs is the whole's.

    >>> order_span("mpep:2106.04", "mpep:2106.05") == order_span("mpep:2106.04", "mpep:2106.05(z)")
    False

    :param first: A canonical identifier, "usc:35:112".
    :param last: One of the same kind.
    :returns: The lowest key, and the lowest above all; None for two kinds, and for kinds that aren't numbered through.
    """
    (kind, _, start), (other, _, end) = first.rpartition(":"), last.rpartition(":")
    if kind != other or kind not in _KINDS:
        return None
    source, head = _KINDS[kind]
    keys = []
    for number in (start, end):
        whole = number if kind == "mpep" else number.partition("(")[0]
        keys.append(_numbers({"section": whole, "number_label": f"{head}{whole}"}, _SOURCES[source]))
    if kind == "mpep" and end.isdigit() and end.endswith("00"):
        keys[1]["number"] += 99
    depth = max((place for place, (name, _) in enumerate(_FIELDS) if keys[1].get(name)), default=0)
    step = 1 << (_ORDINAL_BITS + sum(bits for _, bits in _FIELDS[depth + 1 :]))
    return _packed(_SOURCES[source], keys[0]), _packed(_SOURCES[source], keys[1]) + step


def _packed(source: int, values: dict[str, int]) -> int:
    key = source
    for name, bits in _FIELDS:
        key = (key << bits) + min(values.get(name, 0), (1 << bits) - 1)
    return key << _ORDINAL_BITS


def _numbers(meta: dict[str, Any], source: int) -> dict[str, int]:
    """The fields that a section's number gives."""
    label = meta.get("number_label", "")
    collection = next(c for head, c in _COLLECTIONS if label.startswith(head)) if source != 7 else 0
    match = _NUMBER.search(re.sub(r"^\d+ u\.s\.c\. ", "", str(meta.get("section", "")).lower()))
    if not match:
        return {"collection": collection}
    number, suffix, decimal, small, brackets = match.groups()
    parts = re.findall(r"\(([^)]*)\)", brackets)
    major, letter = int(number), small or (parts[0] if parts else "")
    if collection in _TREATIES:
        major = 8 * major + (_LATIN.index(suffix) if suffix in _LATIN else 0)
    else:
        letter = suffix or letter
    return {
        "collection": collection,
        "number": major,
        # MPEP decimals are two digits ("608.01"), those of rules are numbers ("1.131").
        "decimal": int(decimal) + 1 if decimal else 0,
        "letter": _letters(letter),
        "sub": int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0,
    }


def _letters(text: str) -> int:
    """a..z -> 1..26, aa, ab.. -> 27, 28.., "bis", "ter".. -> 1, 2.., digits as they are, none -> 0."""
    if text.isdigit():
        return int(text)
    if text in _LATIN:
        return _LATIN.index(text)
    letters = [ord(c) - ord("a") + 1 for c in text if "a" <= c <= "z"]
    return letters[0] if len(letters) == 1 else 26 * letters[0] + letters[1] if letters else 0


def _variant(meta: dict[str, Any]) -> int:
    """Which text of its number a record is; 0 for the text of a chapter's own page, 1 for the text in force."""
    source_id = str(meta.get("source_id") or "")
    if source_id.startswith("MPEP-chapter-"):
        return 0
    number = re.sub(r"\s*[-–]\s*", "-", str(meta.get("section", ""))).rpartition(" ")[2]
    suffix = source_id.partition(f"-{number}")[2] if number else ""
    suffix = suffix or ("-preAIA" if meta.get("pre_aia") else "")
    for pattern, value in _SUFFIXES:
        if match := re.fullmatch(pattern, suffix):
            return value or min(int(match[1]), 9)
    return _IN_FORCE

"""A number for each chunk that sorts a corpus of sections in document order."""

import re
from typing import Any

_SOURCES = {"MPEP": 1, "35_USC": 2, "37_CFR": 3, "SUBSEQUENT": 4}
_ORDINAL_BITS = 14
_NUMBER = re.compile(r"(\d+)([a-z]?)(?:\.(\d+)([a-z]?))?((?:\([^)]*\))*)")


def section_order(meta: dict[str, Any], ordinal: int) -> int:
    """
    Sort key: source, number, decimal, letter, sub-number, then the chunk's ordinal in its section.

    "608.01" < "608.01(a)" < "608.01(o)" < "608.02", and "1.53" < "1.131" for rules. Pre-AIA variants follow the current
    text. Packed into 62 bits: source 3, then from bit 52 down: part of a treaty 1, number 14, decimal 11, letter 6,
    sub-number 5, variant 2, ordinal 14.

    :param meta: A record's metadata: `source`, `section`, `number_label`, `pre_aia`, `publication_date`.
    :param ordinal: The chunk's ordinal in its section; 0 for the section itself.
    :returns: An integer that sorts like the printed books.
    """
    source = _SOURCES.get(meta.get("source", ""), 7)
    if source == _SOURCES["SUBSEQUENT"]:
        digits = re.sub(r"\D", "", f"{meta.get('publication_date') or ''}")[:8] or "0"
        number = re.sub(r"\D", "", str(meta.get("section", "")).partition("-")[2])[:5] or "0"
        rest = (int(digits) << 17) + min(int(number), (1 << 17) - 1)
        return (source << 59) + (rest << _ORDINAL_BITS) + min(ordinal, (1 << _ORDINAL_BITS) - 1)
    treaty = 0 if meta.get("number_label", "").startswith(("MPEP", "35 ", "37 ")) or source == 7 else 1
    match = _NUMBER.search(str(meta.get("section", "")).lower())
    major = minor = letter = sub = 0
    if match:
        major = min(int(match[1]), (1 << 14) - 1)
        # MPEP decimals are two digits ("608.01"), those of rules are numbers ("1.131").
        minor = min(int(match[3] or 0) + (1 if match[3] else 0), (1 << 11) - 1)
        parts = re.findall(r"\(([^)]*)\)", match[5])
        letter = _letters(match[2] or match[4] or (parts[0] if parts else ""))
        sub = min(int(parts[1]), 31) if len(parts) > 1 and parts[1].isdigit() else 0
    variant = (1 if meta.get("pre_aia") else 0) + (2 if re.search(r"-(?:v\d|note)$", meta.get("source_id", "")) else 0)
    key = treaty
    for value, bits in ((major, 14), (minor, 11), (letter, 6), (sub, 5), (variant, 2)):
        key = (key << bits) + value
    return (source << 59) + (key << _ORDINAL_BITS) + min(ordinal, (1 << _ORDINAL_BITS) - 1)


def _letters(text: str) -> int:
    """a..z -> 1..26, aa.. -> 27 and up, digits as they are, none -> 0."""
    if text.isdigit():
        return min(int(text), 63)
    letters = [ord(c) - ord("a") + 1 for c in text if "a" <= c <= "z"]
    return min(letters[0] if len(letters) == 1 else 26 + letters[0], 63) if letters else 0

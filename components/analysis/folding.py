"""Width and dash folding that keeps the way back to the original characters."""

import re
import unicodedata
from dataclasses import dataclass

# Hyphens, figure and en dashes and the minus sign; em dashes separate clauses and stay.
_DASHES = dict.fromkeys(map(ord, "‐‑‒–−﹣－"), "-")
_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"', ord("„"): '"', ord("«"): '"', ord("»"): '"'}
_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u202f\u3000\t\r\n\f\v"), " ")
# A character with accents, voiced marks (half-width ones, too) or the rest of a Korean syllable behind it.
_COMPOSED = re.compile(r"(?s:.)[\u0300-\u036f\u3099\u309a\uff9e\uff9f\u1160-\u11ff]*")
_TABLE = {**_DASHES, **_QUOTES, **_SPACES}


@dataclass(frozen=True, slots=True)
class Folded:
    """
    A folded text and where each of its characters came from.

    :param text: NFKC, lower case, one kind of hyphen, quote and blank.
    :param offsets: For each character of `text`, and one past its end, the offset in the original;
        None when the two texts have the same length throughout.
    """

    text: str
    offsets: tuple[int, ...] | None = None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original text that `start:end` of the folded text stands for."""
        if self.offsets is None:
            return start, end
        if end <= start:
            return self.offsets[start], self.offsets[start]
        # Ends where the last character's own source ends, so that "ﬁ" is covered by either of its letters.
        following = end
        while following < len(self.text) and self.offsets[following] == self.offsets[end - 1]:
            following += 1
        return self.offsets[start], self.offsets[following]


def fold(text: str) -> Folded:
    """
    Fold a text for matching: full-width forms, typographic dashes and quotes, and case.

    Each character is folded by itself, together with the marks that are composed with it, so offsets are exact.
    "ＥＶ‐２０２４" becomes "ev-2024", "ｻｰﾊﾞ" becomes "サーバ".

    :param text: Any text.
    :returns: The folded text with its offsets.
    """
    simple = text.translate(_TABLE).lower()
    if len(simple) == len(text) and unicodedata.is_normalized("NFKC", simple):
        return Folded(simple)
    pieces: list[str] = []
    offsets: list[int] = []
    same = True
    for match in _COMPOSED.finditer(text):
        piece = unicodedata.normalize("NFKC", match.group().translate(_TABLE)).lower().translate(_TABLE)
        pieces.append(piece)
        same = same and len(piece) == len(match.group()) == 1
        offsets.extend([match.start()] * len(piece))
    folded = "".join(pieces)
    if same:
        return Folded(folded)
    offsets.append(len(text))
    return Folded(folded, tuple(offsets))

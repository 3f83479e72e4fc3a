"""Words on a page as rows and lines of text."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from components.converters.line_joints import joint
from components.converters.pdf_reading import Word


class Line:
    """
    A line of text in a column.

    :param words: Its words, left to right.
    :param page: The page's number.
    :param left: The left edge of its column.
    :param right: The right edge of its column.
    :param column: Counts the columns of the document in reading order; a full-width stretch is one, too.
    """

    def __init__(self, words: Sequence[Word], page: int, left: float, right: float, column: int):
        self.words = list(words)
        self.page = page
        self.left = left
        self.right = right
        self.column = column
        self.text = _text(words)
        self.x0 = words[0].x0
        self.x1 = words[-1].x1
        # Marks such as "[" or "*****" may be in another type than the letters around them.
        lettered = [word for word in words if any(map(str.isalnum, word.text))] or self.words
        self.bold = all(word.bold for word in lettered)
        self.italic = all(word.italic for word in lettered)
        self.size = _usual_size(words)
        main = next(word for word in words if word.size == self.size)
        self.top = main.top
        self.bottom = main.bottom


def _text(words: Sequence[Word]) -> str:
    """PDFium puts a blank before raised letters, and between Japanese ones; where words touch there is none."""
    text = words[0].text
    for before, word in pairwise(words):
        is_raised = word.size != before.size or word.bottom != before.bottom
        gap = (word.x0 - before.x1) / word.size
        touches = gap < (0.05 if is_raised else 0.2 if not joint(before.text, word.text) else -math.inf)
        text += word.text if touches else f" {word.text}"
    return text


def _usual_size(words: Sequence[Word]) -> float:
    """The font size that most letters have."""
    first = words[0].size
    if all(word.size == first for word in words):
        return first
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    return sizes.most_common(1)[0][0]


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """
    Group words into rows across the page, whatever columns they stand in; raised and lowered words go with their row.

    :param words: Words of one page.
    :returns: Rows from top to bottom, each from left to right.
    """
    rows: list[list[Word]] = []
    start = limit = 0.0
    for middle, half, word in sorted(
        (((w.top + w.bottom) / 2, (w.bottom - w.top) / 2, w) for w in words), key=lambda entry: entry[0]
    ):
        if rows and middle < limit:
            rows[-1].append(word)
            limit = max(limit, start + 0.8 * half)
        else:
            rows.append([word])
            start, limit = middle, middle + 0.8 * half
    for row in rows:
        row.sort(key=lambda word: word.x0)
    return rows


def cells_of(row: Sequence[Word], gap: float) -> list[list[Word]]:
    """
    Cut a row where white space wider than `gap` stands between words.

    :param row: Words from left to right.
    :param gap: Points.
    :returns: The parts.
    """
    cells = [[row[0]]]
    for before, word in pairwise(row):
        if word.x0 - before.x1 > gap:
            cells.append([])
        cells[-1].append(word)
    return cells

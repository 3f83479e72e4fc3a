"""Finds tables among a PDF's lines, by the white strips between their cells."""

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from components.converters.pdf_lines import Line
from components.converters.pdf_reading import Word

# Rows of cells, each cell with its lines of text.
Table = list[list[list[str]]]

_LEAST_LINES = 3
_LEAST_STRIP = 5
_WIDER = 1.6
_MARKER = re.compile(r"(?:\(?\w{1,5}[.)]|[•▪◦●■*–—-])\Z")


def find_tables(lines: Sequence[Line]) -> list[tuple[int, int, Table]]:
    """
    Find tables.

    A table is at least three lines of one column with a white strip that runs through all of them, wider than the
    blanks between words, while the text on its right is aligned. Items of a list, with only their markers on the left,
    are none.

    :param lines: Lines in reading order.
    :returns: (first line, line after the last, rows) of each.
    """
    found: list[tuple[int, int, Table]] = []
    start = 0
    while start < len(lines):
        end, strips = _grow(lines, start)
        if strips and end - start >= _LEAST_LINES:
            found.append((start, end, _rows(lines[start:end], strips)))
            start = end
        else:
            start += 1
    return found


def _grow(lines: Sequence[Line], start: int) -> tuple[int, list[float]]:
    """The longest table that begins with this line: the index behind it, and the middles of its strips."""
    if not _has_wide_gap(lines[start]):
        return start, []
    free, end, widest = _free(lines[start]), start + 1, 0.0
    while end < len(lines) and lines[end].column == lines[start].column:
        step = lines[end].bottom - lines[end - 1].bottom
        shared = free & _free(lines[end])
        if step > 4 * lines[end].size or not _strips(shared, lines[start : end + 1]):
            break
        if step > 1.4 * widest > 0 and not _has_wide_gap(lines[end]):
            break
        widest = max(widest, step)
        free, end = shared, end + 1
    strips = _strips(free, lines[start:end])
    strips = [strip for place, strip in enumerate(strips) if _divides(lines[start:end], strips, place)]
    # Text right below that happens to leave the strip free isn't the table's.
    while strips and end - start >= _LEAST_LINES and sum(map(bool, _cells(lines[end - 1], strips))) < 2:
        if lines[end - 1].bottom - lines[end - 2].bottom < 1.6 * lines[end - 1].size:
            break
        end -= 1
    return end, strips


def _has_wide_gap(line: Line) -> bool:
    """Whether a cell may end inside the line; justified lines stretch all their blanks alike."""
    gaps = [after.x0 - before.x1 for before, after in pairwise(line.words)]
    return bool(gaps) and max(gaps) >= _LEAST_STRIP and (max(gaps) > _WIDER * min(gaps) or min(gaps) > line.size)


def _free(line: Line) -> int:
    """The column's points that no word covers, as bits."""
    width = max(int(line.right - line.left) + 2, 1)
    covered = 0
    for word in line.words:
        first, last = max(int(word.x0 - line.left), 0), int(word.x1 - line.left) + 1
        covered |= ((1 << max(last - first, 0)) - 1) << first
    return ((1 << width) - 1) & ~covered


def _strips(free: int, lines: Sequence[Line]) -> list[float]:
    """The middles of the strips inside the text, from the column's left edge."""
    left = min(line.x0 - line.left for line in lines)
    right = max(line.x1 - line.left for line in lines)
    strips = []
    for match in re.finditer("1+", bin(free)[:1:-1]):
        if match.end() - match.start() >= _LEAST_STRIP and match.start() > left and match.end() < right:
            strips.append((match.start() + match.end()) / 2)
    return strips


def _cells(line: Line, strips: Sequence[float]) -> list[list[Word]]:
    limits = [float("-inf"), *(line.left + strip for strip in strips), float("inf")]
    return [[word for word in line.words if low <= (word.x0 + word.x1) / 2 < high] for low, high in pairwise(limits)]


def _divides(lines: Sequence[Line], strips: Sequence[float], place: int) -> bool:
    """Whether most of what stands right of a strip begins at the same place, well apart from what stands left of it."""
    cells = [_cells(line, strips)[place : place + 2] for line in lines]
    both = [(left, right) for left, right in cells if left and right]
    if len(both) < 2 or all(_MARKER.match(" ".join(word.text for word in left)) for left, _ in both):
        return False
    starts = [right[0].x0 for _, right in cells if right]
    aligned = max(sum(abs(other - start) < 2 for other in starts) for start in starts)
    return aligned >= 0.7 * len(starts) and sum(_is_wide(*pair) for pair in both) >= 0.7 * len(both)


def _is_wide(left: list[Word], right: list[Word]) -> bool:
    """Whether the gap between two cells is wider than the blanks inside them."""
    gap = right[0].x0 - left[-1].x1
    blanks = [after.x0 - before.x1 for cell in (left, right) for before, after in pairwise(cell)]
    return gap > _WIDER * statistics.median(blanks) if blanks else gap > 0.5 * left[-1].size


def _rows(lines: Sequence[Line], strips: Sequence[float]) -> Table:
    """A row begins where the step from line to line is wider than inside a cell, else where the first cell has text."""
    steps = [below.bottom - above.bottom for above, below in pairwise(lines)]
    inside = min((step for step in steps if step > 0.8 * lines[0].size), default=0.0)
    is_spaced = any(step > inside + 1 for step in steps)
    table: Table = []
    for index, line in enumerate(lines):
        cells = [" ".join(word.text for word in cell) for cell in _cells(line, strips)]
        is_new = steps[index - 1] > inside + 1 if is_spaced else bool(cells[0])
        if not table or is_new:
            table.append([[] for _ in cells])
        for cell, text in zip(table[-1], cells, strict=True):
            if text:
                cell.append(text)
    return table

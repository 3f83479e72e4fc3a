"""From words on pages to lines in reading order: columns are found and read one after the other."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from components.converters.pdf_lines import Line, rows_of
from components.converters.pdf_reading import Page, Word

# A gutter is free on so many rows one below the other, with text on both sides, and so many points wide.
_LEAST_GUTTER_ROWS = 5
_LEAST_GUTTER = 7.0
_MOST_GUTTER = 60.0

# Even or odd page, number of columns, which of them.
_Place = tuple[int, int, int]


@dataclass(slots=True)
class Gutter:
    """
    The white strip between two columns.

    :param left: Where the left column ends at most.
    :param right: Where the right column begins.
    """

    left: float
    right: float

    @property
    def middle(self) -> float:
        """The strip's middle."""
        return (self.left + self.right) / 2


def reading_order(pages: Sequence[Page]) -> list[Line]:
    """
    The lines of a document in the order one reads them.

    Columns are found from the white strips between them, over all pages; a line that crosses a strip ends the columns
    above it.

    :param pages: Pages without running heads and feet.
    :returns: Lines; their `column` tells where one column ends and the next begins.
    """
    gutters = find_gutters(pages)
    stretches: list[tuple[Page, _Place, list[list[Word]]]] = []
    for page in (page for page in pages if page.words):
        rows = rows_of(page.words)
        active = [gutter for gutter in gutters if _is_active(gutter, rows)]
        for words, place in _stretches(rows, active):
            stretches.append((page, (page.number % 2, *place), rows_of(words)))
    edges = _edges(stretches)
    return [
        Line(row, page.number, *edges[place], column)
        for column, (page, place, rows) in enumerate(stretches)
        for row in rows
    ]


def _edges(stretches: Sequence[tuple[Page, _Place, list[list[Word]]]]) -> dict[_Place, tuple[float, float]]:
    """Where the text of a column begins and ends, on left and right pages: few lines may stick out."""
    starts: dict[_Place, Counter[int]] = defaultdict(Counter)
    ends: dict[_Place, Counter[int]] = defaultdict(Counter)
    for _, place, rows in stretches:
        starts[place].update(round(row[0].x0) for row in rows)
        ends[place].update(round(row[-1].x1) for row in rows)
    edges = {}
    for place, counts in starts.items():
        least = 0.03 * counts.total()
        left = min((x for x, count in counts.items() if count >= least), default=min(counts))
        right = max((x for x, count in ends[place].items() if count >= least), default=max(ends[place]))
        edges[place] = (float(left), float(right))
    return edges


def find_gutters(pages: Sequence[Page]) -> list[Gutter]:
    """
    Find the white strips between columns.

    :param pages: Pages without running heads and feet.
    :returns: The strips, left to right; none for a document in one column. Pages with mirrored margins give two strips
        close to each other, of which a page has one.
    """
    width = int(max((page.width for page in pages), default=0)) + 1
    votes = [0] * width
    total = 0
    for page in pages:
        rows = rows_of(page.words)
        total += len(rows)
        for x, count in enumerate(_free_rows(rows, width)):
            votes[x] += count
    least = max(_LEAST_GUTTER_ROWS, 0.1 * total)
    gutters, x = [], 0
    while x < width:
        if votes[x] < least:
            x += 1
            continue
        end = x
        while end < width and votes[end] >= least:
            end += 1
        peak = max(votes[x:end])
        strong = [at for at in range(x, end) if votes[at] >= 0.6 * peak]
        gutter = Gutter(strong[0], strong[-1] + 1)
        if _LEAST_GUTTER <= gutter.right - gutter.left <= _MOST_GUTTER:
            gutters.append(gutter)
        x = end
    return _even([gutter for gutter in gutters if _divides_prose(gutter, pages)], pages)


def _even(gutters: list[Gutter], pages: Sequence[Page]) -> list[Gutter]:
    """Columns are equally wide, two or three of them; a table's strips stand anywhere."""
    words = [word for page in pages for word in page.words]
    if not words or not gutters:
        return []
    left, right = min(word.x0 for word in words), max(word.x1 for word in words)
    for shares in ((1 / 2,), (1 / 3, 2 / 3)):
        near = [[g for g in gutters if abs((g.middle - left) / (right - left) - share) < 0.07] for share in shares]
        if all(near):
            return [gutter for found in near for gutter in found]
    return []


def _free_rows(rows: list[list[Word]], width: int) -> list[int]:
    """For each x: how many rows have text on both sides of x and none on it, where enough follow each other."""
    current, counted = [0] * width, [0] * width
    for row in rows:
        end = int(row[0].x0)
        for word in row:
            start = max(int(word.x0), 0)
            for x in range(max(end, 0), min(start, width)):
                current[x] += 1
                if current[x] >= _LEAST_GUTTER_ROWS:
                    counted[x] += _LEAST_GUTTER_ROWS if current[x] == _LEAST_GUTTER_ROWS else 1
            end = max(end, min(int(word.x1) + 1, width))
            for x in range(start, end):
                current[x] = 0
    return counted


def _divides_prose(gutter: Gutter, pages: Sequence[Page]) -> bool:
    """Text in columns fills its lines, on both sides; a table's cells mostly don't."""
    left_fill: list[float] = []
    right_fill: list[float] = []
    for page in pages:
        rows = [row for row in rows_of(page.words) if _both_sides(row, gutter)]
        if not rows:
            continue
        sides = [([w for w in row if w.x1 <= gutter.middle], [w for w in row if w.x1 > gutter.middle]) for row in rows]
        start = min(left[0].x0 for left, _ in sides)
        end = max(right[-1].x1 for _, right in sides)
        left_fill += [(left[-1].x1 - left[0].x0) / (gutter.left - start) for left, _ in sides if gutter.left > start]
        right_fill += [(right[-1].x1 - right[0].x0) / (end - gutter.right) for _, right in sides if end > gutter.right]
    fills = [statistics.median(fill) if fill else 0.0 for fill in (left_fill, right_fill)]
    return min(fills) > 0.6


def _both_sides(row: list[Word], gutter: Gutter) -> bool:
    """Whether the row has text on both sides and nothing in the strip."""
    return row[0].x1 <= gutter.middle <= row[-1].x0 and not _crosses(row, gutter)


def _crosses(row: list[Word], gutter: Gutter) -> bool:
    """A word lies over the strip, or two stand closer than the strip is wide with its middle between."""
    if any(word.x0 < gutter.middle < word.x1 for word in row):
        return True
    before = [word.x1 for word in row if word.x1 <= gutter.middle]
    after = [word.x0 for word in row if word.x0 >= gutter.middle]
    return bool(before and after) and min(after) - max(before) < 0.8 * (gutter.right - gutter.left)


def _is_active(gutter: Gutter, rows: list[list[Word]]) -> bool:
    run = 0
    for row in rows:
        if _both_sides(row, gutter):
            run += 1
            if run >= 2:
                return True
        elif _crosses(row, gutter):
            run = 0
    return False


def _stretches(rows: list[list[Word]], gutters: list[Gutter]) -> list[tuple[list[Word], tuple[int, int]]]:
    """Cut a page into stretches that are read one after the other: columns, and full-width text across them."""
    stretches: list[tuple[list[Word], tuple[int, int]]] = []
    for is_columns, band in _bands(rows, gutters):
        words = [word for row in band for word in row]
        if not is_columns:
            stretches.append((words, (1, 0)))
            continue
        limits = [gutter.middle for gutter in gutters]
        for index in range(len(gutters) + 1):
            inside = [w for w in words if sum(limit < (w.x0 + w.x1) / 2 for limit in limits) == index]
            if inside:
                stretches.append((inside, (len(gutters) + 1, index)))
    return stretches


def _bands(rows: list[list[Word]], gutters: list[Gutter]) -> list[tuple[bool, list[list[Word]]]]:
    if not gutters:
        return [(False, rows)]
    kinds: list[bool | None] = []
    for row in rows:
        if any(_crosses(row, gutter) for gutter in gutters):
            kinds.append(False)
        elif any(_both_sides(row, gutter) for gutter in gutters) or row[0].x0 >= gutters[0].left:
            kinds.append(True)
        else:
            kinds.append(None)
    bands: list[tuple[bool, list[list[Word]]]] = []
    for index, row in enumerate(rows):
        kind = kinds[index]
        if kind is None:
            kind = _kind_of_left_row(index, rows, kinds)
        if bands and bands[-1][0] == kind:
            bands[-1][1].append(row)
        else:
            bands.append((kind, [row]))
    return bands


def _kind_of_left_row(index: int, rows: list[list[Word]], kinds: list[bool | None]) -> bool:
    """Whether a row with text in the first column alone belongs to the columns (True) or stands across them."""
    before = next((i for i in range(index - 1, -1, -1) if kinds[i] is not None), None)
    after = next((i for i in range(index + 1, len(rows)) if kinds[i] is not None), None)
    if before is None or not kinds[before]:
        return False
    row = rows[index]
    height = row[0].bottom - row[0].top
    gap_above = row[0].top - max(word.bottom for word in rows[index - 1])
    if after is None:
        return True
    if not kinds[after]:
        return index - 1 != before or gap_above < height
    gap_below = min(word.top for word in rows[index + 1]) - row[0].bottom
    is_heading = all(word.bold for word in row)
    stands_alone = before == index - 1 and after == index + 1 and min(gap_above, gap_below) > 0.4 * height
    return not (is_heading and stands_alone and gap_above + gap_below > 1.5 * height)

"""Takes running heads, running feet and page numbers off the pages of a PDF."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from components.converters.pdf_lines import cells_of, rows_of
from components.converters.pdf_reading import Page, Word

# Rows from the page's edge inwards that may be running heads or feet, and how far from the edge they may stand.
_EDGE_ROWS = 3
_EDGE = 0.15
_CELL_GAP = 20.0
_LEVEL = 3.0
_NUMBER = re.compile(r"\d[\d.,–-]*(?:\([a-z0-9]+\))*")
# "2100-12", "- 12 -", "Page 3 of 9", "iv"; the manual's "Rev. 07.2022, February 2023".
_FOOT = re.compile(
    r"(?:(?:page )?[-–—]?\s*(?:\d{1,4}|[ivxl]+)(?:[-–]\d+)?\s*[-–—]?(?: of \d+)?|Rev\. .*\d{4})", re.IGNORECASE
)


def remove_running_lines(pages: Sequence[Page]) -> tuple[list[Page], list[str]]:
    """
    Take running heads, running feet and page numbers off the pages.

    A row at a page's edge is one if it stands on other pages too, at the same height and with the same text, numbers
    ignored ("§ 2106" and "§ 2107"; "2100-12" and "2100-13"), and if most rows at that height are of this kind: the body
    may well have the same short line at the end of several pages. Where nearly all are, the others in the same type are
    running heads as well, such as one that names a part of a section.

    :param pages: All pages of the document.
    :returns: Pages with the words of their body, and the texts that were taken off, each once.
    """
    edges = [_edge_rows(page) for page in pages]
    levels = _Levels(row for head, foot in edges for row in (*head, *foot))
    bodies: list[Page] = []
    removed: dict[str, None] = {}
    for page, (head, foot) in zip(pages, edges, strict=True):
        gone: set[int] = set()
        for rows, is_foot in ((head, False), (foot, True)):
            for place, row in enumerate(rows):
                # A page number stands outermost; further inwards a number is the text's.
                if not (levels.is_running(row) or (is_foot and place == 0 and _is_foot(row))):
                    break
                gone.update(map(id, row))
                removed[" ".join(word.text for word in row)] = None
        bodies.append(Page(page.number, page.width, page.height, [w for w in page.words if id(w) not in gone]))
    return bodies, list(removed)


def _edge_rows(page: Page) -> tuple[list[list[Word]], list[list[Word]]]:
    """Rows at the top and at the bottom, from the edge inwards."""
    rows = rows_of(page.words)
    head = [row for row in rows[:_EDGE_ROWS] if row[0].middle < page.height * _EDGE]
    foot = [row for row in reversed(rows[-_EDGE_ROWS:]) if row[0].middle > page.height * (1 - _EDGE)]
    return head, foot


def _is_foot(row: list[Word]) -> bool:
    return all(_FOOT.fullmatch(" ".join(word.text for word in cell)) for cell in cells_of(row, _CELL_GAP))


class _Levels:
    """The texts that stand at each height near the pages' edges."""

    def __init__(self, rows: Iterable[list[Word]]):
        self._rows: dict[int, list[tuple[list[str], float]]] = defaultdict(list)
        for row in rows:
            self._rows[self._level(row)].append((self._keys(row), row[0].size))
        self._repeated: dict[int, set[str]] = {}
        self._sizes: dict[int, set[float]] = {}
        for level in self._rows:
            self._judge(level)

    @staticmethod
    def _level(row: list[Word]) -> int:
        return round(row[0].middle / _LEVEL)

    @staticmethod
    def _keys(row: list[Word]) -> list[str]:
        """Parts far from each other count on their own: a head may have the chapter's name and the section's number."""
        cells = cells_of(row, _CELL_GAP)
        return [_NUMBER.sub("#", " ".join(word.text for word in cell)).casefold() for cell in cells]

    def _judge(self, level: int) -> None:
        near = [row for other in (level - 1, level, level + 1) for row in self._rows.get(other, [])]
        counts = Counter(key for keys, _ in near for key in set(keys))
        texts = {key for key, count in counts.items() if count > 1}
        repeated = [size for keys, size in near if texts.issuperset(keys)]
        self._repeated[level] = texts if len(repeated) >= 0.6 * len(near) else set()
        self._sizes[level] = set(repeated) if len(repeated) >= max(4, 0.8 * len(near)) else set()

    def is_running(self, row: list[Word]) -> bool:
        """Whether a row of these pages is a running head or foot."""
        level = self._level(row)
        return self._repeated[level].issuperset(self._keys(row)) or row[0].size in self._sizes[level]

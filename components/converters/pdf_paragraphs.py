"""From lines in reading order to paragraphs, list items and tables: where one ends and the next begins."""

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from components.converters.line_joints import starts_japanese
from components.converters.pdf_hyphens import HYPHENS, Vocabulary, join_lines
from components.converters.pdf_lines import Line
from components.converters.pdf_tables import Table, find_tables

_MARKER = re.compile(
    r"(?:\((?:\d{1,2}|[A-Za-z]|[ivx]{1,5}|[A-Z]{2})\)|(?:\d{1,2}|[A-Z]|[IVX]{1,5})[.)]|[•▪◦●■*–—-]|¶)(?=\s|\Z)"
)
_NUMBERED = re.compile(r"\(?\w{1,4}[.)]\s|\d{3,4}(?:[.(-]\S*)?\s|¶|\[")
# So many lines between two tables may be the rest of the first one's last row.
_MOST_BETWEEN = 2
_BULLET = re.compile(r"[•▪◦●■]\Z")
_CLOSING = (".", ";", ":", "?", "!", ".”", ".)", "—", ";”", " and", " or", ",")


@dataclass(slots=True)
class Paragraph:
    """
    Lines that belong together.

    :param lines: The lines.
    :param table: The cells, where the lines are a table's.
    """

    lines: list[Line]
    table: Table = field(default_factory=list)

    @property
    def page(self) -> int:
        """The page it begins on."""
        return self.lines[0].page

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.bold for line in self.lines)

    @property
    def italic(self) -> bool:
        """Whether all of it is italic."""
        return all(line.italic for line in self.lines)

    @property
    def size(self) -> float:
        """Its font size."""
        return self.lines[0].size

    @property
    def indent(self) -> float:
        """How far it stands from its column's left edge."""
        return min(line.x0 - line.left for line in self.lines)

    def text(self, vocabulary: Vocabulary) -> str:
        """
        Its text on one line; a table's on one line a row, cells divided by " | " and empty ones shown by "-".

        :param vocabulary: Decides about hyphens at line ends.
        :returns: The text.
        """
        if not self.table:
            return join_lines([line.text for line in self.lines], vocabulary)
        rows = []
        for row in self.table:
            cells = [join_lines(cell, vocabulary) for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            rows.append(" | ".join(cell or "-" for cell in cells))
        return "\n".join(rows)


def paragraphs_of(lines: Sequence[Line]) -> list[Paragraph]:
    """
    Gather lines to paragraphs, headings, list items and tables.

    A paragraph goes on across columns and pages where its last line there is full. It ends where the gap to the next
    line is wider than usual, the type size changes, the next line's first word would have had room, an item's
    marker begins the next line, or the next line is indented otherwise.

    :param lines: Lines in reading order.
    :returns: The paragraphs, in order.
    """
    leading = _leading(lines)
    tables = {start: (end, table) for start, end, table in find_tables(lines)}
    paragraphs: list[Paragraph] = []
    above: Table = []
    index = behind = 0
    while index < len(lines):
        end, table = tables.get(index, (index + 1, []))
        if table:
            if lines[index].page == lines[behind - 1].page:
                above = []
            if rows := _without_head(table, above):
                paragraphs.append(Paragraph(list(lines[index:end]), rows))
            above, behind = table, end
        elif paragraphs and _takes(paragraphs[-1], lines[index], leading):
            paragraphs[-1].lines.append(lines[index])
        else:
            paragraphs.append(Paragraph([lines[index]]))
        if index - behind > _MOST_BETWEEN:
            above = []
        index = end
    return paragraphs


def _without_head(table: Table, above: Table) -> Table:
    """Browsers repeat a table's head on each page that it goes on to; a line or two between may be the table's, too."""
    same = takewhile(lambda rows: rows[0] == rows[1], zip(table, above, strict=False))
    return table[len(list(same)) :]


def _leading(lines: Sequence[Line]) -> float:
    """The usual distance from line to line, in font sizes."""
    steps = [
        (line.bottom - before.bottom) / line.size
        for before, line in pairwise(lines)
        if before.column == line.column and before.size == line.size and 0 < line.bottom - before.bottom < 2 * line.size
    ]
    return statistics.mode(round(step, 1) for step in steps) if steps else 1.2


def _takes(paragraph: Paragraph, line: Line, leading: float) -> bool:
    if paragraph.table:
        return False
    is_bullet = len(paragraph.lines) == 1 and _BULLET.fullmatch(paragraph.lines[0].text) is not None
    return is_bullet or _continues(paragraph.lines, line, leading)


def _continues(block: list[Line], line: Line, leading: float) -> bool:
    """Whether a line goes on with the paragraph."""
    before = block[-1]
    same_column = before.column == line.column
    is_apart = same_column and line.bottom - before.bottom > (leading + 0.35) * line.size
    if is_apart or abs(before.size - line.size) > 0.6:
        return False
    if before.bold and line.bold and same_column and not _NUMBERED.match(line.text):
        return True
    room = _right(block) - before.x1
    full = _first_width(line) + 0.4 * line.size > room
    if _MARKER.match(line.text) and (not full or before.text.endswith(_CLOSING)):
        return False
    if len(before.text) > 1 and before.text.endswith(HYPHENS):
        return True
    is_centered = same_column and _centered(block[0]) and _centered(line)
    return (full or is_centered) and (same_column or _is_one_type(block, line)) and _is_aligned(block, line)


def _first_width(line: Line) -> float:
    """The width of what can't be parted from the line: a word, in Japanese a character."""
    return line.size if starts_japanese(line.text) else line.words[0].x1 - line.words[0].x0


def _is_one_type(block: list[Line], line: Line) -> bool:
    """No heading ends a column, and none begins one, unless the sentence plainly goes on with a reference in bold."""
    if all(other.bold for other in block):
        return line.bold
    return not line.bold or not block[-1].text.endswith(_CLOSING)


def _is_aligned(block: list[Line], line: Line) -> bool:
    first, indent, own = block[0].x0 - block[0].left, block[-1].x0 - block[-1].left, line.x0 - line.left
    if _centered(line):
        return True
    if len(block) == 1:
        # The second line may stand left of an indented first one, or right of an item's marker.
        return own <= first + 3 or bool(_MARKER.match(block[0].text))
    return abs(own - indent) <= 3


def _right(block: list[Line]) -> float:
    """Where the block's lines end: quotations may be indented on the right, too."""
    ends = sorted(line.x1 - line.right for line in block)
    is_indented = len(block) > 3 and ends[-1] - ends[-3] < 1
    return block[-1].right + ends[-1] if is_indented else block[-1].right


def _centered(line: Line) -> bool:
    left, right = line.x0 - line.left, line.right - line.x1
    return left > 10 and abs(left - right) < 4

"""Fills a section of the manual with blocks, from the paragraphs of a PDF."""

import re
from dataclasses import dataclass, field

from components.converters.pdf_paragraphs import Paragraph
from components.converters.record import RecordText

# What stands further right than this is indented.
_INDENT = 8.0
# Blocks of these kinds take more than one paragraph, up to so many characters.
_GATHERED = ("list", "table", "quote_statute", "quote_rule")
_BLOCK_LIMIT = 1000
_FORM_PARAGRAPH = re.compile(r"¶+\s*(?P<number>\d{1,2}(?:\.\w+)*)\s*(?P<title>.*)", re.DOTALL)
_EXAMINER_NOTE = re.compile(r"Examiner Notes?:")
_EDITOR_NOTE = re.compile(r"\[\s*Editor(?:['’]s)?\s+Note", re.IGNORECASE)
_TIME = re.compile(r"applica|effective|in effect|in force|on or after|prior to|before", re.IGNORECASE)
_QUOTE = re.compile(
    r"(?:(?:Pre-AIA|Former|Pre-[A-Z]\w+ \d+, \d{4})\s+)?"
    r"(?:(?P<law>\d\d\s+U\.\s?S\.\s?C)|(?P<rule>\d\d\s+C\.?\s?F\.?\s?R|PCT\b))",
    re.IGNORECASE,
)
_LIST = re.compile(r"(?:\(\w{1,5}\)|\w{1,3}[.)]|[•▪◦●■–—-])\s")
_BULLET = re.compile(r"[•▪◦●■]\s+")
_EXAMPLE = re.compile(r"Example(?:\s+[\dA-Z]{1,3})?[.:]?\Z", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:[IVX]+|[A-Z]|\d{1,2})\.\s|¶")
_LEVELS = (
    (1, re.compile(r"[IVX]+\.\s")),
    (2, re.compile(r"[A-Z]\.\s")),
    (3, re.compile(r"\d{1,2}\.\s")),
    (4, re.compile(r"\([a-z]\)\s")),
    (5, re.compile(r"(?:\([ivx]+\)|[ivx]+\))\s")),
)


@dataclass
class PdfSection:
    """
    A section of the manual.

    :param number: As printed.
    :param title: Without number and revision.
    :param revision: "R-07.2015", or "".
    :param chapter: "Chapter 600 Parts, Form, and Content of Application", as the document has it; "" if it hasn't.
    :param above: Names of the sections above it.
    :param text: Its blocks.
    :param effective: Its lines about what applies when.
    """

    number: str
    title: str
    revision: str
    chapter: str = ""
    above: list[str] = field(default_factory=list)
    text: RecordText = field(default_factory=RecordText)
    effective: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Number and title."""
        return f"{self.number} {self.title}".strip()


def _is_title(text: str) -> bool:
    """References are in bold, too, and may stand on a line of their own at a paragraph's end."""
    if text.endswith((".", ";", ",")):
        return bool(_NUMBERED.match(text) or (_QUOTE.match(text) and len(text.split()) > 3))
    return any(map(str.isalpha, text))


@dataclass(slots=True)
class _OpenBlock:
    kind: str
    headings: list[str]
    label: str
    page: int
    lines: list[str]

    def takes(self, other: "_OpenBlock") -> bool:
        """Whether a line of another block of the same kind belongs to this one."""
        if (self.kind, self.headings, self.label) != (other.kind, other.headings, other.label):
            return False
        if self.kind == "form_paragraph":
            return not _EXAMINER_NOTE.match(other.lines[0])
        return self.kind in _GATHERED and sum(map(len, self.lines)) + len(other.lines[0]) < _BLOCK_LIMIT


class SectionFiller:
    """Turns a section's paragraphs into blocks; their look tells headings, form paragraphs, quotations and notes."""

    def __init__(self, section: PdfSection):
        """
        :param section: The section to fill.
        """
        self._section = section
        self._path: list[tuple[int, str]] = []
        self._form = ""
        self._form_path: list[str] = []
        self._in_form = self._in_note = False
        self._quote = ""
        self._quote_title = ""
        self._is_first = False
        self._open: _OpenBlock | None = None

    def add(self, paragraph: Paragraph, text: str) -> None:
        """
        Add the section's next paragraph.

        :param paragraph: The paragraph.
        :param text: Its text.
        """
        is_heading = paragraph.bold and len(paragraph.lines) <= 6 and _is_title(text)
        if is_heading and (match := _FORM_PARAGRAPH.match(text)):
            self._leave()
            self._form, self._in_form = match["number"], True
            self._form_path = [*self._headings(), text]
            self._block(paragraph, text, "form_paragraph", self._form_path, self._form)
        elif self._form_path and self._add_to_form(paragraph, text, is_heading):
            return
        elif is_heading and (match := _QUOTE.match(text)) and paragraph.italic:
            self._leave()
            self._quote = "quote_statute" if match["law"] else "quote_rule"
            self._quote_title = text
            self._block(paragraph, text, self._quote, [*self._headings(), text])
        elif is_heading:
            self._leave()
            self._heading(paragraph, text)
        elif self._quote and (paragraph.indent > _INDENT or self._is_first or not text.strip("* ")):
            self._block(paragraph, text, self._quote, [*self._headings(), self._quote_title])
        else:
            self._quote = ""
            self._plain(paragraph, text)

    def finish(self) -> None:
        """Close the last block; a section without text keeps its name as text, so that it can be found."""
        self._close()
        if not self._section.text.blocks:
            self._section.text.add(self._section.name)

    def _leave(self) -> None:
        self._quote = ""
        self._in_form = self._in_note = False

    def _headings(self) -> list[str]:
        return [text for _, text in self._path]

    def _add_to_form(self, paragraph: Paragraph, text: str, is_heading: bool) -> bool:
        """Whether the paragraph is the form paragraph's still: its note is a list, what follows in plain text isn't."""
        if _EXAMINER_NOTE.match(text):
            self._in_form = self._in_note = True
        elif not self._in_form:
            return False
        elif self._in_note:
            if is_heading or (not _LIST.match(text) and paragraph.indent < _INDENT):
                self._leave()
                return False
        elif is_heading and (_NUMBERED.match(text) or _QUOTE.match(text)):
            self._leave()
            return False
        self._block(paragraph, text, "form_paragraph", self._form_path, self._form)
        return True

    def _heading(self, paragraph: Paragraph, text: str) -> None:
        level = self._level(text)
        self._path = [(other, heading) for other, heading in self._path if other < level]
        self._path.append((level, text))
        self._block(paragraph, text, "heading", self._headings())

    def _level(self, text: str) -> int:
        levels = [level for level, pattern in _LEVELS if pattern.match(text)]
        if not levels:
            return 6
        if levels[0] == 1 and len(levels) > 1:
            # "I." opens the numerals, but after "H." it is a letter.
            letter = text[0]
            last = next((heading for level, heading in reversed(self._path) if level == 2), "")
            return 2 if last and ord(last[0]) + 1 == ord(letter) else 1
        return levels[0]

    def _plain(self, paragraph: Paragraph, text: str) -> None:
        if _EDITOR_NOTE.match(text):
            if _TIME.search(text):
                self._section.effective.append(text)
            self._block(paragraph, text, "note", self._headings())
        elif paragraph.table:
            for row in text.split("\n"):
                self._block(paragraph, row, "table", self._headings())
        elif self._path and _EXAMPLE.match(self._path[-1][1]):
            self._block(paragraph, text, "example", self._headings())
        elif _LIST.match(text):
            self._block(paragraph, _BULLET.sub("- ", text), "list", self._headings())
        else:
            self._block(paragraph, text, "text", self._headings())

    def _block(self, paragraph: Paragraph, text: str, kind: str, headings: list[str], label: str = "") -> None:
        """Items, rows and paragraphs of one list, table, quotation or form paragraph go into one block, a line each."""
        self._is_first = text == self._quote_title
        new = _OpenBlock(kind, headings, label, paragraph.page, [text])
        if self._open and self._open.takes(new):
            self._open.lines.append(text)
        else:
            self._close()
            self._open = new

    def _close(self) -> None:
        if block := self._open:
            text = "\n".join(block.lines)
            self._section.text.add(text, block.kind, headings=block.headings, page=block.page, label=block.label)
            self._open = None

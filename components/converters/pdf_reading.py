"""Reads the words of a PDF with their place and type, by PDFium: what the layout functions work on."""

import ctypes
import math
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_BOLD = re.compile(r"bold|black|heavy|semibold|demi(?!t)", re.IGNORECASE)
_ITALIC = re.compile(r"italic|oblique", re.IGNORECASE)
# PDFium's sign for a hyphen that it takes for one at a line's end.
_LINE_END_HYPHENS = ("\x02", "\ufffe")
_FORCE_BOLD = 1 << 18
# Fewer letters a page than this, over a whole file, is a scan with a stamp on it and not text.
_LEAST_LETTERS_PER_PAGE = 20

# The largest page that PDF allows, and how far a letter's box may stick out of its page.
_MOST_POINTS = 14_400.0
_EDGE = 10.0

# PDFium isn't thread-safe, not even for two different documents.
_pdfium_lock = threading.Lock()

# Left, top, right, bottom.
_Box = tuple[float, float, float, float]


class UnreadablePdfError(ValueError):
    """The file can't be read as text; the message is the reason, made for the user."""


@dataclass(slots=True)
class Word:
    """
    A word on a page. Coordinates are points from the page's top left corner.

    :param text: The word, without white space.
    :param x0: Left edge.
    :param x1: Right edge.
    :param top: Upper edge of the line's box, the same for all letters of a font.
    :param bottom: Lower edge of the line's box.
    :param size: Font size in points.
    :param bold: Whether the word's first letter is bold.
    :param italic: Whether the word's first letter is italic.
    """

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool = False
    italic: bool = False

    @property
    def middle(self) -> float:
        """The vertical middle."""
        return (self.top + self.bottom) / 2


@dataclass(slots=True)
class Page:
    """
    A page's words in the file's order.

    :param number: From 1.
    :param width: Points.
    :param height: Points.
    :param words: The words.
    """

    number: int
    width: float
    height: float
    words: list[Word] = field(default_factory=list)


def read_pages(data: bytes) -> list[Page]:
    """
    Read all words of a PDF.

    ```python
    for page in read_pages(data):
        print(page.number, " ".join(word.text for word in page.words))
    ```

    :param data: The file.
    :returns: Its pages; pages without text have no words.
    :raises UnreadablePdfError: If the file is empty, not a PDF, cut off, encrypted, or holds no text.
    """
    if not data.strip():
        raise UnreadablePdfError("the file is empty")
    if b"%PDF-" not in data[:1024]:
        raise UnreadablePdfError("not a PDF file: it doesn't begin with %PDF-")
    with _pdfium_lock:
        try:
            document = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            code = pdfium_c.FPDF_GetLastError()
            if code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
                raise UnreadablePdfError("the PDF is encrypted and needs a password") from error
            raise UnreadablePdfError(_damage(data)) from error
        try:
            # PDFium repairs a cut-off file as far as it goes, and the missing pages would go unnoticed.
            if b"%%EOF" not in data.rstrip(b"\0\r\n\t ")[-1024:]:
                raise UnreadablePdfError(_damage(data))
            pages = [_read_page(document, index) for index in range(len(document))]
        except pdfium.PdfiumError as error:
            raise UnreadablePdfError(f"the PDF is damaged: {error}") from error
        finally:
            document.close()
    letters = sum(len(word.text) for page in pages for word in page.words)
    if letters < _LEAST_LETTERS_PER_PAGE * len(pages):
        raise UnreadablePdfError("the PDF has no text layer: its pages are pictures (scanned) and need OCR first")
    return pages


def _damage(data: bytes) -> str:
    if b"%%EOF" not in data.rstrip(b"\0\r\n\t ")[-1024:]:
        return "the PDF is cut off: its end (%%EOF) is missing, so get the file again"
    return "the PDF is damaged or has no pages"


def _read_page(document: pdfium.PdfDocument, index: int) -> Page:
    page = document[index]
    text_page = page.get_textpage()
    try:
        width, height = page.get_size()
        fonts = _Fonts()
        left, bottom, right, top = page.get_bbox()
        turn = _Turn(page.get_rotation(), left, bottom, right, top)
        found = Page(index + 1, min(width, _MOST_POINTS), min(height, _MOST_POINTS))
        # Nobody sees what lies outside the page, or is smaller than a point.
        found.words = [
            word
            for word in _words(text_page.raw, turn, fonts)
            if -_EDGE <= word.x0 <= word.x1 <= found.width + _EDGE
            and 0 <= word.middle <= found.height
            and word.size >= 1
        ]
        return found
    finally:
        text_page.close()
        page.close()


@dataclass(slots=True)
class _Turn:
    """Maps PDF coordinates (from the bottom left, before the page's own rotation) to those a reader sees."""

    rotation: int
    left: float
    bottom: float
    right: float
    top: float

    def box(self, rect: pdfium_c.FS_RECTF) -> _Box:
        if self.rotation == 90:
            return rect.bottom - self.bottom, rect.left - self.left, rect.top - self.bottom, rect.right - self.left
        if self.rotation == 180:
            return self.right - rect.right, rect.bottom - self.bottom, self.right - rect.left, rect.top - self.bottom
        if self.rotation == 270:
            return self.top - rect.top, self.right - rect.right, self.top - rect.bottom, self.right - rect.left
        return rect.left - self.left, self.top - rect.top, rect.right - self.left, self.top - rect.bottom

    def upright(self, matrix: pdfium_c.FS_MATRIX) -> bool:
        if not matrix.b and not self.rotation:
            return matrix.a > 0
        angle = round(math.degrees(math.atan2(matrix.b, matrix.a)) / 90) * 90
        return (angle - self.rotation) % 360 == 0


class _Fonts:
    """Knows which of a page's fonts are bold or italic, from their names; a name is read once a font."""

    def __init__(self) -> None:
        self._styles: dict[int | None, tuple[bool, bool]] = {}
        self._matrix = pdfium_c.FS_MATRIX()

    def of(self, text_page: pdfium_c.FPDF_TEXTPAGE, index: int, turn: _Turn) -> tuple[float, bool, bool, bool]:
        """Size in points, bold, italic, upright."""
        font = pdfium_c.FPDFTextObj_GetFont(pdfium_c.FPDFText_GetTextObject(text_page, index))
        address = ctypes.cast(font, ctypes.c_void_p).value
        style = self._styles.get(address)
        if style is None:
            buffer, flags = ctypes.create_string_buffer(256), ctypes.c_int()
            pdfium_c.FPDFText_GetFontInfo(text_page, index, buffer, 256, flags)
            name = buffer.value.decode("utf-8", "replace")
            style = (bool(_BOLD.search(name) or flags.value & _FORCE_BOLD), bool(_ITALIC.search(name)))
            self._styles[address] = style
        matrix = self._matrix
        pdfium_c.FPDFText_GetMatrix(text_page, index, matrix)
        size = pdfium_c.FPDFText_GetFontSize(text_page, index) * math.hypot(matrix.c, matrix.d)
        return round(size, 1), *style, turn.upright(matrix)


def _words(text_page: pdfium_c.FPDF_TEXTPAGE, turn: _Turn, fonts: _Fonts) -> Iterator[Word]:
    """A word gets its place from its first and last letter, its type from the first: asking PDFium takes time."""
    start, letters = 0, ""
    for index, letter in enumerate(_letters(text_page)):
        is_hyphen = letter in _LINE_END_HYPHENS
        if is_hyphen or (letter > " " and not letter.isspace()):
            if not letters:
                start = index
            letters += "-" if is_hyphen else letter
        if letters and (is_hyphen or letter.isspace() or letter <= " "):
            yield from _make_words(text_page, letters, start, turn, fonts)
            letters = ""


def _letters(text_page: pdfium_c.FPDF_TEXTPAGE) -> Iterator[str]:
    """The page's characters by index, and a blank behind the last; a character beyond 16 bits counts once or as two."""
    get_unicode = pdfium_c.FPDFText_GetUnicode
    for index in range(pdfium_c.FPDFText_CountChars(text_page)):
        yield chr(get_unicode(text_page, index))
    yield " "


def _make_words(
    text_page: pdfium_c.FPDF_TEXTPAGE, letters: str, start: int, turn: _Turn, fonts: _Fonts
) -> Iterator[Word]:
    first, last = pdfium_c.FS_RECTF(), pdfium_c.FS_RECTF()
    pdfium_c.FPDFText_GetLooseCharBox(text_page, start, first)
    pdfium_c.FPDFText_GetLooseCharBox(text_page, start + len(letters) - 1, last)
    x0, top, _, bottom = turn.box(first)
    _, last_top, x1, last_bottom = turn.box(last)
    size, bold, italic, upright = fonts.of(text_page, start, turn)
    middle = 0
    if len(letters) > 1 and (x1 < x0 or min(bottom, last_bottom) <= max(top, last_top)):
        middle = _line_break(_boxes(text_page, start, len(letters), turn))
    elif len(letters) > 5 and letters.isupper():
        middle = _narrow_blank(_boxes(text_page, start, len(letters), turn), size)
    if middle:
        yield from _make_words(text_page, letters[:middle], start, turn, fonts)
        yield from _make_words(text_page, letters[middle:], start + middle, turn, fonts)
    elif upright and bottom > top:
        text = letters.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        yield Word(text, x0, x1, top, bottom, size, bold, italic)


def _boxes(text_page: pdfium_c.FPDF_TEXTPAGE, start: int, count: int, turn: _Turn) -> list[_Box]:
    rect = pdfium_c.FS_RECTF()
    boxes = []
    for index in range(start, start + count):
        pdfium_c.FPDFText_GetLooseCharBox(text_page, index, rect)
        boxes.append(turn.box(rect))
    return boxes


def _line_break(boxes: list[_Box]) -> int:
    """A line's end and the next one's beginning may have nothing between them in the file: the letter that jumps."""
    backwards = (index for index in range(1, len(boxes)) if boxes[index][2] < boxes[index - 1][0])
    return next(backwards, len(boxes) // 2)


def _narrow_blank(boxes: list[_Box], size: float) -> int:
    """Kerning narrows the blank in "FINAL ACTION" until PDFium sees none: the letter after the only gap, or 0."""
    gaps = [box[0] - before[2] for before, box in pairwise(boxes)]
    widest = max(gaps)
    others = [gap for gap in gaps if gap != widest]
    return gaps.index(widest) + 1 if widest > 0.1 * size and max(others, default=0.0) < 0.03 * size else 0

"""Lines and blocks of readable text from the HTML that the USPTO publishes the manual in."""

import re
from collections.abc import Callable, Iterable, Iterator

from lxml import etree, html

PAGE_TITLE = "page-title"

# (href, link text, text before it in the paragraph) -> what to put behind the link in brackets, or nothing.
LinkNote = Callable[[str, str, str], str]

_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_TABLE_PARTS = frozenset(["table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"])
_LISTS = frozenset(["ul", "ol", "dl", "li", "dt", "dd"])
_BOXES = frozenset(
    [
        *("address", "article", "blockquote", "center", "details", "div", "figcaption", "figure", "header", "hr"),
        *("main", "p", "pre", "section", "summary"),
    ]
)
_BREAKING = _HEADINGS | _TABLE_PARTS | _LISTS | _BOXES
_UNREAD = frozenset(["script", "style", "head", "noscript"])
_BEFORE_PUNCTUATION = re.compile(r"(?<![.\s]) +(?=[,;)\]]|[.:](?:\s(?!\.)|\Z))|(?<=[(\[]) +")
_INSERTED = re.compile(r"(?<=\d) (bis|ter|quater|quinquies|sexies|septies)\b(?: (?=\.\d))?")
_MARKER = re.compile(r"(?:\((?:\w{1,5}|[ivxlc]{1,6})\)|\w{1,4}[.)](?:\s|\Z)|[-–—•*¶§]|\[?\d)")
_NUMBERS = re.compile(r"\(\w{1,5}\)(?:\s?\(\w{1,5}\))*")
_BARE_MARKER = re.compile(r"\(\w{1,5}\)|\w{1,4}[.)]")
_LEADERS = re.compile(r"\.{5,}")
_DIGITS = re.compile(r"\d+\Z")
_HIDDEN = {0x00AD: None, 0x200B: None, 0xFEFF: None}
_LIST_LIMIT = 1000


def parse_page(data: bytes) -> html.HtmlElement:
    """
    Parse one page; bytes that aren't UTF-8 are read as Windows-1252, the pages' other encoding.

    :param data: The file.
    :returns: The root element, with `html` and `body` added where the page lacks them.
    :raises lxml.etree.ParserError: If there is no markup in it.
    """
    try:
        data.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "windows-1252"
    parser = html.HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True, huge_tree=True)
    return html.document_fromstring(data, parser=parser)


def article_of(root: html.HtmlElement) -> html.HtmlElement | None:
    """
    The part of a page that holds the manual's text, without menus and footers.

    :param root: The page.
    :returns: The element, or None where the page has none.
    """
    found = root.xpath("//*[@id='article']")
    return found[0] if found else None


def tidy(text: str) -> str:
    """
    Text of one line, without the blanks that the markup leaves inside brackets and before punctuation.

    Dot leaders are cut to "...", and numbers of inserted articles and rules are written in one word, "13bis.1".

    ```python
    tidy("see ( Rule 43 bis .1 ) ,\\n and")  # "see (Rule 43bis.1), and"
    ```

    :param text: Text as it stands between tags.
    :returns: The clean line.
    """
    text = _LEADERS.sub(" ... ", text) if "....." in text else text
    text = " ".join(text.translate(_HIDDEN).split())
    if not text.isalnum():
        text = _BEFORE_PUNCTUATION.sub("", text)
    return _INSERTED.sub(r"\1", text)


def is_page_title(element: html.HtmlElement) -> bool:
    """Whether an element is the title of a section or form paragraph."""
    return element.tag == "h1" and element.get("class") == PAGE_TITLE


def is_heading(element: html.HtmlElement) -> bool:
    """Whether an element is a heading of any level."""
    return element.tag in _HEADINGS


def anchor_of(element: html.HtmlElement) -> str:
    """
    The fragment that leads to an element: its own id, or the first one inside it.

    :param element: A block of the page.
    :returns: The id; empty where there is none.
    """
    for candidate in element.iter("*"):
        if name := candidate.get("id") or (candidate.get("name") if candidate.tag == "a" else ""):
            return str(name)
    return ""


def packed(lines: Iterable[str], limit: int = _LIST_LIMIT) -> list[str]:
    """
    Gather lines into texts of at most `limit` characters, so that long lists and tables can be split between lines.

    :param lines: The lines; one that is longer than `limit` stays whole.
    :param limit: Length of a text.
    :returns: Texts of one or more lines.
    """
    texts: list[str] = []
    size = 0
    for line in lines:
        if texts and size + len(line) < limit:
            texts[-1] += f"\n{line}"
            size += len(line) + 1
        else:
            texts.append(line)
            size = len(line)
    return texts


class _Lines:
    """Collects running text and closes a line at every block boundary."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.open: list[str] = []

    def close(self) -> None:
        if self.open:
            line = tidy("".join(self.open))
            if line.strip("_ "):
                self.done.append(line)
            self.open = []


class LineReader:
    """
    Reads elements as lines of plain text: a paragraph, list item or table row each is a line.

    List items keep the marker they are printed with and get "- " where they have none, table cells are divided by
    " | ", raised numbers get "^" ("10^6"), deleted text stands in "[[...]]" as in amended claims, and links are
    explained where their text alone doesn't say what they cite.

    ```python
    reader = LineReader(lambda href, text, before: "")
    reader.lines(html.fragment_fromstring("<ul><li>one</li><li>(b) two</li></ul>"))  # ["- one", "(b) two"]
    ```
    """

    def __init__(self, link_note: LinkNote):
        """
        :param link_note: What to put behind a link, from its target, its text and the text before it.
        """
        self._link_note = link_note

    def lines(self, *elements: html.HtmlElement | str) -> list[str]:
        """
        Read elements and loose pieces of text that follow each other.

        :param elements: Elements (their tails aren't read) and strings.
        :returns: Clean, non-empty lines.
        """
        out = _Lines()
        for element in elements:
            if isinstance(element, str):
                out.open.append(element)
            else:
                self._read(element, out)
        out.close()
        return out.done

    def line(self, *elements: html.HtmlElement | str) -> str:
        """Read elements as one line."""
        return " ".join(self.lines(*elements))

    def table(self, element: html.HtmlElement) -> list[str]:
        """
        The rows of a table.

        :param element: A `table`.
        :returns: Its caption, where it has one, then a line a row: "cell | cell".
        """
        caption = element.find("caption")
        rows = self.lines(caption) if caption is not None else []
        for row in element.iter("tr"):
            cells = [self.line(*contents(cell)) for cell in row if cell.tag in ("td", "th")]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                rows.append(" | ".join(cell or "-" for cell in cells))
        return rows

    def items(self, element: html.HtmlElement) -> list[list[str]]:
        """
        The items of a list, each with the lines of the lists inside it.

        :param element: A list, or a box around lists and paragraphs.
        :returns: One list of lines an outermost item; loose paragraphs count as items.
        """
        found: list[list[str]] = []
        for part in runs(element):
            if isinstance(part, list):
                found.append(self.lines(*part))
            elif part.tag in ("ul", "ol", "dl", "div"):
                found.extend(self.items(part))
            else:
                found.append(self.lines(part))
        return [lines for lines in found if lines]

    def _read(self, element: html.HtmlElement, out: _Lines) -> None:
        tag = element.tag
        if tag in _UNREAD or is_navigation(element):
            return
        if tag == "li":
            out.close()
            out.done.extend(_marked(self.lines(*contents(element))))
        elif tag == "table":
            out.close()
            out.done.extend(self.table(element))
        elif tag in _BREAKING or tag == "br":
            out.close()
            self._read_inside(element, out)
            out.close()
        else:
            self._read_inline(element, out)

    def _read_inline(self, element: html.HtmlElement, out: _Lines) -> None:
        tag = element.tag
        if tag == "img":
            if description := tidy(element.get("alt") or ""):
                out.close()
                out.done.append(f"[Figure: {description}]")
        elif tag == "a" and element.get("href"):
            start = len(out.open)
            before = "".join(out.open[-8:])
            self._read_inside(element, out)
            text = tidy("".join(out.open[start:]))
            if note := self._link_note(element.get("href"), text, before):
                out.open.append(f" [{note}]")
        elif tag == "sup" and _DIGITS.match((element.text or "").strip()):
            # A power or a note's number would melt into the word before it, a note's own number into the word behind.
            raised = bool(out.open) and out.open[-1][-1:].isalnum()
            out.open.append("^" if raised else "")
            self._read_inside(element, out)
            out.open.append("" if raised else " ")
        elif tag in ("del", "strike", "s") or element.get("class") == "Strike":
            out.open.append("[[")
            self._read_inside(element, out)
            out.open.append("]]")
        else:
            self._read_inside(element, out)

    def _read_inside(self, element: html.HtmlElement, out: _Lines) -> None:
        if element.text:
            out.open.append(element.text)
        for child in element:
            if isinstance(child.tag, str):
                self._read(child, out)
            if child.tail:
                out.open.append(child.tail)


def is_navigation(element: html.HtmlElement) -> bool:
    """Whether an element is a link back to the top of the page."""
    return element.tag == "a" and element.get("href") == "#top"


def contents(element: html.HtmlElement) -> list[html.HtmlElement | str]:
    """
    What is inside an element, in order: its text, its children, and the text between them.

    :param element: An element.
    :returns: Strings and elements.
    """
    parts: list[html.HtmlElement | str] = [element.text] if element.text else []
    for child in element:
        if isinstance(child.tag, str):
            parts.append(child)
        if child.tail:
            parts.append(child.tail)
    return parts


def runs(element: html.HtmlElement) -> Iterator[html.HtmlElement | list[html.HtmlElement | str]]:
    """
    What is inside an element, divided where lines break.

    :param element: An element.
    :returns: Elements that stand on lines of their own, and between them lists of loose text and inline elements.
    """
    loose: list[html.HtmlElement | str] = []
    for part in contents(element):
        if isinstance(part, str) or part.tag not in _BREAKING:
            loose.append(part)
            continue
        if loose:
            yield loose
            loose = []
        yield part
    if loose:
        yield loose


def marker_of(text: str) -> str:
    """
    The bracketed numbers that a paragraph begins with.

    ```python
    marker_of("(a) (1) A claim shall ...")  # "(a) (1)"
    ```

    :param text: A paragraph.
    :returns: The numbers; empty where it begins with something else.
    """
    match = _NUMBERS.match(text)
    return match.group() if match else ""


def _marked(item: list[str]) -> list[str]:
    """The lines of a list item, beginning with its marker: "(4)" goes before the "(a)" of the list inside it."""
    if not item:
        return []
    if not _MARKER.match(item[0]):
        return [f"- {item[0]}", *item[1:]]
    if len(item) > 1 and _BARE_MARKER.fullmatch(item[0]) and _MARKER.match(item[1]):
        return [f"{item[0]} {item[1]}", *item[2:]]
    return item


ParserError = etree.ParserError

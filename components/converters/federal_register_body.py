"""The body of a Federal Register document: the site's HTML, the Office's XML, or the printed text."""

import re
from html import unescape

from lxml import etree, html

from components.converters.record import RecordText, clean, parse_xml

_PAGE = re.compile(r"\[\[Page [A-Z]?\d+\]\]|\(?\s*print page \d+\s*\)?", re.IGNORECASE)
# What the web page adds to the printed document.
_UNREAD = re.compile(r"printed-page|unprinted-element|table[-_]of[-_]contents")
# The brackets around a footnote's mark, once the mark is gone.
_EMPTY_MARK = re.compile(r"\[\s*\]")
_RULER = re.compile(r"[-_=*]{5,}\Z")
_BLOCKS = frozenset(["p", "li", "dd", "dt", "blockquote", "pre", "td", "th", "caption", "figcaption"])
_CONTAINERS = frozenset(
    ["div", "section", "article", "ul", "ol", "dl", "body", "main", "table", "tbody", "thead", "tr", "aside", "figure"]
)
_DROPPED = frozenset(["script", "style", "noscript", "svg", "nav", "form", "button", "head", "img"])
# Preamble parts that have a heading of their own in the XML are read; signatures and filing lines are not law.
_XML_DROPPED = frozenset(["PRTPAGE", "FRDOC", "BILCOD", "GPH", "MATH", "STARS", "SU", "FTREF", "CNTNTS", "LSTSUB"])
_XML_PARAGRAPHS = re.compile(r"(?:P|FP|PSPACE|AMDPAR|SECTNO|SUBJECT|AUTH|EXTRACT|NAME|TITLE|DATED|SIG|HEAD)[-\d]*\Z")
_XML_LEVELS = {"HED": 1, "HD1": 2, "HD2": 3, "HD3": 4, "HD4": 5, "HD5": 6}


class _Headings:
    """The path of headings at the place being read."""

    def __init__(self, text: RecordText):
        self.text = text
        self.path: list[tuple[int, str]] = []

    def add(self, level: int, words: str, anchor: str = "") -> None:
        if words:
            self.path = [entry for entry in self.path if entry[0] < level] + [(level, words)]
            self.text.add(words, "heading", headings=self.words, anchor=anchor)

    @property
    def words(self) -> list[str]:
        return [words for _, words in self.path]


def add_html(body: str, text: RecordText) -> None:
    """
    Add the blocks of the HTML that federalregister.gov serves as "body_html".

    :param body: The HTML, a whole page or a fragment.
    :param text: What the blocks are added to.
    :raises lxml.etree.ParserError: When there is nothing in it.
    """
    whole = f"<div>{body}</div>" if "<html" not in body[:500].lower() else body
    root = html.document_fromstring(whole, parser=html.HTMLParser(huge_tree=True))
    headings = _Headings(text)

    def walk(element: etree._Element) -> None:
        if not isinstance(element.tag, str) or element.tag in _DROPPED:
            return
        classes = element.get("class") or ""
        if _UNREAD.search(classes):
            return
        if re.fullmatch(r"h[1-6]", element.tag):
            headings.add(int(element.tag[1]), _inline(element), element.get("id") or "")
        elif element.tag == "table":
            rows = [[_inline(cell) for cell in row.iter("td", "th")] for row in element.iter("tr")]
            lines = [" | ".join(cells) for cells in rows if any(cells)]
            text.add("\n".join(lines), "table", headings=headings.words, anchor=element.get("id") or "")
        elif element.tag in ("ul", "ol"):
            items = [_inline(item) for item in element if item.tag == "li"]
            text.add("\n".join(f"- {item}" for item in items if item), "list", headings=headings.words)
        elif "footnote" in classes.split():
            text.add(_inline(element), "note", headings=headings.words, anchor=element.get("id") or "")
        elif element.tag in _CONTAINERS and any(
            isinstance(child.tag, str) and (child.tag in _BLOCKS | _CONTAINERS or re.fullmatch(r"h[1-6]", child.tag))
            for child in element
        ):
            text.add(clean(element.text or ""), headings=headings.words)
            for child in element:
                walk(child)
                text.add(clean(child.tail or ""), headings=headings.words)
        else:
            text.add(_inline(element), headings=headings.words, anchor=element.get("id") or "")

    page_body = root.find("body")
    walk(root if page_body is None else page_body)


def _inline(element: etree._Element) -> str:
    def words(part: etree._Element) -> str:
        found = [part.text or ""]
        for child in part:
            classes = child.get("class") or "" if isinstance(child.tag, str) else ""
            dropped = not isinstance(child.tag, str) or child.tag in _DROPPED or _UNREAD.search(classes)
            if not dropped and "footnote-reference" not in classes:
                block = child.tag in _BLOCKS or child.tag in _CONTAINERS or child.tag == "br"
                found.append(f" {words(child)} " if block else words(child))
            found.append(child.tail or "")
        return "".join(found)

    return clean(_PAGE.sub(" ", _EMPTY_MARK.sub("", words(element))))


def add_xml(body: str, text: RecordText) -> None:
    """
    Add the blocks of a document's full-text XML.

    :param body: The XML, with RULE, PRORULE or NOTICE as its root.
    :param text: What the blocks are added to.
    :raises lxml.etree.XMLSyntaxError: When it isn't well-formed.
    """
    # The string is already decoded, whatever its declaration says.
    root = parse_xml(re.sub(r"\A\s*<\?xml.*?\?>", "", body).encode())
    headings = _Headings(text)

    def walk(element: etree._Element) -> None:
        for child in element:
            if not isinstance(child.tag, str) or child.tag in _XML_DROPPED:
                continue
            if child.tag == "HD":
                level = _XML_LEVELS.get(child.get("SOURCE") or "HED", 1)
                headings.add(level, _xml_words(child).rstrip(":"))
            elif child.tag == "GPOTABLE":
                text.add(_gpo_table(child), "table", headings=headings.words)
            elif child.tag == "SECTION":
                # A rule that is being amended: its number and subject are one line, as in the rules themselves.
                parts = [_xml_words(part) for part in child if part.tag in ("SECTNO", "SUBJECT")]
                text.add(" ".join(parts), headings=headings.words)
                walk(child)
            elif child.tag in ("SECTNO", "SUBJECT") and element.tag == "SECTION":
                continue
            elif child.tag == "FTNT":
                text.add(_xml_words(child), "note", headings=headings.words)
            elif _XML_PARAGRAPHS.match(child.tag) and not any(grand.tag == "P" for grand in child):
                text.add(_xml_words(child), headings=headings.words)
            elif len(child) or child.tag in ("AGENCY", "SUBAGY", "ACT"):
                walk(child)

    walk(root)


def _xml_words(element: etree._Element) -> str:
    def words(part: etree._Element) -> str:
        found = [part.text or ""]
        for child in part:
            if child.tag not in _XML_DROPPED:
                found.append(f" {words(child)} " if child.tag == "P" else words(child))
            found.append(child.tail or "")
        return "".join(found)

    return clean(_PAGE.sub(" ", words(element)))


def _gpo_table(table: etree._Element) -> str:
    lines = [_xml_words(title) for title in table.iter("TTITLE")]
    lines += [" | ".join(_xml_words(head) for head in heads.iter("CHED")) for heads in table.iter("BOXHD")]
    lines += [" | ".join(_xml_words(cell) for cell in row.iter("ENT")) for row in table.iter("ROW")]
    return "\n".join(line for line in lines if line.strip(" |"))


def add_plain_text(body: str, text: RecordText) -> None:
    """
    Add the blocks of the printed text: paragraphs are indented or set apart by empty lines, headings stand alone.

    :param body: The text, with page numbers as "[[Page 12345]]".
    :param text: What the blocks are added to.
    """
    headings = _Headings(text)
    body = _PAGE.sub("", unescape(body)).replace("\r\n", "\n")
    for chunk in re.split(r"\n[ \t]*\n|\n(?= {4}\S)", body):
        words = clean(chunk)
        if (
            not words
            or _RULER.match(words)
            or words.startswith(("[Federal Register Volume", "[FR Doc", "BILLING CODE"))
        ):
            continue
        match = re.match(r"(?:([IVX]+)|([A-Z])|(\d{1,2}))\.\s+\S", words)
        alone = not chunk.startswith("    ") and len(words) < 160 and not words.endswith((".", ";", ",", ":"))
        if alone and match:
            headings.add(1 if match.group(1) else 2 if match.group(2) else 3, words)
        else:
            text.add(words, headings=headings.words)

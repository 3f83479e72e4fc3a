"""Sections of the MPEP as one of its HTML pages gives them, with their blocks."""

import re
from dataclasses import dataclass, field

from lxml import html

from components.converters.html_blocks import (
    LineReader,
    anchor_of,
    article_of,
    is_heading,
    is_navigation,
    is_page_title,
    packed,
    runs,
)
from components.converters.html_links import citation_note
from components.converters.mpep_chapters import CHAPTER_TITLES
from components.converters.record import RecordText, clean, heading_case

_NUMBER = r"\d{3,4}(?:\.\d{1,2})?(?:\s?\(\w{1,4}\))*"
_TITLE = re.compile(rf"(?P<number>{_NUMBER}(?:\s*[-–—]\s*{_NUMBER})?)(?:\s+|\Z|(?=\[))(?P<title>.*)", re.DOTALL)
_REVISION = re.compile(r"\s*\[\s*(R-[\d.]*)\s*\]")
_FORM_PARAGRAPH = re.compile(r"¶+\s*(?P<number>\d{1,2}(?:\.\w+)*)\s*(?P<title>.*)", re.DOTALL)
_CHAPTER = re.compile(r"\s*Chapter\s+0*(\d{3,4})\s*\Z")
_EDITOR_NOTE = re.compile(r"\[\s*Editor(?:['’]s)?\s+Note", re.IGNORECASE)
_TIME = re.compile(r"applica|effective|in effect|in force|on or after|prior to|before", re.IGNORECASE)
_LISTS = frozenset(["ul", "ol", "dl"])
_QUOTES = {"USC": "quote_statute", "CFR": "quote_rule", "PCT": "quote_rule"}


@dataclass
class Section:
    """
    A section of the manual, as its page gives it.

    :param number: Its number as printed; a chapter's number for text of the chapter's own page.
    :param title: Its title, without number and revision mark.
    :param revision: Its revision mark, "R-11.2013"; empty where it has none.
    :param anchor: The fragment that leads to it in its page.
    :param above: The sections around it in the page, outermost first, number and title.
    :param of_chapter: Whether it is the text of a chapter's own page.
    :param text: Its blocks.
    :param effective: The editor's notes that say when it applies.
    """

    number: str
    title: str
    revision: str
    anchor: str
    above: list[str]
    of_chapter: bool = False
    text: RecordText = field(default_factory=RecordText)
    effective: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Number and title."""
        return f"{self.number} {self.title}".strip()


class PageReader:
    """
    Walks one page and fills its sections.

    ```python
    sections = PageReader(parse_page(data)).read()
    ```
    """

    def __init__(self, root: html.HtmlElement):
        """
        :param root: The page.
        """
        self._root = root
        self._chapter = _chapter_heading(root)
        self._lines = LineReader(lambda href, text, before: citation_note(href, text, before, own="mpep"))
        self._sections: list[Section] = []

    def read(self) -> list[Section]:
        """
        Read the page.

        :returns: Its sections in order; none where the page has no article.
        """
        article = article_of(self._root)
        if article is not None:
            self._walk(article, None, [])
        return self._sections

    def _walk(self, element: html.HtmlElement, section: Section | None, headings: list[str]) -> None:
        """Read what is inside an element into a section; `headings` is the path of sub-headings so far."""
        above = list(headings)
        for part in runs(element):
            if isinstance(part, list):
                lines = self._lines.lines(*part)
                if section and lines:
                    self._paragraph(section, lines, headings, next((a for p in part if (a := _anchor(p))), ""))
                continue
            title = next((child for child in part if is_page_title(child) and clean(child.text_content())), None)
            if is_page_title(part):
                if section is None and clean(part.text_content()):
                    section = self._open(part, None)
            elif title is not None and part.get("class") != "formPara":
                self._walk(part, self._open(title, section), [])
            elif section and is_heading(part):
                headings = [*above, self._lines.line(part)]
                section.text.add(headings[-1], "heading", headings=headings, anchor=_anchor(part))
            else:
                self._block(part, section or self._chapter_text(part), headings)

    def _block(self, element: html.HtmlElement, section: Section | None, headings: list[str]) -> None:
        name = element.get("class") or ""
        kind = _quote_kind(element)
        if section is None:
            self._walk(element, None, headings)
        elif name == "formPara":
            self._form_paragraph(element, section, headings)
        elif kind:
            self._quote(element, kind, section, headings)
        elif name == "Example":
            for text in packed(self._lines.lines(element)):
                section.text.add(text, "example", headings=headings, anchor=anchor_of(element))
        elif name == "List" or element.tag in _LISTS:
            for text in self._items(element):
                section.text.add(text, "list", headings=headings, anchor=anchor_of(element))
        elif element.tag == "table":
            for text in packed(self._lines.table(element)):
                section.text.add(text, "table", headings=headings, anchor=_anchor(element))
        elif name == "figure":
            section.text.add("\n".join(self._lines.lines(element)), headings=headings, anchor=_anchor(element))
        elif element.tag in ("div", "section"):
            self._walk(element, section, headings)
        elif lines := self._lines.lines(element):
            self._paragraph(section, lines, headings, _anchor(element))

    def _chapter_text(self, element: html.HtmlElement) -> Section | None:
        """The record for text that stands beside the table of contents in a chapter's page."""
        if not self._chapter or element.tag != "p" or not self._lines.lines(element):
            return None
        if not self._sections:
            title = CHAPTER_TITLES.get(self._chapter, "")
            self._sections.append(
                Section(self._chapter, title, revision="", anchor=_anchor(element), above=[], of_chapter=True)
            )
        return self._sections[-1]

    def _open(self, title: html.HtmlElement, parent: Section | None) -> Section:
        text = self._lines.line(title)
        revision = _REVISION.search(text)
        text = _REVISION.sub("", text).strip()
        match = _TITLE.match(text)
        holder = title.getparent()
        section = Section(
            # The introduction to a chapter has no number of its own; it is found with its chapter.
            number=match["number"] if match else self._chapter or text,
            title=match["title"].strip() if match else heading_case(text) if self._chapter else "",
            revision=revision[1].removesuffix("-") if revision and revision[1] != "R-" else "",
            anchor=title.get("id") or (holder.get("id") if holder is not None else "") or "",
            above=[*parent.above, parent.name] if parent else [],
            of_chapter=bool(self._chapter) and not match,
        )
        self._sections.append(section)
        return section

    def _paragraph(self, section: Section, lines: list[str], headings: list[str], anchor: str) -> None:
        text = "\n".join(lines)
        note = _EDITOR_NOTE.match(text)
        if note and _TIME.search(text):
            section.effective.append(" ".join(lines))
        for piece in packed(lines):
            section.text.add(piece, "note" if note else "text", headings=headings, anchor=anchor)

    def _form_paragraph(self, element: html.HtmlElement, section: Section, headings: list[str]) -> None:
        """A form paragraph: its text, then the note to the examiner, both under its number."""
        lines = self._lines.lines(element)
        match = _FORM_PARAGRAPH.match(lines[0]) if lines else None
        label = match["number"] if match else ""
        note = next((i for i, line in enumerate(lines) if line.startswith("Examiner Note")), len(lines))
        path = [*headings, lines[0]] if lines else headings
        for part in (lines[:note], lines[note:]):
            for text in packed(part):
                section.text.add(text, "form_paragraph", headings=path, anchor=anchor_of(element), label=label)

    def _quote(self, element: html.HtmlElement, kind: str, section: Section, headings: list[str]) -> None:
        """A quoted statute or rule: its heading goes into the path of its paragraphs."""
        title = " ".join(self._lines.line(child) for child in element if child.tag == "h4")
        for text in self._items(element):
            section.text.add(text, kind, headings=[*headings, title], anchor=anchor_of(element))

    def _items(self, element: html.HtmlElement) -> list[str]:
        """The items of a list, short ones together, and the lines of long ones apart."""
        items = self._lines.items(element)
        return packed(piece for item in items for piece in packed(item))


def _chapter_heading(root: html.HtmlElement) -> str:
    """The number of the chapter whose page this is; section pages have no such heading."""
    return next((match[1] for title in root.iter("h1") if (match := _CHAPTER.match(title.text_content()))), "")


def _anchor(part: html.HtmlElement | str) -> str:
    return "" if isinstance(part, str) or is_navigation(part) else str(part.get("id") or "")


def _quote_kind(element: html.HtmlElement) -> str:
    """The kind of a quoted provision; PCT articles and rules stand in a box that only its heading tells."""
    if element.tag != "div":
        return ""
    head = next((child for child in element if child.tag == "h4"), None)
    return _QUOTES.get(element.get("class") or (head.get("class") if head is not None else "") or "", "")

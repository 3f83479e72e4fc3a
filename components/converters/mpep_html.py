"""The Manual of Patent Examining Procedure from the HTML pages that the USPTO publishes, one Document a section."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from haystack import Document, component
from haystack.dataclasses import ByteStream
from lxml import html

from components.converters.html_blocks import (
    LineReader,
    ParserError,
    anchor_of,
    article_of,
    is_heading,
    is_navigation,
    is_page_title,
    packed,
    parse_page,
    runs,
)
from components.converters.html_links import citation_note
from components.converters.mpep_chapters import chapter_name, chapter_of
from components.converters.record import RecordText, clean, make_record

logger = logging.getLogger(__name__)

MANUAL_URL = "https://www.uspto.gov/web/offices/pac/mpep/"

_NUMBER = r"\d{3,4}(?:\.\d{1,2})?(?:\s?\(\w{1,4}\))*"
_TITLE = re.compile(rf"(?P<number>{_NUMBER}(?:\s*[-–—]\s*{_NUMBER})?)(?:\s+|\Z|(?=\[))(?P<title>.*)", re.DOTALL)
_REVISION = re.compile(r"\s*\[\s*(R-[\d.]*)\s*\]")
_FORM_PARAGRAPH = re.compile(r"¶+\s*(?P<number>\d{1,2}(?:\.\w+)*)\s*(?P<title>.*)", re.DOTALL)
_EDITOR_NOTE = re.compile(r"\[\s*Editor(?:['’]s)?\s+Note", re.IGNORECASE)
_TIME = re.compile(r"applica|effective|in effect|in force|on or after|prior to|before", re.IGNORECASE)
_MODIFIED = re.compile(rb"Last Modified:\s*(\d\d)/(\d\d)/(\d{4})")
_LISTS = frozenset(["ul", "ol", "dl"])
_QUOTES = {"USC": "quote_statute", "CFR": "quote_rule", "PCT": "quote_rule"}


@dataclass
class _Section:
    """A section while its page is read."""

    number: str
    title: str
    revision: str
    anchor: str
    above: list[str]
    text: RecordText = field(default_factory=RecordText)
    effective: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.number} {self.title}".strip()


@component
class MpepHtmlConverter:
    """
    Reads the manual's section pages; every section and subsection with a number becomes a record of its own.

    A record holds its section's own text, without the subsections that stand in the same page. Form paragraphs, tables,
    lists, examples, headings and quoted statutes and rules are blocks of their own kind. A section without text keeps
    its heading as text, so that it can be found. Two sections with the same number in one page get the ids
    "MPEP-<number>" and "MPEP-<number>-2", in the order of the page.

    ```python
    from haystack.dataclasses import ByteStream
    converter = MpepHtmlConverter()
    source = ByteStream(data, meta={"origin": "mpep/s608.html", "file": "s608.html"})
    converter.run(sources=[source])["documents"][0].id  # "MPEP-608"
    ```
    """

    def __init__(self, precedence: int = 30):
        """
        :param precedence: Which source wins when two give the same section: the higher.
        """
        self.precedence = precedence

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read all pages.

        :param sources: Section pages, with "origin" and "file" in their meta.
        :returns: documents, and failures with the origin and the reason of each page that can't be used.
        """
        documents: list[Document] = []
        failures: list[dict[str, str]] = []
        for source in sources:
            found, reason = self._read(source)
            documents.extend(found)
            if reason:
                failures.append({"origin": str(source.meta.get("origin", "")), "reason": reason})
        return {"documents": documents, "failures": failures}

    def _read(self, source: ByteStream) -> tuple[list[Document], str]:
        try:
            article = article_of(parse_page(source.data))
        except ParserError as error:
            return [], f"not HTML: {error}"
        if article is None:
            return [], "no element with the id 'article', so not a page of the manual"
        file = str(source.meta.get("file", ""))
        reader = _PageReader(chapter_of(re.sub(r"\D*0*", "", file, count=1)))
        sections = reader.read(article)
        modified = _MODIFIED.search(source.data)
        base = {
            "source": "MPEP",
            "edition": "{2}-{0}-{1}".format(*(part.decode() for part in modified.groups())) if modified else "",
            "file": file,
            "origin": str(source.meta.get("origin", "")),
            "kind_of_source": "mpep_html",
            "precedence": self.precedence,
        }
        documents: list[Document] = []
        seen: dict[str, int] = {}
        for section in sections:
            identifier = f"MPEP-{''.join(section.number.split()).replace('–', '-')}"
            seen[identifier] = seen.get(identifier, 0) + 1
            suffix = f"-{seen[identifier]}" if seen[identifier] > 1 else ""
            documents.append(_record(f"{identifier}{suffix}", section, base))
        return documents, "" if documents else "no section of the manual in it"


def _record(source_id: str, section: _Section, base: dict[str, Any]) -> Document:
    if not section.text.blocks:
        section.text.add(section.name, anchor=section.anchor)
    chapter = chapter_of(section.number)
    fragment = f"#{section.anchor}" if section.anchor else ""
    meta = {
        **base,
        "section": section.number,
        "title": section.title,
        "number_label": f"MPEP {section.number}",
        "chapter": chapter,
        "breadcrumb": ["MPEP", chapter_name(chapter), *section.above, section.name],
        "revision": section.revision,
        "effective": section.effective,
        "url": f"{MANUAL_URL}{quote(base['file'])}{fragment}",
    }
    return make_record(source_id, section.text, meta)


class _PageReader:
    """Walks one page and fills the records of its sections."""

    def __init__(self, chapter: str):
        self._chapter = chapter
        self._lines = LineReader(lambda href, text, before: citation_note(href, text, before, own="mpep"))
        self._sections: list[_Section] = []

    def read(self, article: html.HtmlElement) -> list[_Section]:
        self._walk(article, None, [])
        return self._sections

    def _walk(self, element: html.HtmlElement, section: _Section | None, headings: list[str]) -> None:
        """Read what is inside an element into a section; `headings` is the path of sub-headings so far."""
        above = list(headings)
        for part in runs(element):
            if isinstance(part, list):
                if section and (lines := self._lines.lines(*part)):
                    self._paragraph(section, lines, headings, next((a for p in part if (a := _anchor(p))), ""))
                continue
            title = next((child for child in part if is_page_title(child) and clean(child.text_content())), None)
            if is_page_title(part):
                if section is None and clean(part.text_content()):
                    section = self._open(part, None)
            elif part.get("class") == "formPara":
                if section:
                    self._form_paragraph(part, section, headings)
            elif title is not None:
                self._walk(part, self._open(title, section), [])
            elif section and is_heading(part):
                headings = [*above, self._lines.line(part)]
                section.text.add(headings[-1], "heading", headings=headings, anchor=_anchor(part))
            else:
                self._block(part, section, headings)

    def _block(self, element: html.HtmlElement, section: _Section | None, headings: list[str]) -> None:
        name = element.get("class") or ""
        kind = _quote_kind(element)
        if section is None:
            self._walk(element, None, headings)
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

    def _open(self, title: html.HtmlElement, parent: _Section | None) -> _Section:
        text = self._lines.line(title)
        revision = _REVISION.search(text)
        text = _REVISION.sub("", text).strip()
        match = _TITLE.match(text)
        holder = title.getparent()
        section = _Section(
            # The introduction to a chapter has no number of its own; it is found with its chapter.
            number=match["number"] if match else self._chapter,
            title=match["title"].strip() if match else text,
            revision=revision[1].removesuffix("-") if revision and revision[1] != "R-" else "",
            anchor=title.get("id") or (holder.get("id") if holder is not None else "") or "",
            above=[*parent.above, parent.name] if parent else [],
        )
        self._sections.append(section)
        return section

    def _paragraph(self, section: _Section, lines: list[str], headings: list[str], anchor: str) -> None:
        text = "\n".join(lines)
        note = _EDITOR_NOTE.match(text)
        if note and _TIME.search(text):
            section.effective.append(" ".join(lines))
        section.text.add(text, "note" if note else "text", headings=headings, anchor=anchor)

    def _form_paragraph(self, element: html.HtmlElement, section: _Section, headings: list[str]) -> None:
        """A form paragraph: its text, then the note to the examiner, both under its number."""
        lines = self._lines.lines(element)
        match = _FORM_PARAGRAPH.match(lines[0]) if lines else None
        label = match["number"] if match else ""
        note = next((i for i, line in enumerate(lines) if line.startswith("Examiner Note")), len(lines))
        path = [*headings, lines[0]] if lines else headings
        for part in (lines[:note], lines[note:]):
            text = "\n".join(part)
            section.text.add(text, "form_paragraph", headings=path, anchor=anchor_of(element), label=label)

    def _quote(self, element: html.HtmlElement, kind: str, section: _Section, headings: list[str]) -> None:
        """A quoted statute or rule: its heading goes into the path of its paragraphs."""
        groups = self._lines.items(element)
        title = " ".join(groups[0]) if groups else ""
        texts = packed("\n".join(group) for group in groups)
        for text in texts:
            section.text.add(text, kind, headings=[*headings, title], anchor=anchor_of(element))

    def _items(self, element: html.HtmlElement) -> Iterator[str]:
        yield from packed("\n".join(item) for item in self._lines.items(element))


def _anchor(part: html.HtmlElement | str) -> str:
    return "" if isinstance(part, str) or is_navigation(part) else str(part.get("id") or "")


def _quote_kind(element: html.HtmlElement) -> str:
    """The kind of a quoted provision; PCT articles and rules stand in a box that only its heading tells."""
    if element.tag != "div":
        return ""
    head = next((child for child in element if child.tag == "h4"), None)
    return _QUOTES.get(element.get("class") or (head.get("class") if head is not None else "") or "", "")

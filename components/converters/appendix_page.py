"""Provisions that an appendix of the MPEP reprints, with their paragraphs, notes and history."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from lxml import html

from components.converters.appendix_headings import Collection, Provision, read_provision, unnumbered
from components.converters.html_blocks import (
    LineReader,
    anchor_of,
    is_heading,
    is_page_title,
    marker_of,
    packed,
    runs,
)
from components.converters.html_links import citation_note
from components.converters.record import RecordText, clean, heading_case

_NOTE = re.compile(r"\[?\s*\*?\s*(?:\[\s*\*?\s*)?(?:Editor(?:['’]s)?\b|NOTE:|\*\w)", re.IGNORECASE)
_APPLIES = re.compile(r"applica|applies|apply|in effect|in force", re.IGNORECASE)
_IN_FORCE = re.compile(r"\(?(?:as in force|with effect) from [A-Z][a-z]+ \d{1,2}, \d{4}\)?")
_UPDATED = re.compile(r"Updated\s+[A-Z][a-z]+\s+\d{4}")
_CONTENTS = re.compile(r"table of contents", re.IGNORECASE)
_PART = re.compile(r"Part\s+(\d+)\b", re.IGNORECASE)
# Headings that say no more than the name of the collection does.
_TITLE_PAGE = re.compile(
    r"United States Code Title|Title \d+ -|Chapter I - United States Patent|Subchapter", re.IGNORECASE
)
_LETTER = re.compile(r"\w{1,3}\Z")
_GROUPS = frozenset(["AppendixChapter", "Part", "RegulationsSection", "FeeSection", "XLaws", "SubAppendix"])


@dataclass
class ProvisionText:
    """
    A provision with its text.

    :param provision: What it is.
    :param above: The headings above it, outermost first.
    :param anchor: The fragment that leads to it in its page.
    :param edition: What the page says about the time of its text.
    :param text: Its blocks.
    :param effective: The editor's notes that say when it applies.
    """

    provision: Provision
    above: list[str]
    anchor: str
    edition: str
    text: RecordText = field(default_factory=RecordText)
    effective: list[str] = field(default_factory=list)


class AppendixReader:
    """
    Walks one appendix: headings lead to groups, titles open provisions, the rest is a provision's text.

    ```python
    records = AppendixReader(COLLECTIONS["L"]).read(article)
    ```
    """

    def __init__(self, collection: Collection):
        """
        :param collection: What the appendix reprints.
        """
        self._collection = collection
        self._lines = LineReader(lambda href, text, before: citation_note(href, text, before, own=collection.links))
        self._records: list[ProvisionText] = []
        self._edition = ""

    def read(self, article: html.HtmlElement) -> list[ProvisionText]:
        """
        Read the appendix.

        :param article: The part of the page that holds its text.
        :returns: Its provisions in order.
        """
        self._group(article, [self._collection.name], "Preamble")
        return self._records

    def _group(self, element: html.HtmlElement, above: list[str], name: str) -> None:
        """Read a box of provisions; text that stands directly in it becomes a record called `name`."""
        own: ProvisionText | None = None
        path = list(above)
        for part in runs(element):
            if isinstance(part, list):
                lines, anchor = self._lines.lines(*part), ""
            elif is_page_title(part):
                continue
            elif any(is_page_title(child) and clean(child.text_content()) for child in part):
                self._provision(part, path)
                continue
            elif is_heading(part) and part.get("class") != "SubtitleText":
                path, name = self._heading(part, above, path, name)
                continue
            elif part.tag == "div" and part.get("class") not in ("List", "figure"):
                # The sections of a part follow its heading, whatever the box around them is called.
                self._group(part, path, self._appendix_name(path) if part.get("class") == "SubAppendix" else name)
                continue
            elif part.tag == "ul" and element.get("class") in _GROUPS:
                continue  # the chapter's own table of contents
            else:
                lines, anchor = self._lines.lines(part), anchor_of(part)
            if not lines or self._is_contents(lines):
                continue
            if own is None:
                own = self._open(unnumbered(name, self._collection), path, anchor)
            own.text.add("\n".join(lines), "table" if _tag(part) == "table" else "text", anchor=anchor)

    def _heading(self, part: html.HtmlElement, above: list[str], path: list[str], name: str) -> tuple[list[str], str]:
        text = heading_case(self._lines.line(part))
        return (path, name) if not text or _TITLE_PAGE.match(text) else ([*above, text], text)

    def _is_contents(self, lines: list[str]) -> bool:
        """Whether lines head a table of contents; on the way, takes up what they say about the time of the text."""
        text = " ".join(lines)
        if found := _UPDATED.search(text) or _IN_FORCE.search(text):
            self._edition = found[0].strip("()")
        # Behind the heading of a part its letter stands once more, as a target of the menu.
        return bool(_CONTENTS.match(text) or _LETTER.match(text))

    def _appendix_name(self, path: list[str]) -> str:
        part = next((match[1] for step in reversed(path) if (match := _PART.match(step))), "")
        return f"Part {part} Appendix" if part else "Appendix"

    def _open(self, provision: Provision, above: list[str], anchor: str) -> ProvisionText:
        record = ProvisionText(provision, list(above), anchor, self._edition)
        self._records.append(record)
        return record

    def _provision(self, element: html.HtmlElement, above: list[str]) -> None:
        title = next(child for child in element if is_page_title(child))
        provision = read_provision(self._lines.line(title), self._collection)
        record = self._open(provision, above, element.get("id") or title.get("id") or "")
        if element.get("class") == "Index":
            return
        inner = [*above, f"{provision.label} {provision.title}".strip()]
        for part in runs(element):
            if isinstance(part, list):
                self._text(record, self._lines.lines(*part), "", "")
            elif is_page_title(part):
                continue
            elif any(is_page_title(child) and clean(child.text_content()) for child in part):
                self._provision(part, inner)
            else:
                self._block(part, record)

    def _block(self, element: html.HtmlElement, record: ProvisionText) -> None:
        if element.tag == "table":
            for text in packed(self._lines.table(element)):
                record.text.add(text, "table", anchor=anchor_of(element))
        elif element.tag in ("ul", "ol") or element.get("class") == "List":
            # Paragraphs that go on without a number, such as the amounts of a fee, belong to the one before.
            for label, group in groupby(self._paragraphs(element, ""), key=itemgetter(0)):
                parts = list(group)
                for several in [parts] if label else [[part] for part in parts]:
                    self._text(record, [line for part in several for line in part[2]], several[0][1], label)
        elif element.get("class") == "Amendment":
            for text in packed(self._lines.lines(element)):
                self._text(record, [text], anchor_of(element), "", history=True)
        elif is_heading(element):
            record.text.add(self._lines.line(element), "heading", anchor=anchor_of(element))
        else:
            history = element.get("class") == "RevisionParagraphText"
            self._text(record, self._lines.lines(element), element.get("id") or "", "", history=history)

    def _text(self, record: ProvisionText, lines: list[str], anchor: str, label: str, history: bool = False) -> None:
        text = "\n".join(lines)
        note = bool(_NOTE.match(text))
        if note and _APPLIES.search(text):
            record.effective.append(" ".join(lines))
        record.text.add(text, "note" if note or history else "text", anchor=anchor, label=label)

    def _paragraphs(self, element: html.HtmlElement, label: str) -> Iterator[tuple[str, str, list[str]]]:
        """The paragraphs of a list with their labels: "(a)", "(a)(1)"; a number alone goes before what it numbers."""
        waiting = ""
        for part in runs(element):
            if not isinstance(part, list) and part.tag in ("ul", "ol", "div"):
                found: Iterator[tuple[str, str, list[str]]] = self._paragraphs(part, label)
            elif not isinstance(part, list) and part.tag == "li":
                found = self._item(part, label)
            else:
                lines = self._lines.lines(*part) if isinstance(part, list) else self._lines.lines(part)
                found = iter([(label, "" if isinstance(part, list) else part.get("id") or "", lines)])
            for own, anchor, lines in found:
                if not lines:
                    continue
                if len(lines) == 1 and marker_of(lines[0]) == lines[0]:
                    waiting = f"{waiting} {lines[0]}".strip()
                    continue
                yield own, anchor, [f"{waiting} {lines[0]}".strip(), *lines[1:]]
                waiting = ""
        if waiting:
            yield label, "", [waiting]

    def _item(self, item: html.HtmlElement, above: str) -> Iterator[tuple[str, str, list[str]]]:
        label = above
        own: list[str] = []
        for part in runs(item):
            if not isinstance(part, list) and part.tag in ("ul", "ol", "div"):
                yield label, item.get("id") or "", own
                own = []
                yield from self._paragraphs(part, label)
                continue
            lines = self._lines.lines(*part) if isinstance(part, list) else self._lines.lines(part)
            if lines and label == above and not own:
                label += marker_of(lines[0]).replace(" ", "")
            own.extend(lines)
        yield label, item.get("id") or "", own


def _tag(part: html.HtmlElement | list[html.HtmlElement | str]) -> str:
    return "" if isinstance(part, list) else str(part.tag)

"""HTML pages of a company's intranet: headings, paragraphs, lists and tables, without menus and footers."""

import re
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream
from lxml import etree, html

from components.converters.document_text import DocumentText, make_document, read_documents, table_text
from components.converters.html_blocks import LineReader, contents, is_heading, runs
from components.converters.line_joints import without_breaks
from components.converters.record import clean
from components.converters.text_decoding import read_text

_CHARSET = re.compile(rb"<(?:meta[^>]+charset=|\?xml[^>]+encoding=)[\"']?([\w.:-]+)", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_UNREAD = ("script", "style", "noscript", "template", "nav", "footer", "aside", "form", "rt", "rp", "head")
_LISTS = ("ul", "ol", "dl")


@component
class HtmlConverter:
    """
    Makes a Document of each HTML page, in any encoding that a text file may have.

    Menus, footers, forms, scripts and the readings above kanji are left out, tables keep their rows, and headings
    become the path above each paragraph.

    Usage example:
    ```python
    page = "<title>通知</title><h1>夏季休業</h1><p>8月11日から。</p>"
    source = ByteStream(page.encode("euc-jp"), meta={"origin": "a.html", "file": "a.html"})
    HtmlConverter().run(sources=[source])["documents"][0].content  # "夏季休業\\n\\n8月11日から。"
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read HTML pages.

        :param sources: The pages, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: no text, or a doubtful encoding.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    declared = _CHARSET.search(source.data[:4096])
    page = read_text(source, declared.group(1).decode() if declared else "")
    text = DocumentText()
    title = add_html(text, page)
    return make_document(source, text, title=text.title or title)


def add_html(text: DocumentText, page: str) -> str:
    """
    Add the blocks of an HTML page.

    :param text: What they are added to.
    :param page: The page.
    :returns: The page's own title; empty where it has none.
    :raises ValueError: If there is no markup in it.
    """
    source = _DECLARATION.sub("", without_breaks(page)).encode("utf-8", "replace")
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(source, parser=parser)
    except etree.ParserError as error:
        raise ValueError("there is no text in it") from error
    title = clean(root.findtext(".//title") or "")
    body = root.find("body")
    etree.strip_elements(root, *_UNREAD, with_tail=False)
    if body is not None:
        _Blocks(text).add(body)
    return title


class _Blocks:
    def __init__(self, text: DocumentText):
        self._text = text
        self._reader = LineReader(lambda href, shown, before: "")

    def add(self, element: html.HtmlElement) -> None:
        for part in runs(element):
            if isinstance(part, list):
                self._lines(self._reader.lines(*part))
            elif is_heading(part):
                self._text.heading(int(part.tag[1:]), self._reader.line(*contents(part)))
            elif part.tag == "table":
                self._table(part)
            elif part.tag in _LISTS:
                self._lines(self._reader.lines(part), "list")
            elif part.tag in ("p", "pre", "li", "dt", "dd"):
                self._lines(self._reader.lines(*contents(part)))
            else:
                self.add(part)

    def _lines(self, lines: list[str], kind: str = "text") -> None:
        if lines:
            self._text.add("\n".join(lines), kind)

    def _table(self, table: html.HtmlElement) -> None:
        """A table inside a table, as old pages lay themselves out with, is read like the rest of the page."""
        if table.find(".//table") is not None or len(table.findall(".//tr")) < 2:
            for cell in table.iter("td", "th"):
                if not any(ancestor.tag in ("td", "th") for ancestor in _between(cell, table)):
                    self.add(cell)
            return
        rows = [
            [self._reader.line(*contents(cell)) for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")
        ]
        caption = table.find("caption")
        if caption is not None:
            self._lines(self._reader.lines(*contents(caption)))
        self._text.add(table_text(rows), "table")


def _between(cell: html.HtmlElement, table: html.HtmlElement) -> list[html.HtmlElement]:
    found = []
    for ancestor in cell.iterancestors():
        if ancestor is table:
            break
        found.append(ancestor)
    return found

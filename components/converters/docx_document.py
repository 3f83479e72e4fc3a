"""Word files (.docx): headings, paragraphs, lists, tables, text boxes, page heads and notes."""

import re
from collections.abc import Iterator
from typing import Any

import docx
from docx.document import Document as WordFile
from haystack import Document, component
from haystack.dataclasses import ByteStream
from lxml import etree

from components.converters.document_text import DocumentText, make_document, read_documents, table_text
from components.converters.office_package import core_properties, open_package

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Readings above kanji, deleted text, field codes, and the copy of a text box for old programs.
_UNREAD = {f"{_W}{name}" for name in ("rt", "del", "moveFrom", "instrText", "txbxContent")}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TEXT = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_HEADING = re.compile(r"(?:heading|見出し) ?(\d)", re.IGNORECASE)
_NOTES = ("/footnotes", "/endnotes")


@component
class DocxConverter:
    """
    Makes a Document of each Word file.

    Headings are known by their style or outline level, inserted text is read and deleted text isn't, and page heads
    (which often hold a document's number), text boxes, footnotes and endnotes are read once each.

    Usage example:
    ```python
    converter = DocxConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "a.docx", "file": "a.docx"})])
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read Word files.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: damaged, or no text.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    file: WordFile = open_package(source.data, docx.Document)
    levels = {style.style_id: _style_level(style) for style in file.styles if style.type == 1}
    text = DocumentText()
    body = file.element.body
    title = next((_text_of(p) for p in body.iter(f"{_W}p") if levels.get(_style_of(p)) == 0 and _text_of(p)), "")
    if title:
        text.heading(0, title)
    for head in _page_heads(file):
        text.add(head)
    _add_blocks(text, body, levels, title)
    for note in _notes(file):
        text.add(note)
    return make_document(source, text, **core_properties(file.core_properties))


def _add_blocks(text: DocumentText, parent: Any, levels: dict[str, int | None], title: str) -> None:
    items: list[str] = []
    for element in [*parent, None]:
        is_item = element is not None and element.tag == f"{_W}p" and _is_item(element, levels)
        if items and not is_item:
            text.add("\n".join(items), "list")
            items = []
        if element is None:
            return
        if is_item:
            items.append(f"- {_text_of(element)}")
        elif element.tag == f"{_W}p":
            level = _outline(element, levels)
            shown = _text_of(element)
            if level is None:
                text.add(shown)
            elif level or shown != title:
                text.heading(level, shown)
        elif element.tag == f"{_W}tbl":
            text.add(table_text(_rows(element)), "table")
        elif element.tag == f"{_W}sdt":
            for content in element.findall(f"{_W}sdtContent"):
                _add_blocks(text, content, levels, title)
        for box in _boxes(element):
            _add_blocks(text, box, levels, title)


def _style_level(style: Any) -> int | None:
    """0 for the title, 1 to 9 for headings, None for other styles."""
    name = str(style.name or "")
    if name.lower() in ("title", "表題"):
        return 0
    match = _HEADING.fullmatch(name)
    return int(match.group(1)) if match else None


def _style_of(paragraph: Any) -> str:
    found = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return str(found.get(f"{_W}val")) if found is not None else ""


def _outline(paragraph: Any, levels: dict[str, int | None]) -> int | None:
    level = levels.get(_style_of(paragraph))
    own = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
    if level is None and own is not None and int(own.get(f"{_W}val", 9)) < 9:
        return int(own.get(f"{_W}val")) + 1
    return level


def _is_item(paragraph: Any, levels: dict[str, int | None]) -> bool:
    if _outline(paragraph, levels) is not None or not _text_of(paragraph):
        return False
    return paragraph.find(f"{_W}pPr/{_W}numPr") is not None or _style_of(paragraph).startswith("List")


def _text_of(element: Any) -> str:
    return "".join(_pieces(element)).strip()


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _UNREAD or child.tag == _FALLBACK:
            continue
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _TEXT:
            yield _TEXT[child.tag]
        else:
            yield from _pieces(child)


def _boxes(element: Any) -> Iterator[Any]:
    """The contents of text boxes in a paragraph, without the copies for old programs."""
    for box in element.iter(f"{_W}txbxContent"):
        if not any(ancestor.tag == _FALLBACK for ancestor in box.iterancestors()):
            yield box


def _rows(table: Any) -> Iterator[list[str]]:
    for row in table.iterchildren(f"{_W}tr"):
        yield [" ".join(filter(None, map(_text_of, cell.iter(f"{_W}p")))) for cell in row.iterchildren(f"{_W}tc")]


def _page_heads(file: WordFile) -> list[str]:
    """The texts above the pages, each once."""
    heads = (
        "\n".join(filter(None, map(_text_of, head._element.iter(f"{_W}p"))))
        for section in file.sections
        for head in (section.first_page_header, section.header)
        if not head.is_linked_to_previous
    )
    return list(dict.fromkeys(filter(None, heads)))


def _notes(file: WordFile) -> Iterator[str]:
    for relation in file.part.rels.values():
        if relation.reltype.endswith(_NOTES) and not relation.is_external:
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            for note in etree.fromstring(relation.target_part.blob, parser):
                if shown := " ".join(filter(None, map(_text_of, note.iter(f"{_W}p")))):
                    yield shown

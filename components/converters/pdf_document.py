"""PDF files of any kind: paragraphs, headings and tables with their pages."""

from collections.abc import Sequence
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.document_text import DocumentText, make_document, read_documents
from components.converters.pdf_hyphens import Vocabulary
from components.converters.pdf_layout import reading_order
from components.converters.pdf_paragraphs import Paragraph, paragraphs_of
from components.converters.pdf_reading import read_pages
from components.converters.pdf_running_lines import remove_running_lines
from components.converters.pdf_sections import body_size

_LONGEST_HEADING = 60
_LARGER = 1.08


@component
class PdfConverter:
    """
    Makes a Document of each PDF: columns one after the other, without running heads and page numbers.

    Lines of a paragraph become one, without blanks inside Japanese words; headings are what is larger than the text, or
    bold; tables keep their rows, and each block has the number of its page.

    Usage example:
    ```python
    converter = PdfConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "a.pdf", "file": "a.pdf"})])
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read PDFs.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: damaged, encrypted, or pages that are pictures.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    pages = read_pages(source.data)
    bodies, running = remove_running_lines(pages)
    lines = reading_order(bodies)
    vocabulary = Vocabulary(line.text for line in lines)
    paragraphs = paragraphs_of(lines)
    text = DocumentText()
    sizes = _heading_sizes(paragraphs)
    for paragraph in paragraphs:
        shown = paragraph.text(vocabulary)
        if paragraph.table:
            text.add(shown, "table", paragraph.page)
        elif _is_heading(paragraph, shown, sizes):
            level = sizes.index(paragraph.size) + 1 if paragraph.size in sizes else len(sizes) + 1
            text.heading(level, shown, paragraph.page)
        else:
            text.add(shown, page=paragraph.page)
    for line in running:
        # A document's number often stands above each page, and nowhere else.
        if any(map(str.isalpha, line)):
            text.add(line)
    return make_document(source, text, pages=len(pages))


def _heading_sizes(paragraphs: Sequence[Paragraph]) -> list[float]:
    """The type sizes above that of the text, largest first."""
    body = body_size(paragraphs)
    return sorted({p.size for p in paragraphs if p.size > body * _LARGER and not p.table}, reverse=True)


def _is_heading(paragraph: Paragraph, shown: str, sizes: list[float]) -> bool:
    if len(shown) > _LONGEST_HEADING or shown.endswith(("。", ".", "、", ",")):
        return False
    return paragraph.size in sizes or paragraph.bold

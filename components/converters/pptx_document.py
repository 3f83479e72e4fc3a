"""PowerPoint files (.pptx): titles, text, tables and speaker notes, slide by slide."""

from collections.abc import Iterator
from typing import Any

import pptx
from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.document_text import DocumentText, make_document, read_documents, table_text
from components.converters.office_package import core_properties, open_package


@component
class PptxConverter:
    """
    Makes a Document of each PowerPoint file; each block has the number of its slide as its page.

    Usage example:
    ```python
    converter = PptxConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "a.pptx", "file": "a.pptx"})])
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read PowerPoint files.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: damaged, or no text.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    file = open_package(source.data, pptx.Presentation)
    text = DocumentText()
    for number, slide in enumerate(file.slides, start=1):
        label = f"slide {number}"
        title = slide.shapes.title
        if title is not None:
            text.heading(1, title.text_frame.text.replace("\v", " "), number, label)
        for shape in _shapes(slide.shapes):
            if title is not None and shape.shape_id == title.shape_id:
                continue
            if getattr(shape, "has_table", False) and shape.has_table:
                rows = ([cell.text_frame.text for cell in row.cells] for row in shape.table.rows)
                text.add(table_text(rows), "table", number, label)
            elif shape.has_text_frame and not _is_slide_number(shape):
                paragraphs = [p.text.replace("\v", "\n") for p in shape.text_frame.paragraphs if p.text.strip()]
                text.add("\n".join(paragraphs), "list" if len(paragraphs) > 1 else "text", number, label)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            text.add(slide.notes_slide.notes_text_frame.text.replace("\v", "\n"), "note", number, label)
    return make_document(source, text, slides=len(file.slides), **core_properties(file.core_properties))


def _shapes(shapes: Any) -> Iterator[Any]:
    """The shapes of a slide with those inside groups."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _is_slide_number(shape: Any) -> bool:
    return bool(shape.is_placeholder) and int(shape.placeholder_format.type or 0) == 13

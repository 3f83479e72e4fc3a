"""The Manual of Patent Examining Procedure from its chapter PDFs, one Document a section; Federal Register PDFs too."""

import logging
import re
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.mpep_chapters import chapter_name, chapter_of
from components.converters.pdf_hyphens import Vocabulary
from components.converters.pdf_layout import reading_order
from components.converters.pdf_notice import read_notice
from components.converters.pdf_paragraphs import paragraphs_of
from components.converters.pdf_reading import UnreadablePdfError, read_pages
from components.converters.pdf_running_lines import remove_running_lines
from components.converters.pdf_sections import PdfSection, sections_of
from components.converters.record import make_record

logger = logging.getLogger(__name__)

_EDITION = re.compile(r"Rev\. \d+(?:\.\d{4})?(?:, [A-Z][a-z]+\.? \d{4})?")


@component
class MpepPdfConverter:
    """
    Reads the manual's chapter PDFs; every section and subsection with a number becomes a record of its own.

    Section numbers come from the headings ("608.01(o) Basis for Claim Terminology in Description [R-07.2015]", in bold
    or larger type). Running heads and feet are removed, columns read one after the other, words joined across
    hyphenated line ends, and each block keeps the number of its page. A PDF of a Federal Register document becomes one
    record. Files that can't be read (encrypted, scanned, cut off, empty) and other PDFs are failures with their reason.

    ```python
    from haystack.dataclasses import ByteStream
    converter = MpepPdfConverter()
    source = ByteStream(data, meta={"origin": "mpep-0600.pdf", "file": "mpep-0600.pdf"})
    converter.run(sources=[source])["documents"][0].id  # "MPEP-601"
    ```
    """

    def __init__(self, precedence: int = 10):
        """
        :param precedence: Which source wins when two give the same section: the higher.
        """
        self.precedence = precedence

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read all PDFs.

        :param sources: PDFs, with "origin" and "file" in their meta.
        :returns: documents, and failures with the origin and the reason of each PDF that can't be used.
        """
        documents: list[Document] = []
        failures: list[dict[str, str]] = []
        for source in sources:
            try:
                documents.extend(self._read(source))
            except UnreadablePdfError as error:
                failures.append({"origin": str(source.meta.get("origin", "")), "reason": str(error)})
        return {"documents": documents, "failures": failures}

    def _read(self, source: ByteStream) -> list[Document]:
        pages = read_pages(source.data)
        bodies, running = remove_running_lines(pages)
        lines = reading_order(bodies)
        vocabulary = Vocabulary(line.text for line in lines)
        paragraphs = paragraphs_of(lines)
        base = {
            "file": str(source.meta.get("file", "")),
            "origin": str(source.meta.get("origin", "")),
            "kind_of_source": "pdf",
            "precedence": self.precedence,
        }
        empty = [page.number for page in pages if not page.words]
        if empty:
            logger.warning("%s: no text on page(s) %s", base["origin"], ", ".join(map(str, empty)))
        sections = sections_of(paragraphs, vocabulary)
        if sections:
            edition = next((match.group() for text in running if (match := _EDITION.search(text))), "")
            return [_record(section, {**base, "edition": edition}) for section in sections]
        notice = read_notice(paragraphs, vocabulary, running, base)
        if notice is None:
            raise UnreadablePdfError("no MPEP section heading found, and no Federal Register document number")
        return [notice]


def _record(section: PdfSection, base: dict[str, Any]) -> Document:
    chapter = chapter_of(section.number)
    # A range as it is cited, "304-305", however it is printed.
    number = "".join(section.number.split()).replace("–", "-")
    meta = {
        **base,
        "source": "MPEP",
        "section": section.number,
        "title": section.title,
        "number_label": f"MPEP {number}",
        "chapter": chapter,
        "breadcrumb": ["MPEP", section.chapter or chapter_name(chapter), *section.above, section.name],
        "revision": section.revision,
        "effective": section.effective,
    }
    return make_record(f"MPEP-{number}", section.text, meta)

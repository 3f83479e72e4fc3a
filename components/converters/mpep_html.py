"""The Manual of Patent Examining Procedure from the HTML pages that the USPTO publishes, one Document a section."""

import logging
import re
from typing import Any
from urllib.parse import quote

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.html_blocks import ParserError, parse_page
from components.converters.mpep_chapters import chapter_name, chapter_of
from components.converters.mpep_page import PageReader, Section
from components.converters.record import make_record, read_each

logger = logging.getLogger(__name__)

MANUAL_URL = "https://www.uspto.gov/web/offices/pac/mpep/"

_MODIFIED = re.compile(rb"Last Modified:\s*(\d\d)/(\d\d)/(\d{4})")


@component
class MpepHtmlConverter:
    """
    Reads the manual's section pages; every section and subsection with a number becomes a record of its own.

    A record holds its section's own text, without the subsections that stand in the same page. Form paragraphs, tables,
    lists, examples, headings and quoted statutes and rules are blocks of their own kind. A section without text keeps
    its heading as text, so that it can be found. Text that stands beside the table of contents in a chapter's page is a
    record under the chapter's number, "MPEP-chapter-1800". The second of two sections with the same number in one page
    gets the suffix "-2".

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
        return read_each(sources, self._read)

    def _read(self, source: ByteStream) -> tuple[list[Document], str]:
        try:
            root = parse_page(source.data)
        except ParserError as error:
            return [], f"not HTML: {error}"
        sections = PageReader(root).read()
        if not sections:
            return [], "no section of the manual in it"
        file = str(source.meta.get("file", ""))
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
            number = _solid(section.number)
            identifier = f"MPEP-chapter-{number}" if section.of_chapter else f"MPEP-{number}"
            seen[identifier] = seen.get(identifier, 0) + 1
            suffix = f"-{seen[identifier]}" if seen[identifier] > 1 else ""
            documents.append(_record(f"{identifier}{suffix}", section, base))
        return documents, ""


def _record(source_id: str, section: Section, base: dict[str, Any]) -> Document:
    if not section.text.blocks:
        section.text.add(section.name, anchor=section.anchor)
    chapter = chapter_of(section.number)
    fragment = f"#{section.anchor}" if section.anchor else ""
    meta = {
        **base,
        "section": section.number,
        "title": section.title,
        "number_label": f"MPEP {_solid(section.number)}",
        "chapter": chapter,
        "breadcrumb": ["MPEP", chapter_name(chapter), *section.above, section.name],
        "revision": section.revision,
        "effective": section.effective,
        "url": f"{MANUAL_URL}{quote(base['file'])}{fragment}",
    }
    return make_record(source_id, section.text, meta)


def _solid(number: str) -> str:
    """A range as it is cited, "304-305", however it is printed."""
    return "".join(number.split()).replace("–", "-")

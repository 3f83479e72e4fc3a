"""The appendices of the MPEP that reprint laws: 35 U.S.C., 37 CFR, the PCT and the Paris Convention."""

import logging
from typing import Any
from urllib.parse import quote

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.appendix_headings import collection_of_title
from components.converters.appendix_page import AppendixReader, ProvisionText
from components.converters.html_blocks import ParserError, article_of, parse_page
from components.converters.mpep_html import MANUAL_URL
from components.converters.record import make_record, read_each

logger = logging.getLogger(__name__)


@component
class MpepAppendixConverter:
    """
    Reads Appendix L (35 U.S.C.), R (37 CFR), T (PCT articles and rules) and P (Paris Convention) of the MPEP.

    Every provision becomes a record. Its paragraphs are blocks labelled "(a)(1)", its history and the editor's notes
    blocks of kind "note"; notes that say when a text applies are in `effective`, too. Text that later law replaced has
    an id of its own: "35USC-112-preAIA", "37CFR-1.703-pre-2012-09-17". Text outside the provisions, such as a preamble
    or a schedule of fees, is a record under its own heading; tables of contents and indexes keep only their heading.
    The second of two provisions with the same heading in one page gets the suffix "-2".

    ```python
    from haystack.dataclasses import ByteStream
    converter = MpepAppendixConverter()
    source = ByteStream(data, meta={"origin": "mpep/appx-l.html", "file": "mpep-9015-appx-l.html"})
    converter.run(sources=[source])["documents"][0].id  # "35USC-1"
    ```
    """

    def __init__(self, precedence: int = 20):
        """
        :param precedence: Which source wins when two give the same provision: the higher. The statute's and the rules'
            own publications are better sources than a reprint.
        """
        self.precedence = precedence

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read all appendices.

        :param sources: Appendix pages, with "origin" and "file" in their meta.
        :returns: documents, and failures with the origin and the reason of each page that can't be used.
        """
        return read_each(sources, self._read)

    def _read(self, source: ByteStream) -> tuple[list[Document], str]:
        try:
            root = parse_page(source.data)
        except ParserError as error:
            return [], f"not HTML: {error}"
        article = article_of(root)
        headings = [element.text_content() for element in root.iter("h1", "title")]
        collection = next((found for text in headings if (found := collection_of_title(text))), None)
        if article is None or collection is None:
            return [], "no heading 'Appendix L', 'R', 'T', 'AI' or 'P' over an element with the id 'article'"
        file = str(source.meta.get("file", ""))
        base = {
            "source": collection.source,
            "file": file,
            "origin": str(source.meta.get("origin", "")),
            "kind_of_source": "mpep_appendix",
            "precedence": self.precedence,
        }
        documents: list[Document] = []
        seen: dict[str, int] = {}
        for record in AppendixReader(collection).read(article):
            identifier = record.provision.source_id
            seen[identifier] = seen.get(identifier, 0) + 1
            suffix = f"-{seen[identifier]}" if seen[identifier] > 1 else ""
            documents.append(_document(f"{identifier}{suffix}", record, base))
        return documents, "" if documents else "no provision in it"


def _document(source_id: str, record: ProvisionText, base: dict[str, Any]) -> Document:
    provision = record.provision
    name = f"{provision.label} {provision.title}".strip()
    if not record.text.blocks:
        record.text.add(name, anchor=record.anchor)
    fragment = f"#{record.anchor}" if record.anchor else ""
    meta = {
        **base,
        "section": provision.section,
        "title": provision.title,
        "number_label": provision.label,
        "breadcrumb": [*(step for step in record.above if step != provision.section), name],
        "effective": record.effective,
        "edition": record.edition,
        "pre_aia": provision.pre_aia,
        "variant": provision.variant,
        "url": f"{MANUAL_URL}{quote(base['file'])}{fragment}",
    }
    return make_record(source_id, record.text, meta)

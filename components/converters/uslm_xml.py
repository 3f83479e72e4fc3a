"""Title 35 of the United States Code from USLM XML, one Document a section."""

import logging
import re
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream
from lxml import etree

from components.converters.record import RecordText, clean, heading_case, make_record, read_each_xml
from components.converters.uslm_elements import LEVELS, first_child, iterate, local_name, table_lines, text_of
from components.converters.uslm_notes import add_notes

logger = logging.getLogger(__name__)

_NOTE_CONTAINERS = frozenset(["notes", "note", "sourceCredit"])
_DROPPED = frozenset(["toc", "num", "heading", "meta"])
_IDENTIFIER = re.compile(r"/us/usc/t(\d+[a-zA-Z]?)/s([0-9A-Za-z\-]+)\Z")
_PUBLICATION = re.compile(r"Online@(\d+-\d+(?:not\d+)*)")


@component
class USLMConverter:
    """
    Reads the United States Code as the Office of the Law Revision Counsel publishes it in USLM XML.

    Every section becomes one record. The statute's own text comes first, a block for each subsection, paragraph and so
    on, labelled "(b)(1)"; source credits and notes follow as blocks of kind "note", so former law that a note quotes is
    never read as the law in force. Repealed and renumbered sections stay, with their heading.

    ```python
    from haystack.dataclasses import ByteStream
    converter = USLMConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "usc35.xml", "file": "usc35.xml"})])
    result["documents"][0].id  # "35USC-1"
    ```
    """

    def __init__(self, title: str = "35", precedence: int = 30):
        """
        :param title: The title of the Code to read; other titles are refused with a reason.
        :param precedence: Which source wins when two give the same section: the higher.
        """
        self.title = title
        self.precedence = precedence

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read all files.

        :param sources: USLM XML files, with "origin" and "file" in their meta.
        :returns: documents, and failures with the origin and the reason of each file that can't be used.
        """
        return read_each_xml(sources, self._records)

    def _records(self, root: etree._Element, source: ByteStream) -> tuple[list[Document], str]:
        title = next((e for e in iterate(root, "title") if e.get("identifier")), None)
        number = (title.get("identifier") or "").rpartition("/t")[2] if title is not None else ""
        if number != self.title:
            return [], f"USLM XML of title {number or '?'}; only title {self.title} of the U.S. Code belongs here"
        base = {
            "source": f"{self.title}_USC",
            "edition": _currency(root),
            "file": str(source.meta.get("file", "")),
            "origin": str(source.meta.get("origin", "")),
            "kind_of_source": "uslm_xml",
            "precedence": self.precedence,
        }
        documents: list[Document] = []
        seen: set[str] = set()
        for section in iterate(root, "section"):
            # Notes quote whole sections of amending acts; only sections with an identifier of their own are the Code's.
            for identifier in (section.get("identifier") or "").split():
                match = _IDENTIFIER.match(identifier)
                if match and match.group(1) == self.title and match.group(2) not in seen:
                    seen.add(match.group(2))
                    documents.append(self._record(section, match.group(2), base))
        return documents, "" if documents else "no section of the Code in it"

    def _record(self, section: etree._Element, number: str, base: dict[str, Any]) -> Document:
        title = clean(text_of(first_child(section, "heading"))).strip(" []")
        text = RecordText()
        title = title.removesuffix(".") if not title.startswith("Repealed") else title
        _law(section, text, label="", headings=())
        status = section.get("status") or ""
        if not text.blocks:
            # A repealed or reserved section has no text; its heading is what there is to find.
            text.add(f"§ {number}. {title}".strip())
        add_notes(section, text)
        breadcrumb = [f"{self.title} U.S.C.", *_ancestors(section), f"{self.title} U.S.C. {number} {title}".strip()]
        meta = {
            **base,
            "section": number,
            "title": title,
            "number_label": f"{self.title} U.S.C. {number}",
            "breadcrumb": breadcrumb,
            "status": status,
            "url": (
                f"https://uscode.house.gov/view.xhtml?req=granuleid:USC-prelim-title{self.title}-section{number}"
                "&num=0&edition=prelim"
            ),
        }
        return make_record(f"{self.title}USC-{number}", text, meta)


def _currency(root: etree._Element) -> str:
    publication = next((e.text or "" for e in iterate(root, "docPublicationName")), "")
    match = _PUBLICATION.search(publication)
    if not match:
        return clean(publication)
    # "119-73not60": all laws up to 73 but not yet 60.
    law, *without = match.group(1).split("not")
    congress = law.partition("-")[0]
    left_out = ", ".join(f"{congress}-{number}" for number in without)
    return f"through Pub. L. {law}" + (f" (except {left_out})" if left_out else "")


def _ancestors(section: etree._Element) -> list[str]:
    found = []
    for ancestor in section.iterancestors():
        if local_name(ancestor) in ("part", "chapter", "subchapter", "subpart"):
            number, heading = (
                clean(text_of(first_child(ancestor, "num"))),
                clean(text_of(first_child(ancestor, "heading"))),
            )
            found.append(heading_case(f"{number}{heading}"))
    return found[::-1]


def _law(element: etree._Element, text: RecordText, *, label: str, headings: tuple[str, ...]) -> None:
    """Add the text of a section or of one of its levels: its own words as one block, then each level below."""
    own: list[str] = []
    if label:
        own.append(clean(text_of(first_child(element, "num"))))
        heading = first_child(element, "heading")
        if heading is not None:
            own.append(clean(text_of(heading)))

    def flush() -> None:
        words = _join(own)
        own.clear()
        text.add(words, label=label, headings=headings, anchor=_anchor(label))

    for child in element:
        name = local_name(child)
        if name in LEVELS:
            flush()
            number = clean(text_of(first_child(child, "num"))).strip("“”\"'. ")
            below = number if number.startswith("(") else f"({number})" if number else ""
            _law(child, text, label=label + below, headings=headings)
        elif name in ("content", "chapeau", "continuation", "text"):
            for part in _paragraphs(child):
                if own and local_name(child) == "continuation":
                    flush()
                own.append(part)
                if name != "chapeau" and len(own) > 1 and len(_join(own)) > 1500:
                    flush()
        elif name == "p":
            own.append(clean(text_of(child)))
        elif name in _NOTE_CONTAINERS or name in _DROPPED:
            continue
        elif name in {"table", "layout"}:
            flush()
            text.add(table_lines(child), "table", label=label, headings=headings, anchor=_anchor(label))
        else:
            own.append(clean(text_of(child)))
    flush()


def _join(parts: list[str]) -> str:
    """Join a number, its heading and its words the way they are printed: "(a) In General.—The Office ..."."""
    joined = ""
    for part in parts:
        if part:
            joined += part if not joined or joined.endswith("—") else f" {part}"
    return joined


def _anchor(label: str) -> str:
    return "substructure-location_" + "_".join(re.findall(r"\(([^)]+)\)", label)) if label else ""


def _paragraphs(element: etree._Element) -> list[str]:
    paragraphs = [child for child in element if local_name(child) == "p"]
    if not paragraphs:
        return [words] if (words := clean(text_of(element))) else []
    lead = clean(text_of(element, skip=frozenset(["p"])))
    return [words for words in [lead, *(clean(text_of(p)) for p in paragraphs)] if words]

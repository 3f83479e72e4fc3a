"""Title 37 of the Code of Federal Regulations from eCFR XML, one Document a section."""

import logging
import re
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream
from lxml import etree

from components.converters.paragraph_labels import ParagraphLabels
from components.converters.record import RecordText, clean, heading_case, make_record, read_each_xml

logger = logging.getLogger(__name__)

_NUMBER = re.compile(r"(?:§+\s*)?(\d+[a-z]?(?:\.\d+[\w.]*)?(?:\s*[-–—]\s*\d+[\w.]*)?)")
_NOTES = {
    "CITA": "Source",
    "SECAUTH": "Authority",
    "AUTH": "Authority",
    "SOURCE": "Source",
    "EDNOTE": "Editorial Note",
    "EFFDNOT": "Effective Date Note",
    "EFFDNOTP": "Effective Date Note",
    "CROSSREF": "Cross Reference",
    "NOTE": "Note",
    "APPRO": "Approval",
    "PARAUTH": "Authority",
    "FTNT": "Footnote",
}
_SKIPPED = frozenset(["HEAD", "img", "a", "MATH", "STARS", "FTREF", "CFRTOC", "XREF"])
_CONTAINERS = frozenset(["EXTRACT", "DIV", "BOXTXT", "div", "SUBJGRP", "TEXT", "EXHIBIT", "LIST"])
_TABLES = frozenset(["TABLE", "table", "GPOTABLE"])
_PARAGRAPH = re.compile(r"(?:P|FP|HD)[-\dA-Z]*\Z")
_DIVISION = re.compile(r"DIV\d\Z")
_HEADING = re.compile(r"(?:HD|HED)([1-6])\Z")


@component
class ECFRConverter:
    """
    Reads eCFR XML: the Government Publishing Office's bulk file of a title, or the eCFR API's title or part.

    Both nest DIV1 (title) to DIV5 (part), DIV6 (subpart), DIV7 (subject group), DIV8 (section) and DIV9 (appendix).
    Each section and each appendix becomes one record. Paragraphs are flat in the source; their labels, "(b)(1)", are
    worked out from the numbering.

    ```python
    from haystack.dataclasses import ByteStream
    converter = ECFRConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "title-37.xml", "file": "title-37.xml"})])
    result["documents"][0].id  # "37CFR-1.1"
    ```
    """

    def __init__(self, title: str = "37", precedence: int = 30):
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

        :param sources: eCFR XML files, with "origin" and "file" in their meta.
        :returns: documents, and failures with the origin and the reason of each file that can't be used.
        """
        return read_each_xml(sources, self._records)

    def _records(self, root: etree._Element, source: ByteStream) -> tuple[list[Document], str]:
        title = title_number(root)
        if title != self.title:
            what = f"title {title}" if title else "an unknown title"
            return [], f"eCFR XML of {what}; only title {self.title} of the Code of Federal Regulations belongs here"
        base = {
            "source": f"{self.title}_CFR",
            "edition": _currency(root),
            "file": str(source.meta.get("file", "")),
            "origin": str(source.meta.get("origin", "")),
            "kind_of_source": "ecfr_xml",
            "precedence": self.precedence,
        }
        documents: list[Document] = []
        seen: set[str] = set()
        for division in root.iter("DIV8", "DIV9"):
            record = self._record(division, base)
            if record.id not in seen:
                seen.add(record.id)
                documents.append(record)
        return documents, "" if documents else "no section in it"

    def _record(self, division: etree._Element, base: dict[str, Any]) -> Document:
        head = clean(_text(division.find("HEAD")))
        number, title = _number_and_title(division, head)
        text = RecordText()
        _body(division, text, number if division.tag == "DIV8" else "")
        if not text.blocks:
            text.add(head or number)
        label = f"{self.title} CFR {number}"
        meta = {
            **base,
            "section": number,
            "title": title,
            "number_label": label,
            "breadcrumb": [f"{self.title} CFR", *_ancestors(division), f"{label} {title}".strip()],
            "url": f"https://www.ecfr.gov/current/title-{self.title}/{_path(division, number)}",
        }
        return make_record(f"{self.title}CFR-{number.replace(' ', '-')}", text, meta)


def title_number(root: etree._Element) -> str:
    """
    Which title of the Code a file is, or a part of: from the bulk file's NODE ("37:1.0"), the API's metadata, or DIV1.

    :param root: The file's root element.
    :returns: "37", or "" if the file doesn't say.
    """
    for identifier in root.iter("IDNO"):
        if identifier.get("TYPE") == "title" and (identifier.text or "").strip():
            return (identifier.text or "").strip()
    for division in root.iter("DIV1", "DIV2", "DIV3", "DIV4", "DIV5", "DIV6", "DIV7", "DIV8", "DIV9"):
        if match := re.match(r"(\d+):", division.get("NODE") or ""):
            return match.group(1)
        if match := re.search(r"title-(\d+)|\"(\d+) CFR", division.get("hierarchy_metadata") or ""):
            return match.group(1) or match.group(2)
        if division.tag == "DIV1":
            # In the bulk files, N of DIV1 is the volume; those have NODE, so here it is the title.
            return (division.get("N") or "").strip()
    return ""


def _currency(root: etree._Element) -> str:
    for element in root.iter("DIV1", "DIV5"):
        if match := re.search(r"/on/(\d{4}-\d\d-\d\d)/", element.get("hierarchy_metadata") or ""):
            return f"as of {match.group(1)}"
    for element in root.iter("AMDDATE"):
        if date := clean(element.text or ""):
            return f"amended through {date}"
    dates = [volume.get("AMDDATE") or "" for volume in root.iter("VOLUME")]
    return f"amended through {dates[0]}" if dates and dates[0] else ""


def _number_and_title(division: etree._Element, head: str) -> tuple[str, str]:
    if division.tag == "DIV9":
        name, _, title = head.partition("—")
        number = clean(name) or f"Appendix {division.get('N') or ''}".strip()
        return number, clean(title)
    printed = division.get("N") or head
    match = _NUMBER.match(printed.strip()) or _NUMBER.match(head)
    number = re.sub(r"\s*[–—-]\s*", "-", match.group(1)) if match else printed.strip()
    title = re.sub(r"^§+\s*", "", head)
    title = _NUMBER.sub("", title, count=1) if _NUMBER.match(title) else title
    return number, clean(title).removesuffix(".")


def _path(division: etree._Element, number: str) -> str:
    if division.tag == "DIV8":
        return f"section-{number}"
    part = next((a.get("N") for a in division.iterancestors("DIV5")), None)
    return f"part-{part}" if part else ""


def _ancestors(division: etree._Element) -> list[str]:
    heads = [
        clean(_text(ancestor.find("HEAD")))
        for ancestor in division.iterancestors("DIV2", "DIV3", "DIV4", "DIV5", "DIV6", "DIV7")
    ]
    return [heading_case(head) for head in reversed(heads) if head]


def _text(element: etree._Element | None) -> str:
    if element is None:
        return ""
    parts = [element.text or ""]
    for child in element:
        # An upper-case SU is a footnote's mark; powers and indexes are sup and sub.
        if child.tag == "br":
            parts.append(" ")
        elif child.tag not in ("SU", "FTREF", "img", "PRTPAGE"):
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _body(division: etree._Element, text: RecordText, number: str) -> None:
    labels = ParagraphLabels()
    path: list[tuple[int, str]] = []

    def walk(element: etree._Element, inside: str) -> None:
        for child in element:
            if not isinstance(child.tag, str) or child.tag in _SKIPPED or _DIVISION.match(child.tag):
                continue
            heading = _HEADING.match(child.tag)
            if heading:
                level, words = int(heading.group(1)), heading_case(clean(_text(child)))
                path[:] = [entry for entry in path if entry[0] < level] + [(level, words)]
                text.add(words, "heading", headings=[words for _, words in path])
            elif child.tag in _TABLES:
                add(_table(child), "table")
            elif child.tag in _NOTES:
                _note(child, text)
            elif child.tag in _CONTAINERS:
                outside = path[:]
                walk(child, child.tag if child.tag == "EXTRACT" else inside)
                path[:] = outside
            else:
                words = clean(_text(child))
                label = ""
                if words and not inside:
                    label = labels.next(words)
                add(words, "text", label)

    def add(words: str, kind: str, label: str = "") -> None:
        label = label or labels.current
        anchor = f"p-{number}{label}" if number and label else ""
        text.add(words, kind, headings=[words for _, words in path], anchor=anchor, label=label)

    walk(division, "")


def _note(element: etree._Element, text: RecordText) -> None:
    heading = element.find("HED")
    name = clean(_text(heading)).rstrip(":") or _NOTES[element.tag]
    paragraphs = [clean(_text(child)) for child in element if _PARAGRAPH.match(str(child.tag))]
    if not any(paragraphs):
        paragraphs = [clean(_text(element)).removeprefix(clean(_text(heading)))]
    for words in paragraphs:
        text.add(clean(words), "note", headings=["Notes", name])


def _table(table: etree._Element) -> str:
    lines = [clean(_text(title)) for title in table.iter("TTITLE", "CAPTION", "caption")]
    lines += [" | ".join(clean(_text(head)) for head in heads.iter("CHED")) for heads in table.iter("BOXHD")]
    for row in table.iter("TR", "tr", "ROW"):
        lines.append(" | ".join(clean(_text(cell)) for cell in row if isinstance(cell.tag, str)))
    return "\n".join(line for line in lines if line.strip(" |"))

"""A Federal Register document printed as PDF, as one record."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from haystack import Document

from components.converters.pdf_hyphens import Vocabulary
from components.converters.pdf_paragraphs import Paragraph
from components.converters.record import RecordText, make_record

_NUMBER = re.compile(r"\[?FR Doc\.?\s*(?:No\.?:?\s*)?(?P<number>[A-Z]?\d{1,4}\s?[-–]\s?\d{1,6})", re.IGNORECASE)
_END = re.compile(r"\[FR Doc\.?\s*(?:No\.?:?\s*)?[A-Z]?\d{1,4}\s?[-–]\s?\d{1,6}\s+Filed", re.IGNORECASE)
_HEAD = re.compile(
    r"(?P<page>\d{1,6})?\s*Federal Register\s*/\s*Vol\. (?P<volume>\d+), No\. \d+\s*/\s*"
    r"\w+, (?P<date>\w+ \d{1,2}, \d{4})\s*/\s*"
    r"(?P<type>Rules and Regulations|Proposed Rules|Notices|Presidential Documents)\s*(?P<last>\d{1,6})?"
)
_TYPES = {"Rules and Regulations": "Rule", "Proposed Rules": "Proposed Rule", "Notices": "Notice"}
_EFFECTIVE = re.compile(
    r"effective\b(?:\s+(?:date|on|as of|beginning))*[:\s]+(?P<date>[A-Z][a-z]+ \d{1,2}, \d{4})", re.IGNORECASE
)
_FIELD = re.compile(
    r"(?:AGENCY|ACTION|SUMMARY|DATES|ADDRESSES|FOR FURTHER INFORMATION CONTACT|SUPPLEMENTARY INFORMATION):"
)


def read_notice(
    paragraphs: Sequence[Paragraph], vocabulary: Vocabulary, running: Sequence[str], base: dict[str, Any]
) -> Document | None:
    """
    The record of a Federal Register document.

    :param paragraphs: The document's paragraphs.
    :param vocabulary: Its words.
    :param running: Its running heads and feet.
    :param base: Meta that the caller knows.
    :returns: The record; None if the PDF names no Federal Register document number.
    """
    texts = [paragraph.text(vocabulary) for paragraph in paragraphs]
    first, last = _own_range(texts)
    number = next((match["number"] for text in reversed(texts[first:last]) if (match := _NUMBER.search(text))), "")
    if not number:
        return None
    number = re.sub(r"\s", "", number).replace("–", "-")
    title = _title(paragraphs[first:last], texts[first:last])
    text = RecordText()
    headings: list[str] = []
    for paragraph, line in zip(paragraphs[first:last], texts[first:last], strict=True):
        if paragraph.bold and len(paragraph.lines) <= 4 and not _FIELD.match(line):
            headings = [line]
            text.add(line, "heading", headings=headings, page=paragraph.page)
        else:
            text.add(line, headings=headings, page=paragraph.page)
    head = next((match for line in [*running, *texts] if (match := _HEAD.search(line))), None)
    published = _iso(head["date"]) if head else ""
    page = (head["page"] or head["last"] or "") if head else ""
    effective = next((match["date"] for line in texts[first:last] if (match := _EFFECTIVE.search(line))), "")
    meta = {
        **base,
        "source": "SUBSEQUENT",
        "section": number,
        "title": title,
        "number_label": number,
        "breadcrumb": ["Federal Register", f"{number} {title}"],
        "edition": f"published {published}" if published else "",
        "doc_type": _TYPES.get(head["type"], head["type"]) if head else "",
        "fr_citation": f"{head['volume']} FR {page}" if head and page else "",
        "effective_date": _iso(effective),
        "publication_date": published,
    }
    return make_record(f"FR-{number}", text, meta)


def _own_range(texts: Sequence[str]) -> tuple[int, int]:
    """Pages may begin with another document's end; a document ends with its number, and the longest one is meant."""
    ends = [index + 1 for index, text in enumerate(texts) if _END.search(text)] or [len(texts)]
    starts = [0, *(end + 1 if texts[end].startswith("BILLING CODE") else end for end in ends[:-1])]
    return max(zip(starts, ends, strict=True), key=lambda span: sum(map(len, texts[span[0] : span[1]])))


def _title(paragraphs: Sequence[Paragraph], texts: Sequence[str]) -> str:
    """The last bold paragraph before "AGENCY:"; else the one in the largest type."""
    agency = next((index for index, text in enumerate(texts) if text.startswith("AGENCY:")), None)
    if agency is not None:
        bold = [index for index in range(agency) if paragraphs[index].bold and len(texts[index]) > 10]
        if bold:
            return texts[bold[-1]]
    largest = max(range(len(paragraphs)), key=lambda index: (paragraphs[index].size, paragraphs[index].bold, -index))
    return texts[largest]


def _iso(date: str) -> str:
    try:
        return datetime.strptime(date, "%B %d, %Y").date().isoformat()
    except ValueError:
        return ""

"""What a file of the US patent law corpus is, told by its content and never by its name alone."""

import json
import re
from typing import NamedTuple

_HEAD = 256 * 1024
_TAG = re.compile(r"<\s*([A-Za-z_][\w.\-]*:)?([A-Za-z_][\w.\-]*)")
_PROLOG = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>|\s+)*", re.DOTALL)
# Attributes and tags are bounded, so that a page of nothing but open tags takes no longer than any other.
_ATTRIBUTES = r"[^<>]{0,300}"
_TAGS = r"\s{0,50}(?:<[^<>]{1,300}>\s{0,50}){0,8}"
_SECTION = re.compile(
    rf"<h1{_ATTRIBUTES}class=[\"']page-title[\"']{_ATTRIBUTES}>{_TAGS}(\d{{3,4}}(?:\.\d\d)?[^<]{{0,300}})",
    re.IGNORECASE,
)
_APPENDIX = re.compile(rf"<(?:h1|title){_ATTRIBUTES}>{_TAGS}(Appendix\s+(?:[LRTP]|AI)\b[^<]{{0,300}})", re.IGNORECASE)
_OTHER_APPENDIX = re.compile(
    rf"<(?:h1|title){_ATTRIBUTES}>{_TAGS}((?:Appendix\s+I{{1,2}}|Subject Matter Index|Index)\b[^<]{{0,300}})", re.I
)
_CHAPTER = re.compile(rf"<h1{_ATTRIBUTES}>{_TAGS}(Chapter\s+\d{{3,4}})", re.IGNORECASE)
_MANUAL = "Manual of Patent Examining Procedure"


OTHER = "other"
"""The kind of what is no source of patent law at all, such as a read-me file beside the sources."""


class Recognition(NamedTuple):
    """
    What a file was found to be.

    :param kind: mpep_html, mpep_appendix, uslm_xml, ecfr_xml, federal_register, pdf or beir for what holds text;
        mpep_contents (tables of contents) and evaluation (questions and judgements) for what is known and holds none;
        other for what is no source; "" for what may be one and can't be used.
    :param detail: For a reader: what it is, or why it can't be used.
    """

    kind: str
    detail: str


def recognize_us_patent_law(data: bytes, name: str) -> Recognition:
    """
    Tell the kind of a file by its first 256 KB.

    ```python
    recognize_us_patent_law(b"%PDF-1.7 ...", "mpep-2100.pdf").kind  # "pdf"
    ```

    :param data: The file's content, unpacked; its beginning is enough.
    :param name: The file's name; content alone decides, so that a renamed file is still recognised.
    :returns: The kind; with "other" and "" the reason why it isn't used.
    """
    head = data[:_HEAD]
    if reason := _not_text(head):
        return reason
    text = head.decode("utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", errors="replace")
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("{", "[")):
        return _json(start)
    if start.startswith("<"):
        return _markup(start)
    if re.match(r"(?:query-id\tcorpus-id\tscore|[^\t\n]+\t[^\t\n]+\t-?\d+)\r?(?:\n|\Z)", start):
        return Recognition("evaluation", "judgements of an evaluation set; measure it with: tansaku evaluate")
    # Copies of the manual's pages exist with a few lines of front matter before the first tag.
    return _html(start)


def _not_text(head: bytes) -> Recognition | None:
    if not head.strip():
        return Recognition("", "empty file")
    if b"%PDF-" in head[:1024]:
        return Recognition("pdf", "PDF")
    if head.startswith((b"PK\x03\x04", b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh")):
        return Recognition("", "an archive inside an archive")
    if b"\x00" in head[:4096] and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Recognition(OTHER, "binary data of an unknown format")
    return None


def _json(text: str) -> Recognition:
    keys = set(re.findall(r'"(\w+)"\s*:', text[:_HEAD]))
    if "document_number" in keys and "title" in keys:
        many = '"results"' in text[:4096] or text.startswith("[") or "\n{" in text
        return Recognition("federal_register", "Federal Register documents" if many else "Federal Register document")
    line = text.split("\n", 1)[0]
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):  # no JSON, or numbers or nesting beyond what Python reads
        entry = None
    if isinstance(entry, dict):
        identifier = str(entry.get("id") or entry.get("_id") or "")
        if re.fullmatch(r"FR-\S+", identifier) and "title" in entry and ("date" in entry or "url" in entry):
            return Recognition("federal_register", "Federal Register documents")
        if identifier and "text" in entry:
            kind, what = ("beir", "corpus") if "title" in entry else ("evaluation", "questions")
            return Recognition(kind, f"{what} of an evaluation set; measure it with: tansaku evaluate")
    if "results" in keys or "count" in keys:
        return Recognition(OTHER, "a JSON answer without Federal Register documents")
    return Recognition(OTHER, "JSON without the fields of a Federal Register document (document_number, title)")


def _markup(text: str) -> Recognition:
    prolog = _PROLOG.match(text)
    root = _TAG.match(text, prolog.end() if prolog else 0)
    name = root.group(2) if root else ""
    if name == "uscDoc" or (name == "lawDoc" and "schemas/uslm" in text[:4096]):
        title = re.search(r"<docNumber>\s*([^<]+?)\s*</docNumber>", text)
        return Recognition("uslm_xml", f"U.S. Code title {title.group(1)}" if title else "U.S. Code")
    if name in ("DLPSTEXTCLASS", "ECFR", "ECFRBRWS") or re.fullmatch(r"DIV[1-9]", name):
        return Recognition("ecfr_xml", "Code of Federal Regulations")
    if name in ("RULE", "PRORULE", "NOTICE", "FEDREG", "PRESDOCU"):
        return Recognition(
            "", "Federal Register XML without its metadata; give the API's JSON document with this as body_xml"
        )
    if name in ("CFRDOC", "CFRGRANULE"):
        return Recognition("", "an annual edition of the CFR; give the eCFR's XML")
    if name and text.startswith("<?xml") and name.lower() != "html":
        return Recognition(OTHER, f"XML with the unknown root element <{name}>")
    return _html(text)


def _html(text: str) -> Recognition:
    appendix = _APPENDIX.search(text)
    section = _SECTION.search(text)
    if appendix and not (section and section.start() < appendix.start()):
        return Recognition("mpep_appendix", _words(appendix.group(1)))
    if section:
        return Recognition("mpep_html", f"MPEP {_words(section.group(1)).split()[0]}")
    for pattern in (_OTHER_APPENDIX, _CHAPTER):
        if match := pattern.search(text):
            if pattern is _CHAPTER and 'class="Section"' in text:  # an introduction beside the table of contents
                return Recognition("mpep_html", f"MPEP {_words(match.group(1))}")
            return Recognition("mpep_contents", f"table of contents: {_words(match.group(1))}")
    if _MANUAL in text:
        return Recognition("mpep_contents", "table of contents")
    markup = re.search(r"<(?:html|head|body|div|p|table)\b", text, re.IGNORECASE)
    return Recognition(OTHER, "an HTML page that is not of the MPEP" if markup else "text without a known structure")


def _words(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())

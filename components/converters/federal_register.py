"""Federal Register documents as the federalregister.gov API returns them, one Document each."""

import codecs
import json
import logging
import re
from datetime import date
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream
from lxml import etree

from components.converters.federal_register_body import add_html, add_plain_text, add_xml
from components.converters.record import RecordText, clean, make_record

logger = logging.getLogger(__name__)

_XML_FIELDS = ("body_xml", "full_text_xml", "xml")
_HTML_FIELDS = ("body_html", "html", "body")
_TEXT_FIELDS = ("raw_text", "text")
_TAG = re.compile(r"<[A-Za-z!?/][^>]*>")


@component
class FederalRegisterConverter:
    """
    Reads Federal Register documents: one API document, a search answer {"results": [...]}, a list, or JSON lines.

    The abstract is a block of its own, before the body; the body may be HTML ("body_html"), the Office of the Federal
    Register's XML ("body_xml") or plain text ("raw_text"), its headings become the blocks' heading path, and the
    numbers of printed pages go.

    ```python
    from haystack.dataclasses import ByteStream
    converter = FederalRegisterConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "fr.json", "file": "fr.json"})])
    result["documents"][0].id  # "FR-2024-02623"
    ```
    """

    def __init__(self, precedence: int = 30):
        """
        :param precedence: Which source wins when two give the same document: the higher.
        """
        self.precedence = precedence

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read all files.

        :param sources: JSON or JSON Lines files, with "origin" and "file" in their meta.
        :returns: documents, and failures with the origin and the reason of each file or entry that can't be used.
        """
        documents: list[Document] = []
        failures: list[dict[str, str]] = []
        for source in sources:
            origin = str(source.meta.get("origin", ""))
            entries, reasons = read_entries(source.data)
            for place, entry in entries:
                number = _number(entry)
                if not number or not clean(_string(entry, "title")):
                    reasons.append(f"{place}: no document number or title")
                    continue
                document, lost = self._record(entry, number, source)
                documents.append(document)
                reasons.extend(f"{place}: {reason}" for reason in lost)
            failures.extend({"origin": origin, "reason": reason} for reason in reasons)
        return {"documents": documents, "failures": failures}

    def _record(self, entry: dict[str, Any], number: str, source: ByteStream) -> tuple[Document, list[str]]:
        """The document, and what of it can't be read."""
        title = clean(_TAG.sub("", _string(entry, "title")))
        text = RecordText()
        text.add(clean(_TAG.sub(" ", _string(entry, "abstract"))), headings=["Abstract"])
        lost = _add_body(entry, text)
        if not text.blocks:
            text.add(title)
        published, effective = _date(entry, "publication_date") or _date(entry, "date"), _date(entry, "effective_on")
        for name in ("publication_date", "date", "effective_on"):
            if _string(entry, name) and not _date(entry, name):
                lost.append(f"{name}: {_string(entry, name)[:40]!r} is no date; it must be like 2024-02-08")
        meta = {
            "source": "SUBSEQUENT",
            "section": number,
            "title": title,
            "number_label": number,
            "breadcrumb": ["Federal Register", f"{number} {title}"],
            "edition": f"published {published}" if published else "",
            "doc_type": clean(_string(entry, "type")),
            "fr_citation": clean(_string(entry, "citation")),
            "effective_date": effective,
            "publication_date": published,
            "url": _string(entry, "html_url") or _string(entry, "url"),
            "file": str(source.meta.get("file", "")),
            "origin": str(source.meta.get("origin", "")),
            "kind_of_source": "federal_register",
            "precedence": self.precedence,
        }
        return make_record(f"FR-{number}", text, meta), lost


def read_entries(data: bytes) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    """
    The documents in a file, each with its place in it, and what of the file can't be read.

    :param data: JSON or JSON Lines.
    :returns: (place, document) pairs and reasons.
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        return [], [f"not {encoding.removesuffix('-sig').upper()}: {error.reason} at byte {error.start}"]
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].lstrip().startswith("{") or not lines[0][1].rstrip().endswith("}"):
            return [], [f"not JSON: {error.msg} at line {error.lineno}"]
        return _read_lines(lines)
    except (ValueError, RecursionError) as error:
        return [], [_beyond_json(error)]
    if isinstance(whole, dict):
        whole = whole["results"] if isinstance(whole.get("results"), list) else [whole]
    if not isinstance(whole, list) or not whole:
        return [], ["no document in it"]
    entries = [(f"document {place}", entry) for place, entry in enumerate(whole, 1) if isinstance(entry, dict)]
    return entries, [] if len(entries) == len(whole) else ["an entry is not a JSON object"]


def _beyond_json(error: Exception) -> str:
    return "JSON nested too deeply" if isinstance(error, RecursionError) else "JSON with too long a number"


def _read_lines(lines: list[tuple[int, str]]) -> tuple[list[tuple[str, dict[str, Any]]], list[str]]:
    entries: list[tuple[str, dict[str, Any]]] = []
    reasons: list[str] = []
    for number, line in lines:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            reasons.append(f"line {number}: not JSON: {error.msg}")
            continue
        except (ValueError, RecursionError) as error:
            reasons.append(f"line {number}: {_beyond_json(error)}")
            continue
        if isinstance(entry, dict):
            entries.append((f"line {number}", entry))
        else:
            reasons.append(f"line {number}: not a JSON object")
    return entries, reasons


def _string(entry: dict[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _date(entry: dict[str, Any], name: str) -> str:
    """The day, as ISO 8601 writes it; "" for what is none."""
    match = re.match(r"\d{4}-\d\d-\d\d", _string(entry, name))
    try:
        return date.fromisoformat(match.group()).isoformat() if match else ""
    except ValueError:
        return ""


def _number(entry: dict[str, Any]) -> str:
    number = _string(entry, "document_number") or _string(entry, "id").removeprefix("FR-")
    return number if re.fullmatch(r"[A-Za-z]?\d*-?\d[\w-]*", number) else ""


def _add_body(entry: dict[str, Any], text: RecordText) -> list[str]:
    """Add the first body that is there and holds text, XML before HTML before plain text; why there is none."""
    reasons: list[str] = []
    for names, add in ((_XML_FIELDS, add_xml), (_HTML_FIELDS, add_html), (_TEXT_FIELDS, add_plain_text)):
        for name in names:
            body = _string(entry, name)
            if not body.strip():
                continue
            if add is add_plain_text and body.lstrip()[:200].lower().startswith(("<html", "<!doctype", "<pre")):
                body = _TAG.sub("", body)
            found = RecordText()
            try:
                add(body, found)
            except RecursionError:
                reasons.append(f"{name} is nested too deeply, so without it")
            except (etree.LxmlError, ValueError) as error:
                reasons.append(f"{name} can't be read ({error}), so without it")
            else:
                if found.blocks:
                    text.extend(found)
                    return []
    return reasons

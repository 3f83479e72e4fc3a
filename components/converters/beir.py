"""Corpora in the layout of the BEIR benchmark: one JSON object a line with an id, a title and a text."""

import gzip
import json
import re
import zlib
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.record import RecordText, clean, make_record

_LEGAL_ID = re.compile(
    r"(?P<scheme>MPEP|37CFR|35USC)-(?P<section>\d+[a-zA-Z]?(?:\.\d+[a-zA-Z]?)?(?:\([0-9a-zA-Z]+\))*)(?P<suffix>-preAIA|-v\d+)?"
)
_SOURCES = {"MPEP": ("MPEP", "MPEP"), "37CFR": ("37_CFR", "37 CFR"), "35USC": ("35_USC", "35 U.S.C.")}
# What a record's own fields may not replace, because it is worked out here.
_RESERVED = {"id", "_id", "text", "title", "lang", "language", "section", "chapter", "source", "pre_aia"}
# Longer strings are text, not something to filter by, and would be stored with each chunk.
_LONGEST_VALUE = 500


@component
class BeirConverter:
    """
    Makes a Document of each line of a BEIR corpus, so that a pipeline's own components index it.

    The ids of US patent law ("MPEP-608.01(o)", "37CFR-1.41-preAIA", "35USC-102") give source, section and citation,
    as if the record came from the manual, the rules or the statute; any other id gives a plain record. A record's
    further fields (strings up to 500 characters, numbers, booleans and lists of such strings) are kept as meta.

    Usage example:
    ```python
    data = b'{"id": "MPEP-608.01(o)", "title": "Basis for Claim Terminology", "text": "The meaning of a term ..."}'
    result = BeirConverter().run([ByteStream(data, meta={"origin": "corpus.jsonl", "file": "corpus.jsonl"})])
    assert result["documents"][0].meta["number_label"] == "MPEP 608.01(o)"
    ```
    """

    def __init__(self, default_language: str = "en"):
        """
        :param default_language: The language of records that don't name theirs.
        """
        self.default_language = default_language

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Convert corpora.

        :param sources: `corpus.jsonl` files, plain or gzipped.
        :returns: `documents`, one a record, and `failures`, one a broken line or file with `origin` and `reason`.
        """
        documents: list[Document] = []
        failures: list[dict[str, str]] = []
        for source in sources:
            origin = str(source.meta.get("origin", ""))
            records, reasons = _read(source.data)
            failures += [{"origin": origin, "reason": reason} for reason in reasons]
            titles = {record["id"]: str(record.get("title") or "").strip() for record in records}
            documents += [self._convert(record, titles, source.meta) for record in records]
        return {"documents": documents, "failures": failures}

    def _convert(self, record: dict[str, Any], titles: dict[str, str], source_meta: dict[str, Any]) -> Document:
        title = titles[record["id"]]
        text = RecordText()
        # A record without text is still found, by its title.
        for line in [line for line in map(clean, record["text"].splitlines()) if line] or [title or record["id"]]:
            text.add(line)
        meta = {
            **_identity(record, titles),
            "title": title,
            "file": str(source_meta.get("file", "")),
            "precedence": 0,
            "language": str(record.get("lang") or record.get("language") or self.default_language),
        }
        meta.update((name, value) for name, value in record.items() if name not in _RESERVED and _is_meta(value))
        # Last, because these say where the record came from, whatever it holds itself.
        meta.update(
            origin=str(source_meta.get("origin", "")),
            kind_of_source="beir",
            corpus_version=str(source_meta.get("corpus_version", "")),
        )
        return make_record(record["id"], text, meta)


def _read(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """The usable records, and what is wrong with the others."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            return [], [f"broken gzip data: {error}"]
    records: dict[str, dict[str, Any]] = {}
    reasons = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            reasons.append(f"line {number}: not JSON: {error}")
            continue
        if not isinstance(record, dict):
            reasons.append(f"line {number}: a JSON object is expected, not {type(record).__name__}")
            continue
        record_id = record.setdefault("id", record.get("_id"))
        if not isinstance(record_id, str) or not record_id.strip():
            reasons.append(f"line {number}: 'id' must be a string that isn't empty, not {record_id!r}")
        elif not isinstance(record.get("text"), str):
            reasons.append(f"line {number}: 'text' must be a string, not {record.get('text')!r}")
        elif record_id in records:
            reasons.append(f"line {number}: the id {record_id!r} was used before")
        else:
            records[record_id] = record
    if not records and not reasons:
        reasons.append("holds no records")
    return list(records.values()), reasons


def _identity(record: dict[str, Any], titles: dict[str, str]) -> dict[str, Any]:
    """What the id says about the record, and the path of headings down to it."""
    match = _LEGAL_ID.fullmatch(record["id"])
    title = titles[record["id"]]
    if not match:
        source = record.get("source")
        return {
            "source": source if isinstance(source, str) else "",
            "section": "",
            "number_label": "",
            "chapter": str(record.get("chapter") or ""),
            "breadcrumb": [title] if title else [],
            "pre_aia": record.get("pre_aia") is True,
        }
    scheme, section = match["scheme"], match["section"]
    source, label = _SOURCES[scheme]
    chapter = str(record.get("chapter") or "")
    breadcrumb = [label]
    if scheme == "MPEP":
        chapter = chapter or f"{section[:-2] if section.isdigit() else section.split('.')[0][:-2]}00"
        breadcrumb.append(f"Chapter {chapter}")
        for parent in _parents(section):
            if titles.get(f"MPEP-{parent}"):
                breadcrumb.append(f"{parent} {titles[f'MPEP-{parent}']}")
    elif scheme == "37CFR" and isinstance(record.get("part"), str):
        breadcrumb.append(record["part"])
    breadcrumb.append(f"{section} {title}".strip())
    return {
        "source": source,
        "section": section,
        "number_label": f"{label} {section}",
        "chapter": chapter,
        "breadcrumb": breadcrumb,
        "pre_aia": match["suffix"] == "-preAIA" or record.get("pre_aia") is True,
    }


def _parents(section: str) -> list[str]:
    """The sections above one of the manual's, outermost first: 608 and 608.01 for 608.01(o)."""
    parts = re.findall(r"^\d+|\.\d+|\([^)]*\)", section)
    return ["".join(parts[:count]) for count in range(1, len(parts))]


def _is_meta(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_VALUE
    if isinstance(value, list):
        return all(isinstance(item, str) and len(item) <= _LONGEST_VALUE for item in value)
    return isinstance(value, int | float)

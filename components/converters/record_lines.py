"""Records (.jsonl): one JSON object a line with id, title, text and metadata."""

import json
from collections.abc import Iterator
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.document_text import DocumentText
from components.converters.record import clean, complete_record
from components.converters.sidecar import RESERVED, MetadataError, checked_metadata
from components.converters.text_decoding import read_text, sidecar_text
from components.converters.text_document import add_plain_text

_LONGEST = 500
_OWN = ("id", "_id", "title", "text", "metadata")


@component
class RecordLinesConverter:
    """
    Makes a Document of each line of a .jsonl file: {"id", "title", "text", "metadata"}.

    Fields beside `metadata` are metadata, too, and win over those in it; so corpora in the layout of the BEIR benchmark
    can be read. A line that can't be used is named, and the others are read.

    Usage example:
    ```python
    line = '{"id": "N-1", "title": "通知", "text": "本日休業。", "metadata": {"department": "総務部"}}'
    source = ByteStream(line.encode(), meta={"origin": "a.jsonl", "file": "a.jsonl"})
    RecordLinesConverter().run(sources=[source])["documents"][0].meta["department"]  # "総務部"
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read records.

        :param sources: .jsonl files, with "origin" and "file" in their meta.
        :returns: `documents`, one a record, and `failures`, one a broken line or file, with `origin` and `reason`.
        """
        documents: list[Document] = []
        failures: list[dict[str, str]] = []
        for source in sources:
            origin = str(source.meta.get("origin", ""))
            try:
                plain = read_text(source)
            except ValueError as error:
                failures.append({"origin": origin, "reason": str(error)})
                continue
            reasons: list[str] = []
            documents += _records(source, plain, reasons)
            failures += [{"origin": origin, "reason": reason} for reason in reasons]
        return {"documents": documents, "failures": failures}


def _records(source: ByteStream, plain: str, reasons: list[str]) -> Iterator[Document]:
    """The usable records; what is wrong with the others goes to `reasons`."""
    lines: dict[str, int] = {}
    for number, line in enumerate(plain.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = _checked(line)
            if record["id"] in lines:
                raise ValueError(f"the id {record['id']!r} was used in line {lines[record['id']]}")
            lines[record["id"]] = number
            yield _document(record, source)
        except (ValueError, RecursionError) as error:
            reasons.append(f"line {number}: {error}")
    if not lines and not reasons:
        reasons.append("holds no records")


def _checked(line: str) -> dict[str, Any]:
    """
    :raises ValueError: When the line isn't a record.
    """
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise ValueError(f"a JSON object is expected, not {type(record).__name__}")
    identifier = record.get("id", record.get("_id"))
    if not isinstance(identifier, str) or not identifier.strip():
        raise ValueError(f"'id' must be a string that isn't empty, not {identifier!r}")
    for name in ("title", "text"):
        if not isinstance(record.get(name, ""), str):
            raise ValueError(f"{name!r} must be a string, not {record[name]!r}")
    metadata = record.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise ValueError(f"'metadata' must be a JSON object, not {metadata!r}")
    own = {name: value for name, value in record.items() if name not in _OWN and _is_metadata(name, value)}
    if isinstance(lang := own.pop("lang", None), str):
        own.setdefault("language", lang)
    try:
        found = checked_metadata({**metadata, **own})
    except MetadataError as error:
        raise ValueError(f"metadata: {error}") from error
    found.pop("id", None)
    title = clean(record.get("title", "")) or found.get("title", "")
    return {"id": identifier, "text": record.get("text", ""), "metadata": {**found, "title": title}}


def _document(record: dict[str, Any], source: ByteStream) -> Document:
    text = DocumentText()
    # The title stands above the text already: its first line is no other one.
    text.title = record["metadata"]["title"] or record["id"]
    add_plain_text(text, record["text"])
    if not text.record.blocks:
        text.add(text.title)
    meta = {
        **record["metadata"],
        "file": str(source.meta.get("file", "")),
        "origin": str(source.meta.get("origin", "")),
        "kind_of_source": "records",
        "corpus_version": str(source.meta.get("corpus_version", "")),
        "sidecar": sidecar_text(source),
        "precedence": 0,
        "blocks": text.record.blocks,
    }
    return complete_record(record["id"], text.record.content, meta)


def _is_metadata(name: str, value: Any) -> bool:
    """Longer strings beside `metadata`, and objects, have some other purpose, such as a benchmark's notes."""
    short = isinstance(value, int | float) or (isinstance(value, str) and len(value) <= _LONGEST)
    return name not in RESERVED and (short or (isinstance(value, list) and all(isinstance(v, str) for v in value)))

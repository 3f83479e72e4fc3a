"""What the converters share: collecting a legal record's blocks, and making the Document out of them."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream
from lxml import etree

BLOCK_KINDS = (
    "text",
    "heading",
    "form_paragraph",
    "table",
    "list",
    "example",
    "quote_statute",
    "quote_rule",
    "note",
)

_SPACE = re.compile(r"[ \t\r\n\f\v\u00a0\u2002-\u200a\u202f]+")
_SMALL_WORDS = frozenset(
    ["a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "under", "with"]
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ROMAN = re.compile(r"[IVXLC]+\Z")


def clean(text: str) -> str:
    """
    One line of text as a reader sees it: runs of white space become one blank, soft hyphens go.

    ```python
    clean("  a\\n  claim ")  # "a claim"
    ```

    :param text: Text of an element, with the source's line breaks.
    :returns: The text on one line.
    """
    return _SPACE.sub(" ", text.replace("\u00ad", "")).strip()


def heading_case(text: str) -> str:
    """
    A heading in capitals, made readable: "CHAPTER 10—GRANT OF PATENTS" becomes "Chapter 10—Grant of Patents".

    Models split words in capitals into many meaningless pieces, so a heading path in capitals costs room and precision.

    :param text: A heading.
    :returns: The heading; unchanged unless all of it is in capitals.
    """
    if not text.isupper():
        return text

    def one(match: re.Match[str]) -> str:
        word = match.group()
        # "A" is an article between words and a letter elsewhere: "Subchapter A—General".
        if _ROMAN.match(word) or (len(word) == 1 and text[match.end() : match.end() + 1] != " "):
            return word
        inner = text[match.start() - 1 : match.start()] == " "
        return word.lower() if inner and word.lower() in _SMALL_WORDS else word.capitalize()

    return re.sub(r"[^\W\d_]+(?:['’][^\W\d_]+)?", one, text)


def parse_xml(data: bytes) -> etree._Element:
    """
    Parse an XML file that comes from outside: no entities are expanded, nothing is fetched.

    :param data: The file.
    :returns: The root element.
    :raises lxml.etree.XMLSyntaxError: If it isn't well-formed.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_comments=True, remove_pis=True
    )
    return etree.fromstring(data, parser)


class RecordText:
    """
    Collects the blocks of one record, in order, and keeps the character range of each in the whole text.

    ```python
    text = RecordText()
    text.add("(a) A claim shall be numbered.", label="(a)")
    text.content, text.blocks
    ```
    """

    def __init__(self) -> None:
        self.blocks: list[dict[str, Any]] = []
        self._parts: list[str] = []
        self._length = 0

    def add(
        self,
        text: str,
        kind: str = "text",
        *,
        headings: Sequence[str] = (),
        anchor: str = "",
        page: int = 0,
        label: str = "",
    ) -> None:
        """
        Add one block; empty text adds nothing.

        :param text: The block's text, already cleaned.
        :param kind: One of `BLOCK_KINDS`.
        :param headings: The sub-headings above it inside the record, outermost first.
        :param anchor: The fragment that leads to it on the official page.
        :param page: The PDF page; 0 for other sources.
        :param label: "(b)(1)" for a subsection, the number for a form paragraph.
        :raises ValueError: If the kind is unknown.
        """
        if kind not in BLOCK_KINDS:
            raise ValueError(f"kind {kind!r} is not one of {', '.join(BLOCK_KINDS)}")
        if not text:
            return
        start = self._length + (2 if self._parts else 0)
        self._parts.append(text)
        self._length = start + len(text)
        self.blocks.append(
            {
                "start": start,
                "end": self._length,
                "kind": kind,
                "headings": list(headings),
                "anchor": anchor,
                "page": page,
                "label": label,
            }
        )

    def extend(self, other: "RecordText") -> None:
        """
        Add all blocks of another text.

        :param other: The text.
        """
        for part, block in zip(other._parts, other.blocks, strict=True):
            self.add(part, **{name: value for name, value in block.items() if name not in ("start", "end")})

    @property
    def content(self) -> str:
        """The whole text, blocks separated by an empty line."""
        return "\n\n".join(self._parts)


def make_record(source_id: str, text: RecordText, meta: dict[str, Any]) -> Document:
    """
    The Document of one legal record, with every field that splitters and stores rely on.

    :param source_id: The record's id, unique in the corpus: "35USC-112".
    :param text: Its blocks.
    :param meta: What the converter knows: at least source, section, title, number_label, breadcrumb, kind_of_source
        and precedence.
    :returns: The Document; fields that `meta` leaves out get their empty value, halves of surrogate pairs U+FFFD.
    """
    source = meta["source"]
    fields: dict[str, Any] = {
        "source_id": source_id,
        "chapter": "",
        "revision": "",
        "effective": [],
        "edition": "",
        "pre_aia": False,
        "url": "",
        "file": "",
        "origin": "",
        "is_statute": source == "35_USC",
        "is_regulation": source == "37_CFR",
        "is_update": source == "SUBSEQUENT",
        "language": "en",
        **meta,
        "blocks": text.blocks,
    }
    return complete_record(source_id, text.content, fields)


def complete_record(source_id: str, content: str, meta: dict[str, Any]) -> Document:
    """
    The Document of a record whose fields are all there.

    :param source_id: The record's id, unique in the corpus.
    :param content: Its text.
    :param meta: Its fields.
    :returns: The Document; halves of surrogate pairs become U+FFFD.
    """
    record: dict[str, Any] = {"id": source_id, "content": content, "meta": meta}
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        record = _without_surrogates(record)
    return Document(**record)


def _without_surrogates(value: Any) -> Any:
    """Halves of surrogate pairs, which broken JSON and PDF files bring and no store can hold, become U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value


def read_each_xml(
    sources: Sequence[ByteStream], read: Callable[[etree._Element, ByteStream], tuple[list[Document], str]]
) -> dict[str, Any]:
    """
    As `read_each`, for sources that are XML files.

    :param sources: The sources, with "origin" in their meta.
    :param read: Gives a source's records by its root element and, when something of it can't be used, the reason.
    :returns: `documents`, and `failures` with origin and reason; of what isn't well-formed, too.
    """

    def parsed(source: ByteStream) -> tuple[list[Document], str]:
        try:
            root = parse_xml(source.data)
        except etree.XMLSyntaxError as error:
            return [], f"not well-formed XML: {error.msg}"
        return read(root, source)

    return read_each(sources, parsed)


def read_each(
    sources: Sequence[ByteStream], read: Callable[[ByteStream], tuple[list[Document], str]]
) -> dict[str, Any]:
    """
    What a converter's `run` returns: one source that can't be read never stops the others.

    :param sources: The sources, with "origin" in their meta.
    :param read: Gives a source's records and, when something of it can't be used, the reason; "" otherwise.
    :returns: `documents`, and `failures` with origin and reason.
    """
    documents: list[Document] = []
    failures: list[dict[str, str]] = []
    for source in sources:
        found, reason = read(source)
        documents.extend(found)
        if reason:
            failures.append({"origin": str(source.meta.get("origin", "")), "reason": reason})
    return {"documents": documents, "failures": failures}

"""Splits company documents into chunks of whole sentences, table rows and list items."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from haystack import Document, component

from components.splitters.japanese_sentences import japanese_sentence_spans

_LINES = re.compile(r"[^\n]+")
_ASIDE = re.compile(r"[、，,;；\s]")
_ROWS = frozenset({"table"})  # kinds that are cut between lines only


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is never cut unless it is longer than a chunk: a sentence, a heading, a row."""

    start: int
    end: int
    size: float
    block: int
    kind: str
    headings: tuple[str, ...]
    page: int
    label: str


@component
class ParagraphSplitter:
    """
    Splits documents into chunks of about `max_chars` characters, at the ends of sentences.

    A heading starts a new chunk once the running one has `min_chars`, a new sheet or slide always does. Where a chunk
    ends only because it is full, the next one repeats its last sentences, up to `overlap_chars`. Rows of tables stay
    whole, and each piece of a table begins with the table's first row. Sizes are in full-width characters, and
    half-width ones (Latin letters, digits) count half, so that Japanese and English chunks say about as much.

    A chunk's id is `<document id>#<ordinal>`, with the ordinal from 1; `meta["span"]` is the slice of the document
    that it is, or None for a piece of a table that repeats the first row.

    Usage example:

    ```python
    splitter = ParagraphSplitter(max_chars=300)
    document = Document(id="rules/leave.md", content="第1条 ...", meta={"title": "休暇規程"})
    splitter.run(documents=[document])["documents"][0].id  # "rules/leave.md#1"
    ```
    """

    def __init__(self, max_chars: int = 300, min_chars: int = 100, overlap_chars: int = 60):
        """
        :param max_chars: Size of a chunk, without the path of headings above it.
        :param min_chars: Below this size a chunk goes on across a heading.
        :param overlap_chars: How much of the sentences before is repeated.
        :raises ValueError: If the sizes don't fit together.
        """
        if not 0 <= overlap_chars < max_chars or not 0 <= min_chars < max_chars:
            raise ValueError(
                f"overlap_chars and min_chars must be at least 0 and below max_chars; got max_chars={max_chars}, "
                f"min_chars={min_chars}, overlap_chars={overlap_chars}"
            )
        self.max_chars = max_chars
        self.min_chars = min_chars
        self.overlap_chars = overlap_chars

    @component.output_types(documents=list[Document], records=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """
        Split documents into chunks.

        :param documents: Whole documents, with `meta["blocks"]` where the converter found structure (each with start,
            end, kind, headings, page and label); otherwise each line is a paragraph.
        :returns: `documents`, the chunks in order; `records`, the whole documents for the index of parents.
        """
        chunks: list[Document] = []
        records: list[Document] = []
        for document in documents:
            common = {"source_id": document.id, **{k: v for k, v in document.meta.items() if k != "blocks"}}
            chunks.extend(self._split(document, common))
            records.append(Document(id=document.id, content=document.content or "", meta={**common, "order": 0}))
        return {"documents": chunks, "records": records}

    def _split(self, document: Document, common: dict[str, Any]) -> Iterator[Document]:
        title = str(document.meta.get("title", ""))
        text = document.content or ""
        if not text.strip():  # a document without text is still found by its title
            text = title
        units = list(self._units(document, text))
        first_rows = {unit.block: unit for unit in reversed(units)}
        for ordinal, group in enumerate(self._groups(units), start=1):
            first = group[0]
            lead = next((unit for unit in group if unit.kind != "heading"), first)
            headings = _shared_headings(group)
            content = text[first.start : group[-1].end]
            span = [first.start, group[-1].end] if text == document.content else None
            if first.kind in _ROWS and (row := first_rows[first.block]) is not first:
                content, span = f"{text[row.start : row.end]}\n{content}", None
            meta = {
                **common,
                "span": span,
                "ordinal": ordinal,
                "order": ordinal,
                "page": lead.page,
                "label": lead.label,
                "kind": lead.kind,
                "headings": headings,
                "heading_path": " > ".join(part for part in (title, *headings) if part),
            }
            yield Document(id=f"{document.id}#{ordinal}", content=content, meta=meta)

    def _units(self, document: Document, text: str) -> Iterator[_Unit]:
        for number, block in enumerate(_blocks(document, text)):
            kind = block.get("kind", "text")
            headings = tuple(block.get("headings", ()))
            start, content = block["start"], text[block["start"] : block["end"]]
            for first, last in self._spans(kind, content):
                size = width(content[first:last])
                page, label = block.get("page", 0), block.get("label", "")
                yield _Unit(start + first, start + last, size, number, kind, headings, page, label)

    def _spans(self, kind: str, content: str) -> Iterator[tuple[int, int]]:
        if kind == "heading" and content.strip():
            yield 0, len(content)
            return
        spans = [m.span() for m in _LINES.finditer(content)] if kind in _ROWS else japanese_sentence_spans(content)
        for start, end in spans:
            yield from _windows(content, start, end, self.max_chars)

    def _groups(self, units: list[_Unit]) -> Iterator[list[_Unit]]:
        """Gather units into chunks."""
        current: list[_Unit] = []
        for unit in units:
            size = sum(other.size for other in current)
            full = size + unit.size > self.max_chars
            if current and (full or self._breaks(current[-1], size, unit)):
                ended, following = _part_from_headings(current)
                if ended:
                    yield ended
                    current = following or (self._repeated(ended, unit) if full else [])
            current.append(unit)
        if current:
            yield current

    def _breaks(self, last: _Unit, size: float, unit: _Unit) -> bool:
        if unit.label != last.label:
            return True
        structure = (
            unit.headings != last.headings or unit.kind == "heading" or (unit.kind in _ROWS) != (last.kind in _ROWS)
        )
        return structure and size >= self.min_chars

    def _repeated(self, ended: list[_Unit], unit: _Unit) -> list[_Unit]:
        """The last sentences of a chunk that the next one begins with: never all of it, and never across a heading."""
        if unit.kind in (*_ROWS, "heading"):
            return []
        room = min(self.overlap_chars, self.max_chars - unit.size)
        kept: list[_Unit] = []
        for other in reversed(ended[1:]):
            room -= other.size
            same = other.headings == unit.headings and other.label == unit.label and other.kind == unit.kind
            if room < 0 or not same:
                break
            kept.insert(0, other)
        return kept


def width(text: str) -> float:
    """
    The size of a text in full-width characters; half-width ones count half.

    >>> width("EV-2024の報告")
    6.5

    :param text: Any text.
    :returns: The size, at least 0.
    """
    return sum(map(_char_width, text))


def _char_width(char: str) -> float:
    return 1.0 if unicodedata.east_asian_width(char) in "WFA" else 0.5


def _blocks(document: Document, text: str) -> list[dict[str, Any]]:
    blocks = document.meta.get("blocks") if text == document.content else None
    return blocks or [{"start": line.start(), "end": line.end()} for line in _LINES.finditer(text)]


def _shared_headings(units: list[_Unit]) -> list[str]:
    """The headings that all of a chunk stands under; those that head a part of it are in its text."""
    paths = [unit.headings for unit in units if unit.kind != "heading"] or [units[0].headings]
    levels = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return [names[0] for names in levels]


def _part_from_headings(units: list[_Unit]) -> tuple[list[_Unit], list[_Unit]]:
    """A chunk that ends, and the headings at its end, which go on with what they head."""
    end = len(units)
    while end and units[end - 1].kind == "heading":
        end -= 1
    return units[:end], units[end:]


def _windows(text: str, start: int, end: int, room: float) -> Iterator[tuple[int, int]]:
    """A sentence longer than a chunk in windows that end behind commas or blanks where there are any."""
    size, limit = 0.0, start
    while limit < end:
        size += _char_width(text[limit])
        if size > room and limit > start:
            asides = [match.end() for match in _ASIDE.finditer(text, start + (limit - start) // 2, limit)]
            cut = asides[-1] if asides else limit
            yield start, cut
            start = limit = cut
            size = 0.0
        else:
            limit += 1
    if start < end:
        yield start, end

"""Splits legal records into chunks that follow their structure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from haystack import Document, component

from components.analysis.citation_series import read_series
from components.analysis.cited_titles import cited_titles, title_id
from components.analysis.legal_citations import ancestors, bare_readings, find_citations
from components.splitters.section_order import section_order
from components.splitters.sentences import sentence_spans
from components.splitters.token_estimate import estimate_tokens

_LINES = re.compile(r"[^\n]+")
_LONGEST_RANGE = 100
_ALONE = frozenset({"form_paragraph", "note"})  # kinds that never share a chunk with another kind


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    tokens: int
    kind: str = "text"
    headings: tuple[str, ...] = ()
    anchor: str = ""
    page: int = 0
    label: str = ""


@component
class SectionSplitter:
    """
    Splits records (sections, statutes, rules, notices) into chunks of about `max_tokens`.

    Chunks never cross records, form paragraphs and notes are chunks of their own, a new sub-heading starts a new chunk
    once the running one has `min_tokens`, and blocks that are too long are split at sentence ends with `overlap_tokens`
    of the sentences before. Each chunk is a slice of its record, `meta["span"]`, and its id is `<record id>#<ordinal>`,
    with the ordinal from 1.

    Usage example:

    ```python
    splitter = SectionSplitter(max_tokens=250)
    record = Document(id="MPEP-101", content="...", meta={"source_id": "MPEP-101", "title": "General"})
    chunks = splitter.run(documents=[record])["documents"]  # ids "MPEP-101#1", "MPEP-101#2", ...
    ```
    """

    def __init__(self, max_tokens: int = 250, min_tokens: int = 80, overlap_tokens: int = 40):
        """
        :param max_tokens: Size of a chunk with its heading path, in estimated subword tokens.
        :param min_tokens: Below this size a chunk goes on across a sub-heading.
        :param overlap_tokens: How much of the text before is repeated when one block has to be cut.
        :raises ValueError: If the sizes don't fit together.
        """
        if not 0 <= overlap_tokens < min_tokens < max_tokens:
            raise ValueError(
                f"sizes must be 0 <= overlap_tokens < min_tokens < max_tokens; got overlap_tokens={overlap_tokens}, "
                f"min_tokens={min_tokens}, max_tokens={max_tokens}"
            )
        self.max_tokens = max_tokens
        self.min_tokens = min_tokens
        self.overlap_tokens = overlap_tokens

    @component.output_types(documents=list[Document], records=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """
        Split records into chunks.

        :param documents: One Document a record, with `meta["blocks"]` where the converter found structure; otherwise
            lines are the blocks.
        :returns: `documents`, the chunks in order; `records`, the whole records for the parent index, with the same
            metadata as their chunks.
        """
        chunks: list[Document] = []
        records: list[Document] = []
        for record in documents:
            own = self._split(record)
            chunks.extend(own)
            meta = {**_common_meta(record), "order": section_order(record.meta, 0)}
            records.append(Document(id=record.id, content=record.content or "", meta=meta))
        return {"documents": chunks, "records": records}

    def _split(self, record: Document) -> list[Document]:
        title = _title(record)
        text = record.content or ""
        if not text.strip():  # a reserved or missing section is still found by its number and title
            text = title
        common = _common_meta(record)
        room = max(self.max_tokens - estimate_tokens(title), self.min_tokens)
        self_ids = _self_ids(record)
        within = _within(record, self_ids)
        chunks = []
        for ordinal, group in enumerate(self._group(_blocks(record, text), text, room), start=1):
            first = group[0]
            lead = next((block for block in group if block.kind != "heading"), first)
            content = text[first.start : group[-1].end]
            labels = list(dict.fromkeys(b.label for b in group if b.label))
            own_ids = _chunk_ids(self_ids, lead.kind, labels)
            headings = list(lead.headings)
            cites = _cites(content, own_ids, bool(record.meta.get("is_update")))
            url = record.meta.get("url", "")
            meta: dict[str, Any] = {
                **common,
                "span": [first.start, group[-1].end] if text == record.content else None,
                "ordinal": ordinal,
                "page": first.page or ordinal,
                "kind": lead.kind,
                # Amendments, sources and editors' notes stand with a statute and aren't its text.
                "is_statute": bool(record.meta.get("is_statute")) and lead.kind != "note",
                "headings": headings,
                "anchor": first.anchor,
                "label": labels[0] if labels else "",
                "labels": labels,
                "heading_path": " > ".join([title, *headings]) if headings else title,
                "cites": cites,
                "self_ids": own_ids,
                "within": within,
                "order": section_order(record.meta, ordinal),
                "has_statute": any(c.startswith("usc:") for c in cites),
                "has_mpep_ref": any(c.startswith("mpep:") for c in cites),
                "has_rule_ref": any(c.startswith("cfr:") for c in cites),
            }
            if url and first.anchor and "#" not in url:
                meta["url"] = f"{url}#{first.anchor}"
            chunks.append(Document(id=f"{record.id}#{ordinal}", content=content, meta=meta))
        return chunks

    def _group(self, blocks: list[_Block], text: str, room: int) -> list[list[_Block]]:
        """Gather neighbouring blocks into chunks, cutting those that are too long by themselves."""
        groups: list[list[_Block]] = []
        current: list[_Block] = []
        size = 0
        for block in blocks:
            long = block.tokens > room
            if current and (long or self._breaks(current, size, block, room)):
                ended, current = _part_from_headings(current)
                groups.extend([ended] if ended else [])
                size = sum(heading.tokens for heading in current)
            if long:
                first, *others = self._cut(block, text, room)
                groups.extend([[*current, first], *([piece] for piece in others)])
                current, size = [], 0
            else:
                current.append(block)
                size += block.tokens
        if current:
            groups.append(current)
        return groups

    def _breaks(self, current: list[_Block], size: int, block: _Block, room: int) -> bool:
        last = current[-1]
        if block.kind != last.kind and (block.kind in _ALONE or last.kind in _ALONE):
            return True
        if block.kind == "form_paragraph" and block.label and block.label != last.label:
            return True
        if size + block.tokens > room:
            return True
        new_heading = block.kind == "heading" or block.headings != last.headings
        return new_heading and size >= self.min_tokens

    def _cut(self, block: _Block, text: str, room: int) -> list[_Block]:
        """Cut one long block at sentence ends, each piece beginning with the end of the one before."""
        pieces: list[_Block] = []
        spans = [
            part
            for start, end in sentence_spans(text[block.start : block.end])
            for part in _windows(text, block.start + start, block.start + end, room)
        ]
        sizes = [estimate_tokens(text[start:end]) for start, end in spans]
        first = 0
        while first < len(spans):
            last, size = first, sizes[first]
            while last + 1 < len(spans) and size + sizes[last + 1] <= room:
                last += 1
                size += sizes[last]
            span = (spans[first][0], spans[last][1])
            pieces.append(_Block(*span, size, block.kind, block.headings, block.anchor, block.page, block.label))
            if last + 1 == len(spans):
                break
            following, repeated = last + 1, 0
            # The overlap leaves room for the sentence behind it, or the next piece would hold nothing new.
            limit = min(self.overlap_tokens, room - sizes[last + 1])
            while following - 1 > first and repeated + sizes[following - 1] <= limit:
                following -= 1
                repeated += sizes[following]
            first = following
        return pieces


def _part_from_headings(blocks: list[_Block]) -> tuple[list[_Block], list[_Block]]:
    """A chunk that ends, and the headings at its end, which go on with what they head."""
    end = len(blocks)
    while end and blocks[end - 1].kind == "heading":
        end -= 1
    return blocks[:end], blocks[end:]


def _windows(text: str, start: int, end: int, room: int) -> list[tuple[int, int]]:
    """A sentence longer than a chunk (an enumeration, a table) in windows that end at blanks where there are any."""
    if estimate_tokens(text[start:end]) <= room:
        return [(start, end)]
    middle = start + (end - start) // 2
    cut = text.rfind(" ", start + 1, middle)
    cut = cut if cut > start else middle
    following = cut + 1 if text[cut : cut + 1] == " " else cut
    return [*_windows(text, start, cut, room), *_windows(text, following, end, room)]


def _blocks(record: Document, text: str) -> list[_Block]:
    raw = record.meta.get("blocks") if text == record.content else None
    if not raw:
        raw = [{"start": line.start(), "end": line.end()} for line in _LINES.finditer(text)]
    blocks = []
    for item in raw:
        start, end = item["start"], item["end"]
        piece = text[start:end]
        start += len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        if end > start:
            blocks.append(
                _Block(
                    start,
                    end,
                    estimate_tokens(piece),
                    item.get("kind", "text"),
                    tuple(item.get("headings", ())),
                    item.get("anchor", ""),
                    item.get("page", 0),
                    item.get("label", ""),
                )
            )
    return blocks


def _common_meta(record: Document) -> dict[str, Any]:
    return {
        "source_id": record.id,
        "variant": "",
        **{k: v for k, v in record.meta.items() if k not in ("blocks", "source_id")},
    }


def _title(record: Document) -> str:
    return " ".join(part for part in (record.meta.get("number_label", ""), record.meta.get("title", "")) if part)


def _self_ids(record: Document) -> list[str]:
    """The canonical identifiers that a record is: "mpep:608.01(o)", of "107-109" or "202.01-202.03" each number."""
    meta = record.meta
    section, label = str(meta.get("section", "")), meta.get("number_label", "")
    if meta.get("is_update"):
        cited = find_citations(meta.get("fr_citation", ""))
        names = [f"fr:{section.lower()}", *(found.canonical for found in cited if found.kind == "frcite")]
        return [*names, title] if (title := title_id(meta.get("title", ""))) else names
    span = re.fullmatch(r"(\d{3,4})-(\d{3,4})", section)
    if span and label.startswith("MPEP") and 0 < int(span[2]) - int(span[1]) <= _LONGEST_RANGE:
        return [f"mpep:{section}", *(f"mpep:{number}" for number in range(int(span[1]), int(span[2]) + 1))]
    citations = find_citations(label)
    if not citations:
        return bare_readings(label)[:1]
    named = [name for run in read_series(label, citations).runs for item in run for name in item.names()]
    return named or [found.canonical for found in citations]


def _within(record: Document, self_ids: list[str]) -> list[str]:
    """A record's identifiers with what holds them: "mpep:608.01(o)", "mpep:608.01", "mpep:608", "mpep:c600"."""
    names = [name for own in self_ids for name in ancestors(own)]
    chapter = record.meta.get("chapter", "")
    if chapter and any(name.startswith("mpep:") for name in names):
        names.append(f"mpep:c{chapter}")
    return list(dict.fromkeys(names))


def _chunk_ids(self_ids: list[str], kind: str, labels: list[str]) -> list[str]:
    """What a chunk is: its record, its form paragraph, the subsections that it holds a part of ("usc:35:112(b)")."""
    if kind == "form_paragraph":
        return [*self_ids, *(f"fp:{label.lower()}" for label in labels)]
    parts = [part for label in labels if label.startswith("(") and kind != "note" for part in _enclosing(label)]
    return [*self_ids, *dict.fromkeys(f"{own}{part.lower()}" for own in self_ids[:1] for part in parts)]


def _enclosing(label: str) -> Iterator[str]:
    """A subsection and those that it is a part of: "(b)(1)" is a part of "(b)"."""
    return accumulate(re.findall(r"\([^()]*\)", label))


def _cites(content: str, own_ids: list[str], with_titles: bool) -> list[str]:
    """Canonical identifiers that a chunk cites, with what holds them, without itself; notices name others by title."""
    cited = dict.fromkeys(name for found in find_citations(content) for name in ancestors(found.canonical))
    own = {*own_ids[:1], *(name for name in own_ids if name.startswith("frtitle:"))}
    titles = cited_titles(content) if with_titles else []
    return [name for name in [*cited, *titles] if name not in own]

"""The section numbers that get_mpep_section takes, and the filters that they mean."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from haystack import Document

from components.analysis.citation_series import Named, read_series
from components.analysis.folding import fold
from components.analysis.legal_citations import bare_readings, chapter_of
from components.analysis.query_citations import find_query_citations
from components.splitters.section_order import order_span
from pipelines.errors import ArgumentError
from pipelines.mpep_arguments import cleaned

SECTION_FORMS = (
    'a section number such as "608.01(o)", "MPEP 2106.04(a)(2)", "2100" (a chapter), "35 U.S.C. 112", "37 CFR 1.131" '
    'or "¶ 7.05.01"'
)
_RANGE_FORM = 'a range of one kind from its lower to its higher number, such as "MPEP 2106-2107"'
_PRE_AIA = re.compile(r"^pre[-‐‑–]aia$", re.IGNORECASE)
_PRE_AIA_BESIDE = re.compile(r"^pre[-‐‑–]AIA\s+(?=\S)|(?<=\S),?\s+pre[-‐‑–]AIA$", re.IGNORECASE)
_VARIANT = re.compile(
    r"\s*\(((?:pre[-‐‑–]AIA|note|transitional|pre-\d)[^)]*|[^)]*\d{4}-\d\d-\d\d[^)]*)\)\s*$", re.IGNORECASE
)
_LATIN_APART = re.compile(r"(?<=\d)\s+(?=(?:bis|ter|quater|quinquies|sexies|septies)\b)", re.IGNORECASE)
_LONGEST_NUMBER, _MOST_NUMBERS = 200, 20

Filters = dict[str, Any]


class SectionStore(Protocol):
    """What finding a section needs of a keyword store."""

    def find(self, filters: Mapping[str, Any] | None = None, top_k: int = 50) -> tuple[list[Document], int]: ...


@dataclass(frozen=True)
class SectionPart:
    """
    One number of what was asked for, or a range.

    :param text: As it was typed.
    :param readings: Filters for what it can mean, likeliest first.
    :param names: The canonical identifiers that it can mean, or those of a range's lower end.
    """

    text: str
    readings: list[Filters]
    names: tuple[str, ...]


@dataclass(frozen=True)
class SectionRequest:
    """
    What a section number asks for.

    :param parts: Its numbers; empty when it holds none that can be read.
    :param printed: A filter for what has the text as its number or title.
    """

    parts: list[SectionPart]
    printed: Filters

    def find(self, store: SectionStore, top_k: int) -> tuple[list[Document], int, list[str]]:
        """
        Find the likeliest reading of each part that is in a store; what is printed so, where there is none of them.

        :param store: The keyword store of the chunks.
        :param top_k: How many chunks at most.
        :returns: The chunks in document order, how many there are in all, and the parts without a match where there
            are others.
        """
        missing: list[str] = []
        if len(self.parts) == 1:
            readings = self.parts[0].readings
        else:
            readings, missing = self._together(store)
        reserved: tuple[list[Document], int] = [], 0
        for filters in [*readings, self.printed]:
            documents, total = store.find(filters, top_k=top_k)
            if total and not self._is_kept_free(documents[0]):
                return documents, total, missing
            reserved = reserved if reserved[1] else (documents, total)
        return *reserved, missing if reserved[1] else []

    def _is_kept_free(self, document: Document) -> bool:
        """Whether a heading only keeps the number free: "112" means 35 U.S.C. 112 before "111-114 [Reserved]"."""
        is_reserved = "[reserved]" in str(document.meta.get("title", "")).lower()
        numbers = [part.text for part in self.parts]
        return is_reserved and numbers != [document.meta.get("section")] and numbers[0].isdecimal()

    def _together(self, store: SectionStore) -> tuple[list[Filters], list[str]]:
        """One filter for the likeliest readings of all parts that are there, and the parts that aren't."""
        present: list[Filters] = []
        missing: list[str] = []
        for part in self.parts:
            filters = next((reading for reading in part.readings if store.find(reading, top_k=1)[1]), None)
            if filters:
                present.append(filters)
            else:
                missing.append(part.text)
        return ([_any(present)], missing) if present else ([], [])


def read_section_number(text: str) -> SectionRequest:
    """
    Read a section number, a list of them or a range.

    >>> len(read_section_number("608.01(o), 35 U.S.C. 112 and §§ 2106-2107").parts)
    3

    :param text: The number as typed, with a variant if need be: "35 U.S.C. 102 (pre-AIA)", "pre-AIA 35 U.S.C. 102".
    :returns: What it asks for. A range holds all that is printed from its first section to the end of its last.
    :raises ArgumentError: When the text is empty or too long for a number, or holds more than 20 numbers or a range
        that doesn't rise.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST_NUMBER:
        raise ArgumentError("section_number", text, SECTION_FORMS)
    text = " ".join(cleaned(text).split())
    number, variant = text, ""
    if match := _VARIANT.search(text):
        number, variant = text[: match.start()].strip(), _PRE_AIA.sub("pre-AIA", match.group(1))
    elif _PRE_AIA_BESIDE.search(text):
        number, variant = _PRE_AIA_BESIDE.sub("", text), "pre-AIA"
    number = re.sub(r"^chapter\s+", "MPEP chapter ", number.strip("\"'“”").removesuffix("."), flags=re.IGNORECASE)
    printed: list[Filters] = [
        {"field": "meta.section", "operator": "in", "value": [text, _LATIN_APART.sub("", text)]},
        {"field": "meta.title", "operator": "==", "value": text},
    ]
    return SectionRequest(_parts(number, variant), _any(printed))


def _parts(number: str, variant: str) -> list[SectionPart]:
    """The numbers of a text, or of its first run of numbers where it holds more than numbers."""
    bare = tuple(bare_readings(number))
    runs = read_series(number, find_query_citations(fold(number))).runs
    items = runs[0] if runs else ()
    if len(items) > _MOST_NUMBERS:
        raise ArgumentError("section_number", number, f"at most {_MOST_NUMBERS} numbers or ranges at a time")
    if not bare:
        return [SectionPart(number[item.start : item.end], _readings(item, variant), item.readings) for item in items]
    readings = _readings(Named(0, len(number), bare), variant)
    # "107-109" is a heading before it is a range; a document's number is none, though it may look so.
    if items and items[0].last and not any(name.startswith("fr:") for name in bare):
        readings += _readings(items[0], variant)
    return [SectionPart(number, readings, bare)]


def _readings(item: Named, variant: str) -> list[Filters]:
    """
    Filters for what a number or a range can mean.

    :raises ArgumentError: When a range doesn't rise, or its ends are of two kinds.
    """
    if not item.last:
        return [found for name in item.readings for found in _named(name, variant)]
    spans = [(ends, span) for ends in item.ranges() if (span := order_span(*ends)) and span[0] < span[1]]
    if not spans:
        ends = " to ".join(name[0].rpartition(":")[2] for name in (item.readings, item.last))
        raise ArgumentError("section_number", ends, _RANGE_FORM)
    return [found for ends, span in spans for found in _between(ends, span, variant)]


def _named(name: str, variant: str) -> list[Filters]:
    scheme, _, _ = name.rpartition(":")
    if scheme == "mpep":
        return [_contains("within", [name, *filter(None, [chapter_of(name)])])]
    condition = _contains("self_ids", [name])
    return [condition] if scheme == "fp" else _in_force(condition, variant)


def _between(ends: tuple[str, str], span: tuple[int, int], variant: str) -> list[Filters]:
    """What is printed from the lower end of a range to the end of the upper."""
    bounds = zip((">=", "<"), span, strict=True)
    inside = _all([{"field": "meta.order", "operator": sign, "value": bound} for sign, bound in bounds])
    # A heading such as "122-129" stands where its first number does.
    if ends[0].startswith("mpep:"):
        return [_any([inside, _contains("self_ids", list(ends))])]
    return _in_force(inside, variant)


def _in_force(condition: Filters, variant: str) -> list[Filters]:
    """The text in force, unless a variant is asked for or there is nothing else: former law is never mixed into it."""
    wanted = _all([condition, {"field": "meta.variant", "operator": "==", "value": variant}])
    return [wanted] if variant else [wanted, condition]


def _contains(field: str, values: list[str]) -> Filters:
    return {"field": f"meta.{field}", "operator": "in", "value": values}


def _all(conditions: list[Filters]) -> Filters:
    return {"operator": "AND", "conditions": conditions}


def _any(conditions: list[Filters]) -> Filters:
    return {"operator": "OR", "conditions": conditions}

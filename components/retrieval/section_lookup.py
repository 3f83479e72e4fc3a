"""The exact tier: what a query names by its number comes first, then what cites it."""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from haystack import Document, component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.folding import fold
from components.analysis.legal_citations import ancestors, chapter_of
from components.retrieval.ranking import Candidate, Candidates

logger = logging.getLogger(__name__)

OWN, CITING, OTHER = 0, 1, 2
_MOST_OWN = 200


class LookupStore(Protocol):
    """What looking up needs of a keyword store."""

    def find(
        self, filters: Mapping[str, Any] | None = None, top_k: int = 50, sort_by: str = "order"
    ) -> tuple[list[Document], int]: ...

    def ids(self, filters: Mapping[str, Any] | None = None) -> list[str]: ...

    def to_dict(self) -> dict[str, Any]: ...


@component
class SectionLookup:
    """
    Puts the chunks of a section, statute, rule, form paragraph or notice that the query names in front of all others.

    Plain fusion throws such lookups away. Tier 0 holds the thing itself: in document order when the query is nothing
    but its number, by score when there is more in the query; of "35 USC 112(b)" the chunks with subsection (b) come
    before the rest of section 112, of "chapter 2100" all sections of the chapter. Tier 1 holds the candidates that cite
    it, and the notes and former texts of a statute, which are many: by score among those that cite it, behind them when
    the query is nothing but the number. Of a thing that is not in the index, only a query that is nothing but its
    number has a tier of citing passages. A bare number has all readings that are in the index ("103": MPEP 103, then
    35 USC 103), the first chunk of each before the second of any; a heading of several numbers that are [Reserved] last
    ("112": 35 USC 112, then MPEP 111-114).

    Usage example:

    ```python
    lookup = SectionLookup(document_store=TantivyDocumentStore("index/keyword"))
    lookup.run(candidates=candidates, analysis=analyze_english("MPEP 608.01(o)"))["candidates"]
    ```
    """

    def __init__(self, document_store: LookupStore):
        """
        :param document_store: The keyword store of the chunks.
        """
        self.document_store = document_store

    @component.output_types(candidates=Candidates, missing=list[str], degraded=list[str])
    def run(
        self, candidates: Candidates, analysis: AnalyzedText, filters: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """
        Sort candidates into tiers.

        :param candidates: Candidates, best first.
        :param analysis: The analysed query, with its identifiers.
        :param filters: Haystack filters; they hold for the looked-up chunks, too.
        :returns: `candidates`, all of them and the looked-up chunks, by tier; unchanged when the query names nothing.
            `missing`, what the query names that the index doesn't hold, as the query writes it. `degraded`,
            ["keyword"] when the store can't be asked and the candidates stay as they are.
        """
        wanted = list(dict.fromkeys(identifier.canonical for identifier in analysis.identifiers))
        if not wanted:
            return {"candidates": candidates, "missing": [], "degraded": []}
        pre_aia = "pre-aia" in fold(analysis.text).text
        alone = is_identifier_alone(analysis)
        scores = {} if alone else {candidate.id: candidate.score for candidate in candidates.items}
        try:
            found = {name: self._own(name, filters, pre_aia, scores) for name in wanted}
            tiers = self._tiers(candidates, wanted, found, alone)
            return {"candidates": tiers, "missing": self._missing(analysis, found, filters), "degraded": []}
        except OSError as error:
            # without the numbers: a log never tells what was searched for
            logger.warning("the keyword store can't be asked for what the query names: %s", error)
            return {"candidates": candidates, "missing": [], "degraded": ["keyword"]}

    def _missing(
        self, analysis: AnalyzedText, found: Mapping[str, "_Own"], filters: dict[str, Any] | None
    ) -> list[str]:
        """What the query names, in its own writing, of which no reading is in the index, whatever the filters let."""
        readings: dict[tuple[int, int], list[str]] = {}
        for identifier in analysis.identifiers:
            readings.setdefault((identifier.start, identifier.end), []).append(identifier.canonical)
        unknown = {place: names for place, names in readings.items() if not any(found[name] for name in names)}
        return list(
            dict.fromkeys(
                analysis.text[start:end]
                for (start, end), names in unknown.items()
                if not any(self._exists(name) for name in names if filters or chapter_of(name))
            )
        )

    def _exists(self, name: str) -> bool:
        """Whether the index holds a thing at all; of a question's chapter, and behind filters, not all is looked up."""
        return self.document_store.find(_condition(name), top_k=1)[1] > 0

    def _tiers(self, candidates: Candidates, wanted: list[str], found: dict[str, "_Own"], alone: bool) -> Candidates:
        known = {candidate.id: candidate for candidate in candidates.items}
        own = [found[name] for name in sorted(wanted, key=lambda name: _is_reserved_place(found[name], wanted))]
        if not alone:
            wanted = [name for name in wanted if found[name]]
        placed: dict[str, Candidate] = {}
        for document in _in_turns([things.text for things in own]):
            candidate = known.get(document.id) or Candidate(document.id, 0.0)
            placed.setdefault(document.id, replace(candidate, tier=OWN, score=1.0 - len(placed) * 1e-6))
        beside = [document.id for things in own for document in things.beside if document.id not in placed]
        rest = [c for c in candidates.items if c.id not in placed]
        citing = self._citing([c.id for c in rest], wanted)
        if alone:
            citing -= set(beside)
            last = {name: Candidate(name, place * -1e-6) for place, name in enumerate(dict.fromkeys(beside), start=1)}
            rest = [replace(c, score=last.pop(c.id).score, tier=CITING) if c.id in last else c for c in rest]
            rest.extend(replace(candidate, tier=CITING) for candidate in last.values())
        else:
            citing |= set(beside)
        rest = [replace(c, tier=CITING) if c.id in citing else c for c in rest]
        return Candidates.sort([*placed.values(), *rest])

    def _citing(self, ids: list[str], wanted: list[str]) -> set[str]:
        """Those of some chunks that cite one of the named things."""
        if not ids or not wanted:
            return set()
        conditions = [
            {"field": "id", "operator": "in", "value": ids},
            {"field": "meta.cites", "operator": "in", "value": wanted},
        ]
        return set(self.document_store.ids({"operator": "AND", "conditions": conditions}))

    def _own(self, name: str, filters: dict[str, Any] | None, pre_aia: bool, scores: Mapping[str, float]) -> "_Own":
        """The chunks of one named thing, in the order in which a reader wants them."""
        chapter, levels, conditions = chapter_of(name), _levels(name), [_condition(name)]
        if chapter and scores:  # a chapter is long: of a question's chapter what was found in it
            conditions.append({"field": "id", "operator": "in", "value": sorted(scores)})
        if filters:
            conditions.append(filters)
        found, _ = self.document_store.find({"operator": "AND", "conditions": conditions}, top_k=_MOST_OWN)
        if chapter:
            return _Own(sorted(found, key=lambda d: (-scores.get(d.id, -math.inf), d.meta["order"])))
        for level in levels:
            hits = [document for document in found if level in document.meta.get("self_ids", ())]
            if hits:
                break
        else:
            return _Own()
        records = {document.meta.get("source_id") for document in hits}
        whole = hits if name.startswith("fp:") else [d for d in found if d.meta.get("source_id") in records]
        inside = f"{level}("

        def place(document: Document) -> tuple[bool, bool, float, int]:
            # The law in force before former law and notes, unless the query asks for it; the named subsection before
            # its section's rest; candidates by score before what was only looked up.
            exact = any(own == level or own.startswith(inside) for own in document.meta.get("self_ids", ()))
            score = scores.get(document.id, -math.inf)
            return (_is_beside(document, pre_aia), not exact, -score, document.meta["order"])

        return _Own.split(sorted(whole, key=place), pre_aia)


def _levels(name: str) -> list[str]:
    """A named thing and what holds it: of an unknown subsection the section is shown."""
    return [name] if chapter_of(name) or name.startswith("fp:") else ancestors(name)


def _condition(name: str) -> dict[str, Any]:
    """The filter that finds a named thing, or all sections of a chapter."""
    if chapter := chapter_of(name):
        return {"field": "meta.within", "operator": "in", "value": [name, chapter]}
    return {"field": "meta.self_ids", "operator": "in", "value": _levels(name)}


@dataclass(frozen=True)
class _Own:
    """
    The chunks of one named thing.

    :param text: What it says, best first.
    :param beside: Notes, and former law that the query didn't ask for; or the law in force where it asked for former.
    """

    text: Sequence[Document] = ()
    beside: Sequence[Document] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    @staticmethod
    def split(documents: list[Document], pre_aia: bool) -> "_Own":
        """Tell apart what is beside the text; all is text where there is nothing else."""
        text = [document for document in documents if not _is_beside(document, pre_aia)]
        return _Own(text, documents[len(text) :]) if text else _Own(documents)


def _is_beside(document: Document, pre_aia: bool) -> bool:
    meta = document.meta
    if pre_aia:
        return not meta.get("pre_aia")
    # An editor's note in front of a text belongs to it; what stands under the heading of notes doesn't.
    is_note = meta.get("kind") == "note" and meta.get("headings", [])[:1] == ["Notes"]
    return bool(meta.get("pre_aia") or meta.get("variant") or is_note)


def _is_reserved_place(own: _Own, wanted: list[str]) -> bool:
    """Whether a number is only one of those that a heading keeps free, "111-114 [Reserved]", and not all of them."""
    if not own:
        return False
    meta = own.text[0].meta
    is_heading = f"mpep:{str(meta.get('section', '')).replace(' ', '')}" in wanted
    return "[reserved]" in str(meta.get("title", "")).lower() and not is_heading


def is_identifier_alone(analysis: AnalyzedText) -> bool:
    """Whether a query holds nothing beside one or more identifiers."""
    covered = [(identifier.start, identifier.end) for identifier in analysis.identifiers]
    words = analysis.tokens.get("words", ())
    return bool(covered) and all(any(a <= t.start and t.end <= b for a, b in covered) for t in words)


def _in_turns(lists: list[Sequence[Document]]) -> Iterable[Document]:
    """The first of each list, then all that is left, list after list."""
    for documents in lists:
        yield from documents[:1]
    for documents in lists:
        yield from documents[1:]

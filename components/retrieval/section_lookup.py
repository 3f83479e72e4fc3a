"""The exact tier: what a query names by its number comes first, then what cites it."""

import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from haystack import Document, component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.folding import fold
from components.analysis.legal_citations import ancestors
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
    before the rest of section 112. Tier 1 holds the candidates that cite it. Of a thing that is not in the index, only
    a query that is nothing but its number has a tier of citing passages. A bare number has all readings that are
    in the index ("103": MPEP 103, then 35 USC 103), the first chunk of each before the second of any.

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

    @component.output_types(candidates=Candidates, degraded=list[str])
    def run(
        self, candidates: Candidates, analysis: AnalyzedText, filters: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """
        Sort candidates into tiers.

        :param candidates: Candidates, best first.
        :param analysis: The analysed query, with its identifiers.
        :param filters: Haystack filters; they hold for the looked-up chunks, too.
        :returns: `candidates`, all of them and the looked-up chunks, by tier; unchanged when the query names nothing.
            `degraded`, ["keyword"] when the store can't be asked and they stay as they are.
        """
        wanted = list(dict.fromkeys(identifier.canonical for identifier in analysis.identifiers))
        if not wanted:
            return {"candidates": candidates, "degraded": []}
        try:
            return {"candidates": self._tiers(candidates, analysis, wanted, filters), "degraded": []}
        except OSError as error:
            # without the numbers: a log never tells what was searched for
            logger.warning("the keyword store can't be asked for what the query names: %s", error)
            return {"candidates": candidates, "degraded": ["keyword"]}

    def _tiers(
        self, candidates: Candidates, analysis: AnalyzedText, wanted: list[str], filters: dict[str, Any] | None
    ) -> Candidates:
        alone = is_identifier_alone(analysis)
        known = {candidate.id: candidate for candidate in candidates.items}
        pre_aia = "pre-aia" in fold(analysis.text).text
        scores = {} if alone else {candidate.id: candidate.score for candidate in candidates.items}
        own = [self._own(name, filters, pre_aia, scores) for name in wanted]
        if not alone:
            wanted = [name for name, documents in zip(wanted, own, strict=True) if documents]
        placed: dict[str, Candidate] = {}
        for document in _in_turns(own):
            if document.id not in placed:
                candidate = known.get(document.id) or Candidate(document.id, 0.0)
                placed[document.id] = replace(candidate, tier=OWN, score=1.0 - len(placed) * 1e-6)
        rest = [c for c in candidates.items if c.id not in placed]
        citing = self._citing([c.id for c in rest], wanted)
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

    def _own(
        self, name: str, filters: dict[str, Any] | None, pre_aia: bool, scores: Mapping[str, float]
    ) -> list[Document]:
        """The chunks of one named thing, in the order in which a reader wants them."""
        levels = [name] if name.startswith("fp:") else ancestors(name)
        condition: dict[str, Any] = {"field": "meta.self_ids", "operator": "in", "value": levels}
        if filters:
            condition = {"operator": "AND", "conditions": [condition, filters]}
        found, _ = self.document_store.find(condition, top_k=_MOST_OWN)
        for level in levels:
            hits = [document for document in found if level in document.meta.get("self_ids", ())]
            if hits:
                break
        else:
            return []
        records = {document.meta.get("source_id") for document in hits}
        whole = hits if name.startswith("fp:") else [d for d in found if d.meta.get("source_id") in records]
        inside = f"{level}("

        def place(document: Document) -> tuple[bool, bool, float, int]:
            # The law in force before former law and notes, unless the query asks for it; the named subsection before
            # its section's rest; candidates by score before what was only looked up.
            meta = document.meta
            unasked = not meta.get("pre_aia") if pre_aia else bool(meta.get("pre_aia") or meta.get("variant"))
            exact = any(own == level or own.startswith(inside) for own in meta.get("self_ids", ()))
            return (unasked, not exact, -scores.get(document.id, -math.inf), meta["order"])

        return sorted(whole, key=place)


def is_identifier_alone(analysis: AnalyzedText) -> bool:
    """Whether a query holds nothing beside one or more identifiers."""
    covered = [(identifier.start, identifier.end) for identifier in analysis.identifiers]
    words = analysis.tokens.get("words", ())
    return bool(covered) and all(any(a <= t.start and t.end <= b for a, b in covered) for t in words)


def _in_turns(lists: list[list[Document]]) -> Iterable[Document]:
    """The first of each list, then all that is left, list after list."""
    for documents in lists:
        yield from documents[:1]
    for documents in lists:
        yield from documents[1:]

"""Puts an update in front of the passage that it overrides."""

import logging
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from haystack import Document, component

from components.analysis.legal_citations import ancestors, find_citations
from components.retrieval.ranking import Results
from components.retrieval.update_store import MOST_UPDATES, UpdateStore

logger = logging.getLogger(__name__)

_OVERRIDES = re.compile(
    r"\b(?:supersed|rescind|rescission|replac|revis|amend|withdraw|modif|eliminat|updat|no longer|in lieu of"
    r"|incorporated into)",
    re.IGNORECASE,
)


@component
class UpdatePromoter:
    """
    Puts the newest update that overrides a passage directly in front of that passage.

    An update (`meta["is_update"]`) overrides a passage when its chunk cites the passage's section or what holds it,
    its statute, rule or notice, and says that something is superseded, rescinded, replaced, revised, amended,
    withdrawn or no longer so. A notice is cited by its document number, its Federal Register citation or its title; an
    older notice or the same doesn't override it. Where an update ranks too low to be among the results, it is looked
    up. Updates among the results move in front, too, newest first: by effective, then publication date. What the query
    names by its number (tier 0) stays on top; its updates follow it.

    Usage example:

    ```python
    promoter = UpdatePromoter(document_store=TantivyDocumentStore("index/keyword"), depth=20)
    promoter.run(results=results)["results"].documents
    ```
    """

    def __init__(self, document_store: UpdateStore, depth: int = 20):
        """
        :param document_store: The keyword store of the chunks.
        :param depth: For how many of the first passages updates are looked for.
        :raises ValueError: If `depth` is below 1.
        """
        if depth < 1:
            raise ValueError(f"depth must be 1 or more, not {depth!r}")
        self.document_store = document_store
        self.depth = depth

    @component.output_types(results=Results, degraded=list[str])
    def run(self, results: Results, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """
        Promote updates.

        :param results: Documents with `meta["within"]` (identifiers of the passage and what holds it), best first.
        :param filters: Haystack filters; they hold for the looked-up updates, too.
        :returns: `results` in their new order; a promoted update has `meta["overrides"]`, what it overrides.
            `degraded`, ["keyword"] when the store can't be asked and they stay as they are.
        """
        first = results.documents[: self.depth]
        targets = list(dict.fromkeys(name for document in first for name in _names(document)))
        try:
            updates = self._updates(targets, filters) if targets else []
        except OSError as error:
            logger.warning("the keyword store can't be asked for updates: %s", error)
            return {"results": results, "degraded": ["keyword"]}
        return {"results": Results(self._promoted(results.documents, updates)), "degraded": []}

    def _promoted(self, documents: tuple[Document, ...], updates: list[Document]) -> tuple[Document, ...]:
        first = documents[: self.depth]
        known = {document.id: document for document in documents}
        moves: dict[tuple[str, str], tuple[Document, Document]] = {}
        for update in updates:  # oldest first
            target = next((d for d in first if _overrides(update, d)), None)
            if target:
                # Of those that are no results by themselves a passage gets the newest alone.
                key = (target.id, update.id if update.id in known else "")
                moves.pop(key, None)
                moves[key] = (update, target)
        result = list(documents)
        older: set[str] = set()
        for update, target in moves.values():
            result = _moved(result, known.get(update.id, update), target, older)
            older.add(update.id)
        return tuple(result)

    def _updates(self, targets: list[str], filters: dict[str, Any] | None) -> list[Document]:
        conditions: list[dict[str, Any]] = [
            {"field": "meta.is_update", "operator": "==", "value": True},
            {"field": "meta.cites", "operator": "in", "value": targets},
        ]
        if filters:
            conditions.append(filters)
        condition = {"operator": "AND", "conditions": conditions}
        found, _ = self.document_store.find(condition, top_k=MOST_UPDATES, descending=True)
        overriding = [document for document in found if _OVERRIDES.search(document.content or "")]
        return sorted(overriding, key=lambda document: (_date(document), document.id))


@lru_cache(maxsize=4096)
def _cited(text: str) -> frozenset[str]:
    """
    What a text cites; of a part of a statute or rule the whole, too, since that is one record.

    A part of an MPEP section is a section of its own: a notice on 2106.04(a)(2) doesn't override 2106.05.
    """
    names = [found.canonical for found in find_citations(text)]
    return frozenset(above for name in names for above in ([name] if name.startswith("mpep:") else ancestors(name)))


def _cites(update: Document) -> set[str]:
    """What an update cites; titles were read when it was indexed."""
    titles = (name for name in update.meta.get("cites", ()) if name.startswith("frtitle:"))
    return {*_cited(update.content or ""), *titles}


def _overrides(update: Document, document: Document) -> bool:
    """Whether an update overrides a passage, if it overrides anything."""
    if update.meta.get("source_id") == document.meta.get("source_id"):
        return False
    is_older = bool(document.meta.get("is_update")) and _date(update) < _date(document)
    return not is_older and bool(_cites(update) & _own(document))


def _moved(result: list[Document], update: Document, target: Document, older: set[str]) -> list[Document]:
    """The results with an update in front of a passage, and of the older updates that already stand there."""
    own = _own(target)
    overrides = {target.meta["self_ids"][0] if n.startswith("frtitle:") else n for n in _cites(update) & own}
    place = next(i for i, d in enumerate(result) if d.id == target.id or (d.id in older and _cites(d) & own))
    while place < len(result) and result[place].meta.get("tier") == 0:
        place += 1
    if update.id in {document.id for document in result[: place + 1]}:
        return result
    # The query names the passage by its number, not its update.
    meta = {"tier": max(target.meta.get("tier", 2), 1), "scores": {}, **update.meta, "overrides": sorted(overrides)}
    rest = [document for document in result if document.id != update.id]
    return [*rest[:place], replace(update, meta=meta), *rest[place:]]


def _own(document: Document) -> set[str]:
    return set(_names(document))


def _names(document: Document) -> list[str]:
    """What a passage is, without its chapter: an update to one section doesn't override the chapter."""
    names = [*document.meta.get("self_ids", ()), *document.meta.get("within", ())]
    return [name for name in dict.fromkeys(names) if not name.startswith("mpep:c")]


def _date(document: Document) -> str:
    return max(document.meta.get("effective_date") or "", document.meta.get("publication_date") or "")

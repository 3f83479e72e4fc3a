"""Puts an update in front of the passage that it overrides."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol

from haystack import Document, component

from components.analysis.legal_citations import ancestors, find_citations

_OVERRIDES = re.compile(
    r"\b(?:supersed|rescind|rescission|replac|revis|amend|withdraw|modif|eliminat|updat|no longer|in lieu of"
    r"|incorporated into)",
    re.IGNORECASE,
)
_MOST_UPDATES = 50


class UpdateStore(Protocol):
    """What finding updates needs of a keyword store."""

    def find(
        self,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 50,
        sort_by: str = "order",
        descending: bool = False,
    ) -> tuple[list[Document], int]: ...

    def to_dict(self) -> dict[str, Any]: ...


@component
class UpdatePromoter:
    """
    Puts the newest update that overrides a passage directly in front of that passage.

    An update (`meta["is_update"]`) overrides a passage when its chunk cites the passage's section or what holds it,
    its statute, rule or notice, and says that something is superseded, rescinded, replaced, revised, amended,
    withdrawn or no longer so. Updates that rank too low to be among the results are looked up. Newest first: by
    effective, then publication date. What the query names by its number (tier 0) stays on top; its updates follow it.

    Usage example:

    ```python
    promoter = UpdatePromoter(document_store=TantivyDocumentStore("index/keyword"), depth=20)
    promoter.run(documents=documents)["documents"]
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

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document], filters: dict[str, Any] | None = None) -> dict[str, list[Document]]:
        """
        Promote updates.

        :param documents: Results with `meta["within"]` (identifiers of the passage and what holds it), best first.
        :param filters: Haystack filters; they hold for the looked-up updates, too.
        :returns: The results in their new order; a promoted update has `meta["overrides"]`, what it overrides.
        """
        targets = [name for document in documents[: self.depth] for name in _names(document)]
        if not targets:
            return {"documents": documents}
        updates = self._updates(list(dict.fromkeys(targets)), filters)
        known = {document.id: document for document in documents}
        result = list(documents)
        older: dict[str, frozenset[str]] = {}
        for update in updates:  # oldest first, so that the newest ends up in front
            cites = _cited(update.content or "")
            place = next((i for i, d in enumerate(result[: self.depth]) if d.id != update.id and cites & _own(d)), None)
            here = next((i for i, d in enumerate(result) if d.id == update.id), len(result))
            if place is None:
                continue
            target = result[place]
            own = _own(target)
            # In front of older ones, too, that already stand before the passage.
            place = next((i for i, d in enumerate(result[:place]) if older.get(d.id, frozenset()) & own), place)
            older[update.id] = cites
            while place < len(result) and result[place].meta.get("tier") == 0:
                place += 1
            if here <= place:
                continue
            meta = dict(known.get(update.id, update).meta)
            meta.setdefault("tier", max(target.meta.get("tier", 2), 1))  # the query names the target, not its update
            meta.setdefault("scores", {})
            overrides = sorted(cites & own)
            promoted = replace(known.get(update.id, update), meta={**meta, "overrides": overrides})
            result = [d for d in result if d.id != update.id]
            result.insert(place, promoted)
        return {"documents": result}

    def _updates(self, targets: list[str], filters: dict[str, Any] | None) -> list[Document]:
        conditions: list[dict[str, Any]] = [
            {"field": "meta.is_update", "operator": "==", "value": True},
            {"field": "meta.cites", "operator": "in", "value": targets},
        ]
        if filters:
            conditions.append(filters)
        condition = {"operator": "AND", "conditions": conditions}
        found, _ = self.document_store.find(condition, top_k=_MOST_UPDATES, descending=True)
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


def _own(document: Document) -> set[str]:
    return set(_names(document))


def _names(document: Document) -> list[str]:
    """What a passage is, without its chapter: an update to one section doesn't override the chapter."""
    names = [*document.meta.get("self_ids", ()), *document.meta.get("within", ())]
    return [name for name in dict.fromkeys(names) if not name.startswith("mpep:c")]


def _date(document: Document) -> str:
    return max(document.meta.get("effective_date") or "", document.meta.get("publication_date") or "")

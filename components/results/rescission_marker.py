"""Marks updates that a newer one took back."""

import logging
import re
from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.analysis.cited_titles import cited_titles
from components.analysis.legal_citations import find_citations
from components.retrieval.ranking import Results
from components.retrieval.update_store import MOST_UPDATES, UpdateStore
from components.splitters.sentences import sentence_spans

logger = logging.getLogger(__name__)

_RESCINDS = re.compile(
    r"(?<!\bnot )(?<!\bnever )\b(?:rescind|rescission|withdraw|revok|revocation|supersed|vacat|no longer)",
    re.IGNORECASE,
)


@component
class RescissionMarker:
    """
    Tells of each update among the results which newer updates rescind it, whether they are among the results or not.

    A newer update rescinds one when a sentence of it names the older one, by its document number, its Federal Register
    citation or its title, and says that something is rescinded, withdrawn, revoked, superseded, vacated or no longer
    so. A proposed rule rescinds nothing yet.

    Usage example:

    ```python
    marker = RescissionMarker(document_store=TantivyDocumentStore("index/keyword"))
    marker.run(results=results)["results"].documents[0].meta.get("rescinded_by")  # ["2031-90007"]
    ```
    """

    def __init__(self, document_store: UpdateStore, depth: int = 20):
        """
        :param document_store: The keyword store of the chunks.
        :param depth: How many of the first results are looked at.
        :raises ValueError: If `depth` is below 1.
        """
        if depth < 1:
            raise ValueError(f"depth must be 1 or more, not {depth!r}")
        self.document_store = document_store
        self.depth = depth

    @component.output_types(results=Results, degraded=list[str])
    def run(self, results: Results) -> dict[str, Any]:
        """
        Mark.

        :param results: Documents, best first, with `meta["self_ids"]`, the identifiers of their records.
        :returns: `results` in the same order; a rescinded update has `meta["rescinded_by"]`, the document numbers of
            those that rescind it, newest first. `degraded`, ["keyword"] when the store can't be asked.
        """
        updates = [document for document in results.documents[: self.depth] if document.meta.get("is_update")]
        names = list(dict.fromkeys(name for update in updates for name in update.meta.get("self_ids", ())))
        if not names:
            return {"results": results, "degraded": []}
        try:
            rescinding = self._rescinding(names)
        except OSError as error:
            logger.warning("the keyword store can't be asked for rescissions: %s", error)
            return {"results": results, "degraded": ["keyword"]}
        marked = {update.id: by for update in updates if (by := _rescinded_by(update, rescinding))}
        documents = (
            replace(d, meta={**d.meta, "rescinded_by": marked[d.id]}) if d.id in marked else d
            for d in results.documents
        )
        return {"results": Results(tuple(documents)), "degraded": []}

    def _rescinding(self, names: list[str]) -> list[Document]:
        conditions = [
            {"field": "meta.is_update", "operator": "==", "value": True},
            {"field": "meta.cites", "operator": "in", "value": names},
        ]
        found, _ = self.document_store.find(
            {"operator": "AND", "conditions": conditions}, top_k=MOST_UPDATES, descending=True
        )
        in_force = [d for d in found if "proposed" not in (d.meta.get("doc_type") or "").lower()]
        return sorted(in_force, key=lambda document: (_date(document), document.id), reverse=True)


def _rescinded_by(update: Document, rescinding: list[Document]) -> list[str]:
    names = set(update.meta.get("self_ids", ()))
    numbers = (
        other.meta["section"]
        for other in rescinding
        if other.meta.get("source_id") != update.meta.get("source_id")
        and _date(other) >= _date(update)
        and names & _taken_back(other.content or "")
    )
    return list(dict.fromkeys(numbers))


def _taken_back(text: str) -> set[str]:
    """What is named in sentences that take something back."""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return {
        name
        for sentence in sentences
        if _RESCINDS.search(sentence)
        for name in (*(found.canonical for found in find_citations(sentence)), *cited_titles(sentence))
    }


def _date(document: Document) -> str:
    return document.meta.get("publication_date") or document.meta.get("effective_date") or ""

"""Loads the best candidates as Documents for rerankers and the answer."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

from haystack import Document, component

from components.retrieval.ranking import Candidate, Candidates, Results

logger = logging.getLogger(__name__)


class ChunkStore(Protocol):
    """What loading needs of a document store."""

    def get_many(self, ids: Sequence[str]) -> list[Document]: ...

    def to_dict(self) -> dict[str, Any]: ...


@component
class ResultLoader:
    """
    Ends the work on candidates: the chunks of the best ones as Documents, with tier and scores in the metadata.

    A candidate that the store lacks (a vector whose chunk was just deleted) is left out; the next one takes its place.
    When the store can't be read, a second one that holds the chunks' text, too, stands in for it.

    Usage example:

    ```python
    loader = ResultLoader(document_store=TantivyDocumentStore("index/keyword"), top_k=20)
    loader.run(candidates=candidates)["results"].documents[0].meta["scores"]["rrf_score"]
    ```
    """

    def __init__(self, document_store: ChunkStore, top_k: int = 20, fallback_store: ChunkStore | None = None):
        """
        :param document_store: The store that holds the chunks' text, the keyword store.
        :param top_k: How many candidates become Documents.
        :param fallback_store: A store of the same chunks that is read when the first one can't be.
        :raises ValueError: If `top_k` is below 1.
        """
        if top_k < 1:
            raise ValueError(f"top_k must be 1 or more, not {top_k!r}")
        self.document_store = document_store
        self.top_k = top_k
        self.fallback_store = fallback_store

    @component.output_types(results=Results, degraded=list[str])
    def run(self, candidates: Candidates, top_k: int | None = None) -> dict[str, Any]:
        """
        Load.

        :param candidates: Candidates, best first.
        :param top_k: How many become Documents, instead of the number of `__init__`.
        :returns: `results`, Documents with `score`, `meta["tier"]` and `meta["scores"]`; `degraded`, ["keyword"] when
            the store can't be read.
        :raises OSError: When no store can be read.
        """
        limit = top_k or self.top_k
        try:
            return {"results": _load(self.document_store, candidates, limit), "degraded": []}
        except OSError as error:
            if self.fallback_store is None:
                raise
            logger.warning("the keyword store can't be read: %s", error)
            return {"results": _load(self.fallback_store, candidates, limit), "degraded": ["keyword"]}


def _load(store: ChunkStore, candidates: Candidates, limit: int) -> Results:
    documents: list[Document] = []
    for start in range(0, len(candidates.items), limit):
        chosen = candidates.items[start : start + limit]
        found = {document.id: document for document in store.get_many([c.id for c in chosen])}
        documents += [_explained(found[c.id], c) for c in chosen if c.id in found]
        if len(documents) >= limit:
            break
    return Results(tuple(documents[:limit]))


def _explained(document: Document, candidate: Candidate) -> Document:
    meta = {**document.meta, "tier": candidate.tier, "scores": dict(candidate.scores)}
    return Document(id=document.id, content=document.content, score=candidate.score, meta=meta)

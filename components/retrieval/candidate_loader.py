"""Loads the chunks of the best candidates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from haystack import Document, component

from components.retrieval.ranking import Candidates


class ChunkStore(Protocol):
    """What loading needs of a document store."""

    def get_many(self, ids: Sequence[str]) -> list[Document]: ...

    def to_dict(self) -> dict[str, Any]: ...


@component
class CandidateLoader:
    """
    Puts the stored chunk to each of the best candidates.

    The chunks travel inside the candidates, which a pipeline doesn't copy. A candidate that the store lacks (a vector
    whose chunk was just deleted) is left out.

    Usage example:

    ```python
    loader = CandidateLoader(document_store=TantivyDocumentStore("index/keyword"), top_k=100)
    loader.run(candidates=candidates)["candidates"].items[0].document.content
    ```
    """

    def __init__(self, document_store: ChunkStore, top_k: int = 100):
        """
        :param document_store: The store that holds the chunks' text.
        :param top_k: How many candidates go on.
        :raises ValueError: If `top_k` is below 1.
        """
        if top_k < 1:
            raise ValueError(f"top_k must be 1 or more, not {top_k!r}")
        self.document_store = document_store
        self.top_k = top_k

    @component.output_types(candidates=Candidates)
    def run(self, candidates: Candidates) -> dict[str, Candidates]:
        """
        Load.

        :param candidates: Candidates, best first.
        :returns: The first `top_k` of them that the store holds, each with its `document`.
        """
        best = candidates.items[: self.top_k]
        found = {document.id: document for document in self.document_store.get_many([c.id for c in best])}
        return {"candidates": Candidates(tuple(replace(c, document=found[c.id]) for c in best if c.id in found))}

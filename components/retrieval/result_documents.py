"""Turns the best candidates into Documents for rerankers and the answer."""

from typing import Any

from haystack import Document, component

from components.retrieval.ranking import Candidates


class ResultDocument(Document):
    """A Document that pipelines hand on without copying it: whoever changes a result makes a new one."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "ResultDocument":
        return self


@component
class ResultDocuments:
    """
    Ends the work on candidates: their Documents, best first, with tier and scores in the metadata.

    Usage example:

    ```python
    ResultDocuments(top_k=20).run(candidates=candidates)["documents"][0].meta["scores"]["rrf_score"]
    ```
    """

    def __init__(self, top_k: int = 20):
        """
        :param top_k: How many candidates become Documents.
        :raises ValueError: If `top_k` is below 1.
        """
        if top_k < 1:
            raise ValueError(f"top_k must be 1 or more, not {top_k!r}")
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(self, candidates: Candidates, top_k: int | None = None) -> dict[str, list[Document]]:
        """
        Turn candidates into Documents.

        :param candidates: Candidates with their documents, best first.
        :param top_k: How many, instead of the number of `__init__`.
        :returns: `documents` with `score`, `meta["tier"]` and `meta["scores"]`.
        """
        documents: list[Document] = [
            ResultDocument(
                id=c.id,
                content=c.document.content,
                score=c.score,
                meta={**c.document.meta, "tier": c.tier, "scores": dict(c.scores)},
            )
            for c in candidates.items[: top_k or self.top_k]
            if c.document is not None
        ]
        return {"documents": documents}

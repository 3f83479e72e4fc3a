"""Reranks what fusion found with a cross-encoder, where there is one."""

import inspect
import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from haystack import Document, component, default_to_dict

from components.optional_service import OptionalService, Unavailable, from_dict_or_unavailable, part_to_dict
from components.retrieval.ranking import Results

logger = logging.getLogger(__name__)

_EXACT_TIERS = (0, 1)


@component
class Reranker:
    """
    Orders documents by the scores of a Haystack ranker, below those that the query names or that cite what it names.

    The search never depends on it: without a ranker the documents pass as they are, and a ranker that can't be loaded,
    fails or isn't done in time leaves them as they are and is named in `degraded`.

    Usage example:
    ```python
    from haystack_integrations.components.rankers.sentence_transformers import SentenceTransformersSimilarityRanker

    reranker = Reranker(ranker=SentenceTransformersSimilarityRanker(model="BAAI/bge-reranker-v2-m3"), top_k=40)
    reranker.run(query="lack of written description", results=results)["results"].documents
    ```
    """

    def __init__(
        self,
        ranker: Any | None = None,
        top_k: int | None = None,
        timeout: float = 5.0,
        load_timeout: float = 120.0,
        max_failures: int = 5,
        pause: float = 15.0,
    ):
        """
        :param ranker: A Haystack ranker, `run(query, documents) -> {"documents"}`; None turns the component off.
        :param top_k: How many documents are reranked at most; the others stay below them in their order. None for all.
        :param timeout: Seconds that reranking may take.
        :param load_timeout: Seconds that loading the model may take.
        :param max_failures: Failures in a row after which the ranker isn't tried for `pause` seconds.
        :param pause: See `max_failures`.
        :raises ValueError: If a number is out of range.
        """
        if top_k is not None and top_k < 1:
            raise ValueError(f"top_k: {top_k!r} is not allowed; it must be at least 1, or None")
        if not load_timeout > 0:
            raise ValueError(f"load_timeout: {load_timeout!r} is not allowed; it must be greater than 0")
        self.ranker = ranker
        self.top_k = top_k
        self.timeout = timeout
        self.load_timeout = load_timeout
        self.max_failures = max_failures
        self.pause = pause
        # One call at a time: a model uses all cores by itself, and tokenizers don't like to be shared.
        self._service = OptionalService("reranker", timeout, max_failures, pause, slots=1)
        self._is_warmed_up = False
        self._is_loading = False

    def to_dict(self) -> dict[str, Any]:
        """
        Serialise the component.

        :returns: The serialised form.
        """
        return default_to_dict(
            self,
            ranker=part_to_dict(self.ranker, "ranker"),
            top_k=self.top_k,
            timeout=self.timeout,
            load_timeout=self.load_timeout,
            max_failures=self.max_failures,
            pause=self.pause,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Reranker":
        """
        Deserialise the component; a ranker that can't be made (package not installed) degrades its answers only.

        :param data: The serialised form.
        :returns: The component.
        """
        return from_dict_or_unavailable(cls, data, "ranker")

    def warm_up(self) -> None:
        """
        Load the ranker's model, once; a failure is logged, and the next query tries again. Loading that takes longer
        than `load_timeout` goes on, and searches go without it until it is done.
        """
        if self._is_warmed_up or self.ranker is None or isinstance(self.ranker, Unavailable):
            return
        self._is_warmed_up = True
        self._service.call(self._load_first, self.load_timeout)

    @component.output_types(results=Results, degraded=list[str])
    def run(self, query: str, results: Results) -> dict[str, Any]:
        """
        Rerank documents.

        :param query: The user's query.
        :param results: Documents, best first, with `tier` and `scores` in their meta. Those of tiers 0 and 1 stay on
            top.
        :returns: `results`, reordered, with `rerank_score` (0..1) among their scores; `degraded`, with "reranker" if
            they should have been reordered and aren't.
        """
        top = [document for document in results.documents if document.meta.get("tier", 2) in _EXACT_TIERS]
        others = [document for document in results.documents if document.meta.get("tier", 2) not in _EXACT_TIERS]
        chosen = others if self.top_k is None else others[: self.top_k]
        if self.ranker is None or not chosen:
            return {"results": results, "degraded": []}
        # What loads holds the service's one slot, and no search needs to wait to see that.
        scores = None if self._is_loading else self._service.call(lambda: self._score(query, chosen))
        if scores is None:
            return {"results": results, "degraded": ["reranker"]}
        ranked = [_with_score(document, scores[document.id]) for document in chosen if document.id in scores]
        ranked.sort(key=lambda document: (-document.meta["scores"]["rerank_score"], document.id))
        unranked = [document for document in chosen if document.id not in scores]
        return {"results": Results((*top, *ranked, *unranked, *others[len(chosen) :])), "degraded": []}

    def _load_first(self) -> bool:
        self._is_loading = True
        try:
            return self._load()
        finally:
            self._is_loading = False

    def _load(self) -> bool:
        ranker: Any = self.ranker
        if hasattr(ranker, "warm_up"):
            ranker.warm_up()
        return True

    def _score(self, query: str, documents: Sequence[Document]) -> dict[str, float]:
        """The ranker's scores by document id, all of them 0..1."""
        self._load()
        assert self.ranker is not None
        # Copies, because rankers may write to what they are given.
        copies = [replace(document, meta=dict(document.meta)) for document in documents]
        takes_top_k = "top_k" in inspect.signature(self.ranker.run).parameters
        options = {"top_k": len(copies)} if takes_top_k else {}
        ranked = self.ranker.run(query=query, documents=copies, **options)["documents"]
        scores = {document.id: document.score for document in ranked}
        if not scores or any(score is None or not math.isfinite(score) for score in scores.values()):
            raise ValueError("the ranker gave no scores")
        if any(not 0 <= score <= 1 for score in scores.values()):  # logits
            return {id: 1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for id, score in scores.items()}
        return {id: float(score) for id, score in scores.items()}


def _with_score(document: Document, score: float) -> Document:
    return replace(
        document, meta={**document.meta, "scores": {**document.meta.get("scores", {}), "rerank_score": score}}
    )

"""Two fixed terms on top of the fused score: neighbouring words in a row, and the title."""

import logging
from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np
from haystack import Document, component

from components.analysis.analyzed_text import AnalyzedText
from components.retrieval.ranking import Candidates, source_of
from components.retrieval.title_shares import TitleShares
from components.stores.term_clause import TermClause

logger = logging.getLogger(__name__)


class PhraseStore(Protocol):
    """What the two terms need of a keyword store."""

    def get_many(self, ids: Sequence[str]) -> list[Document]: ...

    def score(self, ids: Any, clauses: Any) -> dict[str, float]: ...

    def document_frequencies(self, field: str, terms: Any) -> dict[str, int]: ...

    def count_documents(self) -> int: ...

    def version(self) -> Hashable: ...

    def to_dict(self) -> dict[str, Any]: ...


@component
class PhraseTitleBooster:
    """
    Adds `phrase_weight x z(phrase) + title_weight x z(title)` to each candidate's score.

    phrase is the BM25 score of pairs of neighbouring stems in title and text; title is the share of the title's idf
    mass, section number included, that the query contains. z is over the query's candidates, clipped at +-`clip`. The
    sum is divided by its largest possible value, so a score of 0..1 stays below 1. Measured, the two gain more than any
    untrained reranker.

    Usage example:

    ```python
    booster = PhraseTitleBooster(document_store=keyword_store, title_store=parents_store)
    booster.run(candidates=candidates, analysis=analyze_english("new matter in the drawings"))["candidates"]
    ```
    """

    def __init__(
        self,
        document_store: PhraseStore,
        title_store: PhraseStore | None = None,
        phrase_weight: float = 0.03,
        title_weight: float = 0.03,
        clip: float = 6.0,
        phrase_field: str = "phrase",
        title_field: str = "title_stems",
    ):
        """
        :param document_store: The keyword store of the chunks.
        :param title_store: Where titles are read and counted for their idf: the store of whole records, so that a long
            section counts once; by default the chunks' store.
        :param phrase_weight: What one standard deviation of the phrase score adds.
        :param title_weight: What one standard deviation of the title share adds.
        :param clip: Largest z either way.
        :param phrase_field: Index field and token stream of the pairs of stems.
        :param title_field: Index field of the titles' stems.
        :raises ValueError: If a number is below 0.
        """
        if min(phrase_weight, title_weight, clip) < 0:
            raise ValueError(f"weights and clip must be 0 or more, not {phrase_weight!r}, {title_weight!r}, {clip!r}")
        self.document_store = document_store
        self.title_store = title_store
        self.phrase_weight = phrase_weight
        self.title_weight = title_weight
        self.clip = clip
        self.phrase_field = phrase_field
        self.title_field = title_field
        self._titles = TitleShares(title_store or document_store, title_field)

    @component.output_types(candidates=Candidates, degraded=list[str])
    def run(
        self, candidates: Candidates, analysis: AnalyzedText, analyses: list[AnalyzedText] | None = None
    ) -> dict[str, Any]:
        """
        Add the two terms.

        :param candidates: Candidates.
        :param analysis: The analysed query.
        :param analyses: The query and its variants; what one of them holds counts as if the query held it.
        :returns: `candidates` in their new order, with `phrase_score` and `title_share` explained; `degraded`,
            ["keyword"] when the store can't be asked and they stay as they are.
        """
        if not candidates.items:
            return {"candidates": candidates, "degraded": []}
        try:
            return {"candidates": self._boosted(candidates, analyses or [analysis]), "degraded": []}
        except OSError as error:
            logger.warning("the keyword store can't be asked for phrases and titles: %s", error)
            return {"candidates": candidates, "degraded": ["keyword"]}

    def _boosted(self, candidates: Candidates, analyses: Sequence[AnalyzedText]) -> Candidates:
        items = candidates.items
        neighbours = dict.fromkeys(term for each in analyses for term in each.terms(self.phrase_field))
        stems = frozenset(term for each in analyses for term in each.terms("stems"))
        clauses = [TermClause(self.phrase_field, term) for term in neighbours]
        scores = self.document_store.score([c.id for c in items], clauses) if clauses else {}
        phrase = [scores.get(c.id, 0.0) for c in items]
        names = [c.id if self.title_store is None else source_of(c.id) for c in items]
        title = self._titles.of(names, stems)
        added = self.phrase_weight * standardised(phrase, self.clip)
        added += self.title_weight * standardised(title, self.clip)
        largest = 1 + self.clip * (self.phrase_weight + self.title_weight)
        rescored = [
            candidate.rescored((candidate.score + extra) / largest, phrase_score=round(p, 6), title_share=round(t, 6))
            for candidate, extra, p, t in zip(items, added.tolist(), phrase, title, strict=True)
        ]
        return Candidates.sort(rescored)


def standardised(values: Sequence[float], clip: float) -> np.ndarray:
    """
    z-scores, clipped; all 0 when the values are all the same.

    :param values: One value a candidate.
    :param clip: Largest z either way.
    :returns: An array of the same length.
    """
    array = np.asarray(values, dtype=float)
    deviation = array.std()
    # Equal values can leave a deviation of rounding errors.
    if deviation <= 1e-12 * max(1.0, float(np.abs(array).max(initial=0.0))):
        return np.zeros(len(array))
    return np.clip((array - array.mean()) / deviation, -clip, clip)

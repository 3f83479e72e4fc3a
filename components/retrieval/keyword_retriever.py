"""The keyword arm: BM25 over weighted fields, with the whole record's score beside the chunk's."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from haystack import component

from components.analysis.analyzed_text import AnalyzedText
from components.retrieval.ranking import Ranking, source_of
from components.retrieval.time_budget import TimeBudget
from components.stores.ranked_hits import best
from components.stores.term_clause import TermClause

logger = logging.getLogger(__name__)

_POOL_FACTOR = 2  # chunks fetched for each one returned, so that a strong record can lift its weaker chunks


class KeywordStore(Protocol):
    """What the keyword arm needs of a document store."""

    def search(
        self, clauses: Any, filters: Mapping[str, Any] | None = None, top_k: int = 10, phrases: Any = ()
    ) -> list[tuple[str, float]]: ...

    def score(self, ids: Any, clauses: Any) -> dict[str, float]: ...

    def document_frequencies(self, field: str, terms: Any) -> dict[str, int]: ...

    def count_documents(self) -> int: ...

    def warm_up(self) -> None: ...

    def to_dict(self) -> dict[str, Any]: ...


@component
class KeywordRetriever:
    """
    Ranks chunks by the weighted sum of BM25 scores over several index fields.

    `score(chunk) = sum of weight x BM25(field) + parent_weight x the same over the whole record's fields`. Chunks of a
    record whose text as a whole answers the query rise that way. Quoted phrases are required as they stand.

    Usage example:

    ```python
    store = TantivyDocumentStore("index/keyword")
    retriever = KeywordRetriever(document_store=store, fields={"words": 1, "stems": 0.5})
    retriever.run(analysis=analyze_english("written description"))["rankings"]
    ```
    """

    def __init__(
        self,
        document_store: KeywordStore,
        fields: dict[str, float],
        streams: dict[str, str] | None = None,
        parent_store: KeywordStore | None = None,
        parent_fields: dict[str, float] | None = None,
        phrase_field: str = "words",
        top_k: int = 100,
        max_terms: int = 256,
        timeout: float | None = None,
    ):
        """
        :param document_store: The keyword store of the chunks.
        :param fields: Index field -> weight.
        :param streams: Index field -> the query's token stream that it is searched with; by default the stream of the
            same name.
        :param parent_store: The keyword store of the whole records, if they count.
        :param parent_fields: Index field of the records -> weight.
        :param phrase_field: The field that quoted phrases are looked up in.
        :param top_k: How many chunks to return.
        :param max_terms: Terms a stream; of a longer query the rarest are searched.
        :param timeout: Seconds that a search may take before the answer goes without it; None for no limit.
        :raises ValueError: If a weight is not above 0, or parents lack a store or fields.
        """
        for name, weight in {**fields, **(parent_fields or {})}.items():
            if weight <= 0:
                raise ValueError(f"the weight of field {name!r} must be above 0, not {weight!r}")
        if not fields or top_k < 1 or max_terms < 1:
            raise ValueError(
                f"need at least one field, and top_k and max_terms of 1 or more; got {fields!r}, {top_k!r}"
            )
        if (parent_store is None) != (not parent_fields):
            raise ValueError("parent_store and parent_fields go together; one of them is missing")
        self.document_store = document_store
        self.fields = fields
        self.streams = streams or {}
        self.parent_store = parent_store
        self.parent_fields = parent_fields
        self.phrase_field = phrase_field
        self.top_k = top_k
        self.max_terms = max_terms
        self.timeout = timeout
        self._budget = TimeBudget("the keyword arm", timeout)
        self._is_warmed_up = False

    def warm_up(self) -> None:
        """Let the stores read what every search needs, once."""
        if self._is_warmed_up:
            return
        self._is_warmed_up = True
        for store in (self.document_store, self.parent_store):
            if store is not None:
                store.warm_up()

    @component.output_types(rankings=list[Ranking], required=frozenset[str] | None, degraded=list[str])
    def run(
        self,
        analysis: AnalyzedText,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        analyses: list[AnalyzedText] | None = None,
    ) -> dict[str, Any]:
        """
        Rank.

        :param analysis: The analysed query.
        :param filters: Haystack filters, applied inside the search.
        :param top_k: How many chunks to return, instead of the one of `__init__`.
        :param analyses: The query and its variants, each of which is searched; what is quoted is taken from the query.
        :returns: `rankings`, one list a variant; `required`, the chunks with all quoted phrases, or None when nothing
            is quoted; `degraded`, ["keyword"] when the store can't be searched,
            or not in time.
        """
        limit = top_k or self.top_k
        try:
            found = self._budget.run(
                lambda: [(each.text, *self._rank(each, filters, limit)) for each in analyses or [analysis]]
            )
        except OSError as error:
            logger.warning("the keyword store can't be searched: %s", error)
            found = None
        if found is None:
            return {"rankings": [], "required": None, "degraded": ["keyword"]}
        rankings = [Ranking(tuple(entries), text) for text, entries, _ in found]
        return {"rankings": rankings, "required": found[0][2], "degraded": []}

    def _rank(
        self, analysis: AnalyzedText, filters: dict[str, Any] | None, limit: int
    ) -> tuple[list[tuple[str, float]], frozenset[str] | None]:
        phrases = [(self.phrase_field, list(terms)) for terms in analysis.phrases]
        required = None
        if phrases:
            held = self.document_store.search(
                [], filters=filters, top_k=max(self.document_store.count_documents(), 1), phrases=phrases
            )
            required = frozenset(chunk_id for chunk_id, _ in held)
        clauses = self._clauses(analysis, self.fields, self.document_store.document_frequencies)
        if not clauses and not phrases:
            return [], required
        pool = limit if self.parent_store is None else limit * _POOL_FACTOR
        found = self.document_store.search(clauses, filters=filters, top_k=pool, phrases=phrases)
        if self.parent_store is None or not self.parent_fields:
            return found, required
        records = [source_of(chunk_id) for chunk_id, _ in found]
        clauses = self._clauses(analysis, self.parent_fields, self.parent_store.document_frequencies)
        whole = self.parent_store.score(sorted(set(records)), clauses)
        entries = [(name, score + whole[record]) for (name, score), record in zip(found, records, strict=True)]
        return best(entries, limit), required

    def _clauses(
        self, analysis: AnalyzedText, fields: dict[str, float], frequencies: Callable[..., dict[str, int]]
    ) -> list[TermClause]:
        clauses: list[TermClause] = []
        for field, weight in fields.items():
            terms = list(dict.fromkeys(analysis.terms(self.streams.get(field, field))))
            if len(terms) > self.max_terms:
                counts = frequencies(field, terms)
                rarest = sorted((term for term in terms if counts[term]), key=lambda term: (counts[term], term))
                terms = rarest[: self.max_terms]
            clauses.extend(TermClause(field, term, weight) for term in terms)
        return clauses

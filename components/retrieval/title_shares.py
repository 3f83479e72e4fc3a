"""How much of a title a query contains."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from haystack import Document

from components.analysis.english import analyze_english

_MOST_TITLES = 200_000


class TitleStore(Protocol):
    """What title shares need of a keyword store."""

    def get_many(self, ids: Sequence[str]) -> list[Document]: ...

    def document_frequencies(self, field: str, terms: Any) -> dict[str, int]: ...

    def count_documents(self) -> int: ...

    def version(self) -> Hashable: ...


@dataclass(frozen=True, slots=True)
class _Title:
    terms: frozenset[str]
    mass: float


@dataclass
class _Seen:
    """Titles and idf as of one version of the store."""

    version: Hashable
    documents: int
    titles: dict[str, _Title] = field(default_factory=dict)
    idf: dict[str, float] = field(default_factory=dict)


class TitleShares:
    """
    The share of a title's idf mass that a query contains, number included; titles are read once.

    ```python
    shares = TitleShares(parents_store, "title_stems")
    shares.of(["MPEP-2106"], frozenset({"eligibl"}))  # [0.31]
    ```

    :param store: The keyword store of the documents; their meta holds `title_terms`, or `number_label` and `title`.
    :param title_field: Its text field of the titles' stems, for their document frequencies.
    """

    def __init__(self, store: TitleStore, title_field: str):
        self._store = store
        self._field = title_field
        self._seen = _Seen(object(), 0)

    def of(self, ids: Sequence[str], query: frozenset[str]) -> list[float]:
        """
        The share of each document's title.

        :param ids: The documents' ids; one may come more than once.
        :param query: The query's stems.
        :returns: A number in 0..1 for each id; 0 for a document that isn't there or has no title.
        """
        seen = self._current()
        missing = [document_id for document_id in dict.fromkeys(ids) if document_id not in seen.titles]
        if missing:
            self._read(seen, missing)
        titles = [seen.titles[document_id] for document_id in ids]
        return [sum(map(seen.idf.__getitem__, sorted(t.terms & query))) / t.mass if t.mass else 0.0 for t in titles]

    def _current(self) -> _Seen:
        version = self._store.version()
        seen = self._seen
        if seen.version is not version or len(seen.titles) > _MOST_TITLES:
            seen = self._seen = _Seen(version, self._store.count_documents())
        return seen

    def _read(self, seen: _Seen, ids: list[str]) -> None:
        found = {document.id: document.meta for document in self._store.get_many(ids)}
        terms = {document_id: _terms(meta) for document_id, meta in found.items()}
        unknown = {term for title in terms.values() for term in title if term not in seen.idf}
        if unknown:
            frequencies = self._store.document_frequencies(self._field, sorted(unknown))
            seen.idf.update(inverse_frequencies(unknown, seen.documents, frequencies))
        for document_id in ids:
            title = terms.get(document_id, frozenset())
            seen.titles[document_id] = _Title(title, sum(seen.idf[term] for term in sorted(title)))


def inverse_frequencies(terms: Iterable[str], documents: int, frequencies: Mapping[str, int]) -> dict[str, float]:
    """
    BM25's idf of each term: ln(1 + (N - n + 0.5) / (n + 0.5)).

    >>> inverse_frequencies(["claim"], 2, {"claim": 1})
    {'claim': 0.6931471805599453}
    """
    counts = {term: frequencies.get(term, 0) for term in terms}
    return {term: math.log(1 + (documents - count + 0.5) / (count + 0.5)) for term, count in counts.items()}


def _terms(meta: Mapping[str, Any]) -> frozenset[str]:
    if "title_terms" in meta:
        return frozenset(meta["title_terms"])
    return title_terms(meta.get("number_label", ""), meta.get("title", ""))


def title_terms(number_label: str, title: str) -> frozenset[str]:
    """
    The stems of a title with its number.

    >>> sorted(title_terms("37 CFR 1.75", "Claims"))
    ['cfr:37:1.75', 'claim']
    """
    return frozenset(analyze_english(f"{number_label} {title}").terms("stems"))

"""Marks what a query matched in the results."""

from collections.abc import Iterable
from dataclasses import replace

from haystack import Document, component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.english import english_words, index_stem, words_with_stems
from components.retrieval.ranking import Results


@component
class Highlighter:
    """
    Ends a query pipeline: the results as Documents, with `meta["highlights"]`, the character ranges of a result's text
    that match the query's words by their stems.

    Usage example:

    ```python
    results = Results((Document(content="New matter was added."),))
    Highlighter().run(results=results, analysis=analyze_english("matters"))["documents"][0].meta["highlights"]
    # [[4, 10]]
    ```
    """

    @component.output_types(documents=list[Document])
    def run(self, results: Results, analysis: AnalyzedText, top_k: int | None = None) -> dict[str, list[Document]]:
        """
        Highlight.

        :param results: The results, best first.
        :param analysis: The analysed query.
        :param top_k: How many results the answer holds; the others are cut off.
        :returns: `documents` with `meta["highlights"]`, a list of [start, end] in order; neighbours are joined.
        """
        wanted = frozenset(analysis.terms("stems"))
        marked = [
            replace(d, meta={**d.meta, "highlights": highlights(d.content or "", wanted)})
            for d in results.documents[:top_k]
        ]
        return {"documents": marked}


def highlights(text: str, stems: frozenset[str]) -> list[list[int]]:
    """
    Ranges of a text whose words have one of the stems.

    :param text: The text.
    :param stems: Stems and canonical identifiers.
    :returns: [start, end] ranges in order, those with nothing but a blank or hyphen between them joined.
    """
    return joined(text, _matches(text, stems))


def joined(text: str, matches: Iterable[tuple[int, int]]) -> list[list[int]]:
    """
    Matches in order, those with nothing but a blank or hyphen between them as one.

    >>> joined("new matter", [(0, 3), (4, 10)])
    [[0, 10]]

    :param text: The text.
    :param matches: (start, end) in order.
    :returns: [start, end] ranges that don't overlap.
    """
    ranges: list[list[int]] = []
    for start, end in matches:
        if ranges and start <= ranges[-1][1] + 1 and text[ranges[-1][1] : start] in ("", " ", "-"):
            ranges[-1][1] = max(ranges[-1][1], end)
        else:
            ranges.append([start, end])
    return ranges


def _matches(text: str, stems: frozenset[str]) -> Iterable[tuple[int, int]]:
    if any(":" in stem for stem in stems):  # a citation was searched for, so they have to be read
        return [(token.start, token.end) for token in english_words(text) if index_stem(token.term) in stems]
    return words_with_stems(text, stems)

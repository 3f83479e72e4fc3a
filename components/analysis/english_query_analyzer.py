"""Analyses English queries."""

from haystack import component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.english import analyze_english


@component
class EnglishQueryAnalyzer:
    """
    Analyses an English query: protected citations, words without stop words, stems, pairs of stems, quoted phrases.

    Usage example:

    ```python
    EnglishQueryAnalyzer().run(query='"new matter" under 35 USC 132(a)')["analysis"].phrases  # (("new", "matter"),)
    ```
    """

    @component.output_types(analysis=AnalyzedText, texts=list[str])
    def run(self, query: str) -> dict[str, AnalyzedText | list[str]]:
        """
        Analyse.

        :param query: The query as typed.
        :returns: `analysis`; `texts`, the query's variants for the embedder.
        """
        return {"analysis": analyze_english(query, query=True), "texts": [query]}

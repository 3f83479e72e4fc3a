"""Analyses English queries."""

from dataclasses import replace

from haystack import component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.english import analyze_english
from components.query.question_frame import frame_length


@component
class EnglishQueryAnalyzer:
    """
    Analyses an English query: protected citations, words without stop words, stems, pairs of stems, quoted phrases.

    The frame of a question ("Where is the section concerning ...") is not searched for.

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
        start = frame_length(query)
        analysis = analyze_english(query, query=True)
        if start:
            tokens = {name: tuple(t for t in stream if t.start >= start) for name, stream in analysis.tokens.items()}
            analysis = replace(analysis, tokens=tokens)
        return {"analysis": analysis, "texts": [query[start:]]}

"""Marks what a Japanese, English or Korean query matched in the results."""

from dataclasses import replace

from haystack import Document, component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.highlighter import joined
from components.analysis.multilingual import MultilingualAnalysis
from components.retrieval.ranking import Results


@component
class MultilingualHighlighter:
    """
    Ends a query pipeline: the results as Documents, with `meta["highlights"]`, the character ranges of a result's text
    that match the query or one of its variants, by normalised words, synonym groups or numbers.

    A Korean text is marked where it shares runs of two characters with the query.

    Usage example:

    ```python
    results = Results((Document(content="サーバー障害の報告", meta={"language": "ja"}),))
    analysis = QueryAnalyzer().run(query="ｻｰﾊﾞ", language="ja")["analysis"]
    MultilingualHighlighter().run(results=results, analyses=[analysis])["documents"][0].meta["highlights"]  # [[0, 4]]
    ```
    """

    def __init__(self, mode: str = "A", user_dictionary: str | None = None):
        """
        :param mode: Sudachi's split mode, that of the index.
        :param user_dictionary: The path of a compiled Sudachi user dictionary, that of the index.
        :raises ValueError: If the mode is unknown, or there is no such dictionary.
        """
        self.mode = mode
        self.user_dictionary = user_dictionary
        self._analysis = MultilingualAnalysis(mode, user_dictionary)

    @component.output_types(documents=list[Document])
    def run(
        self, results: Results, analyses: list[AnalyzedText], top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """
        Highlight.

        :param results: The results, best first.
        :param analyses: The analysed query and its variants.
        :param top_k: How many results the answer holds; the others are cut off.
        :returns: `documents` with `meta["highlights"]`, a list of [start, end] in order; neighbours are joined.
        """
        wanted = {
            name: frozenset(term for analysis in analyses for term in analysis.terms(name))
            for name in ("words", "stems", "synonyms", "bigrams")
        }
        documents = [
            replace(document, meta={**document.meta, "highlights": self._marked(document, wanted)})
            for document in results.documents[:top_k]
        ]
        return {"documents": documents}

    def _marked(self, document: Document, wanted: dict[str, frozenset[str]]) -> list[list[int]]:
        text, language = document.content or "", str(document.meta.get("language") or "ja")
        # Pairs of characters say too little where there are words.
        found = self._analysis.analyze(text, language, words_alone=language != "ko").tokens
        streams = ("words", "bigrams") if language == "ko" else ("words", "stems", "synonyms")
        spans = {(t.start, t.end) for name in streams for t in found[name] if t.term in wanted[name]}
        return joined(text, sorted(spans))

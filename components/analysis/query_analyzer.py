"""Analyses queries in Japanese, English and Korean."""

from typing import Any

from haystack import component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.language_detector import detect_language
from components.analysis.multilingual import MultilingualAnalysis


@component
class QueryAnalyzer:
    """
    Analyses a query and its variants: protected identifiers, normalised words, synonym groups, bigrams, quoted phrases.

    Usage example:

    ```python
    QueryAnalyzer().run(query="ＥＶ－２０２４－００１の進捗", language="ja")["analysis"].identifiers
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

    def warm_up(self) -> None:
        """Load the dictionary."""
        self._analysis.analyze("準備", "ja")

    @component.output_types(analysis=AnalyzedText, analyses=list[AnalyzedText], texts=list[str], language=str | None)
    def run(self, query: str, language: str = "ja", variants: list[str] | None = None) -> dict[str, Any]:
        """
        Analyse.

        :param query: The query as typed.
        :param language: The language that it is read in.
        :param variants: Other ways to put it, which are searched as well, each in its own language.
        :returns: `analysis` of the query, `analyses` of it and its variants, `texts`, all of them for the embedder, and
            `language`, what they are in; None where that differs.
        """
        others = list(variants or ())
        languages = [language, *(detect_language(variant) for variant in others)]
        texts = [query, *others]
        analyses = [self._analysis.analyze(text, own, query=True) for text, own in zip(texts, languages, strict=True)]
        agreed = language if set(languages) == {language} else None
        return {"analysis": analyses[0], "analyses": analyses, "texts": texts, "language": agreed}

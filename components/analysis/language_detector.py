"""Tells the language of queries and chunks by their script."""

from dataclasses import replace
from typing import Any

from haystack import Document, component

LANGUAGES = ("ja", "en", "ko", "mixed")
_JAPANESE_SHARE = 0.1
# Code point ranges of the scripts, half-width forms included.
_KANA_KANJI = (
    *((0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)),
    *((0xFF66, 0xFF9F), (0x20000, 0x323AF)),
)
_HANGUL = ((0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xFFA0, 0xFFDC))


def detect_language(text: str) -> str:
    """
    The language of a text by the shares of its letters; digits, symbols and blanks don't count.

    More kana and kanji than a tenth is "ja", unless there is more hangul; any other hangul is "ko"; a few kanji or kana
    in other text is "mixed"; neither is "en".

    >>> detect_language("MTG 資料"), detect_language("EV-2024-001"), detect_language("特許 검색 방법")
    ('ja', 'en', 'ko')

    :param text: Any text.
    :returns: "ja", "en", "ko" or "mixed".
    """
    if text.isascii():
        return "en"
    letters = [ord(char) for char in text if char.isalpha() or char in "々〇ー"]
    japanese = sum(_in(letter, _KANA_KANJI) for letter in letters)
    korean = sum(_in(letter, _HANGUL) for letter in letters)
    if japanese > _JAPANESE_SHARE * len(letters) and japanese >= korean:
        return "ja"
    if korean:
        return "ko"
    return "mixed" if japanese else "en"


def _in(letter: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= letter <= high for low, high in ranges)


@component
class LanguageDetector:
    """
    Tells the language of a query, or of chunks and whole documents.

    Usage example:

    ```python
    LanguageDetector().run(query="お盆休みの予定")["language"]  # "ja"
    LanguageDetector().run(documents=[Document(content="New matter")])["documents"][0].meta["language"]  # "en"
    ```
    """

    @component.output_types(query=str, language=str, documents=list[Document], records=list[Document])
    def run(
        self,
        query: str = "",
        language: str = "auto",
        documents: list[Document] | None = None,
        records: list[Document] | None = None,
    ) -> dict[str, Any]:
        """
        Tell languages.

        :param query: A query as typed.
        :param language: The language that the caller wants it to be read in, or "auto".
        :param documents: Chunks; one that has `meta["language"]` keeps it.
        :param records: Whole documents, likewise.
        :returns: `query` as it came, with its `language`; `documents` and `records` with `meta["language"]`.
        :raises ValueError: If `language` is neither "auto" nor one that is known.
        """
        if language != "auto" and language not in LANGUAGES:
            raise ValueError(f"language must be auto, {', '.join(LANGUAGES)}, not {language!r}")
        return {
            "query": query,
            "language": detect_language(query) if language == "auto" else language,
            "documents": [_told(document) for document in documents or []],
            "records": [_told(document) for document in records or []],
        }


def _told(document: Document) -> Document:
    if document.meta.get("language") in LANGUAGES:
        return document
    text = document.content or str(document.meta.get("title", ""))
    return replace(document, meta={**document.meta, "language": detect_language(text)})

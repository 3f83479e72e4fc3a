"""Adds the token streams of Japanese text, and of English and Korean text beside it, to chunks and records."""

from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.analysis.analyzed_text import AnalyzedText
from components.analysis.multilingual import MultilingualAnalysis


@component
class SudachiNormalizer:
    """
    Analyses chunks, and the documents that they were cut from, for the keyword stores; each in its `meta["language"]`.

    Each Document gets `meta["index"]`, a dictionary from index field to space-joined tokens: the streams of
    `MultilingualAnalysis` of its text, and "title", "title_stems" and "title_bigrams" of its title; and
    `meta["identifiers"]`, what its title and text hold of project and document numbers. What it is itself, by its
    project number and by the numbers in its title, stands in `meta["self_ids"]`, the others in `meta["cites"]`.

    Usage example:

    ```python
    chunk = Document(id="a#1", content="サーバ障害の報告", meta={"title": "障害報告", "language": "ja"})
    SudachiNormalizer().run(documents=[chunk])["documents"][0].meta["index"]["words"]  # "サーバ 障害 報告"
    ```
    """

    def __init__(self, mode: str = "A", user_dictionary: str | None = None):
        """
        :param mode: Sudachi's split mode, "A" (short units), "B" or "C" (named entities stay whole).
        :param user_dictionary: The path of a compiled Sudachi user dictionary; its entries in normalised form.
        :raises ValueError: If the mode is unknown, or there is no such dictionary.
        """
        self.mode = mode
        self.user_dictionary = user_dictionary
        self._analysis = MultilingualAnalysis(mode, user_dictionary)

    @component.output_types(documents=list[Document], records=list[Document])
    def run(self, documents: list[Document], records: list[Document] | None = None) -> dict[str, list[Document]]:
        """
        Add token streams.

        :param documents: Chunks; one without `meta["language"]` is read as Japanese.
        :param records: Whole documents, where there is an index of them.
        :returns: `documents` and `records`, in order.
        """
        titles: dict[tuple[str, str], AnalyzedText] = {}

        def normalized(document: Document, is_record: bool) -> Document:
            meta = document.meta
            language = str(meta.get("language") or "ja")
            key = (str(meta.get("title") or ""), language)
            if key not in titles:
                titles[key] = self._analysis.analyze(*key)
            text = self._analysis.analyze(document.content or "", language)
            added = _identified(meta, titles[key], text)
            if is_record:
                added["title_terms"] = sorted(set(titles[key].terms("stems")))
            return replace(document, meta={**meta, **added, "index": _index(titles[key], text, is_record)})

        return {
            "documents": [normalized(document, False) for document in documents],
            "records": [normalized(record, True) for record in records or []],
        }


def _identified(meta: dict[str, Any], title: AnalyzedText, text: AnalyzedText) -> dict[str, Any]:
    """What a chunk is, by its project number and title, and what it names."""
    project = str(meta.get("project_id") or "").lower()
    own = dict.fromkeys([*([f"id:{project}"] if project else []), *(i.canonical for i in title.identifiers)])
    held = dict.fromkeys(i.canonical for i in text.identifiers)
    return {
        "identifiers": [*dict.fromkeys([*own, *held])],
        "self_ids": list(own),
        "cites": [name for name in held if name not in own],
    }


def _index(title: AnalyzedText, text: AnalyzedText, is_record: bool) -> dict[str, str]:
    streams = {name: text.terms(name) for name in text.tokens}
    if is_record:
        del streams["phrase"]
    else:
        streams["phrase"] = [*title.terms("phrase"), *streams["phrase"]]
    streams |= {
        "title": title.terms("words"),
        "title_stems": title.terms("stems"),
        "title_bigrams": title.terms("bigrams"),
    }
    return {name: " ".join(terms) for name, terms in streams.items()}

"""Adds the token streams of English legal text to chunks and records."""

from bisect import bisect_left
from typing import Any

from haystack import Document, component

from components.analysis.analyzed_text import Token
from components.analysis.english import english_words, index_terms


@component
class EnglishNormalizer:
    """
    Analyses English chunks, and the records that they were cut from, for the keyword stores.

    A record is analysed once and its chunks get their slices of it. Each Document gets `meta["index"]`, a dictionary
    from index field to space-joined tokens: "words", "stems", "title" and "title_stems" (the title with its number in
    front), and "phrase" (pairs of stems of title and text; chunks only).

    Usage example:

    ```python
    normalizer = EnglishNormalizer()
    chunk = Document(id="MPEP-101#1", content="Applications are examined.", meta={"title": "General"})
    normalizer.run(documents=[chunk])["documents"][0].meta["index"]["stems"]  # "applic examin"
    ```
    """

    @component.output_types(documents=list[Document], records=list[Document])
    def run(self, documents: list[Document], records: list[Document] | None = None) -> dict[str, list[Document]]:
        """
        Add token streams.

        :param documents: Chunks; `meta["source_id"]` and `meta["span"]` tell which part of a record each one is.
        :param records: The whole records, where there is an index of them.
        :returns: `documents` and `records`, in order, with `meta["index"]` and `meta["language"]`.
        """
        whole = {record.id: english_words(record.content or "") for record in records or []}
        titles: dict[str, dict[str, list[str]]] = {}

        def title(document: Document) -> dict[str, list[str]]:
            meta = document.meta
            text = " ".join(part for part in (meta.get("number_label", ""), meta.get("title", "")) if part)
            if text not in titles:
                titles[text] = index_terms(token.term for token in english_words(text))
            return titles[text]

        chunks = []
        for document in documents:
            span = document.meta.get("span")
            record = whole.get(document.meta.get("source_id", ""))
            words = _slice(record, *span) if record and span else english_words(document.content or "")
            chunks.append(_with_index(document, words, title(document), phrase=True))
        parents = [_with_index(record, whole[record.id], title(record), phrase=False) for record in records or []]
        return {"documents": chunks, "records": parents}


def _slice(record: tuple[Token, ...], start: int, end: int) -> tuple[Token, ...]:
    first = bisect_left(record, start, key=_start)
    last = bisect_left(record, end, lo=first, key=_start)
    return tuple(token for token in record[first:last] if token.end <= end)


def _start(token: Token) -> int:
    return token.start


def _with_index(document: Document, words: tuple[Token, ...], title: dict[str, list[str]], phrase: bool) -> Document:
    body = index_terms(token.term for token in words)
    index = {
        "words": body["words"],
        "stems": body["stems"],
        "title": title["words"],
        "title_stems": title["stems"],
    }
    if phrase:
        index["phrase"] = title["phrase"] + body["phrase"]
    meta: dict[str, Any] = {k: v for k, v in document.meta.items() if k != "span"}
    meta["index"] = {name: " ".join(terms) for name, terms in index.items() if terms}
    meta.setdefault("language", "en")
    return Document(id=document.id, content=document.content, meta=meta, blob=document.blob)

"""
A corpus small enough to follow by hand: notes, one line each, "id: text. text.", under a first line
"notes <precedence> <edition>". Real stores, but an embedder that counts letters.
"""

from dataclasses import replace
from typing import NamedTuple

from haystack import Document, component
from haystack.dataclasses import ByteStream


class Recognition(NamedTuple):
    kind: str
    detail: str


def recognize_note(data: bytes, name: str) -> Recognition:
    if data.startswith(b"notes "):
        return Recognition("note", "notes")
    if data.startswith(b"contents"):
        return Recognition("contents", "a table of contents")
    return Recognition("", f"{name} does not start with 'notes'")


@component
class NoteConverter:
    """Notes in, one record a line."""

    @component.output_types(documents=list[Document], failures=list[dict])
    def run(self, sources: list[ByteStream]) -> dict[str, list]:
        documents, failures = [], []
        for source in sources:
            head, *lines = source.data.decode().splitlines()
            for line in lines:
                source_id, _, text = line.partition(": ")
                if source_id == "crash":
                    raise RuntimeError("the converter broke")
                if not text:
                    failures.append({"origin": source.meta["origin"], "reason": f"no text in {line!r}"})
                    continue
                meta = {
                    "source_id": source_id,
                    "origin": source.meta["origin"],
                    "precedence": int(head.split()[1]),
                    "edition": " ".join(head.split()[2:]),
                    "corpus_version": source.meta["corpus_version"],
                }
                documents.append(Document(id=source_id, content=text, meta=meta))
        return {"documents": documents, "failures": failures}


@component
class SentenceSplitter:
    """One chunk a sentence."""

    @component.output_types(documents=list[Document], records=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        chunks = []
        for record in documents:
            sentences = [sentence for sentence in record.content.split(". ") if sentence]
            for ordinal, sentence in enumerate(sentences, start=1):
                meta = {**record.meta, "order": ordinal, "index": {"words": sentence.lower()}}
                chunks.append(Document(id=f"{record.id}#{ordinal}", content=sentence, meta=meta))
        return {"documents": chunks, "records": [replace(r, meta={**r.meta, "order": 0}) for r in documents]}


@component
class LetterEmbedder:
    """Counts the letters a to h."""

    embedded: list[str] = []

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        LetterEmbedder.embedded += [document.id for document in documents]
        vectors = [[1.0 + document.content.lower().count(letter) for letter in "abcdefgh"] for document in documents]
        return {"documents": [replace(d, embedding=vector) for d, vector in zip(documents, vectors, strict=True)]}

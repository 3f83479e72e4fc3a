"""What the converters of company documents share: text with its outline, and the Document that is made of it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.record import RecordText, clean, complete_record, read_each
from components.converters.text_decoding import sidecar_text


class UnreadableDocumentError(ValueError):
    """A document can't be read; the message is the reason, made for the user."""


class DocumentText:
    """
    Collects the blocks of a document under their headings.

    ```python
    text = DocumentText()
    text.heading(1, "目的")
    text.add("この規程は、休暇について定める。")
    text.record.blocks[-1]["headings"]  # ["目的"]
    ```
    """

    def __init__(self) -> None:
        self.record = RecordText()
        self.title = ""
        self._outline: list[tuple[int, str]] = []

    def heading(self, level: int, text: str, page: int = 0, label: str = "") -> None:
        """
        Add a heading; it ends those of its own and deeper levels. The first one is the document's title.

        :param level: 1 for the highest.
        :param text: The heading.
        :param page: The page or slide that it is on; 0 where there are none.
        :param label: The sheet or slide that it is on.
        """
        text = clean(text)
        if not text:
            return
        if not self.title and not self.record.blocks:
            self.title = text
            self.record.add(text, "heading", page=page, label=label)
            return
        self._outline = [entry for entry in self._outline if entry[0] < level]
        self.record.add(text, "heading", headings=self._headings(), page=page, label=label)
        self._outline.append((level, text))

    def add(self, text: str, kind: str = "text", page: int = 0, label: str = "") -> None:
        """
        Add a paragraph, list or table.

        :param text: Its text; tables and lists have a line a row or item.
        :param kind: One of `BLOCK_KINDS`.
        :param page: The page or slide that it begins on; 0 where there are none.
        :param label: The sheet or slide that it is on.
        """
        lines = [clean(line) for line in text.split("\n")]
        shown = "\n".join(line for line in lines if line)
        self.record.add(shown, kind, headings=self._headings(), page=page, label=label)

    def _headings(self) -> list[str]:
        return [text for _, text in self._outline]


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """
    The rows of a table as lines of cells, divided by " | "; empty rows, and empty cells at a row's end, are left out.

    >>> table_text([["品名", "数量"], ["", ""], ["", "3"]])
    '品名 | 数量\\n- | 3'

    :param rows: Cells of each row.
    :returns: A line a row.
    """
    lines = []
    for row in rows:
        cells = [clean(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            lines.append(" | ".join(cell or "-" for cell in cells))
    return "\n".join(lines)


def make_document(source: ByteStream, text: DocumentText, **found: Any) -> Document:
    """
    The Document of one file.

    :param source: The file, with "origin" and "file" in its meta.
    :param text: Its text.
    :param found: What the file says about itself: title, author, updated_at and further fields; empty values are
        left out.
    :returns: The Document, with the origin as its id. `DocumentMetadata` completes its metadata.
    :raises UnreadableDocumentError: If there is no text in it.
    """
    if not text.record.blocks:
        raise UnreadableDocumentError("there is no text in it")
    file = str(source.meta.get("file", ""))
    meta = {
        **{name: value for name, value in found.items() if value not in ("", None, [])},
        "title": clean(str(found.get("title") or "")) or text.title or file.rpartition(".")[0] or file,
        "file": file,
        "origin": str(source.meta.get("origin", "")),
        "kind_of_source": str(source.meta.get("kind", "")),
        "corpus_version": str(source.meta.get("corpus_version", "")),
        "sidecar": sidecar_text(source),
        "precedence": 0,
        "blocks": text.record.blocks,
    }
    return complete_record(meta["origin"] or file, text.record.content, meta)


def read_documents(sources: Sequence[ByteStream], read: Callable[[ByteStream], Document]) -> dict[str, Any]:
    """
    What a converter's `run` returns when a file holds one document.

    :param sources: The files.
    :param read: Gives a file's document, or raises a ValueError whose message is the reason why it can't.
    :returns: `documents`, and `failures` with origin and reason.
    """

    def one(source: ByteStream) -> tuple[list[Document], str]:
        try:
            return [read(source)], ""
        except ValueError as error:
            return [], " ".join(str(error).split())

    return read_each(sources, one)

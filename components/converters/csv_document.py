"""Tables as text (.csv, .tsv): one table a file, in any encoding that a text file may have."""

import csv
import io
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.document_text import (
    DocumentText,
    UnreadableDocumentError,
    make_document,
    read_documents,
    table_text,
)
from components.converters.text_decoding import read_text

_DELIMITERS = (",", "\t", ";")
_SAMPLE = 20
_LONGEST_CELL = 1 << 20


@component
class CsvConverter:
    """
    Makes a Document of each table file; its cells may be divided by commas, tabs or semicolons.

    Usage example:
    ```python
    source = ByteStream("品名,数量\\n端子台,3\\n".encode("cp932"), meta={"origin": "a.csv", "file": "a.csv"})
    CsvConverter().run(sources=[source])["documents"][0].content  # "品名 | 数量\\n端子台 | 3"
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read table files.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: no text, a doubtful encoding, an open quotation.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    plain = read_text(source)
    text = DocumentText()
    text.title = str(source.meta.get("file", "")).rpartition(".")[0]
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(plain), delimiter=delimiter_of(plain) or ",", strict=True)
    try:
        text.add(table_text(reader), "table")
    except csv.Error as error:
        raise UnreadableDocumentError(f"line {reader.line_num}: {error}") from error
    return make_document(source, text)


def delimiter_of(plain: str) -> str:
    """
    What divides the cells of a table.

    :param plain: The text of a file.
    :returns: The character that gives the most rows the same number of cells, at least two; empty when none gives it to
        most of the first rows.
    """
    best, most = "", 0
    lines = "\n".join(plain.split("\n", 5 * _SAMPLE)[: 5 * _SAMPLE])
    for delimiter in _DELIMITERS:
        try:
            rows = [row for row in csv.reader(io.StringIO(lines), delimiter=delimiter) if row][:_SAMPLE]
        except csv.Error:
            continue
        widths = [len(row) for row in rows]
        usual = max(set(widths), key=widths.count, default=0)
        if usual > 1 and len(rows) > 1 and widths.count(usual) * 4 >= len(rows) * 3 and widths.count(usual) > most:
            best, most = delimiter, widths.count(usual)
    return best

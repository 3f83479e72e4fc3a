"""Excel files (.xlsx): the tables of all sheets."""

import warnings
from collections.abc import Iterator
from datetime import date, datetime, time
from io import BytesIO
from typing import Any

import openpyxl
from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.document_text import DocumentText, make_document, read_documents, table_text
from components.converters.office_package import core_properties, open_package


@component
class XlsxConverter:
    """
    Makes a Document of each Excel file: a table for each sheet, under the sheet's name as its heading.

    Cells hold what Excel showed last, not formulas; dates are written as 2026-05-20.

    Usage example:
    ```python
    converter = XlsxConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "a.xlsx", "file": "a.xlsx"})])
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read Excel files.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: damaged, or no text.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    file = open_package(source.data, _open)
    text = DocumentText()
    text.title = str(source.meta.get("file", "")).rpartition(".")[0]
    try:
        for sheet in file.worksheets:
            rows = table_text(_rows(sheet))
            if rows:
                text.heading(1, sheet.title, label=sheet.title)
                text.add(rows, "table", label=sheet.title)
        return make_document(source, text, **core_properties(file.properties))
    finally:
        file.close()


def _open(data: BytesIO) -> openpyxl.Workbook:
    with warnings.catch_warnings():
        # Styles and controls that the library doesn't know, which hold no text.
        warnings.simplefilter("ignore", UserWarning)
        return openpyxl.load_workbook(data, read_only=True, data_only=True)


def _rows(sheet: Any) -> Iterator[list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for row in sheet.iter_rows(values_only=True):
            yield [_shown(value) for value in row]


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}" if value.time() == time() else f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)

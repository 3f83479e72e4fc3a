"""Excel files: sheets, kinds of cells, what Excel showed last."""

import io
from datetime import date, datetime

import openpyxl

from components.converters.xlsx_document import XlsxConverter
from tests.components.converters.company_files import one, reason

CONVERTER = XlsxConverter()


def saved(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def test_sheets_with_names_and_cells_as_people_read_them() -> None:
    rows = [
        ["日付", "量", "済"],
        [date(2026, 5, 20), 3.0, True],
        [None, None, None],
        [datetime(2026, 5, 20, 9, 30), 0.125, None],
    ]
    document = one(CONVERTER, saved(売上=rows, 空=[], 費用=[["科目", "改行\nあり"]]), "集計.xlsx")

    text = document.content or ""
    assert [(b["kind"], text[b["start"] : b["end"]], b["label"]) for b in document.meta["blocks"]] == [
        ("heading", "売上", "売上"),
        ("table", "日付 | 量 | 済\n2026-05-20 | 3 | TRUE\n2026-05-20 09:30 | 0.125", "売上"),
        ("heading", "費用", "費用"),
        ("table", "科目 | 改行 あり", "費用"),
    ]
    assert document.meta["title"] == "集計"


def test_formulas_without_a_value_are_no_text() -> None:
    assert reason(CONVERTER, saved(計算=[["=1+1"]]), "a.xlsx") == "there is no text in it"


def test_a_damaged_file() -> None:
    assert reason(CONVERTER, b"PK\x03\x04 nothing", "a.xlsx").startswith("the file is damaged")

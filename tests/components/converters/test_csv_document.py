"""Tables as text: what divides their cells, quotations, encodings."""

import pytest

from components.converters.csv_document import CsvConverter, delimiter_of
from tests.components.converters.company_files import blocks, one, reason

CONVERTER = CsvConverter()


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("codec", ["utf-8-sig", "cp932", "euc_jp", "utf-16"])
def test_tables(delimiter: str, codec: str) -> None:
    lines = [["品名", "数量"], ["端子台", "3"], ["", ""], ["ケーブル", ""], ["", "5"]]
    table = "\r\n".join(delimiter.join(cells) for cells in lines)
    document = one(CONVERTER, table.encode(codec), "備品.csv")

    assert blocks(document) == [("table", "品名 | 数量\n端子台 | 3\nケーブル\n- | 5", [])]
    assert document.meta["title"] == "備品"


def test_cells_in_quotation_marks_may_hold_anything() -> None:
    assert one(CONVERTER, '品名,備考\n"端子,台","二行\nの文"\n'.encode()).content == "品名 | 備考\n端子,台 | 二行 の文"


def test_an_open_quotation_is_named_by_its_line() -> None:
    assert reason(CONVERTER, '品名,備考\n端子台,"開いた\n'.encode()) == "line 2: unexpected end of data"


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\nc,d\n", ","),
        ("a;b;c\n1,5;2;3\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("ただの文です。\n次の文、です。\n", ""),
        ("a,b\n", ""),
        ("", ""),
    ],
)
def test_what_divides_the_cells(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter

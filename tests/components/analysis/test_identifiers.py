"""Numbers of projects and documents, however they are typed."""

import pytest

from components.analysis.folding import fold
from components.analysis.identifiers import find_identifiers, with_right_marks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EV-2024-001の進捗", [("id:ev-2024-001", "EV-2024-001")]),
        ("ＥＶ－２０２４－００１の進捗", [("id:ev-2024-001", "ＥＶ－２０２４－００１")]),
        ("ev‐2024‐001", [("id:ev-2024-001", "ev‐2024‐001")]),
        ("EVー2024ー001", [("id:ev-2024-001", "EVー2024ー001")]),
        ("QMS-12とHR-013", [("id:qms-12", "QMS-12"), ("id:hr-013", "HR-013")]),
        ("EV-2024-001-A", []),
        ("2024-05-20", []),
        ("non-final", []),
        ("サーバー", []),
    ],
)
def test_identifiers(text: str, expected: list[tuple[str, str]]) -> None:
    found = find_identifiers(with_right_marks(fold(text)))

    assert [(i.canonical, text[i.start : i.end]) for i in found] == expected


@pytest.mark.parametrize(
    ("typed", "folded"), [("サ−バ−", "サーバー"), ("ﾃﾞｰﾀ", "データ"), ("データ-2024", "データ-2024"), ("A-B", "a-b")]
)
def test_marks(typed: str, folded: str) -> None:
    assert with_right_marks(fold(typed)).text == folded

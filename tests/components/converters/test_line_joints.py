"""Lines that were broken inside Japanese text become one without blanks."""

import pytest

from components.converters.line_joints import joined, without_breaks


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["本番サー", "バーの障害"], "本番サーバーの障害"),
        (["EV-2024-001", "の進捗"], "EV-2024-001の進捗"),
        (["the server", "failed"], "the server failed"),
        (["ﾃｽﾄ", "ｹｰｽ"], "ﾃｽﾄｹｰｽ"),
        (["서버", "장애"], "서버 장애"),
        ([], ""),
    ],
)
def test_lines(lines: list[str], text: str) -> None:
    assert joined(lines) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>8月11\n  日から</p>", "<p>8月11日から</p>"),
        ("障害、\r\n復旧", "障害、復旧"),
        ("server\nfailed", "server\nfailed"),
    ],
)
def test_breaks_in_markup(source: str, text: str) -> None:
    assert without_breaks(source) == text

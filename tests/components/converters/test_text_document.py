"""Plain text files: titles, headings by signs and numbers, wrapped lines, lists."""

import pytest

from components.converters.text_document import TextConverter
from tests.components.converters.company_files import blocks, one, reason

CONVERTER = TextConverter()


def test_title_headings_and_paragraphs() -> None:
    text = "駐車場の使用について\n\n■ 対象\n許可を受けた社員。\n\n【来客】\n受付で予約する。\n許可証を渡す。\n"
    document = one(CONVERTER, text.encode("cp932"), "parking.txt", kind="text")

    assert document.id == "docs/parking.txt"
    assert document.meta["title"] == "駐車場の使用について"
    assert document.meta["kind_of_source"] == "text"
    assert blocks(document) == [
        ("heading", "駐車場の使用について", []),
        ("heading", "対象", []),
        ("text", "許可を受けた社員。", ["対象"]),
        ("heading", "来客", []),
        ("text", "受付で予約する。\n許可証を渡す。", ["来客"]),
    ]


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("第1章 総則", True),
        ("第２条（目的）", True),
        ("1. 目的", True),
        ("1.2 範囲", True),
        ("■概要", True),
        ("【日時】", True),
        ("1. 申込書を提出します。", False),
        ("2026年8月11日から", False),
        ("1. 電話: 1234", False),
        ("■ この項目は見出しではなく、長い文章が続く行であり、四十文字を超えるため見出しとは扱わない", False),
        ("ふつうの行", False),
    ],
)
def test_headings_are_told_from_sentences(line: str, is_heading: bool) -> None:
    document = one(CONVERTER, f"題名\n\n{line}\n本文である。".encode())

    assert (blocks(document)[1][0] == "heading") == is_heading


def test_chapters_hold_articles() -> None:
    document = one(CONVERTER, "規程\n\n第1章 総則\n第1条（目的）\n定める。\n第2章 細則\n第2条（方法）\n行う。".encode())

    assert [headings for kind, _, headings in blocks(document) if kind == "text"] == [
        ["第1章 総則", "第1条（目的）"],
        ["第2章 細則", "第2条（方法）"],
    ]


def test_lines_that_an_editor_wrapped_become_one() -> None:
    lines = ["本日の午前九時十二分から、港南センタービルの基幹システムのサー", "バーが停止した。原因を調べている。"]
    text = "\n".join(["報告", "", *lines, "復旧は未定。"])

    assert blocks(one(CONVERTER, text.encode()))[1][1] == (
        "本日の午前九時十二分から、港南センタービルの基幹システムのサーバーが停止した。原因を調べている。\n復旧は未定。"
    )


def test_lines_of_a_list_stay_apart() -> None:
    items = [
        "・電源を入れて、ランプが青く光るまで待ってください",
        "・画面の指示に従い、社員番号と氏名を入力してください",
    ]
    text = "\n".join(["手順", "", *items])
    kind, shown, _ = blocks(one(CONVERTER, text.encode()))[1]

    assert (kind, shown.count("\n")) == ("list", 1)


def test_a_long_first_sentence_is_no_title() -> None:
    assert one(CONVERTER, "本日は休業します。".encode(), "holiday.txt").meta["title"] == "holiday"


def test_what_cannot_be_read_is_named() -> None:
    assert reason(CONVERTER, b" \n") == "there is no text in it"
    assert "cp932" in reason(CONVERTER, "ｻｰﾊﾞ".encode("cp932"))
    assert one(CONVERTER, "ｻｰﾊﾞ".encode("cp932"), sidecar="encoding: cp932").content == "ｻｰﾊﾞ"

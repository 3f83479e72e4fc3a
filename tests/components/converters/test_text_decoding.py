"""Encodings of Japanese and Western texts: found, or named as doubtful, and never wrong in silence."""

import pytest
from haystack.dataclasses import ByteStream

from components.converters.japanese_encodings import codec_of
from components.converters.text_decoding import (
    DoubtfulEncodingError,
    decode_as,
    decode_text,
    read_text,
    sidecar_text,
)

NOTICE = "お盆休みのお知らせ。8月11日からサーバーを停止します。"
# ①㈱ as mail programs put it into ISO-2022-JP.
ROW_13 = b"\x1b$B-!-j\x1b(B"


@pytest.mark.parametrize(
    ("text", "codec", "encoding"),
    [
        (NOTICE, "utf-8", "utf-8"),
        (NOTICE, "utf-8-sig", "utf-8"),
        (NOTICE, "utf-16", "utf-16"),
        (NOTICE, "cp932", "cp932"),
        (NOTICE, "euc_jp", "euc-jp"),
        (NOTICE, "iso2022_jp", "iso-2022-jp"),
        ("株式会社ハルカ商事①㈱髙橋の件", "cp932", "cp932"),
        ("障害の件、①から③までを報告する。", "euc_jis_2004", "euc-jp"),
        ("ｻｰﾊﾞ障害のため停止", "cp932", "cp932"),
        ("株式会社", "utf-8", "utf-8"),
        ("plain English", "ascii", "utf-8"),
        ("the company’s report – 2026", "windows-1252", "windows-1252"),
        ("Größe für naïve", "utf-8", "utf-8"),
    ],
)
def test_the_encoding_is_found(text: str, codec: str, encoding: str) -> None:
    assert decode_text(text.encode(codec)) == (text, encoding)


def test_utf_16_of_both_byte_orders() -> None:
    for mark, codec in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        assert decode_text(mark + NOTICE.encode(codec)) == (NOTICE, "utf-16")


def test_characters_that_mail_programs_add_to_iso_2022_jp() -> None:
    half_width = b"\x1b(I;0J^\x1b(B"

    assert decode_text(ROW_13 + half_width) == ("①㈱ｻｰﾊﾞ", "iso-2022-jp")


@pytest.mark.parametrize(
    ("data", "candidates"),
    [
        ("ｻｰﾊﾞ".encode("cp932"), {"cp932", "euc-jp"}),
        (b"\x81\x00\xff\xfe\x80", set()),
        (NOTICE.encode("cp932")[:-1] + b"\xff", set()),
        (b"\x1b$B\x21", set()),
        (b"\xef\xbb\xbf\xff", set()),
        (b"control \x01 characters", set()),
    ],
)
def test_what_is_doubtful_is_named(data: bytes, candidates: set[str]) -> None:
    with pytest.raises(DoubtfulEncodingError, match="the encoding is doubtful") as caught:
        decode_text(data)

    assert candidates <= set(caught.value.candidates)
    assert all(name in str(caught.value) for name in candidates)


def test_a_declared_encoding_decides_what_is_doubtful_and_nothing_else() -> None:
    assert decode_text("ｻｰﾊﾞ".encode("cp932"), "Shift_JIS").text == "ｻｰﾊﾞ"
    assert decode_text(NOTICE.encode("utf-8"), "Shift_JIS").text == NOTICE
    with pytest.raises(DoubtfulEncodingError):
        decode_text("ｻｰﾊﾞ".encode("cp932"), "utf-8")


def test_line_ends() -> None:
    assert decode_text("一\r\n二\r三\n".encode()).text == "一\n二\n三\n"


def test_a_named_encoding_is_used_strictly() -> None:
    assert decode_as("ｻｰﾊﾞ".encode("cp932"), "x-sjis") == "ｻｰﾊﾞ"
    with pytest.raises(ValueError, match="not in utf-8"):
        decode_as("障害".encode("cp932"), "utf-8")
    with pytest.raises(ValueError, match="no encoding 'klingon'"):
        decode_as(b"", "klingon")


def test_the_sidecar_names_the_encoding() -> None:
    source = ByteStream("ｻｰﾊﾞ".encode("cp932"), meta={"sidecar": "author: 田中\nencoding: 'Shift_JIS'\n"})

    assert read_text(source) == "ｻｰﾊﾞ"


def test_a_sidecar_is_decoded_like_any_text() -> None:
    assert (
        sidecar_text(ByteStream(b"", meta={"sidecar": "author: 田中 美咲の件".encode("cp932")}))
        == "author: 田中 美咲の件"
    )
    assert sidecar_text(ByteStream(b"")) == ""
    with pytest.raises(ValueError, match="its sidecar can't be used: save it as UTF-8"):
        sidecar_text(ByteStream(b"", meta={"sidecar": "title: ｻｰﾊﾞ".encode("cp932")}))


@pytest.mark.parametrize(
    ("name", "codec"),
    [("Shift_JIS", "cp932"), ("EUC-JP", "euc-jp"), ("ISO-2022-JP", "iso-2022-jp"), ('"utf8"', "utf-8"), ("x", "")],
)
def test_names_of_encodings(name: str, codec: str) -> None:
    assert codec_of(name) == codec

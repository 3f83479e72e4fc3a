"""Sentence ends in Japanese text, with quotations, brackets and English beside it."""

import pytest

from components.splitters.japanese_sentences import japanese_sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("休業する。翌日から営業する。", ["休業する。", "翌日から営業する。"]),
        ("本当か？！はい！", ["本当か？！", "はい！"]),
        ("本当ですか?はい", ["本当ですか?", "はい"]),
        ("「開始する。」と連絡した。終了は未定。", ["「開始する。」と連絡した。", "終了は未定。"]),
        ("「はい。」「いいえ。」", ["「はい。」", "「いいえ。」"]),
        ("（注。別紙を参照。）以上。", ["（注。別紙を参照。）", "以上。"]),
        ("（注：詳細は別紙。参照のこと）以上。", ["（注：詳細は別紙。参照のこと）以上。"]),
        ("開いたまま（閉じない。次の文。", ["開いたまま（閉じない。", "次の文。"]),
        ("一行目\n二行目。三文目", ["一行目", "二行目。", "三文目"]),
        (
            "The U.S. office closed. It opened (see No. 5) later.",
            ["The U.S. office closed.", "It opened (see No. 5) later."],
        ),
        ("停止した。It stopped. It runs.", ["停止した。", "It stopped.", "It runs."]),
        ("A!B", ["A!B"]),
        (" 　 ", []),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in japanese_sentence_spans(text)] == sentences

"""Folding: what becomes the same, and the way back to the original characters."""

import pytest

from components.analysis.folding import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Plain Text", "plain text"),
        ("ＥＶ‐２０２４", "ev-2024"),
        ("1–2 3−4 5‑6 7‒8 9－10", "1-2 3-4 5-6 7-8 9-10"),
        ("a clause—and another", "a clause—and another"),
        ("“new” ‘old’ «so» „thus‟", '"new" \'old\' "so" "thus‟'),
        ("35\u00a0U.S.C.\u202f112\u3000(b)\tx\ny", "35 u.s.c. 112 (b) x y"),
        ("ﬁve ½ … ™", "five 1⁄2 ... tm"),
        ("（ａ）", "(a)"),
        ("", ""),
    ],
)
def test_folded_text(text: str, folded: str) -> None:
    assert fold(text).text == folded


@pytest.mark.parametrize(
    ("text", "word", "original"),
    [
        ("The CLAIM", "claim", "CLAIM"),
        ("ａｂ claim", "claim", "claim"),
        ("½ ½ a claim … end", "claim", "claim"),
        ("½ ½ a claim … end", "end", "end"),
        ("a ﬁne ﬁlm", "fine", "ﬁne"),
        ("a ﬁne ﬁlm", "film", "ﬁlm"),
        ("İstanbul patent", "patent", "patent"),
        ("㍻ patent", "patent", "patent"),
        ("patent™", "patenttm", "patent™"),
    ],
)
def test_ranges_lead_back_to_the_original(text: str, word: str, original: str) -> None:
    folded = fold(text)
    start = folded.text.index(word)

    found = folded.original(start, start + len(word))

    assert text[slice(*found)] == original


def test_either_letter_of_a_ligature_stands_for_the_whole() -> None:
    folded = fold("aﬁb")

    assert [folded.original(n, n + 1) for n in range(4)] == [(0, 1), (1, 2), (1, 2), (2, 3)]
    assert folded.original(2, 2) == (1, 1)
    assert folded.original(0, 4) == (0, 3)


def test_texts_of_the_same_length_need_no_offsets() -> None:
    assert fold("３５ Ｕ．Ｓ．Ｃ．").offsets is None
    assert fold("½").offsets == (0, 0, 0, 1)

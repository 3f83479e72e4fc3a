"""What counts as a passage among the things that models answer."""

import pytest

from components.query.passage_check import count_words, usable_passage

QUERY = "may a claim be rejected when the drawing shows the feature"
PASSAGE = (
    "A feature that only the drawing shows may support a claim, provided that a person of ordinary skill would have "
    "recognised it. The examiner then explains which figure was relied on, and why."
)
JA_QUERY = "図面だけに示された特徴で請求項は支持されますか"
JA_PASSAGE = (
    "図面だけに示された特徴であっても、当業者がそれを認識できる場合には、請求項の記載は支持されるものと扱われる。"
)
KO_PASSAGE = (
    "도면에만 나타난 특징이라도 통상의 기술자가 이를 인식할 수 있는 경우에는 청구항의 기재가 뒷받침되는 것으로 본다."
)


@pytest.mark.parametrize(
    "answer",
    [
        PASSAGE,
        f"  {PASSAGE}\n",
        f"<think>\n\n</think>\n\n{PASSAGE}",
        f"<think>The user asks about claims. {{'a': 1}} I'm sorry?</think>{PASSAGE}",
        f"The user wants a passage, so I write one.\n</think>\n{PASSAGE}",
        f"<thinking>one</thinking><THINK>two</THINK>{PASSAGE}",
        f"{PASSAGE}<think>Was that good?",
        f"{PASSAGE}<|im_end|><|im_start|>user\nWhat else?",
        f"Sure! Here is a hypothetical passage:\n\n{PASSAGE}",
        f"Here's a paragraph in the style of a manual:\n{PASSAGE}",
        f"```text\n{PASSAGE}\n```",
        f"## {PASSAGE}",
        f"**{PASSAGE}**",
        f'"{PASSAGE}"',
    ],
)
def test_the_passage_is_taken_out_of_the_answer(answer: str) -> None:
    assert usable_passage(answer, QUERY, 8, 200) == (PASSAGE, "")


@pytest.mark.parametrize(
    ("query", "passage"), [(JA_QUERY, JA_PASSAGE), ("특징이 도면에만", KO_PASSAGE), ("2106", PASSAGE)]
)
def test_other_languages(query: str, passage: str) -> None:
    assert usable_passage(passage, query, 8, 200) == (passage, "")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "0 words"),
        ("", "0 words"),
        (" \n ", "0 words"),
        ("<think>I have to think about this for long, and never come", "0 words"),
        ("<think>All of it is a thought about claims and drawings and figures.</think>", "0 words"),
        ("Yes.", "1 words"),
        (f'{{"passage": "{PASSAGE}"}}', "data"),
        (f'```json\n{{"passage": "{PASSAGE}"}}\n```', "data"),
        (f'Here is the JSON you asked for: {{"passage": "{PASSAGE}"}}', "data"),
        (f'{{"passage": "{PASSAGE}', "data"),
        (f'["{PASSAGE}"]', "data"),
        (f"<!DOCTYPE html><html><body>{PASSAGE}</body></html>", "data"),
        ("I'm sorry, but I can't help with legal questions of that kind. Please ask an attorney.", "refusal"),
        ("I’m sorry, but I can’t help with legal questions of that kind. Please ask an attorney.", "refusal"),
        ("As an AI language model, I have no access to the manual that you are asking about.", "refusal"),
        ("Unfortunately, I do not have enough information on that to write such a paragraph.", "refusal"),
        ("The claim is rejected. " * 30, "repeats"),
        ("claim " * 60, "repeats"),
        (PASSAGE + " And the figure shows it." * 40, "repeats"),
        ("word-1 " + " ".join(f"word{number}" for number in range(6000)), "ran on"),
        (KO_PASSAGE, "script"),
        ("Если признак показан только на чертеже, формула изобретения может быть поддержана описанием.", "script"),
        ("0101 1101 ### $$$ 1010 0111 ((( ))) 0101 1101 ### $$$ 1010", "not text"),
        (QUERY.upper() + "?", "the query again"),
    ],
)
def test_anything_else_is_refused_with_the_reason(answer: str | None, reason: str) -> None:
    passage, why = usable_passage(answer, QUERY, 8, 200)
    assert passage == ""
    assert reason in why


def test_chinese_is_not_taken_for_japanese() -> None:
    chinese = "即使只有附图显示了该特征，只要本领域技术人员能够认识到该特征，权利要求仍然得到说明书的支持。"
    assert usable_passage(chinese, JA_QUERY, 8, 200)[1] == "another script than the query's"


def test_a_long_passage_is_cut_at_the_end_of_a_sentence() -> None:
    numbers = [" ".join(f"{chr(97 + n % 26)}{word}{n}" for word in "abcdefghij") + "." for n in range(30)]
    passage, reason = usable_passage(" ".join(numbers), QUERY, 8, 100)
    assert reason == ""
    assert passage == " ".join(numbers[:10])


def test_a_long_passage_without_sentences_is_cut_between_words() -> None:
    words = " ".join(f"word{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(60))
    passage, _ = usable_passage(words, QUERY, 8, 20)
    assert passage == " ".join(words.split()[: len(passage.split())])
    assert 18 <= len(passage.split()) <= 20


@pytest.mark.parametrize(("text", "words"), [("", 0), ("one two", 2), ("請求項は記載", 4), ("도면에만 나타난", 2)])
def test_words_are_counted_in_all_scripts(text: str, words: int) -> None:
    assert count_words(text) == words

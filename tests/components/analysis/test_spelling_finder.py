"""Names in all their spellings."""

import pytest

from components.analysis.spelling_finder import SpellingFinder, spelling_key

NAMES = {
    "meeting": ["打ち合わせ"],
    "closure": ["お盆休み", "summer closure"],
    "fan": ["カゼ", "KZ-7"],
    "server": ["サーバー"],
    "voice": ["お客様の声"],
}


@pytest.fixture(scope="module")
def finder() -> SpellingFinder:
    made = SpellingFinder()
    for thing, names in NAMES.items():
        made.add(thing, names)
    return made


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("打合せのメモ", [("meeting", 0, 3)]),
        ("次回のうちあわせ", [("meeting", 3, 8)]),
        ("お打合せ", [("meeting", 0, 4)]),
        ("盆休みと打合せ", [("closure", 0, 3), ("meeting", 4, 7)]),
        ("お盆休み", [("closure", 0, 4)]),
        ("ｻｰﾊﾞ障害", [("server", 0, 4)]),
        ("Summer  closure", []),
        ("風邪", []),
        ("ｶｾﾞと kz‐7", [("fan", 0, 3), ("fan", 5, 9)]),
        ("お客様の声", [("voice", 0, 5)]),
        ("客様声", []),
        ("", []),
        (" 。", []),
    ],
)
def test_places(finder: SpellingFinder, text: str, places: list[tuple[str, int, int]]) -> None:
    assert finder.places(text) == places


def test_a_name_with_blanks_around_words_has_no_spelling_key() -> None:
    assert spelling_key("") == ()
    assert spelling_key("打合せ") == spelling_key("打ち合わせ") != ()

"""How much a decoded text looks like one that someone wrote, to choose between encodings that both fit its bytes."""

import re
import unicodedata

# How well a character fits into Japanese business text, by the median of what documents hold.
COMMON_KANJI = 0.8
_KANA, _SYMBOL, _HALF_KANA, _RARE_KANJI = 1.0, 0.8, 0.45, 0.1
_LATIN_TEXT, _ALONE = 0.75, 0.15
_CURLY = "‘’“”–—…•™©®€£°§±×·"
_RUNS = re.compile(r"[^\x00-\x7f]+")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def beyond_ascii(text: str) -> str:
    """The characters of a text that are not ASCII."""
    return "".join(_RUNS.findall(text))


def has_control_characters(text: str) -> bool:
    """Whether a text holds characters that none does, apart from white space and escapes."""
    return bool(_CONTROL.search(text))


def japanese_score(text: str) -> float:
    """
    How much the characters beyond ASCII look like Japanese business text.

    :param text: A decoded text.
    :returns: 0 to 1; 0 when a character can't be in a text.
    """
    total, count = 0.0, 0
    for run in _RUNS.finditer(text):
        scores = [_japanese(char) for char in run.group()]
        before = text[run.start() - 1 : run.start()]
        # One kanji between Latin letters is a quotation mark of Windows-1252 with the letter behind it, and two
        # half-width characters are one of EUC-JP: "6km。" would be "6km｡｣".
        alone = len(scores) == 1 and before.isalpha()
        halved = len(scores) == 2 and scores == [_HALF_KANA] * 2 and not before.isspace()
        total += sum(scores) * (_ALONE if alone or halved else 1.0)
        count += len(scores)
    if not count or _CONTROL.search(text):
        return 0.0
    return total / count


def latin_score(text: str) -> float:
    """
    How much a text looks like a Western language with accents and typographic quotes.

    :param text: A decoded text.
    :returns: 0 to 0.75: Windows-1252 fits nearly all bytes, so Japanese that fits as well goes first.
    """
    runs = _RUNS.findall(text)
    extra = "".join(runs)
    if _CONTROL.search(text) or len(extra) > 0.1 * len(text):
        return 0.0
    good = sum(char in _CURLY or (unicodedata.category(char) in ("Ll", "Lu") and char < "\u0180") for char in extra)
    return _LATIN_TEXT * good / len(extra) if all(len(run) < 4 for run in runs) else 0.0


def _japanese(char: str) -> float:
    if "\u3041" <= char <= "\u30fe":
        return _KANA
    if "\u4e00" <= char <= "\u9fff" or char == "々":
        # The lead byte of Shift_JIS tells the 2,965 kanji of the first level from the rarer ones.
        encoded = char.encode("cp932", "ignore")
        return COMMON_KANJI if len(encoded) == 2 and encoded[0] < 0x99 else _RARE_KANJI
    if "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff5e" or "\u2010" <= char <= "\u2312" or char in "×±°÷":
        return _SYMBOL
    if "\uff61" <= char <= "\uff9f":
        return _HALF_KANA
    return 0.5 if "\u2460" <= char <= "\u266f" or "\u3231" <= char <= "\u33ff" else 0.0

"""Tells a passage that a language model wrote for a search from the many other things that it may answer."""

import json
import re
import unicodedata
from collections import Counter

_THINKING = r"think|thinking|thought|reasoning|reflection"
_THOUGHT = re.compile(rf"<({_THINKING})\b[^>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_THOUGHT_END = re.compile(rf"\A.*</(?:{_THINKING})\s*>", re.IGNORECASE | re.DOTALL)
_THOUGHT_START = re.compile(rf"<(?:{_THINKING})\b.*\Z", re.IGNORECASE | re.DOTALL)
# <|im_end|> and its like: what follows is a turn that the model made up.
_TURN = re.compile(r"<\|[^|>]{1,40}\|>.*\Z|\[/?INST\].*\Z|</s>.*\Z", re.DOTALL)
_FENCE = re.compile(r"^\s*```[\w-]*\s*$", re.MULTILINE)
_PREAMBLE = re.compile(
    r"\A\s*(?:(?:sure|certainly|of course|okay|ok|absolutely)\b[^\n]{0,20}[!,.]\s*)?"
    r"(?:(?:here(?:'s| is| are)|below is|the following is|(?:hypothetical )?(?:passage|answer))\b[^\n:]{0,120}:)\s*",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,2}[.)])[ \t]+|\*\*|__|`", re.MULTILINE)
_REFUSAL = re.compile(
    r"\bI(?:'m| am) (?:sorry|afraid|unable|not able|just an? |an AI|a language model)"
    r"|\bI (?:can(?:'t|not| not)|do(?:n't| not) have|won't|must decline|apologi[sz]e)"
    r"|\bas an? (?:AI|(?:large )?language model|assistant)\b"
    r"|\b(?:sorry|apologies),? (?:but|I)\b|申し訳|お答えでき|죄송|답변(?:을|할) 수 없|제공할 수 없",
    re.IGNORECASE,
)
_SCRIPTS = {"LATIN": "latin", "CJK": "han", "HIRAGANA": "kana", "KATAKANA": "kana", "HANGUL": "hangul"}
_SENTENCE_END = re.compile(r"[.!?][\"')\]]?(?=\s)|[。！？]")


def usable_passage(answer: str | None, query: str, min_words: int, max_words: int) -> tuple[str, str]:
    """
    The passage in a model's answer.

    Thoughts, fences, preambles and markup go; a passage that is too long is cut at a sentence's end.

    Usage example:
    ```python
    passage, reason = usable_passage("<think>Hm.</think>A claim must ...", "claim form", min_words=8, max_words=200)
    ```

    :param answer: What the model answered.
    :param query: The query that it was asked about.
    :param min_words: Fewer words than these say nothing.
    :param max_words: Most words that are used. An answer that is four times longer ran away and isn't used at all.
    :returns: The passage and "", or "" and the reason why there is none.
    """
    text = _without_thoughts(unicodedata.normalize("NFC", answer or "").strip())
    if _is_data(text):
        return "", "data instead of a passage"
    text = _MARKUP.sub("", _PREAMBLE.sub("", text))
    text = " ".join(text.replace("’", "'").split()).strip('"“” ')
    words = count_words(text)
    if words < min_words:
        return "", f"{words} words besides thoughts are no passage"
    if words > 4 * max_words:
        return "", f"ran on for {words} words"
    for reason, is_so in (
        ("a refusal", _REFUSAL.search(text[:200]) is not None),
        ("not text", _letter_share(text) < 0.5),
        ("another script than the query's", not _same_script(text, query)),
        ("repeats itself", _repeats(text)),
        ("the query again", _key(text) in _key(query)),
    ):
        if is_so:
            return "", reason
    return _cut(text, max_words), ""


def _without_thoughts(text: str) -> str:
    """The answer proper: no thoughts, even where a tag is missing, no turns that the model made up, no code fences."""
    text = _THOUGHT.sub(" ", text)
    text = _THOUGHT_END.sub("", text)  # the opening tag stands in some models' prompts
    text = _THOUGHT_START.sub("", text)
    return _FENCE.sub("", _TURN.sub("", text)).strip()


def count_words(text: str) -> int:
    """Words between blanks; where a script has none, two characters count as a word."""
    unspaced = sum(1 for char in text if _script(char) in ("han", "kana"))
    return len(text.split()) + unspaced // 2


def _is_data(text: str) -> bool:
    """JSON, XML, HTML or the like, even if it is cut off or some words stand before it."""
    if re.match(r"[{<]|\[\s*[\[{\"]", text):
        return True
    start = re.search(r"[{\[]", text)
    if start and start.start() < 200:
        try:
            value, end = json.JSONDecoder().raw_decode(text, start.start())
        except ValueError:
            return re.search(r'\{\s*"[^"]{1,60}"\s*:', text) is not None
        return isinstance(value, dict) or end - start.start() > len(text) / 2
    return False


def _letter_share(text: str) -> float:
    return sum(char.isalpha() or char == " " for char in text) / len(text)


def _script(char: str) -> str:
    if char.isascii():
        return "latin" if char.isalpha() else ""
    if not char.isalpha():
        return ""
    return _SCRIPTS.get(unicodedata.name(char, "").split(" ")[0].split("-")[0], "other")


def _same_script(text: str, query: str) -> bool:
    """Whether most letters are of scripts that the query uses; kana mark Japanese among texts in Chinese characters."""
    wanted = Counter(filter(None, map(_script, query)))
    found = Counter(filter(None, map(_script, text)))
    if not wanted:
        return True
    allowed = {script for script, count in wanted.items() if count >= 0.1 * wanted.total()}
    if allowed & {"han", "kana"}:
        allowed |= {"han", "kana"}
    if found.total() and sum(found[script] for script in allowed) < 0.5 * found.total():
        return False
    return not (wanted["kana"] and found["han"] and not found["kana"])


def _repeats(text: str) -> bool:
    """Whether it is caught in a loop: in legal texts over 60 % of all pieces of 24 characters differ."""
    pieces = [text[start : start + 24] for start in range(max(len(text) - 23, 1))]
    if len(set(pieces)) < 0.6 * len(pieces):
        return True
    words = text.lower().split()
    return len(words) >= 20 and max(Counter(words).values()) > 0.3 * len(words)


def _key(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _cut(text: str, max_words: int) -> str:
    """At most `max_words`, ending with a sentence where one ends in the second half."""
    if count_words(text) <= max_words:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest prefix that fits
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_words(text[:middle]) <= max_words else (low, middle - 1)
    head = text[:low]
    ends = [match.end() for match in _SENTENCE_END.finditer(head) if match.end() > low // 2]
    if ends:
        return head[: ends[-1]]
    # The last word may be cut in two.
    return head.rsplit(" ", 1)[0] if " " in head and low < len(text) else head

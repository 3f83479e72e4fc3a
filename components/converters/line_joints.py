"""Puts lines together that typesetting has broken: Japanese has no blanks between its words."""

import re
from collections.abc import Iterable

_JAPANESE = "\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_ENDS_JAPANESE, _STARTS_JAPANESE = re.compile(f"[{_JAPANESE}]\\Z"), re.compile(f"[{_JAPANESE}]")
_BREAK = re.compile(f"(?<=[{_JAPANESE}])[ \t]*\r?\n[ \t]*|[ \t]*\r?\n[ \t]*(?=[{_JAPANESE}])")


def joint(before: str, after: str) -> str:
    """
    What stands between two lines of one sentence: nothing beside a Japanese character, else a blank.

    >>> joint("サーバー", "障害"), joint("the server", "failed")
    ('', ' ')

    :param before: The line that ends.
    :param after: The line that follows.
    :returns: "" or " ".
    """
    return "" if _ENDS_JAPANESE.search(before) or _STARTS_JAPANESE.match(after) else " "


def starts_japanese(text: str) -> bool:
    """Whether a text begins with a Japanese character, which may begin a line wherever it stands in a word."""
    return bool(_STARTS_JAPANESE.match(text))


def joined(lines: Iterable[str]) -> str:
    """
    Some lines as one.

    >>> joined(["本番サー", "バーの障害"])
    '本番サーバーの障害'

    :param lines: Lines without blanks at their ends.
    :returns: One line.
    """
    text = ""
    for line in lines:
        text += (joint(text, line) if text and line else "") + line
    return text


def without_breaks(source: str) -> str:
    """
    A text without the line breaks beside Japanese characters, which mean nothing in markup.

    :param source: HTML or Markdown's inline text.
    :returns: The text; line breaks between other characters stay.
    """
    return _BREAK.sub("", source)

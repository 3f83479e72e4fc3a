"""Puts words together that a line's end has cut, and keeps the hyphens that belong to a word."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from components.converters.html_blocks import tidy
from components.converters.line_joints import joint

HYPHENS = ("-", "\u00ad", "\u2010")
_WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")
# "A—" may be cut before its dash; "tri- and tetra-", "means- (or step-)" leave a part of the word open.
_DASH_START = re.compile(r"—\w")
_SUSPENDED = re.compile(r"\W|(?:and|or|to)(?![-\w])")
_URL_MARKS = ("/", "-", "_", "?", "=", "&", "#", "%")
_PREFIXES = frozenset(
    ["all", "anti", "co", "cross", "ex", "half", "multi", "non", "post", "pre", "pro", "quasi", "self", "semi", "sub"]
)
_SUBSECTION_END = re.compile(r"[\w)]\(\w{1,4}\)\Z|\A\(\w{1,4}\)\Z")
_SUBSECTION_START = re.compile(r"\(\w{1,4}\)")


class Vocabulary:
    """
    The words that a document writes in the middle of its lines, to tell true hyphens from those that typesetting adds.

    ```python
    words = Vocabulary(["a non-obvious invention", "the inven-", "tion of the document"])
    words.join("inven-", "tion")  # "invention"
    words.join("non-", "obvious")  # "non-obvious"
    ```
    """

    def __init__(self, lines: Iterable[str]):
        """
        :param lines: The document's lines.
        """
        self._counts: Counter[str] = Counter()
        ends: list[tuple[str, str]] = []
        before = ""
        for line in lines:
            words = _WORD.findall(line.casefold())
            if len(before) > 1 and before.endswith(HYPHENS):
                ends.append((before.rsplit(" ", 1)[-1], line.split(" ", 1)[0]))
                words = words[1:]
            if line.endswith(HYPHENS):
                words = words[:-1]
            before = line
            self._counts.update(words)
            # The parts of compounds are words of their own, too.
            self._counts.update(part for word in words if "-" in word for part in word.split("-") if part)
        found = [self._evidence(*end) for end in ends]
        clear = [without > 0 for without, with_hyphen in found if (without > 0) != (with_hyphen > 0)]
        # Where nearly every hyphen at a line's end is the word's own, none is the typesetting's.
        self._is_hyphenated = sum(clear) > 0.15 * len(clear)

    def join(self, before: str, after: str) -> str:
        """
        Put together a word that is cut after a hyphen.

        :param before: What stands at the line's end, with its hyphen.
        :param after: What stands at the beginning of the next line.
        :returns: One word, with or without the hyphen, whichever the document writes elsewhere.
        """
        stem = before[:-1]
        hyphenated, joined = f"{stem}-{after}", f"{stem}{after}"
        left, right = _last(stem), _first(after)
        if before.endswith("\u00ad"):
            return joined
        if not self._is_hyphenated or not (left[-1:].isalpha() and right[:1].islower()):
            return hyphenated
        without, with_hyphen = self._evidence(before, after)
        if with_hyphen != without:
            return joined if without > with_hyphen else hyphenated
        left, right = left.rpartition("-")[2], right.partition("-")[0]
        return hyphenated if left in _PREFIXES or (self._count(left) and self._count(right)) else joined

    def _evidence(self, before: str, after: str) -> tuple[int, int]:
        """How often the document writes the word without and with the hyphen."""
        left, right = _last(before[:-1]), _first(after)
        if not left or not right:
            return 0, 0
        # A compound of three words is looked up by the two at its hyphen as well.
        left_part, right_part = left.rpartition("-")[2], right.partition("-")[0]
        return (
            max(self._count(left + right), self._count(left_part + right_part)),
            max(self._count(f"{left}-{right}"), self._count(f"{left_part}-{right_part}")),
        )

    def _count(self, word: str) -> int:
        return self._counts[word.casefold()]


def _last(text: str) -> str:
    words = _WORD.findall(text)
    return words[-1] if words and text.endswith(words[-1]) else ""


def _first(text: str) -> str:
    match = _WORD.match(text)
    return match.group() if match else ""


def join_lines(lines: Sequence[str], vocabulary: Vocabulary) -> str:
    """
    One text of a paragraph's lines.

    :param lines: The lines.
    :param vocabulary: Decides about hyphens at line ends.
    :returns: The text; words cut by a hyphen, a slash or a dash are whole again.
    """
    text = ""
    for line in lines:
        before = text.rsplit(" ", 1)[-1]
        if not text:
            text = line
        elif before == "--" or (before.endswith("-") and line.startswith("-")) or _is_url_break(before, line):
            text += line
        elif before.endswith("--"):
            # An opening "--" or a dash belongs to the next word, a closing one doesn't.
            text += f" {line}" if text.count("--") % 2 == 0 else line
        elif _DASH_START.match(line):
            text += line
        elif len(before) < 2 or (before[-1] in HYPHENS and _SUSPENDED.match(line)):
            text += joint(text, line) + line
        elif before.endswith(HYPHENS):
            word, space, rest = line.partition(" ")
            text = text[: len(text) - len(before)] + vocabulary.join(before, word) + space + rest
        elif before.endswith(("/", "—", "–")) or _is_citation_break(before, line):
            text += line
        else:
            text += joint(text, line) + line
    return tidy(text.replace("\u2010", "-"))


def _is_url_break(before: str, line: str) -> bool:
    is_address = "://" in before or before.startswith("www.")
    return is_address and (before.endswith(_URL_MARKS) or line.startswith(_URL_MARKS))


def _is_citation_break(before: str, line: str) -> bool:
    """Whether "102(a)" stands at the line's end and "(2)" on the next."""
    return bool(_SUBSECTION_END.search(before)) and bool(_SUBSECTION_START.match(line))

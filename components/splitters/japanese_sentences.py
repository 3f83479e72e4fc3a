"""Sentence ends in Japanese business prose, and in the English that stands beside it."""

import re
from collections.abc import Iterator

from components.splitters.sentences import sentence_spans

_LINES = re.compile(r"[^\n]+")
_ENDS = re.compile(r"(?:[。！？｡]|(?<=[぀-ヿ㐀-鿿々ー])[!?])+")
_CLOSERS = "」』）)】〕〉》］]”’\"'"
_PAIRS = {"「": "」", "『": "』", "（": "）", "(": ")", "【": "】", "〔": "〕"}
# What goes on with a sentence behind a quotation that ends in a full stop: 「はい。」と答えた。
_GOES_ON = re.compile(r"と|って|との|など|という|の(?!で)|は|が|を|に|も|へ|、|，")


def japanese_sentence_spans(text: str) -> list[tuple[int, int]]:
    """
    Split a text at 。, ！ and ？, with the closing quotes and brackets behind them, and at line ends.

    A full stop inside a quotation ends no sentence as long as the sentence goes on behind it. Lines without Japanese
    sentence ends are split by the rules of English.

    >>> japanese_sentence_spans("「開始する。」と連絡した。終了は未定。")
    [(0, 13), (13, 19)]

    :param text: Any text.
    :returns: (start, end) of each sentence without surrounding blanks, in order.
    """
    spans: list[tuple[int, int]] = []
    for line in _LINES.finditer(text):
        for start, end in _pieces(line.group()):
            piece = line.group()[start:end]
            offset = line.start() + start
            inner = [(0, len(piece))] if _ENDS.search(piece) else sentence_spans(piece)
            spans.extend(_stripped(piece, first, last, offset) for first, last in inner)
    return [(start, end) for start, end in spans if end > start]


def _pieces(line: str) -> Iterator[tuple[int, int]]:
    """The parts of a line between the ends of its sentences."""
    start = 0
    for match in _ENDS.finditer(line):
        end = match.end()
        if end <= start or _inside_quotation(line, start, end):
            continue
        closed = end
        while closed < len(line) and line[closed] in _CLOSERS:
            closed += 1
        if closed > end and _GOES_ON.match(line, closed):
            continue
        yield start, closed
        start = closed
    if start < len(line):
        yield start, len(line)


def _inside_quotation(line: str, start: int, end: int) -> bool:
    """Whether a bracket that was opened in line[start:end] is closed further on, behind more than closers."""
    open_brackets: list[str] = []
    for char in line[start:end]:
        if char in _PAIRS:
            open_brackets.append(_PAIRS[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
    if not open_brackets:
        return False
    return line[end : end + 1] not in _CLOSERS and open_brackets[0] in line[end:]


def _stripped(piece: str, first: int, last: int, offset: int) -> tuple[int, int]:
    text = piece[first:last]
    start = first + len(text) - len(text.lstrip())
    return offset + start, offset + first + len(text.rstrip())

"""Plain text files: paragraphs, and the headings that Japanese business documents mark by signs."""

import re
from collections.abc import Iterator
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.document_text import DocumentText, make_document, read_documents
from components.converters.line_joints import joined
from components.converters.text_decoding import read_text

_ITEM = re.compile(r"\s*(?:[-*+・‣◦○●◯※→▪•]|\(?\d{1,2}[.)）]|[①-⑳]|[（(][\w]{1,3}[）)])\s*")
_SIGN_HEADING = re.compile(r"(?:[■◆▼□◇▽★]\s*(?P<sign>.+)|[【<＜〈]\s*(?P<bracket>[^】>＞〉]+)[】>＞〉])\Z")
_NUMBER_HEADING = re.compile(
    r"(?:(?P<chapter>第[\d０-９一二三四五六七八九十百]+[編章節])|(?P<article>第[\d０-９一二三四五六七八九十百]+条(?:の\d+)?)"
    r"|(?P<decimal>[\d０-９]{1,2}(?:[.．][\d０-９]{1,2}){0,3})[.．\s　])\s*\S.*\Z"
)
_SENTENCE_END = re.compile(r"[。！？!?、,;；：:」』）)]\Z")
_LONGEST_HEADING, _LONGEST_TITLE = 40, 80
# A line at least this long, of the paragraph's longest, may have been broken by the editor.
_FULL_LINE, _LEAST_WRAPPED = 0.85, 24


@component
class TextConverter:
    """
    Makes a Document of each plain text file, in UTF-8, UTF-16, Shift_JIS, EUC-JP or ISO-2022-JP.

    Headings are short lines that begin with ■, 【...】, 第1章, 第2条 or a number and hold no sentence. Lines that an
    editor has wrapped become one again, without blanks inside Japanese words.

    Usage example:
    ```python
    source = ByteStream("■ 目的\\n休暇を定める。".encode("cp932"), meta={"origin": "a.txt", "file": "a.txt"})
    TextConverter().run(sources=[source])["documents"][0].content  # "目的\\n\\n休暇を定める。"
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read text files.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: no text, or a doubtful encoding.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    text = DocumentText()
    add_plain_text(text, read_text(source))
    return make_document(source, text)


def add_plain_text(text: DocumentText, plain: str) -> None:
    """
    Add the paragraphs and headings of a plain text.

    :param text: What they are added to.
    :param plain: The text.
    """
    for paragraph in re.split(r"\n\s*\n", plain.replace("\f", "\n\n")):
        lines = [line.rstrip() for line in paragraph.split("\n") if line.strip()]
        pending: list[str] = []
        for line in [*_unwrapped(lines), ""]:
            level, heading = _heading(line.strip())
            if level or not line:
                _add_lines(text, pending)
                pending = []
            if level:
                text.heading(level, heading)
            elif line:
                pending.append(line)


def _add_lines(text: DocumentText, lines: list[str]) -> None:
    if not lines:
        return
    if not text.title and not text.record.blocks and len(lines) == 1 and _may_be_title(lines[0]):
        text.heading(1, lines[0])
        return
    is_list = sum(bool(_ITEM.match(line)) for line in lines) * 2 > len(lines)
    text.add("\n".join(lines), "list" if is_list else "text")


def _may_be_title(line: str) -> bool:
    return len(line.strip()) <= _LONGEST_TITLE and not line.strip().endswith(("。", "．", ".", "、", ",", "！", "？"))


def _heading(line: str) -> tuple[int, str]:
    """The level of a heading, 0 for other lines, and its text."""
    if not line or len(line) > _LONGEST_HEADING or line.endswith(("。", "．", ".", "、", ",", ";")):
        return 0, ""
    if match := _SIGN_HEADING.match(line):
        return 3, match.group("sign") or match.group("bracket")
    match = _NUMBER_HEADING.match(line)
    if not match or "。" in line:
        return 0, ""
    if match["chapter"]:
        return 2, line
    if match["article"]:
        return 4, line
    return (5 + len(re.findall("[.．]", match["decimal"])), line) if "：" not in line and ":" not in line else (0, "")


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """The lines of a paragraph, those put together that were broken because they were full."""
    longest = max((len(line) for line in lines), default=0)
    current: list[str] = []
    for line in lines:
        before = current[-1] if current else ""
        is_full = longest >= _LEAST_WRAPPED and len(before) >= _FULL_LINE * longest
        goes_on = is_full and not _SENTENCE_END.search(before) and not line[:1].isspace() and not _ITEM.match(line)
        if current and not (goes_on and not _heading(line.strip())[0]):
            yield joined(current)
            current = []
        current.append(line if not current else line.strip())
    if current:
        yield joined(current)

"""Markdown files: headings, paragraphs, lists and tables."""

import re
from collections.abc import Iterator
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream
from markdown_it import MarkdownIt
from markdown_it.token import Token

from components.converters.document_text import DocumentText, make_document, read_documents, table_text
from components.converters.line_joints import without_breaks
from components.converters.sidecar import read_sidecar
from components.converters.text_decoding import read_text

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


@component
class MarkdownConverter:
    """
    Makes a Document of each Markdown file; headings become the path above each paragraph, tables keep their rows.

    Front matter (YAML between two lines of ---) gives metadata, as a sidecar does.

    Usage example:
    ```python
    markdown = "# 規程\\n\\n| 種別 | 日数 |\\n|-|-|\\n| 夏季 | 5 |"
    source = ByteStream(markdown.encode(), meta={"origin": "a.md", "file": "a.md"})
    MarkdownConverter().run(sources=[source])["documents"][0].content  # "規程\\n\\n種別 | 日数\\n夏季 | 5"
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read Markdown files.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: no text, a doubtful encoding, bad front matter.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    markdown = read_text(source)
    matter = _FRONT_MATTER.match(markdown)
    try:
        found = read_sidecar(matter.group(1) or "") if matter else {}
    except ValueError as error:
        raise ValueError(f"its front matter can't be used: {error}") from error
    text = DocumentText()
    add_markdown(text, markdown[matter.end() :] if matter else markdown)
    return make_document(source, text, **found)


def add_markdown(text: DocumentText, markdown: str) -> None:
    """
    Add the blocks of a Markdown text.

    :param text: What they are added to.
    :param markdown: The text, without front matter.
    """
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    position = 0
    while position < len(tokens):
        token = tokens[position]
        end = _end(tokens, position)
        inside = tokens[position : end + 1]
        if token.type == "heading_open":
            text.heading(int(token.tag[1:]), _inline(tokens[position + 1]))
        elif token.type == "table_open":
            text.add(table_text(_rows(inside)), "table")
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            text.add("\n".join(_items(inside)), "list")
        elif token.type in ("fence", "code_block"):
            text.add(token.content)
        elif token.type == "html_block":
            text.add(_TAG.sub("", _BREAK.sub("\n", token.content)))
        else:
            for part in inside:
                if part.type == "inline":
                    text.add(_inline(part))
        position = end + 1


def _end(tokens: list[Token], start: int) -> int:
    """The place of the token that closes one, or its own."""
    depth = 0
    for position in range(start, len(tokens)):
        depth += tokens[position].nesting
        if depth <= 0:
            return position
    return len(tokens) - 1


def _inline(token: Token) -> str:
    """The text that a reader sees; line ends inside Japanese sentences mean nothing."""
    parts = []
    for child in token.children or []:
        if child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append("\n")
        elif child.type == "hardbreak" or (child.type == "html_inline" and _BREAK.fullmatch(child.content)):
            parts.append("\v")
        elif child.type == "image":
            parts.append(child.content)
    return without_breaks("".join(parts)).replace("\n", " ").replace("\v", "\n")


def _rows(tokens: list[Token]) -> Iterator[list[str]]:
    row: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            row = []
        elif token.type == "inline":
            row.append(_inline(token))
        elif token.type == "tr_close":
            yield row


def _items(tokens: list[Token]) -> Iterator[str]:
    """The lines of a list and of those inside it, each item with its mark."""
    numbers: list[int] = []
    mark = ""
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            numbers.append(int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else 0)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            numbers.pop()
        elif token.type == "list_item_open":
            mark = f"{numbers[-1]}. " if numbers[-1] else "- "
            numbers[-1] += bool(numbers[-1])
        elif token.type == "inline":
            yield mark + _inline(token).replace("\n", " ")
            mark = ""
        elif token.type in ("fence", "code_block"):
            yield from token.content.splitlines()

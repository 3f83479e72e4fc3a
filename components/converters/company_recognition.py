"""What a file of the company documents is, told by its content; a name only decides between kinds of plain text."""

import json
import re
from contextlib import suppress
from pathlib import PurePath

from components.converters.csv_document import delimiter_of
from components.converters.office_package import package_kind
from components.converters.recognition import OTHER, Recognition
from components.converters.text_decoding import DoubtfulEncodingError, decode_text

_HEAD = 64 * 1024
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ARCHIVES = (b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh", b"7z\xbc\xaf", b"Rar!")
_MEDIA = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"ID3", b"OggS", b"\x1aE\xdf\xa3")
_RIFF = (b"WEBP", b"WAVE", b"AVI ")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(r"<!doctype html|<html|<head|<body|<\?xml[^>]*\?>\s*(?:<!doctype|<html)", re.IGNORECASE)
_MAIL_LINE = re.compile(r"[A-Za-z][A-Za-z0-9-]*:")
_MAIL = re.compile(r"^(?:From|Date|Subject|Message-ID|Received|Return-Path|MIME-Version|To):", re.I | re.MULTILINE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|\|[ :|-]+\|[ ]*$|```|\*\*\S)", re.MULTILINE)
_TEXT_NAMES = {
    **dict.fromkeys([".md", ".markdown"], "markdown"),
    **dict.fromkeys([".csv", ".tsv"], "csv"),
    **dict.fromkeys([".htm", ".html", ".xhtml"], "html"),
    **dict.fromkeys([".txt", ".text", ".log"], "text"),
}
_YAML = (".yaml", ".yml")
_DETAILS = {"docx": "Word document", "pptx": "PowerPoint slides", "xlsx": "Excel tables"}


def recognize_company_document(data: bytes, name: str) -> Recognition:
    """
    Tell the kind of a file.

    ```python
    recognize_company_document("# 休暇規程\\n".encode(), "rules.md").kind  # "markdown"
    ```

    :param data: The file's content, unpacked.
    :param name: The file's name; its ending decides what plain text is (.md, .csv, .txt, .html), and nothing else.
    :returns: docx, pptx, xlsx, pdf, html, markdown, text, csv, email or records; with "other" (pictures, recordings,
        programs' files) and "" (documents that can't be read) the reason why it isn't used.
    """
    suffix = PurePath(name).suffix.lower()
    if found := _not_text(data):
        return found
    if suffix in _YAML:
        document = name.removesuffix(PurePath(name).suffix)
        if not PurePath(document).suffix:
            return Recognition(OTHER, "YAML, which is no document")
        return Recognition("", f"a sidecar whose document {document!r} isn't beside it")
    return _text(_decoded(data[:_HEAD]), suffix)


def _not_text(data: bytes) -> Recognition | None:
    if data.startswith(b"PK\x03\x04"):
        return _package(data)
    if b"%PDF-" in data[:1024]:
        return Recognition("pdf", "PDF")
    if data.startswith(_MEDIA) or data[8:12] in _RIFF or data[4:8] == b"ftyp":
        return Recognition(OTHER, "a picture or recording, which holds no text")
    head = data[:_HEAD]
    reason = ""
    if not data.strip():
        reason = "empty file"
    elif data.startswith(_OLD_OFFICE):
        reason = "an Office file of the old format, or one with a password; save it as .docx, .xlsx or .pptx"
    elif data.startswith(_ARCHIVES):
        reason = "an archive inside an archive"
    elif b"\x00" in head and not head.startswith(_WIDE_MARKS):
        return Recognition(OTHER, "binary data of an unknown format")
    return Recognition("", reason) if reason else None


def _package(data: bytes) -> Recognition:
    kind = package_kind(data)
    if not kind:
        return Recognition("", "an archive or a document of a format that isn't read; save it as .docx, .xlsx or .pptx")
    return Recognition(kind, _DETAILS[kind])


def _decoded(head: bytes) -> str:
    """Text enough to see its structure: what marks it is ASCII in all encodings."""
    whole = head[: head.rfind(b"\n") + 1] or head if len(head) == _HEAD else head
    with suppress(DoubtfulEncodingError):
        return decode_text(whole).text
    return head.decode("latin-1")


def _text(text: str, suffix: str) -> Recognition:
    start = text.lstrip("\ufeff \t\n")
    if start.startswith(("{", "[")) and (found := _json(start)):
        return found
    if _HTML.match(start):
        return Recognition("html", "HTML page")
    if suffix == ".eml" or _is_mail(start):
        return Recognition("email", "mail")
    if suffix in _TEXT_NAMES:
        return Recognition(_TEXT_NAMES[suffix], "text")
    if _MARKDOWN.search(start):
        return Recognition("markdown", "text")
    return Recognition("csv", "table") if delimiter_of(start) else Recognition("text", "text")


def _json(text: str) -> Recognition | None:
    """None for text that only begins with a bracket."""
    line = text.split("\n", 1)[0]
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):  # no JSON, or numbers or nesting beyond what Python reads
        if re.match(r'\{\s*"(?:id|_id|title|text|metadata)"\s*:', text):
            return Recognition("records", "records")  # its lines are read one by one, and the broken ones named
        is_json = re.match(r'[\[{]\s*(?:[\[{"]|$)', line)
        return Recognition("", "JSON; give one record a line: {id, title, text, metadata}") if is_json else None
    if not isinstance(entry, dict):
        return Recognition("", "JSON; give one record a line: {id, title, text, metadata}")
    if ("id" in entry or "_id" in entry) and ("text" in entry or "title" in entry):
        return Recognition("records", "records")
    return Recognition(OTHER, "JSON without the fields of a record (id, title, text)")


def _is_mail(text: str) -> bool:
    """Whether a text begins with the head lines of a mail."""
    head = text.split("\n\n", 1)[0]
    first = head.split("\n", 1)[0]
    return bool(_MAIL_LINE.match(first)) and len({match.group().lower() for match in _MAIL.finditer(head)}) >= 3

"""Mail files (.eml): head lines, text and the names of attachments."""

import email
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import default
from email.utils import getaddresses, parseaddr
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.document_text import DocumentText, make_document, read_documents
from components.converters.html_document import add_html
from components.converters.record import clean
from components.converters.text_decoding import decode_text
from components.converters.text_document import add_plain_text

_HEAD = (("差出人", "From"), ("宛先", "To"), ("Cc", "Cc"), ("日時", "Date"))
_MOST_PEOPLE = 20


@component
class EmailConverter:
    """
    Makes a Document of each mail: its subject is the title, then come sender, receivers, date, names of attachments
    and the text. Forwarded mails that are attached are read, too; other attachments aren't.

    Usage example:
    ```python
    converter = EmailConverter()
    result = converter.run(sources=[ByteStream(data, meta={"origin": "a.eml", "file": "a.eml"})])
    ```
    """

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        """
        Read mails.

        :param sources: The files, with "origin" and "file" in their meta.
        :returns: `documents`, and `failures` with origin and reason: no text, or a doubtful encoding.
        """
        return read_documents(sources, _read)


def _read(source: ByteStream) -> Document:
    message = email.message_from_bytes(source.data, policy=default)
    text = DocumentText()
    _add_message(text, message)
    name, address = parseaddr(_header(message, "From"))
    sent = message["Date"].datetime if message["Date"] is not None else None
    return make_document(
        source,
        text,
        title=_header(message, "Subject"),
        author=name or address,
        updated_at=sent.isoformat() if sent else "",
        attachments=_attachments(message),
    )


def _add_message(text: DocumentText, message: EmailMessage) -> None:
    text.heading(1, _header(message, "Subject"))
    lines = [f"{label}: {shown}" for label, name in _HEAD if (shown := _head_line(message, name))]
    if names := _attachments(message):
        lines.append(f"添付: {', '.join(names)}")
    text.add("\n".join(lines), "list")
    body = message.get_body(("plain", "html"))
    if body is not None:
        payload = body.get_payload(decode=True)
        content = decode_text(payload if isinstance(payload, bytes) else b"", body.get_content_charset("")).text
        if body.get_content_subtype() == "html":
            add_html(text, content)
        else:
            add_plain_text(text, _unquoted(content))
    for part in message.iter_attachments():
        if part.get_content_type() == "message/rfc822":
            _add_message(text, part.get_content())


def _header(message: EmailMessage, name: str) -> str:
    """
    A head line as people see it. Old programs write it in the mail's own encoding, without saying so.
    """
    value = message[name]
    if value is None:
        return ""
    shown = str(value)
    if any("\udc80" <= char <= "\udcff" for char in shown):
        shown = decode_text(shown.encode("utf-8", "surrogateescape"), message.get_content_charset("")).text
    return clean(shown)


def _head_line(message: EmailMessage, name: str) -> str:
    shown = _header(message, name)
    if name == "Date" and shown and (date := message["Date"].datetime):
        return f"{date:%Y-%m-%d %H:%M}"
    if name not in ("To", "Cc"):
        return shown
    people = [person or address for person, address in getaddresses([shown])]
    return ", ".join([*people[:_MOST_PEOPLE], *(["…"] if len(people) > _MOST_PEOPLE else [])])


def _attachments(message: EmailMessage) -> list[str]:
    return [clean(name) for part in message.iter_attachments() if (name := part.get_filename())]


def _unquoted(content: str) -> str:
    """The text without the earlier mails that answers repeat; a mail of nothing else stays whole."""
    kept = "\n".join(_own_lines(content))
    return kept if kept.strip() else content


def _own_lines(content: str) -> Iterator[str]:
    for line in content.split("\n"):
        if not line.startswith(">"):
            yield line

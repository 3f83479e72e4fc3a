"""Mail files (.eml): head lines, text and attachments."""

import email
from collections.abc import Iterator
from datetime import datetime
from email.message import EmailMessage
from email.policy import default
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.attached_files import read_attached_files
from components.converters.document_text import DocumentText, make_document, read_documents
from components.converters.html_document import add_html
from components.converters.mail_heads import file_name, head_line, people
from components.converters.text_decoding import decode_text
from components.converters.text_document import add_plain_text

_MOST_PEOPLE = 20


@component
class EmailConverter:
    """
    Makes a Document of each mail: its subject is the title, then come sender, receivers, date, names of attachments
    and the text, that of attached mails behind it. Attached files with text are Documents of their own, whose id is
    that of the mail with "!" and the file's name.

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
        :returns: `documents`, and `failures` with origin and reason: no text, a doubtful encoding, an attached file
            that can't be read.
        """
        documents: list[Document] = []
        failures: list[dict[str, str]] = []
        for source in sources:
            message = email.message_from_bytes(source.data, policy=default)
            result = read_documents([source], partial(_read, message))
            failures += result["failures"]
            for mail in result["documents"]:
                attached, reasons = read_attached_files(_files(message), mail)
                documents += [mail, *attached]
                failures += [{"origin": mail.meta["origin"], "reason": reason} for reason in reasons]
        return {"documents": documents, "failures": failures}


def _read(message: EmailMessage, source: ByteStream) -> Document:
    text = DocumentText()
    _add_message(text, message)
    name, address = next(iter(people(message, "From")), ("", ""))
    sent = _sent(message)
    return make_document(
        source,
        text,
        title=head_line(message, "Subject"),
        author=name or address,
        updated_at=sent.isoformat() if sent else "",
        attachments=_attachments(message),
    )


def _add_message(text: DocumentText, message: EmailMessage) -> None:
    text.heading(1, head_line(message, "Subject"))
    text.add("\n".join(_head(message)), "list")
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


def _head(message: EmailMessage) -> Iterator[str]:
    for name, address in people(message, "From")[:1]:
        yield f"差出人: {name} <{address}>" if name else f"差出人: {address}"
    for label, line in (("宛先", "To"), ("Cc", "Cc")):
        names = [name or address for name, address in people(message, line)]
        if names:
            yield f"{label}: {', '.join(names[:_MOST_PEOPLE])}{', …' if len(names) > _MOST_PEOPLE else ''}"
    if sent := _sent(message):
        yield f"日時: {sent:%Y-%m-%d %H:%M}"
    if files := _attachments(message):
        yield f"添付: {', '.join(files)}"


def _sent(message: EmailMessage) -> datetime | None:
    """When the mail was sent; None where that can't be read."""
    try:
        return parsedate_to_datetime(head_line(message, "Date"))
    except ValueError:
        return None


def _attachments(message: EmailMessage) -> list[str]:
    return [name for part in message.iter_attachments() if (name := file_name(part))]


def _files(message: EmailMessage) -> Iterator[tuple[str, bytes]]:
    for part in message.iter_attachments():
        name = file_name(part)
        content = part.get_payload(decode=True) if name else None
        if isinstance(content, bytes):
            yield name, content


def _unquoted(content: str) -> str:
    """The text without the earlier mails that answers repeat; a mail of nothing else stays whole."""
    kept = "\n".join(_own_lines(content))
    return kept if kept.strip() else content


def _own_lines(content: str) -> Iterator[str]:
    for line in content.split("\n"):
        if not line.startswith(">"):
            yield line

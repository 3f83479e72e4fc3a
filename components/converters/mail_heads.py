"""Head lines of mails as people see them: encoded words with ①, ㈱ and 髙, and bytes without a declared encoding."""

from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses

from components.converters.japanese_encodings import codec_of, strict_decode
from components.converters.record import clean
from components.converters.text_decoding import DoubtfulEncodingError, decode_text


def head_line(message: Message, name: str) -> str:
    """
    A head line in one line of text.

    Python's own decoding puts U+FFFD for each character that Windows adds to the Japanese encodings.

    ```python
    head_line(email.message_from_bytes(data), "Subject")  # "㈱ハルカ商事様 ①納期の件"
    ```

    :param message: The mail, by whichever policy it was parsed.
    :param name: The line's name.
    :returns: The text; empty where the mail has no such line.
    """
    return clean(_decoded(_raw(message, name), message.get_content_charset("") or ""))


def people(message: Message, name: str) -> list[tuple[str, str]]:
    """
    The people that a head line names.

    :param message: The mail.
    :param name: From, To or Cc.
    :returns: Name and address of each; the name may be empty.
    """
    charset = message.get_content_charset("") or ""
    found = getaddresses([_raw(message, name)])
    return [(clean(_decoded(person, charset)), address) for person, address in found if person or address]


def file_name(part: Message) -> str:
    """
    The name of an attached file.

    :param part: The part of the mail that holds it.
    :returns: The name; empty where it has none.
    """
    # Under the default policy the name comes decoded by Python already.
    plain = Message()
    for name in ("Content-Disposition", "Content-Type"):
        if raw := _raw(part, name):
            plain[name] = raw
    return clean(_decoded(plain.get_filename("") or "", ""))


def _raw(message: Message, name: str) -> str:
    values = (str(value) for known, value in message.raw_items() if known.lower() == name.lower())
    return " ".join(next(values, "").split("\n")).replace("\r", "")


def _decoded(raw: str, charset: str) -> str:
    try:
        words = decode_header(raw)
    except HeaderParseError:
        return raw
    return "".join(
        _text(word if isinstance(word, bytes) else word.encode("utf-8", "surrogateescape"), encoding or charset)
        for word, encoding in words
    )


def _text(word: bytes, charset: str) -> str:
    codec = codec_of(charset)
    text = strict_decode(word, codec) if codec else None
    if text is not None:
        return text
    try:
        return decode_text(word, charset).text
    except DoubtfulEncodingError:
        return word.decode("utf-8", "replace")

"""Strict decoding of Japanese encodings, with the characters that Windows and mail programs add to them."""

import codecs
import re

_JIS_ESCAPE = re.compile(rb"\x1b(\$@|\$B|\$\(D|\(B|\(J|\(I|\(H)")
_JIS_KANJI = (b"$@", b"$B")
# Names as they are written in files and mails, and the codec with the characters that Windows adds (①, ㈱, 髙).
_NAMES = {
    **dict.fromkeys(["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j", "ms932", "cp932"], "cp932"),
    **dict.fromkeys(["euc-jp", "euc_jp", "eucjp", "x-euc-jp", "cp51932", "eucjp-ms"], "euc-jp"),
    **dict.fromkeys(["iso-2022-jp", "iso2022jp", "iso2022_jp", "csiso2022jp", "cp50220", "cp50221"], "iso-2022-jp"),
}


def codec_of(name: str) -> str:
    """
    The codec for a name of an encoding, with the characters that Windows adds to the Japanese ones.

    :param name: "Shift_JIS", "x-sjis", "EUC-JP", "utf8", ...
    :returns: The codec's name; empty for an unknown one.
    """
    lower = name.strip().strip("\"'").lower()
    if lower in _NAMES:
        return _NAMES[lower]
    try:
        return codecs.lookup(lower).name if lower else ""
    except (LookupError, ValueError):
        return ""


def strict_decode(data: bytes, encoding: str) -> str | None:
    """
    Decode bytes that have to be in an encoding from the first to the last.

    >>> strict_decode("①".encode("cp932"), "cp932"), strict_decode(b"\\xff", "utf-8")
    ('①', None)

    :param data: The bytes.
    :param encoding: A codec's name, from `codec_of`.
    :returns: The text; None when a byte doesn't fit.
    """
    try:
        if encoding == "iso-2022-jp":
            return _decode_jis(data)
        if encoding == "euc-jp":
            return _decode_euc(data)
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _decode_euc(data: bytes) -> str:
    try:
        return data.decode("euc_jp")
    except UnicodeDecodeError:
        return data.decode("euc_jis_2004")  # ①, ㈱ and the other characters of row 13


def _decode_jis(data: bytes) -> str:
    """ISO-2022-JP with the half-width kana and the characters of row 13 that mail programs put in, too."""
    parts: list[str] = []
    position, mode = 0, b"(B"
    for match in (*_JIS_ESCAPE.finditer(data), None):
        piece = data[position : match.start() if match else len(data)]
        if mode in _JIS_KANJI:
            parts.append(_decode_euc(bytes(byte | 0x80 if byte > 0x20 else byte for byte in piece)))
        elif mode == b"$(D":
            parts.append((b"\x1b$(D" + piece + b"\x1b(B").decode("iso2022_jp_ext"))
        elif mode == b"(I":
            parts.append(bytes(byte | 0x80 if byte > 0x20 else byte for byte in piece).decode("cp932"))
        else:
            parts.append(piece.decode("ascii"))
        if match:
            position, mode = match.end(), match.group(1)
    return "".join(parts)


def has_jis_escapes(data: bytes) -> bool:
    """Whether bytes are ISO-2022-JP: ASCII, with the sequences that begin and end Japanese characters."""
    return data.isascii() and bool(_JIS_ESCAPE.search(data))

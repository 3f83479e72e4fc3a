"""Finds the encoding of a text: UTF-8, UTF-16, Shift_JIS, EUC-JP or ISO-2022-JP; a doubtful one is refused."""

import codecs
import re
import unicodedata
from typing import NamedTuple

from haystack.dataclasses import ByteStream

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_JIS_ESCAPE = re.compile(rb"\x1b(\$@|\$B|\$\(D|\(B|\(J|\(I|\(H)")
_JIS_KANJI = (b"$@", b"$B")
# Names as they are written in files and mails, and the codec with the characters that Windows adds (①, ㈱, 髙).
_NAMES = {
    **dict.fromkeys(["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j", "ms932", "cp932"], "cp932"),
    **dict.fromkeys(["euc-jp", "euc_jp", "eucjp", "x-euc-jp", "cp51932", "eucjp-ms"], "euc-jp"),
    **dict.fromkeys(["iso-2022-jp", "iso2022jp", "iso2022_jp", "csiso2022jp", "cp50220", "cp50221"], "iso-2022-jp"),
}
# How well a character fits into Japanese business text, by the median of what documents hold.
_KANA, _COMMON_KANJI, _SYMBOL, _HALF_KANA, _RARE_KANJI = 1.0, 0.8, 0.8, 0.45, 0.1
_LATIN_TEXT, _ALONE = 0.75, 0.15
_LEAST_SCORE, _LEAST_LEAD = 0.4, 0.15
_SHORT = 20
_CURLY = "‘’“”–—…•™©®€£°§±×·"
_RUNS = re.compile(r"[^\x00-\x7f]+")
_FULL_KANA = re.compile("[\u3041-\u30fe]")
_SIDECAR_ENCODING = re.compile(r"^encoding:[ \t]*[\"']?([\w.:-]+)", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class DoubtfulEncodingError(ValueError):
    """
    The encoding of a text can't be told; the message names the candidates and the way out.

    :param candidates: The encodings that the bytes may be in, the likeliest first.
    """

    def __init__(self, candidates: list[str]):
        self.candidates = candidates
        reading = f"it may be {' or '.join(candidates)}" if candidates else "no encoding that is known fits"
        super().__init__(
            f"the encoding is doubtful: {reading}; save the file as UTF-8, or name the encoding in its sidecar"
        )


class DecodedText(NamedTuple):
    """
    A text and the encoding that it was found to be in.

    :param text: The text, with line ends as "\\n".
    :param encoding: utf-8, utf-16, utf-32, cp932, euc-jp, iso-2022-jp or windows-1252.
    """

    text: str
    encoding: str


def decode_text(data: bytes, declared: str = "") -> DecodedText:
    """
    Decode a text whose encoding isn't known.

    Marks at the beginning and the escapes of ISO-2022-JP decide; then all of the text has to decode strictly. Bytes
    that more than one encoding fits are judged by the characters they give: how many are kana, common kanji and
    punctuation in runs. When that doesn't decide, `declared` does, and without it the text is doubtful.

    ```python
    decode_text("障害報告".encode("cp932") + "のとおり".encode("cp932")).encoding  # "cp932"
    ```

    :param data: The bytes of the text.
    :param declared: The encoding that the file itself names, in a `charset` or a header; used where it fits.
    :returns: The text and its encoding.
    :raises DoubtfulEncodingError: When no encoding fits, or more than one does.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = _strict(data, encoding)
            if text is None:
                raise DoubtfulEncodingError([])
            return DecodedText(_lines(text), encoding.removesuffix("-sig"))
    found = _candidates(data)
    ranked = sorted(found, key=lambda encoding: -found[encoding][1])
    if not ranked:
        raise DoubtfulEncodingError([])
    chosen = ranked[0]
    if _is_doubtful([found[encoding] for encoding in ranked]):
        chosen = codec_of(declared)
        if chosen not in found:
            raise DoubtfulEncodingError(ranked)
    return DecodedText(_lines(found[chosen][0]), chosen)


def decode_as(data: bytes, encoding: str) -> str:
    """
    Decode a text in an encoding that someone has named.

    :param data: The bytes.
    :param encoding: The name, in any of its spellings.
    :returns: The text, with line ends as "\\n".
    :raises ValueError: When there is no such encoding, or the bytes aren't in it.
    """
    codec = codec_of(encoding)
    if not codec:
        raise ValueError(f"there is no encoding {encoding!r}")
    text = _strict(data, codec)
    if text is None:
        raise ValueError(f"the text is not in {encoding}, which is named as its encoding")
    return _lines(text)


def read_text(source: ByteStream, declared: str = "") -> str:
    """
    Decode a text file, by the encoding that its sidecar names or by what is found.

    :param source: The file, with its sidecar in its meta where it has one.
    :param declared: The encoding that the file itself names.
    :returns: The text, with line ends as "\\n".
    :raises ValueError: When the encoding is doubtful or not the one that the sidecar names.
    """
    named = _SIDECAR_ENCODING.search(sidecar_text(source))
    return decode_as(source.data, named.group(1)) if named else decode_text(source.data, declared).text


def sidecar_text(source: ByteStream) -> str:
    """
    The YAML of the sidecar that came with a file.

    :param source: The file; `meta["sidecar"]` is the sidecar's content, where there is one.
    :returns: The text; empty without a sidecar.
    :raises ValueError: When the sidecar's encoding is doubtful.
    """
    content = source.meta.get("sidecar") or ""
    if isinstance(content, str):
        return content
    try:
        return decode_text(content).text
    except DoubtfulEncodingError as error:
        candidates = " or ".join(error.candidates) or "no encoding that is known"
        raise ValueError(f"not indexed, its sidecar can't be used: save it as UTF-8 (it is in {candidates})") from error


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


def _candidates(data: bytes) -> dict[str, tuple[str, float]]:
    """Encodings that the bytes decode in, each with the text and how plausible that is."""
    if _JIS_ESCAPE.search(data) and data.isascii():
        text = _strict(data, "iso-2022-jp")
        return {"iso-2022-jp": (text, 1.0)} if text is not None else {}
    text = _strict(data, "utf-8")
    if text is not None and data.isascii():
        return {"utf-8": (text, 1.0)} if not _CONTROL.search(text) else {}
    found = {}
    for encoding in ("cp932", "euc-jp"):
        decoded = _strict(data, encoding)
        if decoded is not None:
            found[encoding] = (decoded, japanese_score(decoded))
    if text is not None:
        # Chance hardly ever makes UTF-8; only a few characters of two bytes may be something else.
        two_bytes = all("\x80" <= char < "\u0800" for char in "".join(_RUNS.findall(text)))
        doubtful = {name: rival for name, rival in found.items() if two_bytes and rival[1] >= _COMMON_KANJI - 0.1}
        return {"utf-8": (text, 0.8 if doubtful else 1.0), **doubtful}
    latin = _strict(data, "windows-1252")
    if latin is not None:
        found["windows-1252"] = (latin, _latin_score(latin))
    return found


def _is_doubtful(ranked: list[tuple[str, float]]) -> bool:
    """Whether the best of some readings isn't good, or not clearly better than the next one."""
    text, best = ranked[0]
    if best < _LEAST_SCORE or len(ranked) == 1:
        return best < _LEAST_SCORE
    # A few kanji without kana may as well be half-width kana in another encoding.
    is_short = len("".join(_RUNS.findall(text))) < _SHORT and not _FULL_KANA.search(text) and best < 1
    second = ranked[1][1]
    return best - second < _LEAST_LEAD or (is_short and second >= _LEAST_SCORE)


def _strict(data: bytes, encoding: str) -> str | None:
    """The text, if all of the bytes are in the encoding."""
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


def japanese_score(text: str) -> float:
    """
    How much the characters beyond ASCII look like Japanese business text.

    :param text: A decoded text.
    :returns: 0 to 1; 0 when a character can't be in a text.
    """
    total, count = 0.0, 0
    for run in _RUNS.finditer(text):
        scores = [_japanese(char) for char in run.group()]
        # One kanji between Latin letters is a quotation mark of Windows-1252 with the letter behind it.
        alone = len(scores) == 1 and text[run.start() - 1 : run.start()].isalpha()
        total += sum(scores) * (_ALONE if alone else 1.0)
        count += len(scores)
    if not count or _CONTROL.search(text):
        return 0.0
    return total / count


def _japanese(char: str) -> float:
    if "\u3041" <= char <= "\u30fe":
        return _KANA
    if "\u4e00" <= char <= "\u9fff" or char == "々":
        # The lead byte of Shift_JIS tells the 2,965 kanji of the first level from the rarer ones.
        encoded = char.encode("cp932", "ignore")
        return _COMMON_KANJI if len(encoded) == 2 and encoded[0] < 0x99 else _RARE_KANJI
    if "\u3000" <= char <= "\u303f" or "\uff01" <= char <= "\uff5e" or "\u2010" <= char <= "\u2312" or char in "×±°÷":
        return _SYMBOL
    if "\uff61" <= char <= "\uff9f":
        return _HALF_KANA
    return 0.5 if "\u2460" <= char <= "\u266f" or "\u3231" <= char <= "\u33ff" else 0.0


def _latin_score(text: str) -> float:
    """How much a text looks like a Western language with accents and typographic quotes."""
    runs = _RUNS.findall(text)
    extra = "".join(runs)
    if _CONTROL.search(text) or len(extra) > 0.1 * len(text):
        return 0.0
    good = sum(char in _CURLY or (unicodedata.category(char) in ("Ll", "Lu") and char < "\u0180") for char in extra)
    return _LATIN_TEXT * good / len(extra) if all(len(run) < 4 for run in runs) else 0.0


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")

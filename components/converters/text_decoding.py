"""Finds the encoding of a text: UTF-8, UTF-16, Shift_JIS, EUC-JP or ISO-2022-JP; a doubtful one is refused."""

import codecs
import re
from typing import NamedTuple

from haystack.dataclasses import ByteStream

from components.converters.japanese_encodings import codec_of, has_jis_escapes, strict_decode
from components.converters.text_plausibility import (
    COMMON_KANJI,
    beyond_ascii,
    has_control_characters,
    japanese_score,
    latin_score,
)

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEAST_SCORE, _LEAST_LEAD = 0.4, 0.15
_SHORT = 20
_FULL_KANA = re.compile("[\u3041-\u30fe]")
_SIDECAR_ENCODING = re.compile(r"^encoding:[ \t]*[\"']?([\w.:-]+)", re.MULTILINE)


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
            text = strict_decode(data, encoding)
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
    text = strict_decode(data, codec)
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


def _candidates(data: bytes) -> dict[str, tuple[str, float]]:
    """Encodings that the bytes decode in, each with the text and how plausible that is."""
    if has_jis_escapes(data):
        text = strict_decode(data, "iso-2022-jp")
        return {"iso-2022-jp": (text, 1.0)} if text is not None else {}
    text = strict_decode(data, "utf-8")
    if text is not None and data.isascii():
        return {"utf-8": (text, 1.0)} if not has_control_characters(text) else {}
    found = {}
    for encoding in ("cp932", "euc-jp"):
        decoded = strict_decode(data, encoding)
        if decoded is not None:
            found[encoding] = (decoded, japanese_score(decoded))
    if text is not None:
        # Chance hardly ever makes UTF-8; only a few characters of two bytes may be something else.
        two_bytes = all("\x80" <= char < "\u0800" for char in beyond_ascii(text))
        doubtful = {name: rival for name, rival in found.items() if two_bytes and rival[1] >= COMMON_KANJI - 0.1}
        return {"utf-8": (text, 0.8 if doubtful else 1.0), **doubtful}
    latin = strict_decode(data, "windows-1252")
    if latin is not None:
        found["windows-1252"] = (latin, latin_score(latin))
    return found


def _is_doubtful(ranked: list[tuple[str, float]]) -> bool:
    """Whether the best of some readings isn't good, or not clearly better than the next one."""
    text, best = ranked[0]
    if best < _LEAST_SCORE or len(ranked) == 1:
        return best < _LEAST_SCORE
    # A few kanji without kana may as well be half-width kana in another encoding.
    is_short = len(beyond_ascii(text)) < _SHORT and not _FULL_KANA.search(text) and best < 1
    second = ranked[1][1]
    return best - second < _LEAST_LEAD or (is_short and second >= _LEAST_SCORE)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
